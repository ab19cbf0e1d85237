"""Build the statements that write and remove facts.  Nothing here accesses an engine.

Each fact belongs to one bucket, a node between the root of the scope and its facts.  ``BUCKET_TURNS`` successive turns of a
conversation share a bucket, and so do the other facts of a source.  Facts without a source are spread over
``LOOSE_BUCKETS``.

Buckets are found by key, so finding the neighbours of a turn costs the same in a scope of any size.  Buckets are small,
because the engine scans all edges of a node to remove one.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from ...memory.digest import fact_digests, normalise_text
from ...memory.ports import FactWithHistory
from ...memory.records import Fact, VersionEntry, dependency_ids, version_entry
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from .engine import Row, Statement, cypher, in_chunks, scope_root, source_uid, uid
from .fact_rows import entry_row, fact_row

BUCKET_TURNS = 128
LOOSE_BUCKETS = 64


def entity_uid(scope: Scope, name: str) -> str:
    return uid(scope, normalise_text(name))


def turn_bucket(scope: Scope, source: str, position: int) -> str:
    return uid(scope, "turns", position // BUCKET_TURNS, source)


def bucket_of(fact: Fact) -> str:
    if not fact.source:
        return uid(fact.scope, "loose", zlib.crc32(fact.id.encode("utf-8", "surrogatepass")) % LOOSE_BUCKETS)
    if fact.kind == "turn":
        return turn_bucket(fact.scope, fact.source, fact.position)
    return uid(fact.scope, "others", fact.source)


def source_keys(fact: Fact) -> list[str]:
    """Keys of the source nodes of the records that the fact depends on."""
    return [source_uid(fact.scope, "record", record_id) for record_id in dependency_ids(fact)]


def _place(fact: Fact) -> tuple[str, int]:
    return bucket_of(fact), fact.position


class FactStatements:
    """Builds lists of statements.  Each list must run in one transaction."""

    def __init__(self) -> None:
        self._cypher = cypher("facts")

    def create(
        self, facts: Sequence[Fact], by: str, trigger: str, at: datetime, *, buckets: Collection[str]
    ) -> list[Statement]:
        """Create facts.  ``buckets``: keys of existing buckets.  If one was removed since, the transaction fails (Conflict)."""
        new = [FactWithHistory(fact=fact, stored_at=at, stored_by=by, stored_trigger=trigger) for fact in facts]
        return self.restore(new, buckets=buckets)

    def restore(self, archived: Sequence[FactWithHistory], *, buckets: Collection[str]) -> list[Statement]:
        """As ``create``, with the original data about the creation and with the history."""
        facts = [each.fact for each in archived]
        rows = [
            fact_row(each.fact)
            | {"stored_at": sortable_time(each.stored_at), "stored_by": each.stored_by, "stored_trigger": each.stored_trigger}
            | {"bucket": bucket_of(each.fact)}
            for each in archived
        ]
        return [
            *self._buckets(facts, buckets),
            *self.in_chunks(rows, "create", expect=True),
            *self._edges(facts, facts, facts),
            *self.link_sources([(fact, source_keys(fact)) for fact in facts]),
            *self.log([entry for each in archived for entry in each.changes], facts[0].scope if facts else None),
        ]

    def log(self, entries: Sequence[VersionEntry], scope: Scope | None) -> list[Statement]:
        return self.in_chunks([entry_row(entry, scope) for entry in entries], "log_change") if scope else []

    def _buckets(self, facts: Sequence[Fact], known: Collection[str]) -> list[Statement]:
        new = {key: fact for fact in facts if (key := bucket_of(fact)) not in known}
        rows = [
            {"uid": key, "scope": fact.scope.key, "source": fact.source, "root": scope_root(fact.scope, "facts")}
            for key, fact in new.items()
        ]
        scopes = dict.fromkeys(fact.scope for fact in new.values())
        scope_roots = [
            Statement(self._cypher["merge_scope"], {"uid": scope_root(scope, "facts"), "scope": scope.key}) for scope in scopes
        ]
        return [*scope_roots, *self.in_chunks(rows, "create_buckets")]

    def replace(
        self,
        changed: Sequence[tuple[Fact, Fact]],
        change: str,
        *,
        by: str,
        trigger: str,
        at: datetime,
        buckets: Collection[str],
    ) -> list[Statement]:
        rows = [fact_row(after) | {"expected": before.version} for before, after in changed]
        log = [
            entry_row(version_entry(before, after, change, at=at, by=by, trigger=trigger), after.scope)
            for before, after in changed
        ]
        afters = [after for before, after in changed]
        about = [after for before, after in changed if before.entities != after.entities]
        sources = [after for before, after in changed if before.invocation_id != after.invocation_id]
        moved = [
            after for before, after in changed if (bucket_of(before), before.position) != (bucket_of(after), after.position)
        ]
        places = [{"fact": uid(fact.scope, fact.id), "bucket": bucket_of(fact), "position": fact.position} for fact in moved]
        return [
            *self.in_chunks(rows, "replace", expect=True),
            *self.in_chunks(log, "log_change"),
            *self.per_key([uid(fact.scope, fact.id) for fact in about], "unlink_entities"),
            *self._edges(afters, about, sources),
            *self._relink_sources(changed),
            *self._buckets(moved, buckets),
            *self.per_key([uid(fact.scope, fact.id) for fact in moved], "leave_bucket"),
            *self.in_chunks(places, "enter_bucket", expect=True),
        ]

    def _edges(self, facts: Sequence[Fact], about: Sequence[Fact], derived: Sequence[Fact]) -> list[Statement]:
        """Statements for the digests of ``facts``, the entities of ``about`` and the invocations of ``derived``."""
        digests = {  # of two facts with the same digest, the digest points to the later one
            key: {"uid": key, "scope": fact.scope.key, "fact_id": fact.id}
            for fact in facts
            if fact.kind != "turn" and fact.status == "active"
            for key in (uid(fact.scope, fact.kind, digest) for digest in fact_digests(fact.content, fact.speaker))
        }
        entities: dict[Scope, set[str]] = {}
        links = []
        for fact in about:
            names = {name for name in fact.entities if name.strip()}
            entities.setdefault(fact.scope, set()).update(names)
            keys = {entity_uid(fact.scope, name) for name in names}
            links += [{"fact": uid(fact.scope, fact.id), "entity": key} for key in sorted(keys)]
        sources = [
            {"fact": uid(fact.scope, fact.id), "invocation": uid(fact.scope, fact.invocation_id)}
            for fact in derived
            if fact.invocation_id
        ]
        merged = [statement for scope, names in entities.items() for statement in self.entities(scope, names)]
        return [
            *self.in_chunks(list(digests.values()), "set_digests"),
            *self.in_chunks(list(digests.values()), "create_digests"),
            *merged,
            *self.in_chunks(links, "link_entities"),
            *self.in_chunks(sources, "link_invocations"),
        ]

    def link_sources(self, depending: Sequence[tuple[Fact, Sequence[str]]]) -> list[Statement]:
        """Edges between each fact and the source nodes that it depends on, given by their keys."""
        nodes = {key: {"uid": key, "scope": fact.scope.key, "kind": "record"} for fact, keys in depending for key in keys}
        links = [{"fact": uid(fact.scope, fact.id), "source": key} for fact, keys in depending for key in keys]
        return [*self.in_chunks(list(nodes.values()), "create_sources"), *self.in_chunks(links, "link_sources")]

    def _relink_sources(self, changed: Sequence[tuple[Fact, Fact]]) -> list[Statement]:
        unlinked: list[Statement] = []
        links: list[tuple[Fact, Sequence[str]]] = []
        lost: dict[str, None] = {}
        for before, after in changed:
            had, has = source_keys(before), source_keys(after)
            gone = [key for key in had if key not in has]
            if gone:  # one edge cannot be named by its two ends in Ladybug without reading a table: all are made again
                unlinked += self.per_key([uid(after.scope, after.id)], "unlink_sources")
                lost |= dict.fromkeys(gone)
            links.append((after, has if gone else [key for key in has if key not in had]))
        return [*unlinked, *self.link_sources(links), *self.per_key(lost, "forget_lonely_sources")]

    def entities(self, scope: Scope, names: Iterable[str]) -> list[Statement]:
        by_uid = {entity_uid(scope, name): name for name in sorted(names)}
        rows = [{"uid": key, "scope": scope.key, "name": name} for key, name in by_uid.items()]
        return self.in_chunks(rows, "create_entities")

    def forget(self, facts: Sequence[Fact], entities: Sequence[str], *, buckets: bool = True) -> list[Statement]:
        """Remove facts with their history, digests and edges.

        ``entities``: keys of their entities, which are removed if no other fact refers to them.
        ``buckets``: also remove buckets that become empty.
        """
        statements: list[Statement] = []
        for scope in dict.fromkeys(fact.scope for fact in facts):
            own = [fact for fact in facts if fact.scope == scope]
            keys = [uid(scope, fact.id) for fact in own]
            digests = [
                {"uid": uid(scope, fact.kind, digest), "fact_id": fact.id}
                for fact in own
                for digest in fact_digests(fact.content, fact.speaker)
                if fact.kind != "turn"
            ]
            relations = [{"uid": key, "id": fact.id} for key, fact in zip(keys, own, strict=True)]
            statements += [
                *(Statement(self._cypher["forget_relations"], relation) for relation in relations),
                *self.per_key(keys, "forget_changes"),
                *self.in_chunks(digests, "forget_digests"),
                *self.in_chunks(keys, "forget", name="uids"),
            ]
        statements += self.per_key(entities, "forget_orphans")
        statements += self.per_key(dict.fromkeys(key for fact in facts for key in source_keys(fact)), "forget_lonely_sources")
        if buckets:
            emptied = list(dict.fromkeys(bucket_of(fact) for fact in facts))
            statements += self.per_key(emptied, "forget_empty_buckets")
        return statements

    def per_key(self, keys: Iterable[str], statement: str) -> list[Statement]:
        return [Statement(self._cypher[statement], {"uid": key}) for key in keys]

    def in_chunks(
        self, rows: Sequence[Row] | Sequence[str], statement: str, *, name: str = "rows", expect: bool = False
    ) -> list[Statement]:
        return in_chunks(self._cypher[statement], rows, name=name, expect=expect)
