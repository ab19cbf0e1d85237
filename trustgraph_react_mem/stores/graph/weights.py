"""Reranker weights and rewards in a Cypher graph: one row of weights per scope, with compare-and-set by version."""

import json
from collections.abc import Mapping
from datetime import datetime

from ...memory.ports import ALL_REWARDS, LoggedReward, StoredWeights
from ...memory.scope import Scope
from ...memory.timefmt import require_time, sortable_time
from .engine import CypherStore, Row, uid


class CypherWeightStore(CypherStore):
    """``WeightStore`` over either engine."""

    area = "scope_state"

    async def load(self, scope: Scope) -> StoredWeights | None:
        for row in await self._read("load_weights", uid=scope.key):
            return StoredWeights(
                version=row["version"],
                profile=row["model"],
                dimension=row["dimension"],
                blob=bytes(row["blob"]),
                updated_at=require_time(row["updated_at"]),
            )
        return None

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        row: Row = {
            "uid": scope.key,
            "scope": scope.key,
            "version": weights.version,
            "model": weights.profile,
            "dimension": weights.dimension,
            "blob": weights.blob,
            "updated_at": sortable_time(weights.updated_at),
        }
        if expected_version == 0:
            await self._write("create_weights", **row)
        else:
            await self._write("replace_weights", expect=1, **row, expected=expected_version)

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        key: Row = {"uid": uid(scope, job_id), "scope": scope.key, "job_id": job_id}
        await self._write("log_reward", **key, at=sortable_time(at), numbers=json.dumps(dict(row)))

    async def reward_log(self, scope: Scope, *, limit: int = ALL_REWARDS) -> list[LoggedReward]:
        rows = reversed(await self._read("reward_log", scope=scope.key, limit=limit))
        return [LoggedReward(job_id=row["job_id"], at=require_time(row["at"]), row=json.loads(row["numbers"])) for row in rows]

    async def forget_scope(self, scope: Scope) -> None:
        own = self._statement("forget_weights", uid=scope.key)
        await self._engine.write([own, self._statement("forget_rewards", scope=scope.key)])
