"""A whole write side in one event loop, its people and its misfortunes, all decided by one seed.

People ask, end conversations, read, undo and forget; one or two processes with a worker and services each live, die and live
again; bus, stores, clock and models are simulated, the rules, the workers and their handlers are the real ones.
``simulate(seed)`` returns what was broken at the end, and the newest events; the same seed gives the same life.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

from tests.doubles.small_stores import MemoryStores
from tests.doubles.topic import SimulatedTopic
from tests.doubles.vector_index import MemoryVectorIndex
from tests.simulation.faults import NEWER_KIND, Faults, Life
from tests.simulation.people import SPAN_S, People, Turn
from tests.simulation.process import CachedEmbedder, Process, SharedNotices, opened
from tests.simulation.virtual_time import LoopClock, Stuck, run_in_virtual_time
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.ports import JobRef
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import AgentMemSettings

START = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)  # plans for the next day come true while people are active
LONGEST_WAIT_S = 6 * 86_400.0

SCOPES = (
    ("amber", Scope(workspace="w", user="ann", collection="default")),
    ("birch", Scope(workspace="w", user="bob", collection="default")),
    ("cedar", Scope(workspace="w", user="ann", collection="work")),
    ("daisy", Scope(workspace="w", user="", collection="default")),
)


@dataclass(slots=True)
class Parts:
    """What a test may replace by something broken, to see that it is found."""

    topic: Callable[[Faults], SimulatedTopic] = SimulatedTopic
    index: Callable[[Any], MemoryVectorIndex] = MemoryVectorIndex
    stores: Callable[[LoopClock], MemoryStores] = MemoryStores
    limit_s: float = LONGEST_WAIT_S  # after which everything should long be over


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    seed: int
    broken: tuple[str, ...]
    events: tuple[str, ...]
    counts: Mapping[str, int]


class World:
    """Durable state, the people, and the processes of the moment."""

    def __init__(self, seed: int, parts: Parts) -> None:
        self.random = Random(seed)
        self.faults = Faults.of(self.random, span_s=SPAN_S)
        if seed % 10 == 9:
            self.faults.end_by_texts()
        self.clock = LoopClock(START)
        self.stores = parts.stores(self.clock)
        self.embedder = CachedEmbedder(48)
        self.fact_index = parts.index(self.embedder.profile)
        self.episode_index = parts.index(self.embedder.profile)
        self.topic = parts.topic(self.faults)
        self.people = list(SCOPES[: self.random.choice((2, 3, 4))])
        self.tokens = {scope: token for token, scope in self.people}
        every, each = self.random.choice((0, 2, 3)), self.random.random() < 0.3
        self.settings = AgentMemSettings(
            extract_every_turns=1 if each else every,
            enable_prospective_reflection=self.random.random() < 0.5,
            daily_token_budget=self.random.choice((0, 0, 600)),
        )
        self.turns: list[Turn] = []
        self.forgotten: list[tuple[Scope, Level, str]] = []  # scope, level, token
        self.erased_jobs: dict[JobRef, int] = {}  # published before their scope's erasure was asked for: number published then
        self.broken: list[str] = []
        self.replayed = set[str]()
        self.counts = {"asked": 0, "lives": 0, "receipts": 0, "reads": 0, "undone": 0, "blamed": 0}
        self.operations: dict[Scope, list[str]] = {}  # names of what was undone and rolled back
        self.served: list[tuple[Scope, str, int]] = []  # what services wrote, and the erasures before they began
        self.notices = SharedNotices()
        self.processes: dict[int, Process] = {}
        self.held_at_end: Counter[str] = Counter()  # job id -> lives that ended while they had it in hand
        self._places = self.random.choice((1, 2, 2))  # processes at once
        self._beside: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    @property
    def process(self) -> Process | None:
        """Any of those that live now."""
        living = [process for process in self.processes.values() if not process.life.dead]
        return self.random.choice(living) if living else None

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Something that nobody waits for before the end."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    # ------------------------------------------------------------------------------------------------ processes

    async def lives(self, place: int) -> None:
        """One life after the other until the world stops."""
        while not self._stopping.is_set():
            life = Life(self.counts["lives"] + 1)
            self.counts["lives"] += 1
            self.faults.note(f"life {life.number} begins")
            self.processes[place] = process = opened(self, life)
            tasks = [asyncio.create_task(process.worker.run()), asyncio.create_task(self._tending(process))]
            ends = [asyncio.create_task(life.over.wait()), asyncio.create_task(self._stopping.wait())]
            await asyncio.wait([*tasks, *ends], return_when=asyncio.FIRST_COMPLETED)
            by_itself = not life.dead and not self._stopping.is_set()
            self.held_at_end.update(held.job.id for held in process.worker._state.held.values())
            life.die()
            for task in (*tasks, *ends):
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            if by_itself:
                self.broken.append(f"the worker ended by itself: {[_told(result) for result in results]}")
                self._stopping.set()
            del self.processes[place]
            await asyncio.sleep(self.random.choice((0.0, 1.0, 20.0)))

    async def _tending(self, process: Process) -> None:
        while True:
            try:
                process.repaired = not (await process.reconciler.repair()).waiting
                await process.sweeper.run()
            except MemoryServiceError as error:
                self.faults.note(f"repair waits: {type(error).__name__}")
            await asyncio.sleep(60.0)

    # ------------------------------------------------------------------------------------------------ the end

    async def run(self) -> None:
        lives = [asyncio.create_task(self.lives(place)) for place in range(self._places)]
        acting = [asyncio.create_task(People(self).live(token, scope)) for token, scope in self.people]
        await self._unless_stopped(asyncio.gather(*acting))
        self.faults.off = True
        # a tight budget would only spread the rest over many days
        self.settings = self.settings.model_copy(update={"daily_token_budget": 0})
        self.faults.note("nothing breaks any more")
        process = self.process
        if process is not None and self.random.random() < 0.5:
            process.life.die()
        await self._unless_stopped(asyncio.ensure_future(self._drained()))
        if not self.broken:
            await self._replayed()
        if not self.broken:
            thoughts = [People(self).think_again(token, scope) for token, scope in self.people]
            await self._unless_stopped(asyncio.gather(*thoughts))
            await self._unless_stopped(asyncio.ensure_future(self._drained()))
        self._stopping.set()
        await asyncio.gather(*lives)

    async def _unless_stopped(self, work: "asyncio.Future[Any]") -> None:
        stopped = asyncio.create_task(self._stopping.wait())
        # A world that is stuck is cancelled from outside, and then nothing asks for the result: asyncio would report that.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait([work, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if work.done():
            work.result()
        else:
            work.cancel()

    async def _drained(self) -> None:
        while True:
            await asyncio.sleep(120.0)
            waiting = await self.stores.job_store.listing(None, states=("deferred", "queued", "running"), limit=1000)
            deferred = [entry for entry in waiting if entry.kind != NEWER_KIND]
            left, living = self.topic.unacknowledged, list(self.processes.values())
            if left and all(message.believed for message in left):
                for process in living:
                    process.life.die()  # they come again to the next consumer only
            repaired = living and all(process.repaired for process in living)
            if repaired and not left and not deferred and not self._beside:
                stats = [process.worker.admin.stats() for process in living]
                if all(each["queued"] == each["running"] == "0" for each in stats):
                    return

    async def _replayed(self) -> None:
        """Dead letters are replayed once, by somebody who mended what was wrong."""
        dead = await self.stores.job_store.listing(None, states=("dead",), limit=1000)
        blamed = [entry for entry in dead if "the process ended" in entry.error]
        self.counts["blamed"] = len(blamed)
        # Its first run counts as begun if it was published before the process started.
        for entry in blamed:
            if (ends := self.held_at_end[entry.job_id]) < 2:
                self.broken.append(f"{entry.kind} {entry.job_id[:8]} is blamed, but {ends} processes ended that had it in hand")
        for entry in dead:
            if (process := self.process) is not None:
                await process.worker.admin.replay(entry.scope, entry.job_id)
                self.replayed.add(entry.job_id)
        await self._unless_stopped(asyncio.ensure_future(self._drained()))
        for entry in await self.stores.job_store.listing(None, states=("dead",), limit=1000):
            self.broken.append(f"{entry.kind} {entry.job_id[:8]} is dead also after its replay: {entry.error}")

    def check_forgotten(self, *, at: str, newest: int = 0) -> None:
        from tests.simulation.invariants import still_there

        for scope, level, mark in self.forgotten[-newest:]:
            for place in still_there(self, scope, level, mark):
                self.broken.append(f"{scope.key}: {mark!r} is in {place} at {at}, though its {level} was forgotten")


def _told(result: object) -> str:
    if isinstance(result, BaseExceptionGroup):
        return f"{[_told(each) for each in result.exceptions]}"
    return f"{type(result).__name__}: {result}"


def simulate(seed: int, parts: Parts | None = None) -> Report:
    """One life.  ``broken`` is empty when everything held."""
    from tests.simulation.invariants import violations

    holder: list[World] = []

    async def main() -> None:
        world = World(seed, parts or Parts())
        holder.append(world)
        await world.run()
        if not world.broken:
            world.broken += violations(world)

    try:
        run_in_virtual_time(main(), limit_s=(parts or Parts()).limit_s)
    except Stuck as error:
        holder[0].broken.append(f"{error}: {_waiting_for(holder[0])}")
    world = holder[0]
    counts = {**world.counts, "jobs": len(world.topic.stored)}
    return Report(seed=seed, broken=tuple(dict.fromkeys(world.broken)), events=tuple(world.faults.events), counts=counts)


def _waiting_for(world: World) -> str:
    left = [f"{message.head.kind} {message.head.id[:8]}" for message in world.topic.unacknowledged]
    waiting = [f"{e.kind} {e.job_id[:8]}" for e in world.stores.job_store.entries.values() if e.state == "deferred"]
    stats = [process.worker.admin.stats() for process in world.processes.values()]
    return f"{len(left)} unacknowledged {left[:4]}, {len(waiting)} deferred {waiting[:4]}, {stats}"
