"""Compare graph and vectors, and repair the scopes where they differ, as after a backup of only one of them was restored.

Comparing is cheap: one grouped count for each store.  Repairing reads every record of a scope, so it runs in the background,
one scope after the other.  Until then recall checks the records of these scopes against the graph (``MemoryCore.doubtful``).
"""

import logging
from collections.abc import Mapping

from ..errors import MemoryServiceError
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory
from .reconcile import Reconciler, RepairReport

logger = logging.getLogger(__name__)


class StoreComparison:
    """Finds and repairs scopes in which the number of records and of points differ."""

    def __init__(self, core: MemoryCore, reconciler: Reconciler) -> None:
        self._core, self._reconciler = core, reconciler

    async def compare(self, *, everything: bool = False) -> int:
        """Add the scopes that differ to ``MemoryCore.doubtful``.  Returns the number of scopes in doubt.

        ``everything``: doubt all scopes, because the stores are known to be of different times, and equal counts say nothing.
        Raises: EngineUnavailable.
        """
        doubtful = self._core.doubtful
        memory: FactMemory | EpisodeMemory
        for memory in (self._core.facts, self._core.episodes):
            held, points = await memory.graph.count_by_scope(), await _count_points(memory)
            scopes = held.keys() | points.keys()
            doubtful |= scopes if everything else {each for each in scopes if held.get(each, 0) != points.get(each, 0)}
        if doubtful:
            logger.warning("graph and vectors differ in %d scopes: repairing them in the background", len(doubtful))
        return len(doubtful)

    async def repair(self) -> RepairReport:
        """Repair all scopes in doubt.  A scope that cannot be repaired now stays in doubt.  Idempotent."""
        indexed = removed = 0
        waiting = False
        for scope in sorted(self._core.doubtful, key=lambda each: each.key):
            try:
                report = await self._reconciler.repair_scope(scope)
            except MemoryServiceError as error:
                logger.warning("failed to repair a scope, will retry: %s", error)
                waiting = True
                continue
            indexed, removed, waiting = indexed + report.indexed, removed + report.removed, waiting or report.waiting
            if not report.waiting:
                self._core.doubtful.discard(scope)
                for store in ("facts", "episodes"):
                    await self._core.notifier.changed(scope, store)
                logger.info("repaired a scope, %d left: indexed %d, removed %d", len(self._core.doubtful), indexed, removed)
        return RepairReport(indexed=indexed, removed=removed, waiting=waiting)


async def _count_points(memory: FactMemory | EpisodeMemory) -> Mapping[Scope, int]:
    """Number of points of each scope in the index that has the most of them, which is the one that serves it."""
    most: dict[Scope, int] = {}
    for counts, _ in await memory.router.ask_all(lambda index: index.scopes()):
        for scope, number in counts.items():
            most[scope] = max(number, most.get(scope, 0))
    return most
