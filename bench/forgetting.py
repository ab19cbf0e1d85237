"""Cost of forgetting or undoing one record in a scope of 100,000 records.

``forget_one_100k``: the ``forget`` job for one question, from the call of the handler to its receipt, on Ladybug and
qdrant-edge.  It removes the turn, a fact derived from it, the episode of its request and its text in the conversation.
``undo_one_100k``: undoing such a question with its answer, fact and episode.  Baseline of both: the same in a scope with a
hundredth of the records, in the same run, so the ratio shows whether the cost depends on the size of the scope.
``rewrite_files_100k``: rewriting the files afterwards, once for all erasures, in the background.  Vectors are
random: the time of an embedding model for the neighbours of a turn is not included.
"""

import contextlib
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Set
from dataclasses import dataclass
from pathlib import Path

from trustgraph_react_mem.bootstrap import Stores, open_stores
from trustgraph_react_mem.erasure.forget import ForgetHandler, forget_job
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.indexing.routing import ModelIndexes
from trustgraph_react_mem.jobs.pause_hooks import PauseHooks
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.embedding import PROFILES
from trustgraph_react_mem.memory.fencing import run_fenced
from trustgraph_react_mem.memory.records import Episode, Fact, Invocation, turn_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.store_settings import StoreSettings

from .filled import USER, RandomDirections, Silent, environment, filled_apart
from .row import Row, percentile

NAMES = ("forget_one_100k", "undo_one_100k", "rewrite_files_100k")
FOLDER = Path("build/bench/forgetting")
PROFILE = PROFILES["e5-small-v2"]
RECORDS, FEW = 100_000, 1_000
TIMES = 20
SCOPE = Scope(workspace="default", user=USER, collection="default")
CONVERSATION = "measured"


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    small, large = await measured(FEW), await measured(RECORDS)
    note = f"p50 of {TIMES}, in a scope of {RECORDS:,} records; baseline: of {FEW:,}"
    rows = [
        Row("forget_one_100k", large[0], "ms", f"job to receipt, without embedding; {note}", small[0]),
        Row("undo_one_100k", large[1], "ms", f"without embedding; {note}", small[1]),
        Row("rewrite_files_100k", large[2], "s", f"once, of {RECORDS:,} records; baseline: of {FEW:,}", small[2]),
    ]
    return [row for row in rows if row.name in names]


async def measured(records: int) -> tuple[float, float, float]:
    """Milliseconds of forgetting and of undoing one record, and seconds of rewriting the files."""
    home = FOLDER.resolve()
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        await filled_apart(home, records, PROFILE, environment(home))
        async with opened(home) as memory:
            for number in range(2 * TIMES):
                await memory.say(number)
            forgotten = await timed(memory.forget, range(TIMES))
            undone = await timed(memory.undo, range(TIMES, 2 * TIMES))
            began = time.perf_counter()
            await memory.stores.files.rewrite_all()
            rewritten_s = time.perf_counter() - began
        return forgotten, undone, rewritten_s
    finally:
        shutil.rmtree(home, ignore_errors=True)


async def timed(work: Callable[[int], Awaitable[None]], numbers: range) -> float:
    taken = []
    for number in numbers:
        began = time.perf_counter()
        await work(number)
        taken.append((time.perf_counter() - began) * 1000)
    return percentile(taken, 50)


@contextlib.asynccontextmanager
async def opened(home: Path) -> AsyncIterator["Measured"]:
    stores = await open_stores(StoreSettings(home=home, keys=Path(f"{home}-keys")), PROFILE)
    try:
        yield Measured.over(stores)
    finally:
        await stores.close()


@dataclass(frozen=True, slots=True)
class Measured:
    stores: Stores
    core: MemoryCore
    handler: ForgetHandler
    clock: SystemClock

    @classmethod
    def over(cls, stores: Stores) -> "Measured":
        graph, clock, silent, embedder = stores.graph, SystemClock(), Silent(), RandomDirections(PROFILE)
        indexes = ModelIndexes(facts=stores.fact_index, episodes=stores.episode_index, embedder=embedder)
        core = MemoryCore.over(graph, indexes, silent, clock, stores.files)
        return cls(stores, core, ForgetHandler(core, PauseHooks()), clock)

    async def say(self, number: int) -> None:
        """Store one request with its records, and the memories derived from it."""
        name, at = f"i{number}", self.clock.now()
        words = f"I keep the spare key number {number} in the blue drawer"
        said = Invocation(id=name, conversation_id=CONVERSATION, query=words, summary="", result="Noted.", at=at)
        await self.stores.graph.conversations.append(SCOPE, said)
        turns = [
            Fact(
                id=turn_id(SCOPE, CONVERSATION, name, part),
                scope=SCOPE,
                kind="turn",
                content=text,
                created_at=at,
                invocation_id=name,
                position=2 * number + place,
            )
            for place, (part, text) in enumerate((("question", words), ("answer", "Noted.")))
        ]
        await self.core.facts.add_turns(SCOPE, CONVERSATION, turns)
        learned = Fact(
            id=f"learned-{number}",
            scope=SCOPE,
            kind="semantic",
            content=f"Spare key {number} is in the blue drawer",
            created_at=at,
            turn_ids=(turns[0].id,),
        )
        await self.core.facts.store(SCOPE, [learned])
        told = Episode(
            id=f"told-{number}",
            scope=SCOPE,
            goal=words,
            steps=(),
            outcome="noted",
            lessons="",
            created_at=at,
            source=CONVERSATION,
            metadata={"invocation_id": name},
        )
        await self.core.episodes.store(SCOPE, [told])

    async def forget(self, number: int) -> None:
        job = forget_job(SCOPE, "record", at=self.clock.now(), ids=[self.question(number)])
        await run_fenced(self.stores.graph.fence, SCOPE, lambda: self.handler(job))

    async def undo(self, number: int) -> None:
        done = await Undo(self.core).undo(SCOPE, self.question(number))
        if len(done.facts) != 3 or done.episodes != 1:
            raise RuntimeError(f"an undo changed {done.facts} and {done.episodes} episodes instead of three facts and one")

    @staticmethod
    def question(number: int) -> str:
        return turn_id(SCOPE, CONVERSATION, f"i{number}", "question")
