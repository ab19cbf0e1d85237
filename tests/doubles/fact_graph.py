"""A fact graph in plain dictionaries: fast enough for thousands of simulated lives, and held to the suite of the real ones.

Each call is one step: nothing else runs while it works.  What makes calls slow, late or fail is put around it from outside.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from tests.doubles.record_graph import Check, MemoryRecordGraph
from trustgraph_react_mem.errors import Conflict
from trustgraph_react_mem.memory.digest import content_digest, fact_digests, is_same_speaker, normalise_text
from trustgraph_react_mem.memory.former import status_at
from trustgraph_react_mem.memory.ports import Clock, FactWithHistory, Place, Reversal
from trustgraph_react_mem.memory.records import (
    HELD_STATUSES,
    Fact,
    FactKind,
    FactStatus,
    VersionEntry,
    change_status,
    check_version,
    dependency_ids,
    overwrite_fact,
    revert_fact,
    supersession,
    version_entry,
)
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.graph.facts import STATUS_CHANGES


class MemoryFactGraph(MemoryRecordGraph[Fact]):
    """``FactGraph``."""

    def __init__(self, clock: Clock, check: Check, hold: Check) -> None:
        super().__init__(check, hold)
        self._clock = clock
        self.histories: dict[Scope, dict[str, list[VersionEntry]]] = defaultdict(dict)  # oldest first, from the creation on
        self._digests: dict[Scope, dict[tuple[str, str], str]] = defaultdict(dict)
        self._replaced: dict[Scope, dict[tuple[str, str], None]] = defaultdict(dict)  # (new id, old id)

    # -------------------------------------------------------------------------------------------- writing

    async def put(
        self, facts: Sequence[Fact], *, change: str = "created", by: str = "", trigger: str = "", version: int = 0
    ) -> None:
        self._hold()
        now = self._clock.now()
        for fact in {(fact.scope, fact.id): fact for fact in facts}.values():
            if not (found := self._live(fact.scope, [fact.id])):
                self._create(fact, by=by, trigger=trigger, at=now)
                continue
            (stored,) = found
            check_version(stored, version)
            stale = change == "created" and stored.status != fact.status
            if not stale and (after := overwrite_fact(stored, fact)) is not None:
                self._replace(stored, after, "updated" if change == "created" else change, by=by, trigger=trigger, at=now)

    async def supersede(
        self,
        scope: Scope,
        old_ids: Sequence[str],
        new: Fact,
        *,
        kept: Sequence[Fact] = (),
        planned: Mapping[str, datetime] | None = None,
        until: datetime | None = None,
        at: datetime,
        by: str,
        trigger: str,
    ) -> None:
        self._hold()
        olds = [fact for fact in self._live(scope, [*old_ids, *(planned or ())]) if fact.id != new.id]
        here = self._live(scope, [new.id])
        if here and here[0].status == "undone":
            return
        for fact in (new, *kept):
            if not self._live(scope, [fact.id]):
                self._create(fact, by=by, trigger=trigger, at=at)
        if here and (again := overwrite_fact(here[0], new)) is not None:
            self._replace(here[0], again, "updated", by=by, trigger=trigger, at=at)
        for old in olds:
            change, after = supersession(old, new, at, until=until, planned=(planned or {}).get(old.id))
            if after != old:
                self._replace(old, after, change, by=by, trigger=trigger, at=at)
            self._replaced[scope][new.id, old.id] = None

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str) -> None:
        self._hold()
        for fact in self._live(scope, ids):
            if fact.status != status:
                after = change_status(fact, status, at)
                self._replace(fact, after, STATUS_CHANGES[status], by=by, trigger="", at=at)

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, at: datetime, by: str, trigger: str) -> None:
        self._hold()
        wanted = {reversal.record_id: reversal for reversal in reversals}
        facts = {fact.id: fact for fact in self._live(scope, list(wanted))}
        if len(facts) != len(wanted) or any(facts[key].version != each.version for key, each in wanted.items()):
            raise Conflict("another writer changed one of the records first: read them again")
        for key, reversal in wanted.items():
            after = revert_fact(facts[key], reversal.to, at)
            back = facts[key].status == "undone" != after.status
            self._replace(facts[key], after, "restored" if back else "undone", by=by, trigger=trigger, at=at)

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        self._hold()
        for fact in self._live(scope, ids):
            if fact.last_used_at is None or fact.last_used_at < at:
                self._store(replace(fact, uses=fact.uses + 1, last_used_at=at, indexed=False))

    # -------------------------------------------------------------------------------------------- reading

    async def by_digests(
        self, scope: Scope, contents: Sequence[tuple[str, FactKind]], speakers: Sequence[str] = ()
    ) -> list[Fact | None]:
        self._check()
        speakers = speakers or [""] * len(contents)
        return [
            self._by_digest(scope, content, kind, speaker) for (content, kind), speaker in zip(contents, speakers, strict=True)
        ]

    async def listing(
        self,
        scope: Scope,
        *,
        kinds: Sequence[FactKind] = (),
        statuses: Sequence[FactStatus] = ("active",),
        at: datetime | None = None,
        source: str = "",
        about: str = "",
        before: datetime | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Fact]:
        self._check()
        found = [
            fact
            for fact in self._live(scope)
            if (not kinds or fact.kind in kinds)
            and (fact.status if at is None else status_at(fact, at)) in (statuses or HELD_STATUSES)
            and (not source or fact.source == source)
            and (not about or normalise_text(about) in {normalise_text(name) for name in fact.entities if name.strip()})
            and (before is None or fact.created_at < before)
        ]
        found.sort(key=lambda fact: fact.id)
        found.sort(key=lambda fact: (fact.created_at, fact.position), reverse=True)
        return found[offset : offset + limit]

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        self._check()
        found = [
            fact
            for fact in self._live(scope)
            if fact.kind == "turn" and fact.status == "active" and fact.source == source and first <= fact.position <= last
        ]
        return sorted(found, key=lambda fact: (fact.position, fact.created_at))

    async def dependents_of(self, scope: Scope, ids: Sequence[str], *, tombstoned: bool = False) -> list[Fact]:
        self._check()
        facts = list(self.held[scope].values()) if tombstoned else self._live(scope)
        reached, found = set(ids), list[Fact]()
        while more := [fact for fact in facts if fact.id not in reached and not reached.isdisjoint(dependency_ids(fact))]:
            reached |= {fact.id for fact in more}
            found += more
        return found

    async def turns_of(self, scope: Scope, invocation_ids: Sequence[str]) -> list[Fact]:
        self._check()
        said_in = set(invocation_ids) - {""}
        found = [fact for fact in self._live(scope) if fact.kind == "turn" and fact.invocation_id in said_in]
        return sorted(found, key=lambda fact: (fact.source, fact.position, fact.id))

    async def history(self, scope: Scope, record_id: str) -> list[VersionEntry]:
        self._check()
        return [entry for fact in self._live(scope, [record_id]) for entry in reversed(self.histories[scope][fact.id])]

    async def changes_since(self, scope: Scope, at: datetime) -> list[VersionEntry]:
        self._check()
        hidden = self.tombstoned[scope]
        return self._entries(scope, lambda entry: entry.at >= at and (entry.before or entry.record_id not in hidden))

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        self._check()
        return self._entries(scope, lambda entry: entry.trigger == trigger and entry.before)

    def _entries(self, scope: Scope, wanted: Callable[[VersionEntry], object]) -> list[VersionEntry]:
        found = [entry for entries in self.histories[scope].values() for entry in entries if wanted(entry)]
        return sorted(found, key=lambda entry: (entry.at, entry.version), reverse=True)

    async def count(self, scope: Scope, *, at: datetime | None = None) -> Mapping[str, int]:
        self._check()
        counts: dict[str, int] = {}
        for fact in self._live(scope):
            if (fact.status if at is None else status_at(fact, at)) == "active":
                counts[fact.kind] = counts.get(fact.kind, 0) + 1
        return counts

    # -------------------------------------------------------------------------------------------- export and import

    async def export_page(self, scope: Scope, *, after: Place, limit: int = 100) -> list[FactWithHistory]:
        self._check()
        found = []
        for fact in self._live(scope):
            created, *changes = self.histories[scope][fact.id]
            found.append(
                FactWithHistory(
                    fact=fact,
                    stored_at=created.at,
                    stored_by=created.by,
                    stored_trigger=created.trigger,
                    changes=tuple(changes),
                )
            )
        return sorted((each for each in found if each.place > after), key=lambda each: each.place)[:limit]

    async def restore(self, scope: Scope, facts: Sequence[FactWithHistory]) -> int:
        self._hold()
        new = {each.fact.id: each for each in facts if not self._live(scope, [each.fact.id])}
        for each in new.values():
            first = each.changes[0].before if each.changes else each.fact
            self._create(first or each.fact, by=each.stored_by, trigger=each.stored_trigger, at=each.stored_at)
            self.histories[scope][each.fact.id] += each.changes
            self._linked(each.fact)
        return len(new)

    async def restore_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        self._check()
        added = 0
        for fact in self._live(scope, [entry.record_id for entry in entries]):
            known = self.histories[scope][fact.id]
            versions = {entry.version for entry in known}
            new = {e.version: e for e in entries if e.record_id == fact.id and 1 < e.version <= fact.version}
            missing = [entry for version, entry in new.items() if version not in versions]
            created, *changes = sorted([*known, *missing], key=lambda entry: entry.version)
            first = changes[0].before if changes else None
            known[:] = [replace(created, content=first.content if first else created.content), *changes]
            added += len(missing)
        return added

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        self._check()
        return sorted(pair for pair in self._replaced[scope] if len(self._live(scope, pair)) == 2)

    async def restore_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        self._check()
        known = self._replaced[scope]
        new = {pair: None for pair in pairs if pair not in known and len(self._live(scope, pair)) == 2}
        known |= new
        return len(new)

    # -------------------------------------------------------------------------------------------- common to them

    def _create(self, fact: Fact, *, by: str, trigger: str, at: datetime) -> None:
        self._remove(fact.scope, [fact.id])  # its tombstone
        made = replace(fact, version=1)
        created = replace(version_entry(made, made, "created", at=at, by=by, trigger=trigger), before=None)
        self.histories[fact.scope][fact.id] = [created]
        self._linked(made)

    def _replace(self, before: Fact, after: Fact, change: str, *, by: str, trigger: str, at: datetime) -> None:
        self.histories[after.scope][after.id].append(version_entry(before, after, change, at=at, by=by, trigger=trigger))
        self._linked(after)

    def _linked(self, fact: Fact) -> None:
        self._store(fact)
        if fact.kind != "turn" and fact.status == "active":
            self._digests[fact.scope] |= {(fact.kind, each): fact.id for each in fact_digests(fact.content, fact.speaker)}

    def _by_digest(self, scope: Scope, content: str, kind: FactKind, speaker: str) -> Fact | None:
        for digest in (content_digest(content, speaker), content_digest(content)):
            for fact in self._live(scope, [self._digests[scope].get((kind, digest), "")]):
                alike = fact.status == "active" and normalise_text(fact.content) == normalise_text(content)
                if alike and is_same_speaker(fact.speaker, speaker):
                    return fact
        return None

    def _remove(self, scope: Scope, ids: Sequence[str]) -> None:
        gone = self.held[scope].keys() & ids
        super()._remove(scope, ids)
        if gone:
            for each in gone:
                del self.histories[scope][each]
            self._digests[scope] = {key: holder for key, holder in self._digests[scope].items() if holder not in gone}
            self._replaced[scope] = {pair: None for pair in self._replaced[scope] if gone.isdisjoint(pair)}
