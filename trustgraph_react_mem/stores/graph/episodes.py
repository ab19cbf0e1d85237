"""Episodes in a Cypher graph."""

import json
from collections.abc import Sequence
from datetime import datetime

from ...memory.codec import decode_fields, encode_fields
from ...memory.records import Episode
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from .engine import Row, SourceKind, Statement, cypher, retry_conflicts, scope_root, source_uid, uid
from .records import CypherRecords

AREA = "episodes"
ATTEMPTS = 4
PROPERTIES = ("undone_at", "operation", "goal", "created_at", "source", "succeeded", "indexed")
PACKED = ("steps", "outcome", "lessons", "importance", "job_id", "metadata")


def episode_of(row: Row) -> Episode:
    return Episode(
        scope=Scope.from_key(row["scope"]),
        **decode_fields(Episode, ("id", *PROPERTIES), row),
        **decode_fields(Episode, PACKED, json.loads(row["record"])),
    )


class CypherEpisodeGraph(CypherRecords[Episode]):
    """``EpisodeGraph`` over either engine."""

    area = AREA
    decode = staticmethod(episode_of)

    async def put(self, episodes: Sequence[Episode]) -> None:
        if not episodes:
            return
        scopes = dict.fromkeys(episode.scope for episode in episodes)
        rows = {uid(each.scope, each.id): _row(each) | {"root": scope_root(each.scope, AREA)} for each in episodes}
        statements = [
            *(self._statement("merge_scope", uid=scope_root(each, AREA), scope=each.key) for each in scopes),
            *(self._statement(name, rows=list(rows.values())) for name in ("set", "create")),
            *(self._statement("unlink_sources", uid=key) for key in rows),
            *link_sources(episodes),
        ]
        # Conflict: another writer created the scope or an episode concurrently.
        await retry_conflicts(lambda: self._engine.write(statements), ATTEMPTS)

    async def listing(
        self, scope: Scope, *, undone: bool = False, before: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Episode]:
        return await self._find(
            "listing",
            root=scope_root(scope, AREA),
            statuses=["active", "undone"] if undone else ["active"],
            before=sortable_time(before),
            limit=limit,
            offset=offset,
        )

    async def by_source(
        self, scope: Scope, *, invocation_ids: Sequence[str] = (), conversation_ids: Sequence[str] = ()
    ) -> list[Episode]:
        keys = [source_uid(scope, "invocation", each) for each in invocation_ids]
        keys += [source_uid(scope, "conversation", each) for each in conversation_ids]
        return await self._records(await self._find_each("telling_of", keys))

    async def list_marked_by(self, scope: Scope, operation: str) -> list[Episode]:
        return await self._find("marked_by", root=scope_root(scope, AREA), operation=operation)

    async def list_changed_since(self, scope: Scope, at: datetime) -> list[Episode]:
        return await self._find("changed_since", root=scope_root(scope, AREA), at=sortable_time(at))

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        marks = {"status": _status(at), "at": sortable_time(at), "operation": operation}
        await self._engine.write(self._per_ids("mark_undone", scope, ids, **marks))

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        keys = [uid(scope, record_id) for record_id in ids]
        sources = await self._find_each("sources_of", keys)
        lonely = [self._statement("forget_lonely_sources", uid=key) for key in sorted(sources)]
        await self._engine.write([*self._per_ids("forget", scope, ids), *lonely])

    async def forget_scope(self, scope: Scope) -> None:
        own = [self._statement(name, scope=scope.key) for name in ("forget_scope_sources", "forget_scope")]
        await self._engine.write([*own, self._statement("forget_scope_root", root=scope_root(scope, AREA))])

    async def count(self, scope: Scope) -> int:
        (row,) = await self._read("count", root=scope_root(scope, AREA))
        return int(row["n"])


def link_sources(episodes: Sequence[Episode]) -> list[Statement]:
    """Statements for edges between episodes and their source invocations and conversations."""
    nodes: dict[str, Row] = {}
    edges: dict[tuple[str, str], None] = {}
    for episode in episodes:
        sources: dict[SourceKind, str] = {
            "invocation": episode.metadata.get("invocation_id", ""),
            "conversation": episode.source,
        }
        for kind, source_id in sources.items():
            if source_id:
                key = source_uid(episode.scope, kind, source_id)
                nodes[key] = {"uid": key, "scope": episode.scope.key, "kind": kind}
                edges[uid(episode.scope, episode.id), key] = None
    if not edges:
        return []
    texts = cypher("episodes")
    return [
        Statement(texts["create_sources"], {"rows": list(nodes.values())}),
        Statement(texts["link_sources"], {"rows": [{"episode": one, "source": other} for one, other in edges]}),
    ]


def _row(episode: Episode) -> Row:
    return {
        "uid": uid(episode.scope, episode.id),
        "scope": episode.scope.key,
        "id": episode.id,
        "status": _status(episode.undone_at),
        **encode_fields(episode, PROPERTIES, time=sortable_time),
        "record": json.dumps(encode_fields(episode, PACKED), ensure_ascii=False, separators=(",", ":")),
    }


def _status(undone_at: datetime | None) -> str:
    return "undone" if undone_at else "active"
