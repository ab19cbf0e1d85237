"""A rolling update as docker/k8s does it: the new process of a processor is ready before the old one gets SIGTERM."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from tests.crash.people import People
from trustgraph_react_mem.bus import external_client
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import RetrieveFacts

from .conftest import PATIENCE_S, PATIENT, Say
from .deployment import AROUND, OURS, Addresses, Deployment

pytestmark = [pytest.mark.servers, pytest.mark.slow]

USERS = 3
READERS = 2
TURNS = 6
"""Acknowledged turns between two processors."""


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
    with Deployment(folder, addresses, workspace=f"rolled{uuid.uuid4().hex[:8]}", settings=PATIENT).running() as deployment:
        yield deployment


class Readers:
    """People who search without pause.  ``failed``: how requests without an answer ended."""

    def __init__(self, deployment: Deployment, users: list[str]) -> None:
        self._deployment = deployment
        self._users = users[:READERS]
        self._ended = dict.fromkeys(self._users, 0)
        self._tasks: list[asyncio.Task[None]] = []
        self.failed: list[str] = []

    @property
    def ended(self) -> int:
        return sum(self._ended.values())

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        over = asyncio.Event()
        async with await self._deployment.connect() as bus:

            async def reads(user: str) -> None:
                request = RetrieveFacts(user=user, query="What do I keep in the drawer?", top_k=3)
                while not over.is_set():
                    try:
                        await bus.call(request, PATIENCE_S)
                    except MemoryServiceError as error:
                        self.failed.append(f"search {self._ended[user]} of {user}: {type(error).__name__}: {error}")
                    self._ended[user] += 1

            self._tasks = [asyncio.create_task(reads(user)) for user in self._users]
            try:
                yield
            finally:
                over.set()
                await asyncio.gather(*self._tasks)

    async def answered(self) -> None:
        """Until everybody's request of now has ended, and one that was begun later, each within its time limit."""
        wanted = {user: number + 2 for user, number in self._ended.items()}
        while any(self._ended[user] < number for user, number in wanted.items()):
            for task in self._tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)


async def test_an_update_of_every_processor_loses_nothing_and_leaves_no_request_unanswered(
    rolled: Deployment, launcher: ThreadPoolExecutor, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external_client, "FIRST_MESSAGE_TIMEOUT_S", PATIENCE_S)
    people = People(rolled.connect, USERS, turn_timeout_s=PATIENCE_S)
    readers = Readers(rolled, people.users)

    def all_is_well(when: str) -> None:
        assert people.unacknowledged == [], when
        assert people.missing == [], f"{when}: answers without all parts of recall"
        assert readers.failed == [], when

    async with people.asking():
        async with readers.reading():
            await people.acknowledged(TURNS, PATIENCE_S)
            for processor in (*OURS, *AROUND):
                say(f"{processor} is updated; {len(people.tally.acknowledged)} turns, {readers.ended} searches so far")
                await asyncio.get_running_loop().run_in_executor(launcher, rolled.replace, processor)
                # First what was asked meanwhile, so that a request without an answer is known to be of this update.
                await asyncio.gather(people.answered(), readers.answered())
                await people.acknowledged(TURNS, PATIENCE_S)
                all_is_well(f"while {processor} was updated")
        people.silence()
        await people.answered()
    all_is_well("at the end")
    tally = people.tally
    say(f"{len(tally.acknowledged)} turns are acknowledged, {len(people.unconfirmed)} unconfirmed; counting what is kept")
    assert tally.asked == len(tally.acknowledged) + len(people.unconfirmed)
    await people.count()
    assert (tally.lost, tally.doubled) == ([], [])
