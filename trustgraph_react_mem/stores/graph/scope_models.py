"""Marks of the embedding model that a scope is read with.  A mark is a node whose key is scope and model."""

from collections.abc import Sequence

from ...memory.scope import Scope
from .engine import GraphEngine, Statement, cypher, scope_root

AREA = "embedding"


class CypherScopeModels:
    """``ScopeModels`` over either engine."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._cypher = cypher("embedding")

    async def model_of(self, scope: Scope, models: Sequence[str]) -> str:
        keys = {_key(scope, model): model for model in models}
        rows = await self._engine.read(self._cypher["marked"], {"uids": list(keys)})
        return next((keys[row["uid"]] for row in rows), "")

    async def mark(self, scope: Scope, model: str, *, others: Sequence[str]) -> None:
        own = {"uid": _key(scope, model), "scope": scope.key}
        await self._engine.write(
            [
                Statement(self._cypher["unmark"], {"uids": [_key(scope, other) for other in others]}),
                Statement(self._cypher["mark"], own),
            ]
        )

    async def forget_scope(self, scope: Scope) -> int:
        prefix = {"scope": scope.key, "prefix": scope_root(scope, AREA) + "|"}
        counted, _ = await self._engine.write(
            [Statement(self._cypher["count"], prefix), Statement(self._cypher["forget"], prefix)]
        )
        return int(counted[0]["n"])


def _key(scope: Scope, model: str) -> str:
    return f"{scope_root(scope, AREA)}|{model}"
