"""A stack without a language model, for the tests of a module.  They keep apart by user."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.integration.engines import close_engines
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder


def plain_stack(home: Path, model: Any = "none") -> EmbeddedStack:
    return EmbeddedStack(home / "data", model=model, embeddings=HashedEmbedder(), settings=StoreSettings(keys=home / "keys"))


@pytest.fixture(scope="session", autouse=True)
def _engines() -> Iterator[None]:
    yield
    asyncio.run(close_engines())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedStack]:
    async with plain_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bus(stack: EmbeddedStack) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(stack.url) as bus:
        yield bus


@pytest.fixture
def keys_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of a directory of its own, for a manager that finds them by the environment."""
    monkeypatch.setenv("REACT_MEM_KEYS", str(tmp_path / "keys"))


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A scope of its own for each test."""
    return str(request.node.name)[:100]
