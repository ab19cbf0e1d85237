"""A fact graph in plain dictionaries: fast enough for thousands of simulated lives, and held to the suite of the real ones.

Each call is one step: nothing else runs while it works.  What makes calls slow, late or fail is put around it from outside.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from trustgraph_react_mem.errors import Conflict
from trustgraph_react_mem.memory.digest import content_digest, fact_digests, is_same_speaker, normalise_text
from trustgraph_react_mem.memory.former import status_at
from trustgraph_react_mem.memory.ports import Clock, Reversal
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


@dataclass(slots=True)
class _Node:
    fact: Fact
    stored_at: datetime
    stored_by: str
    stored_trigger: str
    tombstoned: bool = False
    changes: list[VersionEntry] = field(default_factory=list)  # oldest first


@dataclass(slots=True)
class _Area:
    """Everything of one scope."""

    nodes: dict[str, _Node] = field(default_factory=dict)
    digests: dict[tuple[str, str], str] = field(default_factory=dict)
    replaced: dict[str, list[str]] = field(default_factory=dict)  # new id -> old ids


class MemoryFactGraph:
    """``FactGraph``.  ``check`` is called first in every call, ``hold`` in those that write, and may refuse it."""

    def __init__(self, clock: Clock, check: Callable[[], None] = lambda: None, hold: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._check, self._hold = check, hold
        self.areas: dict[Scope, _Area] = {}

    # -------------------------------------------------------------------------------------------- writing

    async def put(
        self, facts: Sequence[Fact], *, change: str = "created", by: str = "", trigger: str = "", version: int = 0
    ) -> None:
        self._hold()
        now = self._clock.now()
        for fact in {(fact.scope, fact.id): fact for fact in facts}.values():
            node = self._area(fact.scope).nodes.get(fact.id)
            if node is not None and node.tombstoned:
                self._remove(fact.scope, [fact.id])
                node = None
            if node is None:
                self._create(replace(fact, version=1), by, trigger, now)
                continue
            stored = node.fact
            check_version(stored, version)
            stale = change == "created" and stored.status != fact.status
            if not stale and (after := overwrite_fact(stored, fact)) is not None:
                self._replace(node, after, "updated" if change == "created" else change, by=by, trigger=trigger, at=now)

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
        olds = [node for node in self._live(scope, [*old_ids, *(planned or ())]) if node.fact.id != new.id]
        here = self._live(scope, [new.id])
        if here and here[0].fact.status == "undone":
            return
        for fact in (new, *kept):
            if not self._live(scope, [fact.id]):
                self._create(replace(fact, version=1), by, trigger, at)
        if here and (again := overwrite_fact(here[0].fact, new)) is not None:
            self._replace(here[0], again, "updated", by=by, trigger=trigger, at=at)
        links = self._area(scope).replaced.setdefault(new.id, [])
        for node in olds:
            old = node.fact
            change, after = supersession(old, new, at, until=until, planned=(planned or {}).get(old.id))
            if after != old:
                self._replace(node, after, change, by=by, trigger=trigger, at=at)
            if old.id not in links:
                links.append(old.id)

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str) -> None:
        self._hold()
        for node in self._live(scope, ids):
            if node.fact.status != status:
                after = change_status(node.fact, status, at)
                self._replace(node, after, STATUS_CHANGES[status], by=by, trigger="", at=at)

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, at: datetime, by: str, trigger: str) -> None:
        self._hold()
        wanted = {reversal.record_id: reversal for reversal in reversals}
        nodes = {node.fact.id: node for node in self._live(scope, list(wanted))}
        if len(nodes) != len(wanted) or any(nodes[key].fact.version != each.version for key, each in wanted.items()):
            raise Conflict("another writer changed one of the records first: read them again")
        for key, reversal in wanted.items():
            now = nodes[key].fact
            after = revert_fact(now, reversal.to, at)
            back = now.status == "undone" != after.status
            self._replace(nodes[key], after, "restored" if back else "undone", by=by, trigger=trigger, at=at)

    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None:
        self._hold()
        for record_id in ids:
            node = self._area(scope).nodes.get(record_id)
            if node is not None:
                node.fact = replace(node.fact, indexed=indexed)

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        self._hold()
        for node in self._live(scope, ids):
            if node.fact.last_used_at is None or node.fact.last_used_at < at:
                node.fact = replace(node.fact, uses=node.fact.uses + 1, last_used_at=at, indexed=False)

    # -------------------------------------------------------------------------------------------- reading

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Fact]:
        self._check()
        return [node.fact for node in self._live(scope, ids)]

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
            for fact in self._facts(scope)
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
            for fact in self._facts(scope)
            if fact.kind == "turn" and fact.status == "active" and fact.source == source and first <= fact.position <= last
        ]
        return sorted(found, key=lambda fact: (fact.position, fact.created_at))

    async def dependents_of(self, scope: Scope, ids: Sequence[str], *, tombstoned: bool = False) -> list[Fact]:
        self._check()
        nodes = [node for node in self._area(scope).nodes.values() if tombstoned or not node.tombstoned]
        reached, found = set(ids), list[Fact]()
        while more := [n.fact for n in nodes if n.fact.id not in reached and not reached.isdisjoint(dependency_ids(n.fact))]:
            reached |= {fact.id for fact in more}
            found += more
        return found

    async def turns_of(self, scope: Scope, invocation_ids: Sequence[str]) -> list[Fact]:
        self._check()
        said_in = set(invocation_ids) - {""}
        found = [fact for fact in self._facts(scope) if fact.kind == "turn" and fact.invocation_id in said_in]
        return sorted(found, key=lambda fact: (fact.source, fact.position, fact.id))

    async def history(self, scope: Scope, record_id: str) -> list[VersionEntry]:
        self._check()
        return [entry for node in self._live(scope, [record_id]) for entry in (*reversed(node.changes), _creation(node))]

    async def changes_since(self, scope: Scope, at: datetime) -> list[VersionEntry]:
        self._check()
        found = []
        for node in self._area(scope).nodes.values():
            found += [entry for entry in node.changes if entry.at >= at]
            if node.stored_at >= at and not node.tombstoned:
                found.append(_creation(node))
        return sorted(found, key=lambda entry: (entry.at, entry.version), reverse=True)

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        self._check()
        found = [entry for node in self._area(scope).nodes.values() for entry in node.changes if entry.trigger == trigger]
        return sorted(found, key=lambda entry: (entry.at, entry.version), reverse=True)

    async def count_by_scope(self) -> Mapping[Scope, int]:
        self._check()
        held = {scope: sum(fact.status != "undone" for fact in self._facts(scope)) for scope in self.areas}
        return {scope: number for scope, number in held.items() if number}

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Fact]:
        self._check()
        scopes = list(self.areas) if scope is None else [scope]
        found = [fact for each in scopes for fact in self._facts(each) if not fact.indexed]
        return sorted(found, key=lambda fact: fact.created_at)[:limit]

    async def count(self, scope: Scope, *, at: datetime | None = None) -> Mapping[str, int]:
        self._check()
        counts: dict[str, int] = {}
        for fact in self._facts(scope):
            if (fact.status if at is None else status_at(fact, at)) == "active":
                counts[fact.kind] = counts.get(fact.kind, 0) + 1
        return counts

    # -------------------------------------------------------------------------------------------- forgetting

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> None:
        self._hold()
        for node in self._live(scope, list(self._area(scope).nodes) if ids is None else ids):
            node.tombstoned = True

    async def list_tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        self._check()
        return [(scope, node.fact.id) for scope, area in self.areas.items() for node in area.nodes.values() if node.tombstoned][
            :limit
        ]

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        self._hold()
        self._remove(scope, ids)

    async def forget_scope(self, scope: Scope) -> None:
        self._hold()
        self.areas.pop(scope, None)

    def held(self, scope: Scope) -> "list[_Node]":
        self._check()
        return [node for node in self._area(scope).nodes.values() if not node.tombstoned]

    # -------------------------------------------------------------------------------------------- common to them

    def _area(self, scope: Scope) -> _Area:
        return self.areas.setdefault(scope, _Area())

    def _facts(self, scope: Scope) -> list[Fact]:
        return [node.fact for node in self._area(scope).nodes.values() if not node.tombstoned]

    def _live(self, scope: Scope, ids: Sequence[str]) -> list[_Node]:
        nodes = self._area(scope).nodes
        found = [nodes[record_id] for record_id in dict.fromkeys(ids) if record_id in nodes]
        return [node for node in found if not node.tombstoned]

    def _create(self, fact: Fact, by: str, trigger: str, at: datetime) -> None:
        self._area(fact.scope).nodes[fact.id] = _Node(fact, at, by, trigger)
        self._linked(fact)

    def _replace(self, node: _Node, after: Fact, change: str, *, by: str, trigger: str, at: datetime) -> None:
        entry = version_entry(node.fact, after, change, at=at, by=by, trigger=trigger)
        node.changes.append(entry)
        node.fact = after
        self._linked(after)

    def _linked(self, fact: Fact) -> None:
        area = self._area(fact.scope)
        if fact.kind != "turn" and fact.status == "active":
            area.digests |= {(fact.kind, digest): fact.id for digest in fact_digests(fact.content, fact.speaker)}

    def _by_digest(self, scope: Scope, content: str, kind: FactKind, speaker: str) -> Fact | None:
        for digest in (content_digest(content, speaker), content_digest(content)):
            for node in self._live(scope, [self._area(scope).digests.get((kind, digest), "")]):
                fact = node.fact
                alike = fact.status == "active" and normalise_text(fact.content) == normalise_text(content)
                if alike and is_same_speaker(fact.speaker, speaker):
                    return fact
        return None

    def _remove(self, scope: Scope, ids: Sequence[str]) -> None:
        area = self._area(scope)
        gone = [area.nodes.pop(record_id) for record_id in dict.fromkeys(ids) if record_id in area.nodes]
        removed = {node.fact.id for node in gone}
        if removed:
            area.digests = {key: holder for key, holder in area.digests.items() if holder not in removed}
            area.replaced = {
                new: [old for old in olds if old not in removed] for new, olds in area.replaced.items() if new not in removed
            }


def _creation(node: _Node) -> VersionEntry:
    first = (node.changes[0].before if node.changes else None) or node.fact
    return VersionEntry(
        record_id=node.fact.id,
        version=1,
        change="created",
        at=node.stored_at,
        by=node.stored_by,
        trigger=node.stored_trigger,
        content=first.content,
    )
