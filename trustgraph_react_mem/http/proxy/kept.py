"""The answers of the Responses API, in one SQLite file, each readable with the key that made it alone.

Invariants:
- An answer belongs to one key, one scope, one conversation and one exchange, with which it is erased (``erasure``).
- Deleted rows are overwritten (``secure_delete``), and no copy of them is left in a journal.
- The id may be one that an endpoint made, so two keys may have answers with the same id.
- The event loop never waits for the disk.
"""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from ...directories import make_private_directory
from ...errors import EngineUnavailable
from ...memory.scope import Scope

T = TypeVar("T")

DAY_S = 86_400
SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    id TEXT NOT NULL, key_id TEXT NOT NULL, workspace TEXT NOT NULL, user TEXT NOT NULL, collection TEXT NOT NULL,
    conversation TEXT NOT NULL, invocation TEXT NOT NULL, learned INTEGER NOT NULL, previous TEXT NOT NULL,
    created REAL NOT NULL, body TEXT NOT NULL, items TEXT NOT NULL,
    PRIMARY KEY (workspace, user, collection, key_id, id));
CREATE INDEX IF NOT EXISTS by_scope ON responses (workspace, user, collection, conversation);
CREATE INDEX IF NOT EXISTS by_time ON responses (created);
"""
OWN = "workspace = :workspace AND user = :user AND collection = :collection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """``body``: the response object.  ``items``: the input items of its request.  ``previous``: id of the response before it.

    ``learned``: whether the exchange was recorded, so that its conversation shows whether it was erased.
    """

    id: str
    key_id: str
    scope: Scope
    conversation: str
    invocation: str
    learned: bool
    previous: str
    created: float
    body: dict[str, Any]
    items: list[Any]


COLUMNS = (*(each.name for each in fields(Scope)), *(each.name for each in fields(Kept) if each.name != "scope"))
_INSERT = f"INSERT OR REPLACE INTO responses ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"


class KeptResponses:
    """``days``: after which an answer is deleted; 0 = none is kept.  ``most_mb``: size of all answers."""

    def __init__(self, path: Path, *, days: int, most_mb: int) -> None:
        self.path, self._days, self._most_bytes = path, days, most_mb * 2**20

    async def put(self, kept: Kept) -> None:
        """Raises: EngineUnavailable."""
        if not self._days:
            return
        row = {each.name: getattr(kept, each.name) for each in fields(kept)} | asdict(kept.scope)
        row |= {"scope": None, "body": json.dumps(kept.body), "items": json.dumps(kept.items)}

        def store(base: sqlite3.Connection) -> None:
            base.execute(_INSERT, row)
            base.execute("DELETE FROM responses WHERE created < ?", (self._oldest(),))
            while _used_bytes(base) > self._most_bytes:
                base.execute("DELETE FROM responses WHERE rowid = (SELECT rowid FROM responses ORDER BY created LIMIT 1)")

        await self._run(store)

    async def get(self, response_id: str, key_id: str, scope: Scope) -> Kept | None:
        """The answer, if this key made it for this scope and it has not expired."""
        return next(iter(await self._select(scope, "AND key_id = :key AND id = :id", key=key_id, id=response_id)), None)

    async def latest(self, conversation: str, key_id: str, scope: Scope) -> Kept | None:
        """The newest answer of a conversation."""
        newest = "AND key_id = :key AND conversation = :conversation ORDER BY created DESC LIMIT 1"
        return next(iter(await self._select(scope, newest, key=key_id, conversation=conversation)), None)

    async def scopes(self) -> list[Scope]:
        """The scopes that have kept answers."""
        sql = "SELECT DISTINCT workspace, user, collection FROM responses"
        found = await self._run(lambda base: base.execute(sql).fetchall()) if self.path.exists() else []
        return [Scope(**row) for row in found]

    async def of_scope(self, scope: Scope) -> list[Kept]:
        return await self._select(scope)

    async def delete(self, answers: Collection[Kept]) -> None:
        """Raises: EngineUnavailable."""
        rows = [asdict(one.scope) | {"key": one.key_id, "id": one.id} for one in answers]
        sql = f"DELETE FROM responses WHERE {OWN} AND key_id = :key AND id = :id"
        await self._run(lambda base: base.executemany(sql, rows))

    def _oldest(self) -> float:
        return time.time() - self._days * DAY_S

    async def _select(self, scope: Scope, more: str = "", **values: str) -> list[Kept]:
        if not self.path.exists():
            return []
        sql = f"SELECT * FROM responses WHERE {OWN} AND created >= :oldest {more}"
        given = asdict(scope) | {"oldest": self._oldest()} | values
        return [_read(row, scope) for row in await self._run(lambda base: base.execute(sql, given).fetchall())]

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def run() -> T:
            try:
                with contextlib.closing(self._connect()) as base, base:
                    return work(base)
            except sqlite3.Error as error:
                raise EngineUnavailable(f"the kept answers in {self.path} cannot be used ({type(error).__name__})") from None

        return await asyncio.to_thread(run)

    def _connect(self) -> sqlite3.Connection:
        make_private_directory(self.path.parent)
        self.path.touch(mode=0o600, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=10.0)
        base.row_factory = sqlite3.Row
        base.execute("PRAGMA secure_delete = ON")
        base.execute("PRAGMA journal_mode = DELETE")
        base.executescript(SCHEMA)
        return base


def _used_bytes(base: sqlite3.Connection) -> int:
    """Of the pages that hold something.  0 without an answer, so that deleting until it fits ends."""
    if base.execute("SELECT 1 FROM responses LIMIT 1").fetchone() is None:
        return 0
    pages, free, size = (base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
    return int((pages - free) * size)


def _read(row: sqlite3.Row, scope: Scope) -> Kept:
    values = {each.name: row[each.name] for each in fields(Kept) if each.name != "scope"}
    parsed = {"learned": bool(row["learned"]), "body": json.loads(row["body"]), "items": json.loads(row["items"])}
    return Kept(scope=scope, **(values | parsed))
