"""What is asked across scopes: which scopes a workspace has, and which records await maintenance."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from ...memory.ports import KeyStore
from ...memory.scope import Scope
from .engine import GraphEngine, cypher

Record = TypeVar("Record")


class CypherScopes:
    """``ScopeDirectory``: scopes with a node of any kind, or with a key."""

    def __init__(self, engine: GraphEngine, key_store: KeyStore) -> None:
        self._engine, self._key_store = engine, key_store
        self._cypher = cypher("scopes")

    async def scopes(self, workspace: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user="", collection="x").key.removesuffix("/x"), workspace)

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user=user, collection="x").key.removesuffix("x"), workspace)

    async def _with_prefix(self, prefix: str, workspace: str) -> list[Scope]:
        found: set[str] = set()
        for statement in self._cypher.values():
            rows = await self._engine.read(statement, {"prefix": prefix})
            found |= {row["scope"] for row in rows}
        found |= {scope.key for scope in await self._key_store.scopes(workspace) if scope.key.startswith(prefix)}
        return sorted((Scope.from_key(key) for key in found), key=lambda scope: scope.key)


class CypherRecords(Generic[Record]):
    """Questions of maintenance about records of all scopes.  The base of the graphs of facts and of episodes.

    ``area``: the file of their statements.
    """

    def __init__(self, engine: GraphEngine, area: str) -> None:
        self._engine = engine
        self._cypher = cypher(area)

    async def count_by_scope(self) -> Mapping[Scope, int]:
        rows = await self._engine.read(self._cypher["count_by_scope"], {})
        return {Scope.from_key(row["scope"]): int(row["n"]) for row in rows}

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Record]:
        return await self._find("not_indexed", {"scope": scope.key if scope else "", "limit": limit})

    async def list_tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        rows = await self._engine.read(self._cypher["tombstoned"], {"limit": limit})
        return [(Scope.from_key(row["scope"]), row["id"]) for row in rows]

    async def _find(self, statement: str, parameters: Mapping[str, object]) -> list[Record]:
        """The records whose keys a statement returns, in its order."""
        raise NotImplementedError
