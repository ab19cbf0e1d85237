"""Memory switches in a Cypher graph."""

from collections.abc import Mapping

from ...memory.ports import Switches
from ...memory.scope import Scope
from .engine import CypherStore, Row, uid


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
