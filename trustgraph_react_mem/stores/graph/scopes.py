"""Which scopes a workspace has."""

from ...memory.ports import KeyStore
from ...memory.scope import Scope
from .engine import CypherStore, GraphEngine, cypher


class CypherScopes(CypherStore):
    """``ScopeDirectory``: scopes with a node of any kind, or with a key."""

    area = "scopes"

    def __init__(self, engine: GraphEngine, key_store: KeyStore) -> None:
        super().__init__(engine)
        self._key_store = key_store

    async def scopes(self, workspace: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user="", collection="x").key.removesuffix("/x"), workspace)

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user=user, collection="x").key.removesuffix("x"), workspace)

    async def _with_prefix(self, prefix: str, workspace: str) -> list[Scope]:
        found: set[str] = set()
        for name in cypher(self.area):
            found |= {row["scope"] for row in await self._read(name, prefix=prefix)}
        found |= {scope.key for scope in await self._key_store.scopes(workspace) if scope.key.startswith(prefix)}
        return sorted((Scope.from_key(key) for key in found), key=lambda scope: scope.key)
