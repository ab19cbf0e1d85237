"""A rolling update as docker/k8s does it: the new process of a processor is ready before the old one gets SIGTERM."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from tests.crash.people import People
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import RetrieveFacts

from .conftest import PLAIN
from .deployment import AROUND, OURS, Addresses, Deployment

pytestmark = [pytest.mark.servers, pytest.mark.slow]

USERS = 3
READERS = 2
TURNS = 6
"""Acknowledged turns between two processors."""

PATIENCE_S = 240.0  # bounds a failure: an answer takes a hundredth of it
SETTINGS = {**PLAIN, "recall-deadline-ms": 60_000}
"""So that a part of recall fails only if its request is lost, not because the machine is slow."""


@pytest.fixture(scope="module")
def launcher() -> Iterator[ThreadPoolExecutor]:
    """One thread for all tests: a process that it starts ends with it."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture(scope="module")
def rolled(
    launcher: ThreadPoolExecutor, addresses: Addresses, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """One of each, as docker/k8s starts them."""
    folder = tmp_path_factory.mktemp("rolled")
    with Deployment(folder, addresses, workspace=f"rolled{uuid.uuid4().hex[:8]}", settings=SETTINGS).running() as deployment:
        yield deployment


class Readers:
    """People who search without pause, in numbers: ``answered`` and ``failed`` requests."""

    def __init__(self, deployment: Deployment, users: list[str]) -> None:
        self._deployment = deployment
        self._users = users
        self.answered = 0
        self.failed: list[str] = []

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        over = asyncio.Event()
        async with await self._deployment.connect() as bus:

            async def reads(number: int) -> None:
                request = RetrieveFacts(user=self._users[number % USERS], query="What do I keep in the drawer?", top_k=3)
                while not over.is_set():
                    try:
                        await bus.call(request, PATIENCE_S)
                        self.answered += 1
                    except MemoryServiceError as error:
                        self.failed.append(str(error))

            tasks = [asyncio.create_task(reads(number)) for number in range(READERS)]
            try:
                yield
            finally:
                over.set()
                await asyncio.gather(*tasks)


async def test_an_update_of_every_processor_loses_nothing_and_leaves_no_request_unanswered(
    rolled: Deployment, launcher: ThreadPoolExecutor
) -> None:
    people = People(rolled.connect, USERS, turn_timeout_s=PATIENCE_S)
    readers = Readers(rolled, people.users)
    async with people.asking():
        async with readers.reading():
            await people.acknowledged(TURNS, PATIENCE_S)
            for processor in (*OURS, *AROUND):
                read = readers.answered
                await asyncio.get_running_loop().run_in_executor(launcher, rolled.replace, processor)
                await people.acknowledged(TURNS, PATIENCE_S)
                assert people.unacknowledged == [], processor
                assert people.missing == [], f"an answer without all parts of recall, while {processor} was replaced"
                assert readers.failed == [], processor
                assert readers.answered > read + READERS, processor
        people.silence()
        await people.at_rest()
    assert people.tally.asked == len(people.tally.acknowledged) + len(people.unconfirmed)
    tally = await people.count()
    assert (tally.lost, tally.doubled) == ([], [])
