"""Compare graph and vectors, and repair the scopes where they differ, as after a backup of only one of them was restored.

Comparing is cheap: one grouped count for each store.  Repairing reads every record of a scope, so it runs in the background,
one scope after the other.  Until then recall checks the records of these scopes against the graph (``MemoryCore.doubtful``).
"""

import logging
from collections.abc import Mapping
from typing import Protocol

from ..errors import MemoryServiceError
from ..indexing.routing import IndexRouter
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..telemetry.metrics import set_sizes
from .reconcile import Reconciler

logger = logging.getLogger(__name__)


class Moment(Protocol):
    """Whether graph and vectors are of the same time (``stores.matching.OpeningCount``)."""

    in_step: bool

    async def agree(self) -> None: ...


class StoreComparison:
    """Finds and repairs scopes in which the number of records and of points differ.

    ``moment``: whether the stores are of the same time.  If they are not, all scopes are in doubt, because equal counts say
    nothing.  None: unknown, as with servers.
    """

    def __init__(self, core: MemoryCore, reconciler: Reconciler, moment: Moment | None = None) -> None:
        self._core, self._reconciler, self._moment = core, reconciler, moment

    async def compare(self) -> int:
        """Find the scopes in doubt (``MemoryCore.doubtful``).  Returns their number.  Raises: EngineUnavailable."""
        everything = self._moment is not None and not self._moment.in_step
        found = await self._differing(everything)
        if found and not everything:
            found &= await self._differing(everything)  # others may have been writing between two counts
        doubtful = self._core.doubtful
        doubtful.clear()
        doubtful |= found
        if doubtful:
            logger.warning("graph and vectors differ in %d scopes: repairing them in the background", len(doubtful))
        return len(doubtful)

    async def _differing(self, everything: bool) -> set[Scope]:
        found: set[Scope] = set()
        for memory in self._core.memories:
            held, points = await memory.graph.count_by_scope(), await _count_points(memory.router)
            set_sizes(memory.store_name, sum(held.values()), sum(points.values()))
            scopes = held.keys() | points.keys()
            found |= scopes if everything else {each for each in scopes if held.get(each, 0) != points.get(each, 0)}
        return found

    async def repair(self) -> None:
        """Repair all scopes in doubt.  A scope that cannot be repaired now stays in doubt.  Idempotent."""
        for scope in sorted(self._core.doubtful, key=lambda each: each.key):
            try:
                report = await self._reconciler.repair_scope(scope)
            except MemoryServiceError as error:
                logger.warning("failed to repair a scope, will retry: %s", error)
                continue
            if not report.waiting:
                self._core.doubtful.discard(scope)
                for memory in self._core.memories:
                    await self._core.notifier.changed(scope, memory.store_name)
                left = len(self._core.doubtful)
                logger.info("repaired a scope, %d left: indexed %d, removed %d", left, report.indexed, report.removed)
        if not self._core.doubtful and self._moment is not None:
            await self._moment.agree()


async def _count_points(router: IndexRouter) -> Mapping[Scope, int]:
    """Number of points of each scope in the index that has the most of them, which is the one that serves it."""
    most: dict[Scope, int] = {}
    for counts, _ in await router.ask_all(lambda index: index.scopes()):
        for scope, number in counts.items():
            most[scope] = max(number, most.get(scope, 0))
    return most
