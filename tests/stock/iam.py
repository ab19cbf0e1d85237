"""TrustGraph's own identity service with tables in memory, because its tables need Cassandra."""

import sys
import types
from typing import Any


class MemoryTables:
    """The rows that ``trustgraph.tables.iam.IamTableStore`` keeps in Cassandra, in the same order of columns."""

    def __init__(self, *_: object) -> None:
        self.workspaces: dict[str, tuple[Any, ...]] = {}
        self.users: dict[str, list[Any]] = {}
        self.api_keys: dict[str, tuple[Any, ...]] = {}
        self.signing_keys: dict[str, list[Any]] = {}

    async def put_workspace(self, id: str, name: str, enabled: bool, created: Any) -> None:
        self.workspaces[id] = (id, name, enabled, created)

    async def get_workspace(self, id: str) -> Any:
        return self.workspaces.get(id)

    async def list_workspaces(self) -> Any:
        return [*self.workspaces.values()]

    async def put_user(self, **user: Any) -> None:
        self.users[user["id"]] = [*user.values()]
        self.users[user["id"]][6] = set(user["roles"])

    async def get_user(self, id: str) -> Any:
        return self.users.get(id)

    async def get_user_id_by_username(self, username: str) -> Any:
        return next((id for id, row in self.users.items() if row[2] == username), None)

    async def update_user_enabled(self, id: str, enabled: bool) -> None:
        self.users[id][7] = enabled

    async def list_api_keys_by_user(self, user_id: str) -> Any:
        return [row for row in self.api_keys.values() if row[2] == user_id]

    async def put_api_key(self, **key: Any) -> None:
        self.api_keys[key["key_hash"]] = (*key.values(),)

    async def get_api_key_by_hash(self, key_hash: str) -> Any:
        return self.api_keys.get(key_hash)

    async def get_api_key_by_id(self, id: str) -> Any:
        return next((row for row in self.api_keys.values() if row[1] == id), None)

    async def delete_api_key(self, key_hash: str) -> None:
        self.api_keys.pop(key_hash, None)

    async def put_signing_key(self, **key: Any) -> None:
        self.signing_keys[key["kid"]] = [*key.values()]

    async def list_signing_keys(self) -> Any:
        return [*self.signing_keys.values()]

    async def retire_signing_key(self, kid: str, retired: Any) -> None:
        self.signing_keys[kid][4] = retired


def make_iam_service() -> Any:
    """``IamService`` of trustgraph-flow over ``MemoryTables``."""
    tables = types.ModuleType("trustgraph.tables.iam")
    tables.IamTableStore = MemoryTables  # type: ignore[attr-defined]
    sys.modules["trustgraph.tables.iam"] = tables
    from trustgraph.iam.service.iam import IamService

    return IamService("", "", "", "", bootstrap_mode="bootstrap")
