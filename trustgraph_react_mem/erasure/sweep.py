"""Clean up after erasures and undos: remove what a crashed or late writer left behind."""

import asyncio
import contextvars
import logging
from datetime import datetime, timedelta
from functools import partial

from ..errors import BadRequest, MemoryServiceError, ScopeErased
from ..memory.clock import TOLERANCE
from ..memory.fencing import SETTLED_S, run_fenced
from ..memory.ports import JobEntry
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.records import BATCH
from .reconcile import Reconciler
from .undo import RevertResult

logger = logging.getLogger(__name__)

#: Times after an erasure at which its scope is swept.
AGES = (timedelta(minutes=1), timedelta(minutes=10))
KEPT = timedelta(hours=1)  # how long the name of an erased scope is kept for sweeping
TRIES, AGAIN_S = 10, 60.0
MAX_JOBS = 100_000


class ErasureSweeper:
    """Checks erased scopes again some time after the erasure (``AGES``)."""

    def __init__(self, core: MemoryCore, reconciler: Reconciler) -> None:
        self._fence, self._job_store, self._keyring = core.graph.fence, core.graph.job_store, core.graph.keyring
        self._clock = core.clock
        self._reconciler = reconciler
        self._looked: dict[tuple[Scope, datetime], int] = {}

    async def run(self) -> int:
        """Remove points without a record, and jobs from before the erasure.  Returns the number of scopes swept.

        Call this about every minute.  Raises EngineUnavailable.
        """
        now, done = self._clock.now(), 0
        named = await self._fence.list_erased_since(datetime.min.replace(tzinfo=now.tzinfo))
        self._looked = {key: self._looked.get(key, 0) for key in named}
        for scope, erased_at in named:
            looked = self._looked[scope, erased_at]
            # An erasure in the future: the clock was set back since.
            due = sum(now - erased_at >= age or erased_at > now + TOLERANCE for age in AGES)
            if due > looked:
                report = await self._reconciler.repair_scope(scope)
                entries = await self._remove_jobs(scope, erased_at)
                self._looked[scope, erased_at] = due
                done += 1
                if report.removed or entries:
                    logger.info("swept an erased scope: removed %d points and %d jobs", report.removed, entries)
        if any(now - erased_at > KEPT for _, erased_at in named):
            await self._fence.prune_erasures(now - KEPT)
        return done

    async def _remove_jobs(self, scope: Scope, erased_at: datetime) -> int:
        """Remove jobs from before the erasure.  A payload that opens was sealed after it, whatever the clocks say."""
        entries = await self._job_store.listing(scope, limit=MAX_JOBS)
        erased = [entry.ref for entry in entries if entry.created_at < erased_at and not await self._is_readable(entry)]
        return await self._job_store.remove(erased)

    async def _is_readable(self, entry: JobEntry) -> bool:
        if not entry.sealed_payload:
            return False
        try:
            await self._keyring.open(entry.scope, entry.sealed_payload, binding=entry.binding)
        except (ScopeErased, BadRequest):
            return False
        return True


class DelayedReindexer:
    """Indexes records again some time after an undo or a rollback.

    A writer in another process whose token was valid just before may write vectors of an undone record for up to
    ``SETTLED_S``.  The undo does not wait for this; the records are indexed once more afterwards, as the graph has them then.
    """

    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes, self._fence, self._clock = core.facts, core.episodes, core.graph.fence, core.clock
        self._looking: set[asyncio.Task[None]] = set()

    def schedule(self, scope: Scope, done: RevertResult) -> None:
        """Schedule indexing and return at once.  Does nothing if no other process can write."""
        if not self._fence.shared or not done.operation:
            return
        # A new context, because the token of the request must not be used after the request.
        task = asyncio.create_task(self._look(scope, done), context=contextvars.Context(), name="late vectors")
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def close(self) -> None:
        """Wait for scheduled work for a limited time, then cancel it."""
        if self._looking:
            await asyncio.wait(self._looking, timeout=SETTLED_S + 1.0)
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)

    async def _look(self, scope: Scope, done: RevertResult) -> None:
        await self._clock.sleep(SETTLED_S)
        for left in reversed(range(TRIES)):
            try:
                await self._index_again(scope, done)
                return
            except MemoryServiceError as error:
                logger.warning("indexing after an undo failed, %d retries left: %s", left, error)
            if left:
                await self._clock.sleep(AGAIN_S)

    async def _index_again(self, scope: Scope, done: RevertResult) -> None:
        for start in range(0, len(done.facts), BATCH):
            ids = done.facts[start : start + BATCH]
            await run_fenced(self._fence, scope, partial(self._facts.finish_indexing, scope, ids))
        episodes = await self._episodes.graph.list_marked_by(scope, done.operation) if done.episodes else []
        if episodes:
            found = [episode.id for episode in episodes]
            await run_fenced(self._fence, scope, partial(self._episodes.finish_indexing, scope, found))
