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

from ..memory.ports import VectorIndex
from ..memory.scope import Scope
from .hot import HotScope

RELOAD_ABOVE = 2000  # changed records above which loading the scope anew is cheaper than fetching them
SAMPLE = 2000


@dataclass(slots=True)
class _Entry:
    scope: Scope
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    hot: HotScope | None = None
    sampled: bool = False
    changed: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """``complete``: every record of the scope is in ``hot``; else it is a sample that only says how scores are spread."""

    hot: HotScope
    complete: bool


class HotScopes:
    """Least recently used scopes of one index in memory."""

    def __init__(self, index: VectorIndex, *, max_records: int, max_bytes: int) -> None:
        self._index = index
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    async def get(self, scope: Scope) -> Held:
        """Loads the scope or applies what changed since.  Raises EngineUnavailable."""
        entry = self._entries.get(scope.key)
        if entry is None:
            entry = self._entries[scope.key] = _Entry(scope)
        self._entries.move_to_end(scope.key)
        if entry.hot is None or entry.stale or entry.changed or entry.forgotten:
            async with entry.lock:
                await self._freshen(entry)
            self._evict(keep=scope.key)
        assert entry.hot is not None
        return Held(hot=entry.hot, complete=not entry.sampled)

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
        return sum(entry.hot.bytes for entry in self._entries.values() if entry.hot)

    async def _freshen(self, entry: _Entry) -> None:
        while entry.hot is None or entry.stale or entry.changed or entry.forgotten:
            if entry.hot is None or entry.stale or len(entry.changed) > RELOAD_ABOVE:
                await self._load(entry)
                continue
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
            gone = [record_id for record_id in changed if record_id not in found]
            entry.hot.remove([*gone, *forgotten])
            if not entry.sampled:
                entry.hot.put(points)
                if len(entry.hot) > self._max_records:
                    entry.stale = True

    async def _load(self, entry: _Entry) -> None:
        entry.stale = False
        entry.changed.clear()
        entry.forgotten.clear()
        try:
            sampled = await self._index.count(entry.scope) > self._max_records
            hot = HotScope(self._index.profile.dimension)
            async for points in self._index.scan(entry.scope, with_vectors=True):
                hot.put(points)
                if sampled and len(hot) >= SAMPLE:
                    break
        except BaseException:
            # Also when cancelled: a half loaded scope must not pass for a whole one.
            entry.stale = True
            raise
        entry.hot, entry.sampled = hot, sampled

    def _evict(self, keep: str) -> None:
        while len(self._entries) > 1 and self.bytes > self._max_bytes:
            oldest = next(key for key in self._entries if key != keep)
            if self._entries[oldest].lock.locked():
                return
            del self._entries[oldest]
