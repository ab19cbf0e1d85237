"""Background jobs without a broker: a topic in memory that keeps the promises of the real one, and a scripted model.

The topic redelivers whatever was not acknowledged when its consumer is replaced, keeps the order of each partition key, and
can be told to fail, to duplicate or to crash at a chosen await.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ..errors import EngineUnavailable, ScopeErased
from ..memory.ports import Completion, Job, JsonValue, KeyRing
from ..memory.scope import Scope
from ..reflect.delivery import lane, without_payload
from ..reflect.ledger import decoded_payload


class SimulatedClock:
    """Time passes only by ``sleep``: a sleeper moves it on, and lets everybody else run."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        # a few turns of the loop for what is ready now, before time passes
        for _ in range(50):
            await asyncio.sleep(0)
        self.advance(seconds)


@dataclass(slots=True)
class _Message:
    head: Job
    sealed: str
    deliveries: int = 0


@dataclass(slots=True)
class HeldDelivery:
    """``reflect.delivery.Delivery`` over the topic in memory."""

    topic: "MemoryTopic"
    message: _Message

    @property
    def head(self) -> Job:
        return self.message.head

    @property
    def sealed(self) -> str:
        return self.message.sealed

    @property
    def key(self) -> str:
        return lane(self.message.head)

    async def open(self) -> Job:
        plain = await self.topic.keyring.open(self.head.scope, self.sealed)
        return replace(self.head, payload=decoded_payload(plain))

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
        return HeldDelivery(self, message)

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
