"""Background jobs without a broker: a topic in memory that keeps the promises of the real one, and a scripted model.

The topic redelivers whatever was not acknowledged when its consumer is replaced, keeps the order of each partition key, and
can be told to fail, to duplicate or to crash at a chosen await.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from trustgraph_react_mem.errors import EngineUnavailable, ScopeErased
from trustgraph_react_mem.jobs.delivery import lane, without_payload
from trustgraph_react_mem.jobs.entries import decoded_payload
from trustgraph_react_mem.memory.ports import Completion, Job, JobEntry, JobState, JsonValue, KeyRing
from trustgraph_react_mem.memory.scope import Scope


class SimulatedClock:
    """A short pause passes by itself, after everybody else had a turn; a long one only when ``advance`` has passed it."""

    def __init__(self, start: datetime, *, passes_by_itself_s: float = 60.0) -> None:
        self._now = start
        self._limit_s = passes_by_itself_s
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._moved.set()

    async def sleep(self, seconds: float) -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        if seconds <= self._limit_s:
            self.advance(seconds)
            return
        wakes = self._now + timedelta(seconds=seconds)
        while self._now < wakes:
            self._moved.clear()
            await self._moved.wait()


@dataclass(slots=True, eq=False)  # a duplicate is another message, whatever it holds
class _Message:
    head: Job
    sealed: str
    deliveries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDelivery:
    """What every topic hands out, but for the acknowledgement: ``reflect.delivery.Delivery``."""

    head: Job
    sealed: str
    keyring: KeyRing

    @property
    def key(self) -> str:
        return lane(self.head)

    async def open(self) -> Job:
        plain = await self.keyring.open(self.head.scope, self.sealed)
        return replace(self.head, payload=decoded_payload(plain))


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDelivery(SealedDelivery):
    """``Delivery`` of the topic in memory."""

    topic: "MemoryTopic"
    message: _Message

    async def ack(self) -> None:
        await self.topic.fault("ack")
        self.topic.acknowledge(self.message)


async def _no_fault(place: str) -> None:
    return None


@dataclass(slots=True)
class MemoryTopic:
    """Publisher and source in one; durable: it outlives the worker.  ``fault(place)`` may raise at "publish" and "ack"."""

    keyring: KeyRing
    fault: Callable[[str], Awaitable[None]] = _no_fault
    down: bool = False
    published: list[str] = field(default_factory=list)
    _messages: list[_Message] = field(default_factory=list)
    _in_hand: list[_Message] = field(default_factory=list)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def publish(self, jobs: Sequence[Job]) -> None:
        if self.down:
            raise EngineUnavailable("the broker does not answer: start it")
        await self.fault("publish")
        for job in jobs:
            sealed = await self.keyring.seal(job.scope, json.dumps(job.payload).encode())
            self._messages.append(_Message(without_payload(job), sealed))
            self.published.append(job.id)
        self._arrived.set()
        await self.fault("published")

    async def receive(self) -> HeldDelivery:
        while not self._messages:
            self._arrived.clear()
            await self._arrived.wait()
        message = self._messages.pop(0)
        message.deliveries += 1
        self._in_hand.append(message)
        return HeldDelivery(head=message.head, sealed=message.sealed, keyring=self.keyring, topic=self, message=message)

    def acknowledge(self, message: _Message) -> None:
        if message in self._in_hand:
            self._in_hand.remove(message)

    def reconnect(self) -> None:
        """A new consumer: everything in hand comes again, in its old order, before what is new."""
        self._messages = [*self._in_hand, *self._messages]
        self._in_hand = []
        if self._messages:
            self._arrived.set()

    def duplicate(self, job_id: str) -> None:
        """The broker delivers a message once more."""
        for message in [*self._in_hand, *self._messages]:
            if message.head.id == job_id:
                self._messages.append(_Message(message.head, message.sealed))
                self._arrived.set()
                return
        raise LookupError(job_id)

    @property
    def unacknowledged(self) -> int:
        return len(self._in_hand) + len(self._messages)


class PlainKeyRing:
    """Keys that are only names: seals by scope and generation, so that erasing works and nothing else does."""

    def __init__(self) -> None:
        self._generations: dict[Scope, int] = {}
        self._destroyed: set[Scope] = set()

    async def seal(self, scope: Scope, plain: bytes) -> str:
        if scope in self._destroyed:
            self._destroyed.discard(scope)
            self._generations[scope] = self._generations.get(scope, 0) + 1
        self._generations.setdefault(scope, 0)
        return f"{scope.key}#{self._generations[scope]}#{plain.hex()}"

    async def open(self, scope: Scope, sealed: str) -> bytes:
        key, generation, plain = sealed.rsplit("#", 2)
        if scope in self._destroyed or key != scope.key or int(generation) != self._generations.get(scope, -1):
            raise ScopeErased("this scope's key was destroyed")
        return bytes.fromhex(plain)

    async def destroy(self, scope: Scope) -> bool:
        known = scope in self._generations and scope not in self._destroyed
        self._destroyed.add(scope)
        return known


Answer = JsonValue | Exception | Callable[[Mapping[str, JsonValue]], JsonValue]


class InTurn:
    """One answer after the other; the last one from then on."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)

    def next(self) -> Answer:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class ScriptedLanguageModel:
    """Answers by prompt id: an object or text, an error to raise, a function of the variables, or several in turn."""

    def __init__(self, answers: Mapping[str, Answer | InTurn] | None = None) -> None:
        self.answers: dict[str, Answer | InTurn] = dict(answers or {})
        self.calls: list[tuple[str, Mapping[str, JsonValue]]] = []
        self.tokens = 100
        self.away: Exception | None = None

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        self.calls.append((prompt_id, variables))
        await asyncio.sleep(0)
        if self.away is not None:
            raise self.away
        answer = self.answers.get(prompt_id, "")
        if isinstance(answer, InTurn):
            answer = answer.next()
        if isinstance(answer, Exception):
            raise answer
        said = answer(variables) if callable(answer) else answer
        half = self.tokens // 2
        if isinstance(said, str):
            return Completion(text=said, in_tokens=half, out_tokens=half, model="scripted")
        return Completion(object=said, in_tokens=half, out_tokens=half, model="scripted")

    def called(self, prompt_id: str) -> int:
        return sum(1 for name, _ in self.calls if name == prompt_id)


