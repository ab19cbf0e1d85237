"""Reranker weights and rewards in a Cypher graph: one row of weights per scope, with compare-and-set by version."""

import json
from collections.abc import Mapping
from datetime import datetime

from ...memory.ports import LoggedReward, StoredWeights
from ...memory.scope import Scope
from ...memory.timefmt import require_time, sortable_time
from .engine import GraphEngine, Statement, cypher, uid


class CypherWeightStore:
    """``WeightStore`` over either engine."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._cypher = cypher("scope_state")

    async def load(self, scope: Scope) -> StoredWeights | None:
        rows = await self._engine.read(self._cypher["load_weights"], {"uid": scope.key})
        if not rows:
            return None
        row = rows[0]
        return StoredWeights(
            version=row["version"],
            profile=row["model"],
            dimension=row["dimension"],
            blob=bytes(row["blob"]),
            updated_at=require_time(row["updated_at"]),
        )

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        parameters = {
            "uid": scope.key,
            "scope": scope.key,
            "version": weights.version,
            "model": weights.profile,
            "dimension": weights.dimension,
            "blob": weights.blob,
            "updated_at": sortable_time(weights.updated_at),
        }
        if expected_version == 0:
            statement = Statement(self._cypher["create_weights"], parameters)
        else:
            statement = Statement(self._cypher["replace_weights"], parameters | {"expected": expected_version}, expect=1)
        await self._engine.write([statement])

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        parameters = {
            "uid": uid(scope, job_id),
            "scope": scope.key,
            "job_id": job_id,
            "at": sortable_time(at),
            "numbers": json.dumps(dict(row)),
        }
        await self._engine.write([Statement(self._cypher["log_reward"], parameters)])

    async def reward_log(self, scope: Scope) -> list[LoggedReward]:
        rows = await self._engine.read(self._cypher["reward_log"], {"scope": scope.key})
        return [LoggedReward(job_id=row["job_id"], at=require_time(row["at"]), row=json.loads(row["numbers"])) for row in rows]

    async def rewards(self, scope: Scope, *, limit: int = 1000) -> list[Mapping[str, float]]:
        """The newest ``limit`` rows, oldest first; ``at`` is their time in seconds since 1970."""
        rows = await self._engine.read(self._cypher["rewards"], {"scope": scope.key, "limit": limit})
        return [{"at": require_time(row["at"]).timestamp(), **json.loads(row["numbers"])} for row in reversed(rows)]

    async def forget_scope(self, scope: Scope) -> None:
        own = Statement(self._cypher["forget_weights"], {"uid": scope.key})
        await self._engine.write([own, Statement(self._cypher["forget_rewards"], {"scope": scope.key})])
