"""Moving a scope from a former embedding model to the one in use: fill, mark, tell, clear.

Resumable at any point: what the new index has is passed over, the mark is one transaction, and what is left in a former
index after it is removed by whoever looks next.  Until the mark is set nothing changes for whoever reads.
"""

from collections import Counter

from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory

BATCH = 32  # records embedded at once: a question that comes meanwhile waits for no more
STORES = ("facts", "episodes", "weights")


class Backfill:
    def __init__(self, core: MemoryCore) -> None:
        self.models = core.models
        self._facts, self._episodes, self._notifier = core.facts, core.episodes, core.notifier

    async def move(self, scope: Scope) -> Counter[str]:
        """Numbers of records embedded, and that were there.

        Raises:
            ModelUnavailable: the model in use does not answer; what is done stays done.
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
                        counts["embedded"] += await memory.embed_anew(scope, missing)
                    counts["had"] += len(there)
            await self.models.moved(scope)
            counts["moved"] = 1
            for store in STORES:
                await self._notifier.changed(scope, store)
        await self._clear(scope)
        return counts

    async def _clear(self, scope: Scope) -> None:
        """Remove from former indexes what a scope has there that is read by the one in use."""
        for former in self.models.formers:
            for index in former.indexes:
                if await self.models.counted(index, scope):
                    await index.delete_scope(scope)
