"""What the bus tests share."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from tests.doubles.small_stores import MemoryKeyRing
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer, ReceivedJob
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.ports import Job, JobKind
from trustgraph_react_mem.memory.scope import Scope

T = TypeVar("T")
DEADLINE_S = 60.0  # a busy machine is no fault


def make_keyring() -> MemoryKeyRing:
    def check() -> None:
        return None

    return MemoryKeyRing(check, check)


def scope(user: str = "ann") -> Scope:
    return Scope(workspace="default", user=user, collection="default")


def job(number: int, user: str = "ann", kind: JobKind = "record", **payload: Any) -> Job:
    return Job(
        id=f"{user}-{kind}-{number}",
        kind=kind,
        scope=scope(user),
        payload={"number": number, **payload},
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


class ObservedConsumer(JobConsumer):
    """A worker's consumer that knows which messages it received.

    A broker may deliver a message again to the same consumer, also after it was acknowledged; that shows nothing.  A message
    that an earlier consumer acknowledged is new here.
    """

    def __init__(self, backend: Bus, keys: MemoryKeyRing) -> None:
        super().__init__(backend, keys)
        self._seen: set[str] = set()

    async def receive(self) -> ReceivedJob:
        received = await super().receive()
        self._seen.add(received.message.identity)
        return received

    async def receive_new(self, *, acknowledge_repeats: bool = False) -> ReceivedJob:
        """The next message that was not received before.

        A repeated message stays unacknowledged as long as the test has not acknowledged its first delivery.
        """
        while True:
            known = set(self._seen)
            received = await self.receive()
            if received.message.identity not in known:
                return received
            if acknowledge_repeats:
                await received.ack()


async def receive(consumer: ObservedConsumer, count: int) -> list[ReceivedJob]:
    """This number of different messages."""
    async with asyncio.timeout(DEADLINE_S):
        return [await consumer.receive_new() for _ in range(count)]


async def nothing_more(consumer: ObservedConsumer, publisher: BusJobPublisher) -> None:
    """Nothing is delivered that the consumer has not received: it would have come before the job that is published here."""
    await publisher.publish([job(999, kind="noop", user="last")])
    async with asyncio.timeout(DEADLINE_S):
        received = await consumer.receive_new(acknowledge_repeats=True)
    assert received.head.id == "last-noop-999"
    await received.ack()


async def once_available(call: Callable[[], Awaitable[T]]) -> T:
    """The result of a call when the bus is there again."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                return await call()
            except EngineUnavailable:
                await asyncio.sleep(0.01)


async def until(condition: Callable[[], bool], *, deadline_s: float = DEADLINE_S) -> None:
    """Wait for something another process does; fails the test when it does not come."""
    async with asyncio.timeout(deadline_s):
        while not condition():  # noqa: ASYNC110 - another process can set no event
            await asyncio.sleep(0.01)
