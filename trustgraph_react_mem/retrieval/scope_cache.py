"""Which scopes are held in memory, and how they stay fresh.

Invariants:
- a scope is loaded by one task at a time, however many requests wait for it;
- a change that arrives while a scope loads is applied before the scope is handed out;
- the memory taken stays below ``max_bytes`` but for the newest scope alone.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..memory.ports import IndexPoint, VectorIndex
from ..memory.scope import Scope
from .engine_ranking import EngineScope
from .scope_columns import ScopeColumns
from .shortlist import derived_columns
from .vectors import SketchedKeys

logger = logging.getLogger(__name__)

RELOAD_ABOVE = 2000  # changed records above which loading the scope anew is cheaper than fetching them
SAMPLE = 1000
BATCH = 100  # records read at once: the embedded engine lets nobody else run meanwhile
PATIENCE_S = 0.3  # after a load began, questions wait so long for it; later ones are answered from the engine
PAUSE_S = 0.02  # between two takings over of changes that nobody has asked for
RESAMPLE_AFTER = 10_000  # changes after which a large scope's scores may be spread otherwise


@dataclass(slots=True)
class _Entry:
    scope: Scope
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: "asyncio.Task[ScopeColumns | EngineScope] | None" = None
    patience_until: float = 0.0  # the event loop's time up to which questions wait for the task
    sample: EngineScope | None = None  # while it loads
    held: ScopeColumns | EngineScope | None = None
    due: asyncio.TimerHandle | None = None  # when changes are taken over without a question
    rests_until: float = 0.0  # the event loop's time before which that is not done again
    unsampled: int = 0  # changes of a sampled scope since the sample was taken
    changed: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    stale: bool = False


class ScopeCache:
    """Least recently used scopes of one index in memory."""

    def __init__(self, index: VectorIndex, *, max_records: int, max_bytes: int, patience_s: float = PATIENCE_S) -> None:
        self._index = index
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._patience_s = patience_s
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    async def get(self, scope: Scope) -> ScopeColumns | EngineScope:
        """All records of a scope, or a sample of one that is too large or still being loaded.  Raises EngineUnavailable."""
        entry = self._entries.get(scope.key)
        if entry is None:
            entry = self._entries[scope.key] = _Entry(scope)
        self._entries.move_to_end(scope.key)
        held = entry.held
        # a lock that is held: what changed is just being applied, and must not be missed by who asks meanwhile
        if held is None or entry.stale or entry.changed or entry.forgotten or entry.lock.locked():
            held = await self._wait_for_refresh(entry)
            self._evict(keep=scope.key)
        return held

    async def _wait_for_refresh(self, entry: _Entry) -> ScopeColumns | EngineScope:
        """Waits for what is quick; a long load goes on by itself, while a sample and the engine serve its questions."""
        loop = asyncio.get_running_loop()
        task = self._start_refresh(entry)
        done, _ = await asyncio.wait({task}, timeout=max(0.0, entry.patience_until - loop.time()))
        # The task is not awaited itself: a question that is cancelled must not cancel the load that others wait for.
        while not done and entry.sample is None:
            done, _ = await asyncio.wait({task}, timeout=0.02)
        if done:
            held = task.result()
            return await self._wait_for_refresh(entry) if entry.changed or entry.forgotten or entry.stale else held
        sample = entry.sample
        assert sample is not None
        return sample

    def _start_refresh(self, entry: _Entry) -> "asyncio.Task[ScopeColumns | EngineScope]":
        """The task that brings the scope up to date."""
        if entry.task is None or entry.task.done():
            entry.task = asyncio.create_task(self._refresh_locked(entry), name="load a scope")
            entry.task.add_done_callback(_log_failure)
            entry.patience_until = asyncio.get_running_loop().time() + self._patience_s
        return entry.task

    async def _refresh_locked(self, entry: _Entry) -> ScopeColumns | EngineScope:
        async with entry.lock:
            return await self._bring_up_to_date(entry)

    def changed(self, scope: Scope, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        """The next ``get`` has it.  No ids at all: everything of the scope."""
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
        """What is held takes a change over at once, so that the next question finds it done."""
        if entry.due is None and isinstance(entry.held, ScopeColumns):
            loop = asyncio.get_running_loop()
            entry.due = loop.call_at(max(loop.time(), entry.rests_until), self._refresh_if_few, entry)

    def _refresh_if_few(self, entry: _Entry) -> None:
        entry.due = None
        entry.rests_until = asyncio.get_running_loop().time() + PAUSE_S
        few = 0 < len(entry.changed) + len(entry.forgotten) <= RELOAD_ABOVE
        if few and not entry.stale and self._entries.get(entry.scope.key) is entry:
            self._start_refresh(entry)

    def drop(self, workspace: str | None = None) -> None:
        """Everything, or one workspace's scopes, is loaded anew when next asked for."""
        for entry in self._entries.values():
            if workspace is None or entry.scope.workspace == workspace:
                entry.stale = True

    @property
    def bytes(self) -> int:
        return sum(entry.held.bytes for entry in self._entries.values() if entry.held)

    async def _bring_up_to_date(self, entry: _Entry) -> ScopeColumns | EngineScope:
        while entry.held is None or entry.stale or entry.changed or entry.forgotten:
            if entry.held is None or entry.stale or len(entry.changed) > RELOAD_ABOVE:
                await self._load(entry)
            elif isinstance(entry.held, EngineScope):
                entry.unsampled += len(entry.changed) + len(entry.forgotten)
                entry.changed, entry.forgotten = {}, {}
                entry.stale = entry.unsampled > RESAMPLE_AFTER
            else:
                await self._apply(entry, entry.held)
        return entry.held

    async def _apply(self, entry: _Entry, hot: ScopeColumns) -> None:
        changed, forgotten = entry.changed, entry.forgotten
        # Taken before the fetch, so that a change that arrives during it is applied by the next round.
        entry.changed, entry.forgotten = {}, {}
        try:
            points = await self._index.fetch(entry.scope, list(changed), with_vectors=True) if changed else []
        except BaseException:
            # Also when cancelled: what was not applied must be applied by the next request.
            entry.changed = {**changed, **entry.changed}
            entry.forgotten = {**forgotten, **entry.forgotten}
            raise
        found = {point.id for point in points}
        with hot.lock:
            hot.remove([*(record_id for record_id in changed if record_id not in found), *forgotten])
            hot.put(points)
            if isinstance(hot.vectors, SketchedKeys):
                derived_columns(hot)
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
                    await asyncio.to_thread(hot.put, batch)  # nobody else has it yet
        except BaseException:
            # Also when cancelled: a half loaded scope must not pass for a whole one.
            entry.stale = True
            raise
        entry.held = (entry.sample or await asyncio.to_thread(EngineScope, sample, dimension)) if large else hot
        entry.sample = None
        entry.unsampled = 0

    def _evict(self, keep: str) -> None:
        while len(self._entries) > 1 and self.bytes > self._max_bytes:
            oldest = next(key for key in self._entries if key != keep)
            if self._entries[oldest].lock.locked():
                return
            del self._entries[oldest]


def _log_failure(task: "asyncio.Task[ScopeColumns | EngineScope]") -> None:
    """Whoever waits gets the failure; when nobody does any more, the next request tries again."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("failed to load a scope: retry at the next question", extra={"cause": str(error)})