class MemoryLedger:
    """``JobStore`` in memory; outlives a worker.  ``fault(place)`` may raise at "get", "save" and "saved"."""

    def __init__(self) -> None:
        self.entries: dict[str, JobEntry] = {}
        self.tokens: dict[tuple[Scope, str], int] = {}
        self.fault: Callable[[str], Awaitable[None]] = _no_fault

    async def save(self, entries: Sequence[JobEntry]) -> None:
        await self.fault("save")
        for entry in entries:
            self.entries[entry.job_id] = entry
        await self.fault("saved")

    async def get(self, job_ids: Sequence[str]) -> list[JobEntry]:
        await self.fault("get")
        return [self.entries[job_id] for job_id in job_ids if job_id in self.entries]

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        found = [
            entry
            for entry in self.entries.values()
            if (scope is None or entry.scope == scope) and (not states or entry.state in states)
        ]
        return sorted(found, key=lambda entry: entry.updated_at, reverse=True)[:limit]

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
        found = [
            entry
            for entry in self.entries.values()
            if entry.state == "deferred" and entry.not_before is not None and entry.not_before <= now
        ]
        return sorted(found, key=lambda entry: (entry.created_at, entry.job_id))[:limit]

    async def prune(self, before: datetime) -> int:
        old = [
            entry.job_id
            for entry in self.entries.values()
            if entry.state in ("done", "cancelled") and entry.updated_at < before
        ]
        for job_id in old:
            del self.entries[job_id]
        return len(old)

    async def forget_scope(self, scope: Scope, *, before: datetime | None = None) -> int:
        held = ((job_id, entry) for job_id, entry in self.entries.items() if entry.scope == scope)
        gone = [job_id for job_id, entry in held if before is None or entry.created_at < before]
        for job_id in gone:
            del self.entries[job_id]
        return len(gone)

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        self.tokens[scope, day] = self.tokens.get((scope, day), 0) + tokens
        return self.tokens[scope, day]
