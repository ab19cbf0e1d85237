"""Repair after a crash: complete interrupted writes and erasures.  Idempotent, and safe to run at any time.

The graph is the system of record: a record that is not marked ``indexed`` gets vectors, a tombstoned record is removed, and a
point without a record is deleted (this check runs per scope).
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from ..errors import ModelUnavailable, ScopeChanged, ScopeClosed
from ..indexing.document import describes
from ..memory.fencing import run_fenced
from ..memory.ports import ScopeFence
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.facts import FactMemory
from ..repositories.pages import read_pages
from ..repositories.records import RecordMemory, is_held

logger = logging.getLogger(__name__)

BATCH = 500

Memory = RecordMemory[Any, Any]


@dataclass(slots=True, kw_only=True)
class RepairReport:
    """Numbers of records indexed and removed.

    ``waiting``: another run is needed, because the embedding model was unavailable or a scope was closed.
    """

    indexed: int = 0
    removed: int = 0
    waiting: bool = False


class Reconciler:
    """Repairs the stores.  ``fence``: protects against concurrent erasures; None if the caller holds a token already."""

    def __init__(self, core: MemoryCore, *, fence: ScopeFence | None = None) -> None:
        self._memories, self._fence = core.memories, fence

    async def repair(self, scope: Scope | None = None) -> RepairReport:
        """Complete everything marked as unfinished in a scope, and tombstones of all scopes.  Does not scan points.

        Run this for all scopes (None) at start and periodically.
        """
        report = RepairReport()
        for memory in self._memories:
            while batch := await memory.graph.list_tombstoned(limit=BATCH):
                for owner, ids in _by_scope(batch):
                    await memory.finish_forgetting(owner, ids)
                report.removed += len(batch)
            await self._index_missing(memory, scope, report)
        if report.indexed or report.removed:
            logger.info("repaired the stores: indexed %d records, removed %d", report.indexed, report.removed)
        return report

    async def remove_points(self, scope: Scope, *, facts: Sequence[str], episodes: Sequence[str]) -> None:
        """Delete points of these records if the graph has no such record.

        A record that is stored again meanwhile keeps its point, or is indexed again.
        """
        for memory in self._memories:
            ids = facts if isinstance(memory, FactMemory) else episodes
            held = {record.id for record in await memory.graph.get(scope, ids) if is_held(record)}
            points = await memory.router.fetch(scope, [record_id for record_id in ids if record_id not in held])
            if points:
                orphans = [point.id for point in points]
                await memory.router.delete(scope, orphans)
                if again := [record.id for record in await memory.graph.get(scope, orphans)]:
                    await self._run_fenced(scope, partial(memory.finish_indexing, scope, again))

    async def _run_fenced(self, scope: Scope, call: Callable[[], Awaitable[None]]) -> bool:
        """False: an erasure is running in the scope; the next run does the work."""
        if self._fence is None:
            await call()
            return True
        try:
            await run_fenced(self._fence, scope, call)
        except (ScopeClosed, ScopeChanged):
            return False
        return True

    async def repair_scope(self, scope: Scope) -> RepairReport:
        """As ``repair``, for one scope, and compare all its points with the graph.  Slower, but complete."""
        report = await self.repair(scope)
        for memory in self._memories:
            read = (await memory.router.read_index(scope)).index
            indexed_there: set[str] = set()
            stale: set[str] = set()
            for space in memory.router.all_indexes:
                seen: set[str] = set()
                orphans: list[str] = []
                async for points in space.index.scan(scope):
                    found = await memory.graph.get(scope, [point.id for point in points])
                    held = {each.id: each for each in found if is_held(each)}
                    seen |= held.keys()
                    orphans += [point.id for point in points if point.id not in held]
                    stale |= {each.id for each in points if each.id in held and not describes(each.payload, held[each.id])}
                report.removed += await space.index.delete(scope, orphans)
                if space.index is read:
                    indexed_there = seen
            await self._index_lost(memory, scope, indexed_there - stale, report)
        return report

    async def _index_missing(self, memory: Memory, scope: Scope | None, report: RepairReport) -> None:
        full = True
        while full:
            before = report.indexed
            found = await memory.graph.not_indexed(scope, limit=BATCH)
            for owner, ids in _by_scope((record.scope, record.id) for record in found):
                if not await self._index(memory, owner, ids, report):
                    return
            full = len(found) == BATCH and report.indexed > before

    async def _index_lost(self, memory: Memory, scope: Scope, seen: set[str], report: RepairReport) -> None:
        """Index records that the index lacks although the graph marks them as indexed, as after restoring an old index."""
        every = {"statuses": ()} if isinstance(memory, FactMemory) else {}
        async for held in read_pages(memory.graph.listing, scope, size=BATCH, **every):
            lost = [record.id for record in held if record.id not in seen]
            if lost and not await self._index(memory, scope, lost, report):
                return

    async def _index(self, memory: Memory, scope: Scope, ids: Sequence[str], report: RepairReport) -> bool:
        """False: the embedding model is away, so that nothing more can be indexed now."""
        try:
            done = await self._run_fenced(scope, partial(memory.finish_indexing, scope, ids))
        except ModelUnavailable:
            report.waiting = True
            return False
        report.indexed += len(ids) * done
        report.waiting = report.waiting or not done
        return True


def _by_scope(records: Iterable[tuple[Scope, str]]) -> list[tuple[Scope, list[str]]]:
    ordered = sorted(records, key=lambda pair: pair[0].key)
    return [(scope, [record_id for _, record_id in group]) for scope, group in groupby(ordered, key=lambda pair: pair[0])]
