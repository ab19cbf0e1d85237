"""A key store in the graph: for servers without a shared directory."""

import base64
from collections.abc import Awaitable, Callable

from ...errors import Conflict
from ...memory.scope import Scope
from ..graph.engine import CypherStore, Row, uid, workspace_prefix
from . import SCOPE_KEY

REMAINS = (
    "the keys were kept in the graph database: its transaction log and backups may contain destroyed keys, for as long as its "
    "retention keeps them (Neo4j: db.tx_log.rotation.retention_policy, two days by default); set REACT_MEM_SCOPE_KEYS to a "
    "directory on a shared volume to keep keys out of it"
)


class GraphKeyStore(CypherStore):
    """``KeyStore`` over either engine.

    ``engine``: the fenced one, so that a task that began before an erasure creates no key.
    """

    area = "scope_state"
    remains = REMAINS

    async def read(self, scope: Scope, name: str) -> bytes | None:
        rows = await self._read("key", uid=_uid(scope, name))
        return base64.b64decode(rows[0]["wrapped"]) if rows else None

    async def create(self, scope: Scope, name: str, value: bytes, admit: Callable[[], Awaitable[None]]) -> bytes:
        await admit()
        try:
            await self._write("create_key", uid=_uid(scope, name), scope=scope.key, wrapped=base64.b64encode(value).decode())
        except Conflict:  # another writer created it at the same moment
            existing = await self.read(scope, name)
            if existing is None:
                raise
            return existing
        return value

    async def replace(self, scope: Scope, name: str, old: bytes, new: bytes) -> bool:
        before, after = (base64.b64encode(value).decode() for value in (old, new))
        try:
            await self._write("replace_key", expect=1, uid=_uid(scope, name), before=before, after=after)
        except Conflict:
            return False
        return True

    async def destroy(self, scope: Scope, name: str = "") -> bool:
        one: Row = {"uid": _uid(scope, name)} if name else {"scope": scope.key}
        what = "key" if name else "keys"
        counted, _ = await self._engine.write([self._statement(f"{verb}_{what}", **one) for verb in ("count", "destroy")])
        return bool(counted[0]["n"])

    async def scopes(self, workspace: str) -> list[Scope]:
        rows = await self._read("key_scopes", prefix=workspace_prefix(workspace))
        return sorted((Scope.from_key(row["scope"]) for row in rows), key=lambda scope: scope.key)


def _uid(scope: Scope, name: str) -> str:
    # The key of a scope has the key of the scope, as in the first release.
    return scope.key if name == SCOPE_KEY else uid(scope, name)
