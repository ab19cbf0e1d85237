"""List the scopes of a workspace."""

from ...memory.scope import Scope
from .engine import GraphEngine, cypher


class CypherScopes:
    """``ScopeDirectory``: scopes with a node of any kind."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._cypher = cypher("scopes")

    async def scopes(self, workspace: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user="", collection="x").key.removesuffix("/x"))

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        return await self._with_prefix(Scope(workspace=workspace, user=user, collection="x").key.removesuffix("x"))

    async def _with_prefix(self, prefix: str) -> list[Scope]:
        found: set[str] = set()
        for statement in self._cypher.values():
            rows = await self._engine.read(statement, {"prefix": prefix})
            found |= {row["scope"] for row in rows}
        return sorted((Scope.from_key(key) for key in found), key=lambda scope: scope.key)
