"""One memory for the tests of a module; each test has a user of its own."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trustgraph_react_mem import MemoryManager, SyncMemoryManager
from trustgraph_react_mem.testing import HashedEmbedder

NewUser = Callable[[], MemoryManager]
_number = itertools.count()


class SetClock:
    """A clock that tests set; it advances by a millisecond with each look, so that no two records share a time."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def advance(self, minutes: float) -> None:
        self._now += timedelta(minutes=minutes)


@pytest.fixture(scope="module")
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, clock: SetClock) -> Iterator[MemoryManager]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACT_MEM_KEYS", str(tmp_path_factory.mktemp("keys")))
        folder: Path = tmp_path_factory.mktemp("memory")
        memory = MemoryManager.open(folder, user="first", embedder=HashedEmbedder(64), clock=clock, model="none")
        yield memory
        SyncMemoryManager(memory).close()


@pytest.fixture
def new_user(opened: MemoryManager) -> NewUser:
    """A memory of a user that no other test knows."""
    return lambda: opened.shared(user=f"user{next(_number)}")


@pytest.fixture
def memory(new_user: NewUser) -> MemoryManager:
    return new_user()
