"""The job topic of a broker, simulated: durable, shared by key, and as unfriendly as the real one may be.

- Messages of one key are handed out in the order they were published, those of different keys in any order.
- A key belongs to one consumer as long as that one has something of it in hand; then any other may get it.
- A message is kept until it is acknowledged, and comes again to the next consumer when it was not.
- A confirmation can get lost: the publisher is told of a failure and the message is there all the same.
- An acknowledgement can get lost: the worker believes it, and the message comes again to the next consumer.
- A message may be there twice.

Without faults it is the calm topic of the other tests.  ``tests/integration/bus/test_job_topic.py`` holds it to what the real
broker does.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.simulation.faults import Faults, Life
from trustgraph_react_mem.bus.envelope import open_job, seal_payload
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.ports import Job, KeyRing

RESOLUTION_S = 1e-6  # of the simulated loop's clock, which ends a shorter wait at the same time


@dataclass(slots=True, eq=False)
class Message:
    head: Job
    sealed: str
    available_s: float
    session: int = 0  # the consumer that has it in hand
    believed: bool = False  # the consumer thinks that it is acknowledged


class SimulatedTopic:
    """What the broker keeps.  ``stored`` has every job id that was ever published, in order."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults(random=Random(0), off=True)
        self.partitions: dict[str, list[Message]] = {}
        self.stored: list[Job] = []
        self.arrived = asyncio.Event()
        self.sessions = 0
        self.living: dict[int, Life] = {}

    def store(self, job: Job, sealed: str) -> None:
        random = self.faults.random
        now_s = asyncio.get_running_loop().time()
        calm = self.faults.off
        copies = 2 if not calm and random.random() < 0.04 else 1
        head = replace(job, payload={})
        for _ in range(copies):
            delay_s = 0.0 if calm else random.choice((0.0, 0.0, 0.01, 1.0))
            self.partitions.setdefault(partition_key(job), []).append(Message(head, sealed, now_s + delay_s))
        self.stored.append(head)
        self.arrived.set()

    def publisher(self, keyring: KeyRing, life: Life | None = None) -> "TopicPublisher":
        return TopicPublisher(self, keyring, life)

    def consumer(self, keyring: KeyRing, life: Life) -> "TopicConsumer":
        """A new consumer: everything that was in the hand of one that is gone comes again."""
        return TopicConsumer(self, keyring, life, self.join(life))

    def join(self, life: Life) -> int:
        self.sessions += 1
        self.living = {session: each for session, each in self.living.items() if not each.dead} | {self.sessions: life}
        return self.sessions

    def next_for(self, session: int) -> Message | float:
        """A message, or the seconds until one may be there (infinite: only when one is published)."""
        now_s = asyncio.get_running_loop().time()
        ready: list[Message] = []
        soonest_s = float("inf")
        for messages in self.partitions.values():
            owners = {message.session for message in messages if self._is_held(message)}
            waiting = next((message for message in messages if message.session != session), None)
            if waiting is None or owners - {session}:
                continue
            if waiting.available_s <= now_s + RESOLUTION_S:
                ready.append(waiting)
            else:
                soonest_s = min(soonest_s, waiting.available_s - now_s)
        return self.faults.random.choice(ready) if ready else soonest_s

    def _is_held(self, message: Message) -> bool:
        life = self.living.get(message.session)
        return life is not None and not life.dead

    def acknowledge(self, message: Message) -> None:
        messages = self.partitions.get(partition_key(message.head), [])
        if message in messages:
            messages.remove(message)
            if not messages:
                del self.partitions[partition_key(message.head)]
        self.arrived.set()  # another consumer may get the key now

    @property
    def unacknowledged(self) -> list[Message]:
        return [message for messages in self.partitions.values() for message in messages]


class TopicPublisher:
    """``JobPublisher``."""

    def __init__(self, topic: SimulatedTopic, keyring: KeyRing, life: Life | None) -> None:
        self._topic, self._keyring, self._life = topic, keyring, life

    async def publish(self, jobs: Sequence[Job]) -> None:
        faults = self._topic.faults
        sealed = [await seal_payload(self._keyring, job) for job in jobs]
        for job, text in zip(jobs, sealed, strict=True):
            await faults.pass_through(self._life, "broker", f"before publishing {job.kind}")
            self._topic.store(job, text)
            faults.note(f"stored {job.kind} {job.id[:8]} of {job.scope.key}")
            await faults.pass_through(self._life, "broker", f"after publishing {job.kind}")


class TopicConsumer:
    """``JobSource``: one process's subscription.  What it has in hand is not handed to it again."""

    def __init__(self, topic: SimulatedTopic, keyring: KeyRing, life: Life, session: int) -> None:
        self.topic, self.keyring, self.life, self.session = topic, keyring, life, session

    async def receive(self) -> "SimulatedDelivery":
        while True:
            await self.topic.faults.pass_through(self.life, "", "before receiving")
            found = self.topic.next_for(self.session)
            if isinstance(found, Message):
                found.session, found.believed = self.session, False
                return SimulatedDelivery(self, found)
            self.topic.arrived.clear()
            try:
                async with asyncio.timeout(None if found == float("inf") else found):
                    await self.topic.arrived.wait()
            except TimeoutError:
                continue


@dataclass(frozen=True, slots=True)
class SimulatedDelivery:
    """``Delivery``."""

    consumer: TopicConsumer
    message: Message

    @property
    def head(self) -> Job:
        return self.message.head

    @property
    def sealed(self) -> str:
        return self.message.sealed

    @property
    def key(self) -> str:
        return partition_key(self.head)

    async def open(self) -> Job:
        return await open_job(self.consumer.keyring, self.head, self.sealed)

    async def ack(self) -> None:
        topic = self.consumer.topic
        await topic.faults.pass_through(self.consumer.life, "broker", f"before acknowledging {self.head.kind}")
        if not topic.faults.off and topic.faults.random.random() < 0.02:
            topic.faults.note(f"the acknowledgement of {self.head.kind} {self.head.id[:8]} is lost")
            self.message.believed = True
            return
        topic.acknowledge(self.message)
        await topic.faults.pass_through(self.consumer.life, "broker", f"after acknowledging {self.head.kind}")
