"""Looking after what was erased or taken back: what a process that died in between, or was too late, has left behind."""

import asyncio
import contextvars
import logging
from datetime import datetime, timedelta
from functools import partial

from ..errors import MemoryServiceError
from ..memory.fencing import SETTLED_S, run_fenced
from ..memory.ports import Clock, JobStore, ScopeFence
from ..memory.records import Episode
from ..memory.scope import Scope
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import BATCH, FactMemory
from .reconcile import Reconciler
from .undo import RevertResult

logger = logging.getLogger(__name__)

#: Ages of an erasure at which its scope is looked after.
AGES = (timedelta(minutes=1), timedelta(minutes=10))
KEPT = timedelta(hours=1)  # the name of an erased scope
PAGE = 500
TRIES, AGAIN_S = 10, 60.0


class ErasureSweeper:
    def __init__(self, fence: ScopeFence, reconciler: Reconciler, job_store: JobStore, clock: Clock) -> None:
        self._epochs, self._reconciler, self._job_store, self._clock = fence, reconciler, job_store, clock
        self._looked: dict[tuple[Scope, datetime], int] = {}

    async def run(self) -> int:
        """Points without a record, and entries of jobs from before; the number of scopes looked after.

        Call it every minute or so.  Raises EngineUnavailable.
        """
        now, done = self._clock.now(), 0
        named = await self._epochs.erased_since(datetime.min.replace(tzinfo=now.tzinfo))
        self._looked = {key: self._looked.get(key, 0) for key in named}
        for scope, erased_at in named:
            looked = self._looked[scope, erased_at]
            due = sum(now - erased_at >= age for age in AGES)
            if due > looked:
                report = await self._reconciler.repair_scope(scope)
                entries = await self._job_store.forget_scope(scope, before=erased_at)
                self._looked[scope, erased_at] = due
                done += 1
                if report.removed or entries:
                    logger.info("Looked after an erased scope", extra={"points": report.removed, "entries": entries})
        if any(now - erased_at > KEPT for _, erased_at in named):
            await self._epochs.forget_names(now - KEPT)
        return done


class DelayedReindexer:
    """After an undo or a rollback: vectors that another process was writing meanwhile follow the graph, too.

    A writer whose claim was good just before may write points of a record that is taken back until ``SETTLED_S`` later.
    Whoever takes back does not wait for that: the records are indexed once more afterwards, as the graph has them then.
    """

    def __init__(self, facts: FactMemory, episodes: EpisodeMemory, fence: ScopeFence, clock: Clock) -> None:
        self._facts, self._episodes, self._epochs, self._clock = facts, episodes, fence, clock
        self._looking: set[asyncio.Task[None]] = set()

    def look_after(self, scope: Scope, done: RevertResult) -> None:
        """Returns at once.  Where no other process writes, there is nothing to do."""
        if not self._epochs.shared or not done.operation:
            return
        # a context of its own: the claim of the request ends with the request
        task = asyncio.create_task(self._look(scope, done), context=contextvars.Context(), name="late vectors")
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def close(self) -> None:
        """What is under way is finished, as far as the engines answer."""
        if self._looking:
            await asyncio.wait(self._looking, timeout=SETTLED_S + 1.0)
        left = list(self._looking)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _look(self, scope: Scope, done: RevertResult) -> None:
        await self._clock.sleep(SETTLED_S)
        for left in reversed(range(TRIES)):
            try:
                await self._index_again(scope, done)
                return
            except MemoryServiceError as error:
                logger.warning(
                    "vectors of what was taken back could not be looked after", extra={"cause": error.wire_type, "tries": left}
                )
            if left:
                await self._clock.sleep(AGAIN_S)

    async def _index_again(self, scope: Scope, done: RevertResult) -> None:
        for start in range(0, len(done.facts), BATCH):
            facts = await self._facts.get(scope, done.facts[start : start + BATCH])
            await run_fenced(self._epochs, scope, partial(self._facts.finish_indexing, scope, facts))
        episodes = await self._marked_by(scope, done.operation) if done.episodes else []
        if episodes:
            await run_fenced(self._epochs, scope, partial(self._episodes.finish_indexing, scope, episodes))

    async def _marked_by(self, scope: Scope, operation: str) -> list[Episode]:
        found: list[Episode] = []
        read = 0
        while page := await self._episodes.listing(scope, undone=True, limit=PAGE, offset=read):
            read += len(page)
            found += [episode for episode in page if episode.operation == operation]
        return found
