"""Which scopes are held in memory, and how they stay fresh.

Invariants:
- a scope is loaded by one task at a time, however many requests wait for it;
- a change that arrives while a scope loads is applied before the scope is handed out;
- the memory taken stays below ``max_bytes`` but for the newest scope alone.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..memory.ports import IndexPoint, VectorIndex
from ..memory.scope import Scope
from .hot import HotScope
from .large import SampledScope

RELOAD_ABOVE = 2000  # changed records above which loading the scope anew is cheaper than fetching them
SAMPLE = 2000
RESAMPLE_AFTER = 10_000  # changes after which a large scope's scores may be spread otherwise


@dataclass(slots=True)
class _Entry:
    scope: Scope
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    held: HotScope | SampledScope | None = None
    unsampled: int = 0  # changes of a sampled scope since the sample was taken
    changed: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    stale: bool = False


class HotScopes:
    """Least recently used scopes of one index in memory."""

    def __init__(self, index: VectorIndex, *, max_records: int, max_bytes: int) -> None:
        self._index = index
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    async def get(self, scope: Scope) -> HotScope | SampledScope:
        """All records of a scope, or a sample of a large one.  Loads it, or applies what changed.  Raises EngineUnavailable."""
        entry = self._entries.get(scope.key)
        if entry is None:
            entry = self._entries[scope.key] = _Entry(scope)
        self._entries.move_to_end(scope.key)
        held = entry.held
        # a lock that is held: what changed is just being applied, and must not be missed by who asks meanwhile
        if held is None or entry.stale or entry.changed or entry.forgotten or entry.lock.locked():
            async with entry.lock:
                held = await self._fresh(entry)
            self._evict(keep=scope.key)
        return held

    def changed(self, scope: Scope, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        """Takes effect at the next ``get``.  No ids at all: everything of the scope."""
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

    def drop(self, workspace: str | None = None) -> None:
        """Everything, or one workspace's scopes, is loaded anew when next asked for."""
        for entry in self._entries.values():
            if workspace is None or entry.scope.workspace == workspace:
                entry.stale = True

    @property
    def bytes(self) -> int:
        return sum(entry.held.bytes for entry in self._entries.values() if entry.held)

    async def _fresh(self, entry: _Entry) -> HotScope | SampledScope:
        while entry.held is None or entry.stale or entry.changed or entry.forgotten:
            if entry.held is None or entry.stale or len(entry.changed) > RELOAD_ABOVE:
                await self._load(entry)
            elif isinstance(entry.held, SampledScope):
                entry.unsampled += len(entry.changed) + len(entry.forgotten)
                entry.changed, entry.forgotten = {}, {}
                entry.stale = entry.unsampled > RESAMPLE_AFTER
            else:
                await self._apply(entry, entry.held)
        return entry.held

    async def _apply(self, entry: _Entry, hot: HotScope) -> None:
        changed, forgotten = entry.changed, entry.forgotten
        entry.changed, entry.forgotten = {}, {}
        try:
            points = await self._index.fetch(entry.scope, list(changed), with_vectors=True) if changed else []
        except BaseException:
            # Also when cancelled: what was not applied must be applied by the next request.
            entry.changed = {**changed, **entry.changed}
            entry.forgotten = {**forgotten, **entry.forgotten}
            raise
        found = {point.id for point in points}
        hot.remove([*(record_id for record_id in changed if record_id not in found), *forgotten])
        hot.put(points)
        entry.stale = entry.stale or len(hot) > self._max_records

    async def _load(self, entry: _Entry) -> None:
        entry.stale = False
        entry.changed, entry.forgotten = {}, {}
        try:
            large = await self._index.count(entry.scope) > self._max_records
            points: list[IndexPoint] = []
            hot = HotScope(self._index.profile.dimension)
            async for batch in self._index.scan(entry.scope, with_vectors=True):
                if large:
                    points.extend(batch)
                    if len(points) >= SAMPLE:
                        break
                else:
                    hot.put(batch)
        except BaseException:
            # Also when cancelled: a half loaded scope must not pass for a whole one.
            entry.stale = True
            raise
        entry.held = SampledScope(points, self._index.profile.dimension) if large else hot
        entry.unsampled = 0

    def _evict(self, keep: str) -> None:
        while len(self._entries) > 1 and self.bytes > self._max_bytes:
            oldest = next(key for key in self._entries if key != keep)
            if self._entries[oldest].lock.locked():
                return
            del self._entries[oldest]
