"""Which scopes a workspace has."""

from ...memory.ports import KeyStore
from ...memory.scope import Scope
from .engine import GraphEngine, cypher


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
