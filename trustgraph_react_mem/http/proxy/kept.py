"""The answers of the Responses API, in one SQLite file, each readable with the key that made it alone.

Invariants:
- An answer belongs to one key, one scope, one conversation and one exchange, with which it is erased.  After an announcement
  that something was erased or undone, or that announcements may have been missed, and at each start, the kept answers are
  compared with the stored conversations: an answer whose exchange is gone is deleted.
- All records that were on their way are stored before the comparison, so an answer is never taken for erased because its
  exchange is not stored yet.  A comparison that fails is repeated.
- Deleted rows are overwritten (``secure_delete``), and no copy of them is left in a journal.
- The id may be one that an endpoint made, so two keys may have answers with the same id.
- The event loop never waits for the disk.
"""

import asyncio
import contextlib
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from ...bus.external_client import MemoryBus
from ...bus.notify import BusChangeNotifier
from ...directories import make_private_directory
from ...errors import EngineUnavailable
from ...failure_log import log_failure
from ...memory.records import TURN_PARTS, turn_id
from ...memory.requests import GetConversation, GetFacts, GetFactStats, WaitUntilIdle
from ...memory.scope import Scope
from ...schema import MemoryChanged
from ..access import Buses

logger = logging.getLogger(__name__)

T = TypeVar("T")

DAY_S = 86_400
AGAIN_S = 2.0  # until a failed comparison is repeated
WHOLE_CONVERSATION = 10_000  # exchanges
RECORDED_S = 20.0
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


class ErasureWatch:
    """``heard`` is called at once with each scope that had something erased; None: announcements may have been missed."""

    def __init__(self, buses: Buses, kept: KeptResponses, heard: Callable[[Scope | None], None]) -> None:
        self._buses, self._kept, self._tell = buses, kept, heard
        self._due: set[Scope | None] = {None}
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Ends when it is cancelled."""
        backend = self._buses.connect()
        notifier = BusChangeNotifier(backend)
        notifier.subscribe(self._heard)
        listening = False
        try:
            while True:
                try:
                    if not listening:
                        await notifier.start()
                        listening = True
                    await self._compare_due()
                    await self._wake.wait()
                    self._wake.clear()
                except Exception:
                    # Broad because what is erased later would stay in the kept answers if this loop ended.
                    log_failure(logger, "comparing kept answers with the memory failed, will retry")
                    await asyncio.sleep(AGAIN_S)
        finally:
            await notifier.close()
            await backend.close()

    def _heard(self, change: MemoryChanged | None) -> None:
        if change is None:
            scope = None
        elif change.forgotten or (change.store == "conversations" and not change.ids):
            scope = Scope(workspace=change.workspace, user=change.user, collection=change.collection)
        else:
            return
        self._due.add(scope)
        self._tell(scope)
        self._wake.set()

    async def _compare_due(self) -> None:
        while self._due:
            due, self._due = self._due, set()
            try:
                for scope in await self._kept.scopes():
                    if due & {None, scope}:
                        await compare(await self._buses.open(scope.workspace), self._kept, scope)
            except BaseException:
                self._due |= due
                raise


async def compare(bus: MemoryBus, kept: KeptResponses, scope: Scope) -> None:
    """Delete the answers of a scope whose exchange is not stored any more.  Raises: MemoryServiceError."""
    here = {"user": scope.user, "collection": scope.collection}
    answers = await kept.of_scope(scope)
    if (await bus.call(WaitUntilIdle(kind="record", timeout_s=RECORDED_S, **here))).count:
        raise EngineUnavailable("exchanges are still being recorded")
    gone = list[Kept]()
    for conversation in {answer.conversation for answer in answers if answer.learned}:
        own = [answer for answer in answers if answer.conversation == conversation and answer.learned]
        # While the person has switched reading off, nothing is returned, so what may have been erased is deleted.
        found = (await bus.call(GetConversation(conversation_id=conversation, limit=WHOLE_CONVERSATION, **here))).conversation
        there = {one.id for one in found.invocations} if found else set()
        turns = {  # the records of the question and of the answer, each of which can be erased by itself
            one.invocation: {turn_id(scope, conversation, one.invocation, part) for part in TURN_PARTS}
            for one in own
            if one.invocation in there
        }
        ids = sorted(set().union(*turns.values()))
        stored = {fact.id for fact in (await bus.call(GetFacts(ids=ids, **here))).facts} if ids else set()
        gone += [one for one in own if not turns.get(one.invocation, {""}) <= stored]
    # Nothing was stored of the others.  They are deleted with the last memory of their person.
    others = [answer for answer in answers if not answer.learned]
    if others:
        stats = (await bus.call(GetFactStats(**here))).stats
        gone += others if not any(value.isdecimal() and int(value) for value in stats.values()) else []
    if gone:
        await kept.delete(gone)
