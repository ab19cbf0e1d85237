"""The job topics of a process without a broker: rows of an SQLite file in the data directory.

Invariants:
- A row is on the disk before its publisher is told so.  It is deleted when its job is acknowledged.
- Rows are delivered in the order in which they were committed.
- The file has payloads in encrypted form only, as a broker has them.  What is deleted is overwritten; in the write-ahead log,
  when the file is closed.
"""

import asyncio
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...batch import Batch
from ...errors import ConfigurationError, DiskFull, EngineUnavailable
from ...schema import JobEnvelope
from ...schema.topics import job_queue
from ..port import Closed, Message

FILE = "jobs.db"
AHEAD = 100  # rows read at once

_SCHEMA = """
CREATE TABLE IF NOT EXISTS job (number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, key TEXT NOT NULL,
    id TEXT NOT NULL, kind TEXT NOT NULL, traceparent TEXT NOT NULL, data BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS job_of_topic ON job (topic, number);
CREATE TABLE IF NOT EXISTS mark (generation TEXT NOT NULL);
"""
_HEADERS = ("id", "kind", "traceparent")
_READ = "SELECT number, key, id, kind, traceparent, data FROM job WHERE topic = ? AND number > ? ORDER BY number LIMIT ?"
_APPEND = "INSERT INTO job (topic, key, id, kind, traceparent, data) VALUES (?, ?, ?, ?, ?, ?)"
_REMOVE = "DELETE FROM job WHERE number = ?"
_Change = tuple[str, tuple[object, ...]]


class JobLog:
    """Create it with ``open``."""

    def __init__(self, path: Path, writing: sqlite3.Connection, reading: sqlite3.Connection) -> None:
        self._path, self._writing, self._reading = path, writing, reading
        self._changes = Batch(self._commit_all)
        # Of threads: a thread goes on when its caller is cancelled, and a close meanwhile would end the process.
        self._read_lock, self._write_lock = threading.Lock(), threading.Lock()
        self.consumers: dict[str, asyncio.Event] = {}  # topic -> set when there are new rows

    @classmethod
    async def open(cls, directory: Path, generation: str) -> "JobLog":
        """``generation``: id of the data that the jobs belong to.

        Raises: ConfigurationError (the file belongs to other data), EngineUnavailable (it cannot be used), DiskFull.
        """
        return await asyncio.to_thread(cls._open, directory / FILE, generation)

    @classmethod
    def _open(cls, path: Path, generation: str) -> "JobLog":
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            # Both are used by one thread at a time.
            writing, reading = (sqlite3.connect(path, isolation_level=None, check_same_thread=False) for _ in range(2))
            for setting in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
                writing.execute(f"PRAGMA {setting}")
            if (damage := writing.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(damage)
            writing.executescript(_SCHEMA)
            found = writing.execute("SELECT generation FROM mark").fetchone()
            if found is None:
                writing.execute("INSERT INTO mark VALUES (?)", (generation,))
        except (sqlite3.Error, OSError) as error:
            raise _explain(path, error) from error
        if found is not None and found[0] != generation:
            raise ConfigurationError(
                f"the jobs in {path} belong to other data ({found[0]}) than the graph ({generation}): put the right file in "
                "place, or move it away, which loses the jobs that wait in it"
            )
        return cls(path, writing, reading)

    async def append(self, topic: str, key: str, headers: Mapping[str, str], data: bytes) -> None:
        """Return when the job is on the disk.  Raises: EngineUnavailable, DiskFull."""
        await self._changes.add((_APPEND, (topic, key, *(headers.get(name, "") for name in _HEADERS), data)))

    async def remove(self, number: int) -> None:
        """Raises: EngineUnavailable, DiskFull."""
        await self._changes.add((_REMOVE, (number,)))

    async def read(self, topic: str, after: int) -> list[Message]:
        """The next rows, with their numbers as origin.  Raises: EngineUnavailable."""
        rows = await self._query(_READ, topic, after, AHEAD)
        return [
            Message(
                data,
                JobEnvelope,
                {name: value for name, value in zip(_HEADERS, headers, strict=True) if value},
                key=key,
                identity=f"{topic}|{number}",
                origin=number,
            )
            for number, key, *headers, data in rows
        ]

    async def workspaces(self) -> list[str]:
        """Those that have jobs which are not acknowledged.  Raises: EngineUnavailable."""
        rows = await self._query("SELECT DISTINCT topic FROM job")
        return [topic.removeprefix(job_queue("")) for (topic,) in rows]

    async def _query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return await asyncio.to_thread(self._read_all, statement, values)
        except sqlite3.Error as error:
            raise _explain(self._path, error) from error

    def _read_all(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._read_lock:
            return self._reading.execute(statement, values).fetchall()

    async def _commit_all(self, changes: Sequence[_Change]) -> None:
        try:
            await asyncio.to_thread(self._commit, changes)
        except (sqlite3.Error, OSError) as error:
            raise _explain(self._path, error) from error
        if any(statement == _APPEND for statement, _ in changes):
            for arrived in self.consumers.values():
                arrived.set()

    def _commit(self, changes: Iterable[_Change]) -> None:
        with self._write_lock:
            self._writing.execute("BEGIN IMMEDIATE")
            try:
                for statement, values in changes:
                    self._writing.execute(statement, values)
                self._writing.execute("COMMIT")
            except BaseException:
                if self._writing.in_transaction:
                    self._writing.execute("ROLLBACK")
                raise

    async def close(self) -> None:
        await self._changes.finish()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._read_lock, self._write_lock:
            self._reading.close()
            self._writing.close()


class LogConsumer:
    """``Receiver`` of a job topic: from its oldest row on.  One at a time."""

    def __init__(self, log: JobLog, topic: str) -> None:
        self._log, self._topic = log, topic
        self._last = 0
        self._rows: deque[Message] = deque()
        self.is_open = True
        self._arrived = log.consumers[topic] = asyncio.Event()

    async def receive(self) -> Message:
        while self.is_open:
            if self._rows:
                return self._rows.popleft()
            self._arrived.clear()
            self._rows.extend(await self._log.read(self._topic, self._last))
            if self._rows:
                self._last = self._rows[-1].origin
            elif self.is_open:
                await self._arrived.wait()
        raise Closed

    async def acknowledge(self, message: Message) -> None:
        await self._log.remove(message.origin)

    async def negative_acknowledge(self, message: Message) -> None:
        """The next consumer receives it again."""

    async def take_delivered(self) -> list[Message]:
        await self.close()
        return []  # they are kept for the next consumer

    def is_connected(self) -> bool:
        return self.is_open

    async def close(self) -> None:
        self.is_open = False
        self._arrived.set()


def _explain(path: Path, error: Exception) -> EngineUnavailable:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return DiskFull(f"disk full: {path} has no room for the jobs: free some space")
    return EngineUnavailable(
        f"the jobs in {path} cannot be read or written ({error}): check space, permissions and the disk, or put back a backup "
        "of the file and remove its -wal and -shm"
    )
