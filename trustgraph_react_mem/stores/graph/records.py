"""What the graphs of facts and of episodes have in common."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from ...memory.scope import Scope
from .engine import CHUNK, CypherStore, Row, Statement, cypher, in_chunks, uid

TOMBSTONED = "condemned"  # the stored status of a tombstone; it never leaves the graph

Record = TypeVar("Record")


class CypherRecords(CypherStore, Generic[Record]):
    decode: Callable[[Row], Record]  # a static method

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Record]:
        return await self._records([uid(scope, record_id) for record_id in dict.fromkeys(ids)])

    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None:
        await self._engine.write(self._per_ids("mark_indexed", scope, ids, indexed=indexed))

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> None:
        if ids is None:
            statements = [self._statement("tombstone_scope", scope=scope.key)]
        else:
            statements = self._per_ids("tombstone", scope, ids)
        await self._engine.write(statements)

    async def count_by_scope(self) -> Mapping[Scope, int]:
        rows = await self._read("count_by_scope")
        return {Scope.from_key(row["scope"]): int(row["n"]) for row in rows}

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Record]:
        return await self._find("not_indexed", scope=scope.key if scope else "", limit=limit)

    async def list_tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        rows = await self._read("tombstoned", limit=limit)
        return [(Scope.from_key(row["scope"]), row["id"]) for row in rows]

    async def _rows(self, keys: Sequence[str], *, tombstoned: bool = False) -> dict[str, Row]:
        """Existing records as rows by key, in the order of ``keys``.  ``tombstoned``: include tombstones."""
        found: dict[str, Row] = {}
        for start in range(0, len(keys), CHUNK):
            rows = await self._read("existing", uids=list(keys[start : start + CHUNK]))
            found |= {row["uid"]: row for row in rows if tombstoned or row["status"] != TOMBSTONED}
        return {key: found[key] for key in keys if key in found}

    async def _records(self, keys: Iterable[str]) -> list[Record]:
        return [self.decode(row) for row in (await self._rows(list(keys))).values()]

    async def _find(self, statement: str, /, **parameters: object) -> list[Record]:
        """Find keys first, then read the nodes by key, because sorting whole nodes would move their texts."""
        return await self._records([row["uid"] for row in await self._read(statement, **parameters)])

    async def _find_each(self, statement: str, keys: Iterable[str]) -> dict[str, None]:
        """The keys that a statement finds for each of these keys."""
        found: dict[str, None] = {}
        for key in dict.fromkeys(keys):
            found |= {row["uid"]: None for row in await self._read(statement, uid=key)}
        return found

    def _per_ids(self, statement: str, scope: Scope, ids: Iterable[str], **more: object) -> list[Statement]:
        keys = [uid(scope, record_id) for record_id in dict.fromkeys(ids)]
        return in_chunks(cypher(self.area)[statement], keys, name="uids", more=more)
