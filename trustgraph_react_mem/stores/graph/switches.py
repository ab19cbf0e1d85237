"""Memory switches in a Cypher graph."""

from collections.abc import Mapping

from ...memory.ports import Switches
from ...memory.scope import Scope
from .engine import GraphEngine, Statement, cypher, uid


class CypherSwitchStore:
    """``SwitchStore`` over either engine."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._cypher = cypher("scope_state")

    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        keys = list(dict.fromkeys((uid(scope, ""), uid(scope, conversation_id))))
        rows = await self._engine.read(self._cypher["switches"], {"uids": keys})
        return Switches(read=all(row["may_read"] for row in rows), write=all(row["may_write"] for row in rows))

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None:
        parameters = {
            "uid": uid(scope, conversation_id),
            "scope": scope.key,
            "conversation": conversation_id,
            "may_read": switches.read,
            "may_write": switches.write,
        }
        await self._engine.write([Statement(self._cypher["set_switch"], parameters)])

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        rows = await self._engine.read(self._cypher["list_switches"], {"scope": scope.key})
        return {row["conversation"]: Switches(read=row["may_read"], write=row["may_write"]) for row in rows}

    async def forget_scope(self, scope: Scope) -> None:
        await self._engine.write([Statement(self._cypher["forget_switches"], {"scope": scope.key})])
