from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.connection import DirectBackend


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker(tmp_path / "bus") as broker:
        yield broker


@pytest.fixture
async def backend(broker: EmbeddedBroker) -> AsyncIterator[DirectBackend]:
    backend = DirectBackend(broker.url)
    yield backend
    await backend.close()
