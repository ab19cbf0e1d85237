"""What graphs of facts and of episodes in plain dictionaries have in common: the records, their tombstones and their marks."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.memory.scope import Scope

Record = TypeVar("Record", Fact, Episode)
Check = Callable[[], None]


class MemoryRecordGraph(Generic[Record]):
    """``RecordGraph``.  ``check`` is called first in every call, ``hold`` in those that write, and may refuse it."""

    def __init__(self, check: Check, hold: Check) -> None:
        self._check, self._hold = check, hold
        self.held: dict[Scope, dict[str, Record]] = defaultdict(dict)  # tombstoned ones, too
        self.tombstoned: dict[Scope, dict[str, None]] = defaultdict(dict)

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Record]:
        self._check()
        return self._live(scope, ids)

    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None:
        self._hold()
        own = self.held[scope]
        own |= {each: replace(own[each], indexed=indexed) for each in ids if each in own}

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> None:
        self._hold()
        self.tombstoned[scope] |= {record.id: None for record in self._live(scope, ids)}

    async def list_tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        self._check()
        return [(scope, record_id) for scope, ids in self.tombstoned.items() for record_id in ids][:limit]

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        self._hold()
        self._remove(scope, ids)

    async def forget_scope(self, scope: Scope) -> None:
        self._hold()
        self._remove(scope, list(self.held[scope]))

    async def count_by_scope(self) -> Mapping[Scope, int]:
        self._check()
        counts = {scope: sum(not _is_undone(record) for record in self._live(scope)) for scope in [*self.held]}
        return {scope: number for scope, number in counts.items() if number}

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Record]:
        self._check()
        scopes = [*self.held] if scope is None else [scope]
        found = [record for each in scopes for record in self._live(each) if not record.indexed]
        return sorted(found, key=lambda record: record.created_at)[:limit]

    def _live(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Record]:
        """Those without a tombstone, in the order of ``ids`` (None: all)."""
        own, hidden = self.held[scope], self.tombstoned[scope]
        return [own[each] for each in (own if ids is None else dict.fromkeys(ids)) if each in own and each not in hidden]

    def _store(self, record: Record) -> None:
        self.held[record.scope][record.id] = record
        self.tombstoned[record.scope].pop(record.id, None)

    def _remove(self, scope: Scope, ids: Sequence[str]) -> None:
        for record_id in ids:
            self.held[scope].pop(record_id, None)
            self.tombstoned[scope].pop(record_id, None)


def _is_undone(record: Fact | Episode) -> bool:
    return record.status == "undone" if isinstance(record, Fact) else record.undone_at is not None
