"""The state of a whole scope in a Cypher graph: reranker weights with rewards, and memory switches; which scopes there are."""

import json
from collections.abc import Mapping
from datetime import datetime

from ...memory.ports import ALL_REWARDS, KeyStore, LoggedReward, StoredWeights, Switches
from ...memory.scope import Scope
from ...memory.timefmt import require_time, sortable_time
from .engine import CypherStore, GraphEngine, Row, cypher, uid


class CypherWeightStore(CypherStore):
    """``WeightStore`` over either engine: one row of weights, with compare-and-set by version."""

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


class CypherSwitchStore(CypherStore):
    """``SwitchStore`` over either engine."""

    area = "scope_state"

    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        rows = await self._read("switches", uids=list(dict.fromkeys((uid(scope, ""), uid(scope, conversation_id)))))
        return Switches(read=all(row["may_read"] for row in rows), write=all(row["may_write"] for row in rows))

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None:
        names: Row = {"uid": uid(scope, conversation_id), "scope": scope.key, "conversation": conversation_id}
        await self._write("set_switch", **names, may_read=switches.read, may_write=switches.write)

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        rows = await self._read("list_switches", scope=scope.key)
        return {row["conversation"]: Switches(read=row["may_read"], write=row["may_write"]) for row in rows}

    async def forget_scope(self, scope: Scope) -> None:
        await self._write("forget_switches", scope=scope.key)


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
