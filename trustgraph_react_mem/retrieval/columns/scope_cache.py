"""LRU cache of scopes in memory, kept up to date by change notifications.

Invariants:
- a scope is loaded by one task at a time, regardless of how many requests wait for it;
- a change that arrives while a scope loads is applied before the scope is returned;
- the cache stays below ``max_bytes``, except that the newest scope is always kept.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...memory.ports import IndexPoint, VectorIndex
from ...memory.scope import Scope
from ..engine_ranking import EngineScope
from .scope_columns import ScopeColumns

logger = logging.getLogger(__name__)

RELOAD_ABOVE = 2000  # number of changed records above which reloading the scope is cheaper than fetching them
SAMPLE = 1000
BATCH = 100  # records per read; small, because the embedded engine blocks the event loop while it reads
PATIENCE_S = 0.3  # questions wait this long after a load began; after that the engine answers until the load is done
PAUSE_S = 0.02  # minimum time between two background refreshes of a scope
RESAMPLE_AFTER = 10_000  # number of changes after which the sample of a large scope is taken again


@dataclass(slots=True)
class _Entry:
    scope: Scope
    task: asyncio.Task[ScopeColumns] | None = None
    patience_until: float = 0.0  # event loop time until which questions wait for the task
    sample: EngineScope | None = None  # available while the scope loads
    held: ScopeColumns | None = None
    refresh_timer: asyncio.TimerHandle | None = None  # when changes are taken over without a question
    next_refresh_at: float = 0.0  # the event loop's time before which that is not done again
    unsampled: int = 0  # changes of a sampled scope since the sample was taken
    changed: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    stale: bool = False
    bytes: int = 0  # as counted in the cache's total

    @property
    def is_refreshed(self) -> bool:
        """Whether it is loading, or changes are being applied."""
        return self.task is not None and not self.task.done()

    @property
    def is_outdated(self) -> bool:
        return self.held is None or self.stale or bool(self.changed or self.forgotten)


class ScopeCache:
    """The most recently used scopes of one index.  ``max_records``: larger scopes are represented by a sample."""

    def __init__(self, index: VectorIndex, *, max_records: int, max_bytes: int, patience_s: float = PATIENCE_S) -> None:
        self._index = index
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._patience_s = patience_s
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self.bytes = 0  # of all scopes; kept as a total, because summing over thousands of scopes takes milliseconds

    async def get(self, scope: Scope) -> ScopeColumns:
        """All records of a scope, or a sample if the scope is too large or still loading.  Raises EngineUnavailable."""
        entry = self._entries.get(scope.key)
        if entry is None:
            entry = self._entries[scope.key] = _Entry(scope)
        self._entries.move_to_end(scope.key)
        held = entry.held
        # A question that is asked while changes are being applied must see them, so it waits.
        if held is None or entry.is_outdated or entry.is_refreshed:
            held = await self._wait_for_refresh(entry)
            self._evict(keep=scope.key)
        return held

    async def _wait_for_refresh(self, entry: _Entry) -> ScopeColumns:
        """Wait for a quick refresh.  A long load continues in the background, and its sample is returned for now."""
        loop = asyncio.get_running_loop()
        task = self._start_refresh(entry)
        done, _ = await asyncio.wait({task}, timeout=max(0.0, entry.patience_until - loop.time()))
        # The task is not awaited directly: cancelling one question must not cancel the load that others wait for.
        while not done and entry.sample is None:
            done, _ = await asyncio.wait({task}, timeout=0.02)
        if done:
            held = task.result()
            return await self._wait_for_refresh(entry) if entry.is_outdated else held
        assert entry.sample is not None
        return entry.sample

    def _start_refresh(self, entry: _Entry) -> asyncio.Task[ScopeColumns]:
        """Return the running refresh task, or start one."""
        if entry.task is None or entry.task.done():
            entry.task = asyncio.create_task(self._refresh(entry), name="load a scope")
            entry.task.add_done_callback(_log_failure)
            entry.patience_until = asyncio.get_running_loop().time() + self._patience_s
        return entry.task

    def changed(self, scope: Scope, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        """Record a change; the next ``get`` includes it.  Without any ids, the whole scope is reloaded."""
        entry = self._entries.get(scope.key)
        if entry is None:
            return
        if not ids and not forgotten:
            entry.stale = True
        for record_id in ids:
            entry.forgotten.pop(record_id, None)
            entry.changed[record_id] = None
        for record_id in forgotten:
            entry.changed.pop(record_id, None)
            entry.forgotten[record_id] = None
        self._schedule_refresh(entry)

    def _schedule_refresh(self, entry: _Entry) -> None:
        """Apply changes in the background, so that the next question does not have to wait for them."""
        if entry.refresh_timer is None and entry.held is not None and not isinstance(entry.held, EngineScope):
            loop = asyncio.get_running_loop()
            entry.refresh_timer = loop.call_at(max(loop.time(), entry.next_refresh_at), self._refresh_if_few, entry)

    def _refresh_if_few(self, entry: _Entry) -> None:
        entry.refresh_timer = None
        entry.next_refresh_at = asyncio.get_running_loop().time() + PAUSE_S
        few = 0 < len(entry.changed) + len(entry.forgotten) <= RELOAD_ABOVE
        if few and not entry.stale and self._entries.get(entry.scope.key) is entry:
            self._start_refresh(entry)

    def drop(self, workspace: str | None = None) -> None:
        """Mark all scopes, or those of one workspace, for reloading at their next use."""
        for entry in self._entries.values():
            if workspace is None or entry.scope.workspace == workspace:
                entry.stale = True

    def _count(self, entry: _Entry, size: int) -> None:
        self.bytes += size - entry.bytes
        entry.bytes = size

    async def _refresh(self, entry: _Entry) -> ScopeColumns:
        while entry.held is None or entry.is_outdated:
            if entry.held is None or entry.stale or len(entry.changed) > RELOAD_ABOVE:
                await self._load(entry)
            elif isinstance(entry.held, EngineScope):
                entry.unsampled += len(entry.changed) + len(entry.forgotten)
                entry.changed, entry.forgotten = {}, {}
                entry.stale = entry.unsampled > RESAMPLE_AFTER
            else:
                await self._apply(entry, entry.held)
        if self._entries.get(entry.scope.key) is entry:  # not evicted meanwhile
            self._count(entry, entry.held.bytes)
        return entry.held

    async def _apply(self, entry: _Entry, hot: ScopeColumns) -> None:
        changed, forgotten = entry.changed, entry.forgotten
        # Cleared before the fetch, so that a change that arrives during the fetch is applied in the next round.
        entry.changed, entry.forgotten = {}, {}
        try:
            points = await self._index.fetch(entry.scope, list(changed), with_vectors=True) if changed else []
        except BaseException:
            # Also on cancellation: changes that were not applied must be applied by the next request.
            entry.changed = {**changed, **entry.changed}
            entry.forgotten = {**forgotten, **entry.forgotten}
            raise
        found = {point.id for point in points}
        with hot.lock:
            hot.remove([*(record_id for record_id in changed if record_id not in found), *forgotten])
            hot.put(points)
        entry.stale = entry.stale or hot.wasteful or len(hot) > self._max_records

    async def _load(self, entry: _Entry) -> None:
        entry.stale, entry.sample = False, None
        entry.changed, entry.forgotten = {}, {}
        dimension = self._index.profile.dimension
        try:
            count = await self._index.count(entry.scope)
            large = count > self._max_records
            sample: list[IndexPoint] = []
            hot = ScopeColumns(dimension)
            if not large:
                hot.expect(count)
            async for batch in self._index.scan(entry.scope, with_vectors=True, batch=BATCH):
                if len(sample) < SAMPLE:
                    sample += batch
                    if len(sample) >= SAMPLE:
                        entry.sample = await asyncio.to_thread(EngineScope, sample, dimension)
                        if large:
                            break
                if not large:
                    await asyncio.to_thread(hot.put, batch)  # no lock needed: only this task has the new scope
        except BaseException:
            # Also on cancellation: a partly loaded scope must not be used as a complete one.
            entry.stale = True
            raise
        entry.held = (entry.sample or await asyncio.to_thread(EngineScope, sample, dimension)) if large else hot
        entry.sample = None
        entry.unsampled = 0

    def _evict(self, keep: str) -> None:
        while len(self._entries) > 1 and self.bytes > self._max_bytes:
            oldest = next(key for key in self._entries if key != keep)  # the first or the second one
            if self._entries[oldest].is_refreshed:
                return
            self._count(self._entries.pop(oldest), 0)


def _log_failure(task: asyncio.Task[ScopeColumns]) -> None:
    """Log the failure of a load.  Waiting questions get the exception, and the next question retries."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("failed to load a scope, will retry at the next question: %s", error)
