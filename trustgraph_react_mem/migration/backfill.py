"""Migrate a scope from a previous embedding model to the current one: fill, mark, notify, clean up.

Each step can be interrupted and repeated.  Filling skips points that the new index has.  Marking is one transaction, and
readers see no change before it.  Points left in a previous index are deleted by the next run.
"""

from collections import Counter

from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory

BATCH = 32  # records per embedding call; small, because a question that arrives meanwhile waits for the call
STORES = ("facts", "episodes", "weights")


class Backfill:
    """Migrates one scope at a time."""

    def __init__(self, core: MemoryCore) -> None:
        self.models = core.models
        self._facts, self._episodes, self._notifier = core.facts, core.episodes, core.notifier

    async def move(self, scope: Scope) -> Counter[str]:
        """Migrate the scope if it is read with a previous model; then delete its points from previous indexes.

        Returns the counts ``embedded``, ``had`` (indexed before) and ``moved`` (1 if the scope was migrated).

        Raises:
            ModelUnavailable: the current model does not answer; finished batches are kept.
            EngineUnavailable: an engine does not answer.
        """
        former, counts = await self.models.of(scope), Counter[str]()
        memory: FactMemory | EpisodeMemory
        if former is not self.models.current:
            for memory, index in ((self._facts, former.facts), (self._episodes, former.episodes)):
                async for points in index.scan(scope, batch=BATCH):
                    ids = [point.id for point in points]
                    there = {point.id for point in await memory.index.fetch(scope, ids)}
                    missing = [record_id for record_id in ids if record_id not in there]
                    if missing:
                        counts["embedded"] += await memory.reembed(scope, missing)
                    counts["had"] += len(there)
            await self.models.mark_migrated(scope)
            counts["moved"] = 1
            for store in STORES:
                await self._notifier.changed(scope, store)
        await self._clear(scope)
        return counts

    async def _clear(self, scope: Scope) -> None:
        """Delete the points of a migrated scope from previous indexes."""
        for former in self.models.previous_models:
            for index in former.indexes:
                if await self.models.count_points(index, scope):
                    await index.delete_scope(scope)
