"""Facts in a Cypher graph.

Invariants:
- A Fact node has a version.  Every update compares it with the version that was read (compare-and-set).
- Every change leaves a ``Change`` node with the previous state.  The creation is stored in the Fact node itself, so that
  storing a verbatim turn writes only one node.
- A ``Digest`` node points from a normalised content to its fact.  Turns have none, because turns are never merged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...errors import Conflict
from ...memory.digest import content_digest, is_same_speaker, normalise_text
from ...memory.ports import Clock, Reversal
from ...memory.records import (
    FACT_KINDS,
    HELD_STATUSES,
    Change,
    Fact,
    FactKind,
    FactStatus,
    VersionEntry,
    change_status,
    check_version,
    overwrite_fact,
    revert_fact,
    supersession,
)
from ...memory.scope import Scope
from ...memory.timefmt import require_time, sortable_time
from .engine import GraphEngine, Row, Statement, retry_conflicts, scope_root, source_uid, uid
from .fact_archive import ATTEMPTS, CypherFactArchive
from .fact_rows import entry_of, fact_of
from .fact_statements import BUCKET_TURNS, bucket_of, entity_uid, turn_bucket
from .records import TOMBSTONED

FEW_BUCKETS = 16  # above this, list the buckets of a source instead of computing their keys
STATUS_CHANGES: Mapping[FactStatus, Change] = {
    "active": "released",
    "quarantined": "quarantined",
    "superseded": "superseded",
    "undone": "undone",
}


class CypherFactGraph(CypherFactArchive):
    """``FactGraph`` over either engine.  ``clock``: for the times of creations and updates."""

    def __init__(self, engine: GraphEngine, clock: Clock) -> None:
        super().__init__(engine)
        self._clock = clock

    # -------------------------------------------------------------------------------------------- writing

    async def put(
        self, facts: Sequence[Fact], *, change: str = "created", by: str = "", trigger: str = "", version: int = 0
    ) -> None:
        if not facts:
            return
        await retry_conflicts(lambda: self._put_once(facts, change, by, trigger, version), ATTEMPTS)

    async def _put_once(self, facts: Sequence[Fact], change: str, by: str, trigger: str, version: int) -> None:
        latest = {uid(fact.scope, fact.id): fact for fact in facts}
        rows = await self._rows(list(latest), tombstoned=True)
        now = self._clock.now()
        new: dict[str, Fact] = {}
        changed: list[tuple[Fact, Fact]] = []
        tombstones: list[Fact] = []
        for key, fact in latest.items():
            row = rows.get(key)
            if row is None or row["status"] == TOMBSTONED:
                if row is not None:
                    tombstones.append(fact_of(row))
                new[key] = replace(fact, version=1)
                continue
            stored = fact_of(row)
            check_version(stored, version)
            # A repeated job stores its fact in the original state.  If it was superseded since, it must stay superseded.
            stale = change == "created" and stored.status != fact.status
            if not stale and (after := overwrite_fact(stored, fact)) is not None:
                changed.append((stored, after))
        buckets = await self._known_buckets([*new.values(), *(after for _, after in changed)])
        # Leftovers of an interrupted erasure are removed in the same transaction, before their ids are used again.
        statements = self._statements.forget(tombstones, await self._entities_of(tombstones), buckets=False)
        statements += self._statements.create(list(new.values()), by, trigger, now, buckets=buckets)
        buckets |= {bucket_of(fact) for fact in new.values()}
        kind = "updated" if change == "created" else change
        statements += self._statements.replace(changed, kind, by=by, trigger=trigger, at=now, buckets=buckets)
        if statements:
            await self._engine.write(statements)

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
        days = planned or {}

        async def once() -> None:
            olds = [fact for fact in await self.get(scope, [*old_ids, *days]) if fact.id != new.id]
            known = {fact.id: fact for fact in await self.get(scope, [new.id, *(fact.id for fact in kept)])}
            stored = known.get(new.id)
            if stored is not None and stored.status == "undone":
                return  # a repeated job: a fact that was undone since must stay undone
            statements: list[Statement] = []
            buckets = await self._known_buckets([new, *kept, *olds])
            created = [replace(fact, version=1, indexed=False) for fact in (new, *kept) if fact.id not in known]
            statements += self._statements.create(created, by, trigger, at, buckets=buckets)
            buckets |= {bucket_of(fact) for fact in created}
            changed: dict[Change, list[tuple[Fact, Fact]]] = {"updated": [], "superseded": []}
            if stored is not None and (again := overwrite_fact(stored, new)) is not None:
                changed["updated"].append((stored, again))
            for old in olds:
                change, after = supersession(old, new, at, until=until, planned=days.get(old.id))
                changed[change] += [(old, after)] if after != old else []
            for kind, pairs in changed.items():
                statements += self._statements.replace(pairs, kind, by=by, trigger=trigger, at=at, buckets=buckets)
            links = [{"new": uid(scope, new.id), "old": uid(scope, old.id)} for old in olds]
            statements += self._statements.in_chunks(links, "link_superseded")
            await self._engine.write(statements)

        await retry_conflicts(once, ATTEMPTS)

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str) -> None:
        async def once() -> None:
            stored = await self.get(scope, ids)
            changed = [(fact, change_status(fact, status, at)) for fact in stored if fact.status != status]
            change = STATUS_CHANGES[status]
            await self._engine.write(self._statements.replace(changed, change, by=by, trigger="", at=at, buckets=()))

        await retry_conflicts(once, ATTEMPTS)

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, at: datetime, by: str, trigger: str) -> None:
        wanted = {reversal.record_id: reversal for reversal in reversals}
        stored = {fact.id: fact for fact in await self.get(scope, list(wanted))}
        if len(stored) != len(wanted) or any(stored[key].version != each.version for key, each in wanted.items()):
            raise Conflict("another writer changed one of the records first: read them again")
        changes: dict[Change, list[tuple[Fact, Fact]]] = {}
        for now, reversal in ((stored[key], each) for key, each in wanted.items()):
            after = revert_fact(now, reversal.to, at)
            back = now.status == "undone" != after.status
            changes.setdefault("restored" if back else "undone", []).append((now, after))
        # All in one transaction: what the first change creates exists for the second, and is not created twice.
        buckets = await self._known_buckets([after for pairs in changes.values() for _, after in pairs])
        statements: list[Statement] = []
        for change, pairs in changes.items():
            statements += self._statements.replace(pairs, change, by=by, trigger=trigger, at=at, buckets=buckets)
            buckets |= {bucket_of(after) for _, after in pairs}
        await self._engine.write(statements)

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        await self._engine.write(self._per_ids("touch", scope, ids, at=sortable_time(at)))

    # -------------------------------------------------------------------------------------------- reading

    async def by_digests(
        self, scope: Scope, contents: Sequence[tuple[str, FactKind]], speakers: Sequence[str] = ()
    ) -> list[Fact | None]:
        asked = list(zip(contents, speakers or [""] * len(contents), strict=True))
        # The digest with the speaker comes first: that of the content points to the newest fact of any speaker.
        keys = [
            [uid(scope, kind, content_digest(content, speaker)), uid(scope, kind, content_digest(content))]
            for (content, kind), speaker in asked
        ]
        wanted = list(dict.fromkeys(key for pair in keys for key in pair))
        pointers = await self._read("by_digests", uids=wanted) if wanted else []
        ids = {row["uid"]: row["fact_id"] for row in pointers}
        facts = {fact.id: fact for fact in await self.get(scope, list(ids.values()))}
        found = ([facts[ids[key]] for key in pair if ids.get(key) in facts] for pair in keys)
        return [
            next((fact for fact in each if _says(fact, content, kind, speaker)), None)
            for each, ((content, kind), speaker) in zip(found, asked, strict=True)
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
        wanted = statuses or HELD_STATUSES
        parameters = {
            "kinds": list(kinds or FACT_KINDS),
            "statuses": list(wanted),
            "former": "superseded" in wanted,
            "now": sortable_time(at),
            "limit": limit,
            "offset": offset,
        }
        narrowed = {**parameters, "source": source, "before": sortable_time(before)}
        if about:
            return await self._find("listing_about", **narrowed, uid=entity_uid(scope, about))
        root = scope_root(scope, "facts")
        if not source and before is None:
            return await self._find("listing_whole", **parameters, root=root)
        return await self._find("listing", **narrowed, root=root)

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        buckets = last // BUCKET_TURNS - first // BUCKET_TURNS + 1
        if buckets > FEW_BUCKETS:
            known = await self._read("buckets_of_source", root=scope_root(scope, "facts"), source=source)
            keys = [row["uid"] for row in known]
        else:
            keys = [turn_bucket(scope, source, first + step * BUCKET_TURNS) for step in range(buckets)]
        uids: list[str] = []
        for key in keys:
            uids += [row["uid"] for row in await self._read("bucket", uid=key, first=first, last=last)]
        facts = await self._records(uids)
        turns = [fact for fact in facts if fact.kind == "turn" and fact.status == "active"]
        return sorted(turns, key=lambda turn: (turn.position, turn.created_at, turn.id))

    async def dependents_of(self, scope: Scope, ids: Sequence[str], *, tombstoned: bool = False) -> list[Fact]:
        found: dict[str, Fact] = {}
        reached = dict.fromkeys(ids)
        edge = list(reached)
        while edge:
            keys = await self._find_each("dependents", [source_uid(scope, "record", record_id) for record_id in edge])
            rows = await self._rows(list(keys), tombstoned=tombstoned)
            facts = [fact_of(row) for row in rows.values() if row["id"] not in reached]
            found |= {fact.id: fact for fact in facts}
            edge = [fact.id for fact in facts]
            reached |= dict.fromkeys(edge)
        return list(found.values())

    async def turns_of(self, scope: Scope, invocation_ids: Sequence[str]) -> list[Fact]:
        uids = await self._find_each("turns_of_invocation", [uid(scope, each) for each in invocation_ids])
        turns = await self._records(uids)
        return sorted(turns, key=lambda turn: (turn.source, turn.position, turn.id))

    async def history(self, scope: Scope, record_id: str) -> list[VersionEntry]:
        rows = await self._rows([uid(scope, record_id)])
        if not rows:
            return []
        entries = [entry_of(row, scope) for row in await self._read("history", uid=uid(scope, record_id))]
        return [*entries, _creation(next(iter(rows.values())), entries)]

    async def changes_since(self, scope: Scope, at: datetime) -> list[VersionEntry]:
        since = {"scope": scope.key, "at": sortable_time(at)}
        entries = [entry_of(row, scope) for row in await self._read("changes_since", **since)]
        stored = await self._read("stored_since", **since)
        rows = await self._rows([row["uid"] for row in stored])
        created = [
            _creation(row, [entry for entry in entries if entry.record_id == row["id"]] if entries else [])
            for row in rows.values()
        ]
        return sorted([*entries, *created], key=lambda entry: (entry.at, entry.version), reverse=True)

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        return [entry_of(row, scope) for row in await self._read("changes_by", scope=scope.key, cause=trigger)]

    async def count(self, scope: Scope, *, at: datetime | None = None) -> Mapping[str, int]:
        rows = await self._read("count", root=scope_root(scope, "facts"), now=sortable_time(at))
        return {row["kind"]: row["n"] for row in rows}

    # -------------------------------------------------------------------------------------------- forgetting

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        rows = await self._rows([uid(scope, record_id) for record_id in dict.fromkeys(ids)], tombstoned=True)
        facts = [fact_of(row) for row in rows.values()]
        await self._engine.write(self._statements.forget(facts, await self._entities_of(facts)))

    async def forget_scope(self, scope: Scope) -> None:
        kinds = ("buckets", "changes", "digests", "entities", "sources", "facts")
        own = [self._statement(f"forget_scope_{kind}", scope=scope.key) for kind in kinds]
        await self._engine.write([*own, self._statement("forget_scope_root", root=scope_root(scope, "facts"))])


def _says(fact: Fact, content: str, kind: FactKind, speaker: str) -> bool:
    """Whether the active fact has this content, and no other speaker."""
    same = normalise_text(fact.content) == normalise_text(content) and is_same_speaker(fact.speaker, speaker)
    return same and fact.status == "active" and fact.kind == kind


def _creation(row: Row, changes: Sequence[VersionEntry]) -> VersionEntry:
    first = changes[-1].before if changes else None
    return VersionEntry(
        record_id=row["id"],
        version=1,
        change="created",
        at=require_time(row["stored_at"]),
        by=row["stored_by"],
        trigger=row["stored_trigger"],
        content=first.content if first else row["content"],
    )
