"""Repair after a crash: complete interrupted writes and erasures.  Idempotent, and safe to run at any time.

The graph is the system of record: a record that is not marked ``indexed`` gets vectors, a tombstoned record is removed, and a
point without a record is deleted (this check runs per scope).
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from ..errors import ModelUnavailable, ScopeChanged, ScopeClosed
from ..indexing.document import describes
from ..memory.fencing import run_fenced
from ..memory.ports import ScopeFence
from ..memory.records import Episode, Fact
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory

logger = logging.getLogger(__name__)

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
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
        self._memories: list[FactMemory | EpisodeMemory] = [core.facts, core.episodes]
        self._fence = fence

    async def repair(self) -> RepairReport:
        """Complete everything marked as unfinished, in all scopes.  Run this at start and periodically."""
        return await self._repair(None)

    async def _repair(self, scope: Scope | None) -> RepairReport:
        """Remove tombstoned records of all scopes, and index records of one scope (None: all)."""
        removed = indexed = 0
        waiting = False
        for memory in self._memories:
            while batch := await memory.graph.list_tombstoned(limit=BATCH):
                for owner, ids in _by_scope(batch):
                    await memory.finish_forgetting(owner, ids)
                removed += len(batch)
            try:
                done, closed = await self._index_missing(memory, scope)
                indexed, waiting = indexed + done, waiting or closed
            except ModelUnavailable:
                waiting = True
        if indexed or removed:
            logger.info("repaired the stores: indexed %d records, removed %d", indexed, removed)
        return RepairReport(indexed=indexed, removed=removed, waiting=waiting)

    async def finish(self, scope: Scope) -> RepairReport:
        """Complete everything marked as unfinished in this scope, and tombstones of all scopes.  Does not scan points."""
        return await self._repair(scope)

    async def remove_points(self, scope: Scope, *, facts: Sequence[str], episodes: Sequence[str]) -> int:
        """Delete points of these records if the graph has no such record.  Returns their number.

        A record that is stored again meanwhile keeps its point, or is indexed again.
        """
        removed = 0
        for memory in self._memories:
            ids = facts if isinstance(memory, FactMemory) else episodes
            held = {record.id for record in await memory.graph.get(scope, ids) if _is_held(record)}
            points = await memory.router.fetch(scope, [record_id for record_id in ids if record_id not in held])
            if points:
                orphans = [point.id for point in points]
                await memory.router.delete(scope, orphans)
                removed += len(orphans)
                if again := [record.id for record in await memory.graph.get(scope, orphans)]:
                    await self._run_fenced(scope, partial(memory.finish_indexing, scope, again))
        return removed

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
        report = await self._repair(scope)
        removed, indexed, waiting = 0, 0, report.waiting
        for memory in self._memories:
            read = (await memory.router.read_index(scope)).index
            indexed_there: set[str] = set()
            stale: set[str] = set()
            for space in memory.router.all_indexes:
                seen: set[str] = set()
                orphans: list[str] = []
                async for points in space.index.scan(scope):
                    held = {each.id: each for each in await self._read_held(memory, scope, [point.id for point in points])}
                    seen |= held.keys()
                    orphans += [point.id for point in points if point.id not in held]
                    stale |= {each.id for each in points if each.id in held and not describes(each.payload, held[each.id])}
                removed += await space.index.delete(scope, orphans)
                if space.index is read:
                    indexed_there = seen
            try:
                done, closed = await self._index_lost(memory, scope, indexed_there - stale)
                indexed, waiting = indexed + done, waiting or closed
            except ModelUnavailable:
                waiting = True
        return RepairReport(indexed=report.indexed + indexed, removed=report.removed + removed, waiting=waiting)

    async def _read_held(self, memory: FactMemory | EpisodeMemory, scope: Scope, ids: Sequence[str]) -> list[Fact | Episode]:
        """The records with these ids that should have vectors."""
        records: Sequence[Fact | Episode] = await memory.graph.get(scope, ids)
        return [record for record in records if _is_held(record)]

    async def _index_missing(self, memory: FactMemory | EpisodeMemory, scope: Scope | None) -> tuple[int, bool]:
        """Returns the number of records indexed, and whether a scope was closed."""
        done, closed = 0, False
        while True:
            before = done
            found: Sequence[Fact | Episode] = await memory.graph.not_indexed(scope, limit=BATCH)
            for owner, ids in _by_scope((record.scope, record.id) for record in found):
                ran = await self._run_fenced(owner, partial(memory.finish_indexing, owner, ids))
                done, closed = done + len(ids) * ran, closed or not ran
            if len(found) < BATCH or done == before:
                return done, closed

    async def _index_lost(self, memory: FactMemory | EpisodeMemory, scope: Scope, seen: set[str]) -> tuple[int, bool]:
        """Index records that the index lacks although the graph marks them as indexed, as after restoring an old index.

        Returns as ``_index_missing``.
        """
        done = offset = 0
        closed = False
        while True:
            held: Sequence[Fact | Episode]
            if isinstance(memory, FactMemory):
                held = await memory.graph.listing(scope, statuses=(), limit=BATCH, offset=offset)
            else:
                held = await memory.graph.listing(scope, limit=BATCH, offset=offset)
            if lost := [record.id for record in held if record.id not in seen]:
                ran = await self._run_fenced(scope, partial(memory.finish_indexing, scope, lost))
                done, closed = done + len(lost) * ran, closed or not ran
            if len(held) < BATCH:
                return done, closed
            offset += len(held)


def _is_held(record: Fact | Episode) -> bool:
    """Whether the record should have vectors.  Undone records have none."""
    return record.status != "undone" if isinstance(record, Fact) else record.undone_at is None


def _by_scope(records: Iterable[tuple[Scope, str]]) -> list[tuple[Scope, list[str]]]:
    ordered = sorted(records, key=lambda pair: pair[0].key)
    return [(scope, [record_id for _, record_id in group]) for scope, group in groupby(ordered, key=lambda pair: pair[0])]
