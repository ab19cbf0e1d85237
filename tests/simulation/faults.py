"""What can go wrong, decided by a seed: at every call of every port the process may die, an engine fail or time pass.

A process that has died (``Life``) has no effects any more: whatever of it still runs gets ``Died`` from every port.
"""

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from trustgraph_react_mem.errors import EngineUnavailable, ModelUnavailable

#: Parts that go away by themselves for a while, and what their callers get then.
PARTS: dict[str, type[Exception]] = {
    "graph": EngineUnavailable,
    "vectors": EngineUnavailable,
    "broker": EngineUnavailable,
    "embedder": ModelUnavailable,
    "model": ModelUnavailable,
}

#: Places of which a life may have one where processes die often: between the steps of a write that must survive it.  The
#: numbers are weights; the steps of an erasure are rare otherwise.
WEAK_SPOTS = {
    "after MemoryFactGraph.forget": 4,
    "after MemoryFactGraph.tombstone": 1,
    "after MemoryFactGraph.mark_indexed": 1,
    "after MemoryFactGraph.put": 1,
    "after MemoryFactGraph.revert": 1,
    "after facts index.delete": 1,
    "after facts index.upsert": 1,
    "after MemoryEpisodeGraph.forget": 1,
    "after MemoryConversationGraph.append": 1,
    "after MemoryJobStore.save": 1,
}
DEATHS_THERE = 0.3

#: Deaths of one seed's processes.  Processes that always die within a hundred calls come to the end of their work very slowly.
MOST_DEATHS = 200


REFUSED_WORD = "unspeakable"  # the embedding model refuses every text with it
DEADLY_WORD = "bottomless"  # the process ends when the language model is asked about a text with it
NEWER_KIND: Any = "dream"  # of jobs that only a newer version knows


class Died(BaseException):
    """The process is gone.  Not an Exception: no handler may take it for a fault it can deal with."""


@dataclass(slots=True)
class Life:
    """One life of the process that works."""

    number: int
    dead: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def die(self) -> None:
        self.dead = True
        self.over.set()


@dataclass(slots=True)
class Outage:
    part: str
    start_s: float
    end_s: float


@dataclass(slots=True)
class Faults:
    """Rates are probabilities per call; each seed has its own mixture, so that some lives are calm and some are wild."""

    random: Random
    crash: float = 0.0
    fail: float = 0.0
    slow: float = 0.0
    weak_spot: str = ""
    outages: list[Outage] = field(default_factory=list)
    off: bool = False
    deadly: bool = False  # processes end by a text only, never by chance
    deaths: int = 0
    events: deque[str] = field(default_factory=lambda: deque(maxlen=80))

    @classmethod
    def of(cls, random: Random, *, span_s: float) -> "Faults":
        """A mixture drawn from ``random`` for a life of about ``span_s`` seconds."""
        faults = cls(
            random=random,
            crash=random.choice((0.0, 0.001, 0.003, 0.01)),
            fail=random.choice((0.0, 0.002, 0.02)),
            slow=random.choice((0.05, 0.3)),
            weak_spot=random.choices([*WEAK_SPOTS], [*WEAK_SPOTS.values()])[0] if random.random() < 0.7 else "",
        )
        for part in PARTS:
            if random.random() < 0.35:
                start_s = random.uniform(0, span_s)
                faults.outages.append(Outage(part, start_s, start_s + random.choice((2.0, 30.0, 3600.0))))
        return faults

    def end_by_texts(self) -> None:
        """From now on only texts end processes."""
        self.deadly, self.crash, self.weak_spot = True, 0.0, ""

    def end_by(self, life: Life, texts: str) -> None:
        """Ends the process if one of the texts is deadly.  Raises Died."""
        if self.deadly and not self.off and DEADLY_WORD in texts:
            self.deaths += 1
            self.note(f"a text ends life {life.number}")
            life.die()
            raise Died

    def note(self, what: str) -> None:
        self.events.append(f"{asyncio.get_running_loop().time():10.3f} s  {what}")

    async def pass_through(self, life: Life | None, part: str, place: str) -> None:
        """Raises what happens here, or lets the caller go on, perhaps later.  ``life`` None: a process that never dies."""
        if life is not None and life.dead:
            raise Died
        if self.off:
            return
        now_s = asyncio.get_running_loop().time()
        if any(outage.part == part and outage.start_s <= now_s < outage.end_s for outage in self.outages):
            self.note(f"{place}: {part} is away")
            raise PARTS[part](f"simulated: {part} is away")
        drawn = self.random.random()
        deadly = 0.0 if self.deaths >= MOST_DEATHS else DEATHS_THERE if place == self.weak_spot else self.crash
        if life is not None and drawn < deadly:
            self.deaths += 1
            self.note(f"{place}: life {life.number} ends")
            life.die()
            raise Died
        if part in PARTS and drawn < self.crash + self.fail:
            self.note(f"{place}: {part} fails once")
            raise PARTS[part](f"simulated at {place}")
        if drawn > 1.0 - self.slow:
            await asyncio.sleep(self.random.choice((0.0, 0.001, 0.05, 1.0)))
            if life is not None and life.dead:
                raise Died


class Faulty:
    """A port in whose every call something may happen before and after it took effect."""

    def __init__(self, port: Any, faults: Faults, life: Life, part: str, name: str = "") -> None:
        self._port, self._faults, self._life = port, faults, life
        self._part, self._name = part, name or type(port).__name__

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._port, attribute)
        if inspect.isasyncgenfunction(found):
            wrapped: Any = self._generating(found, attribute)
        elif inspect.iscoroutinefunction(found):
            wrapped = self._calling(found, attribute)
        else:
            return found
        self.__dict__[attribute] = wrapped
        return wrapped

    def _calling(self, method: Callable[..., Any], attribute: str) -> Callable[..., Any]:
        before, after = f"before {self._name}.{attribute}", f"after {self._name}.{attribute}"

        async def call(*args: Any, **kwargs: Any) -> Any:
            await self._faults.pass_through(self._life, self._part, before)
            result = await method(*args, **kwargs)
            await self._faults.pass_through(self._life, self._part, after)
            return result

        return call

    def _generating(self, method: Callable[..., Any], attribute: str) -> Callable[..., Any]:
        async def generate(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            await self._faults.pass_through(self._life, self._part, f"before {self._name}.{attribute}")
            async for item in method(*args, **kwargs):
                yield item
                await self._faults.pass_through(self._life, self._part, f"within {self._name}.{attribute}")

        return generate
