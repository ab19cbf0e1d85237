"""One listener over one started stack for the tests of this folder; they keep apart by user."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from .served import Served, serve


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("http")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(home: Path) -> AsyncIterator[Served]:
    async with serve(home) as made:
        yield made
