"""The embedded graph engine: Ladybug, with one database file and one process.

The engine allows one write transaction at a time, so a single thread does all writes.  It commits the queued writes as one
transaction (group commit), because a commit costs an fsync and a statement only a fraction of that.  If the group fails, each
write is repeated in a separate transaction, so that callers fail only for their own statements.  Each reader thread has a
connection.

Deleted text stays in the pages of the file.  ``rewrite`` copies the database into a new file, in the writer's thread: reads go
on meanwhile, writes wait.  The new file then replaces the old one in one step, so that a crash leaves one or the other.
"""

import asyncio
import contextlib
import logging
import os
import queue
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import ladybug

from ...directories import sync_path
from ...disk import DiskSpace
from ...errors import ConfigurationError, Conflict, EngineUnavailable, MemoryServiceError
from ...telemetry.tracing import traced_store
from ..data_faults import DATA_FAULTS, unstorable
from .engine import Row, Statement, cypher
from .ladybug_copy import MAX_BYTES, copy_database, discard_copy
from .migration import migrate

# The package loads its native library with global symbols (RTLD_GLOBAL).  They override those of llama.cpp in the same
# process, and loading a model later crashes with std::bad_alloc.  Importing the library first loads it with local symbols.
with contextlib.suppress(ImportError):  # the package reports a missing library when it is used
    import ladybug._lbug

logger = logging.getLogger(__name__)

MEMORY = ":memory:"
READERS = 2  # threads
GROUP = 64  # maximum writes per commit
COMMITTED = "Transaction committed successfully"  # of a message that only the checkpoint afterwards failed
THREADS = 1  # of a query: most find a few nodes by key, and waking other threads takes longer than that
SAFE_SKIP = 1000  # rows; fewer than the engine sorts in one block of memory
SHARE = 0.25  # of the machine's memory, which the engine may use
LEAST, MOST = 256 * 2**20, 8 * 2**30
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_PAGE = re.compile(r"\bRETURN\b.*?\bSKIP \$offset LIMIT \$limit\s*$", re.DOTALL)
#: In messages of the engine about a parameter: its type, its encoding, or a number that is too large.
_ABOUT_A_VALUE = ("Unable to cast Python instance", "Unknown parameter type", "Conversion exception", "Overflow exception")


@dataclass(slots=True)
class _Work:
    """A write; without ``statements``, a rewriting of the file."""

    statements: Sequence[Statement] | None
    done: Future[list[list[Row]]] = field(default_factory=Future)


class LadybugGraph:
    """Open with ``await LadybugGraph.open(path)``.  ``":memory:"``: a database that is not stored."""

    shared = False
    remains = ""

    def __init__(self, where: Path | str, disk: DiskSpace | None = None) -> None:
        self._pool_bytes = _choose_pool_bytes()
        self._path = None if str(where) == MEMORY else Path(where)
        self._open_database = partial(_open_database, str(where), self._pool_bytes)
        self._database = self._open_database()
        self._disk = disk
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._connections = threading.local()
        self._connected: list[Any] = []  # the connections of all reader threads
        self._reading = 0
        self._idle = threading.Condition()  # guards the two above, and the replacement of the database
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="graph-read")
        self._writer = threading.Thread(target=self._write_loop, name="graph-write", daemon=True)
        self._closed = False
        self._writer.start()

    @classmethod
    async def open(cls, path: Path | str, *, disk: DiskSpace | None = None) -> "LadybugGraph":
        """Open or create the database, and migrate it to the current schema.  ``disk``: write only while it has room.

        Raises:
            DiskFull: the migration needs room.
            ConfigurationError: it is open in another process, damaged, or was written by a newer program.
        """
        if str(path) != MEMORY:
            discard_copy(Path(path))
        graph = await asyncio.to_thread(cls, path, disk)
        try:
            await migrate(graph, "ladybug", f"the graph at {path}", await _found_version(graph))
        except BaseException:
            await graph.close()
            raise
        return graph

    @traced_store("ladybug", "read")
    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        self._check_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, cypher, parameters)

    @traced_store("ladybug", "write")
    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self._check_open()
        if not statements:
            return []
        if self._disk is not None:
            self._disk.check("writing to the graph")
        return await self._enqueue(statements)

    async def rewrite(self) -> None:
        """Copy the database into a new file without deleted records.  Writes wait meanwhile.  Raises: EngineUnavailable."""
        self._check_open()
        if self._path is not None:
            await self._enqueue(None)

    async def _enqueue(self, statements: Sequence[Statement] | None) -> list[list[Row]]:
        work = _Work(statements)
        self._queue.put(work)
        # Cancelling the caller does not cancel the work, which is queued already.
        return await asyncio.shield(asyncio.wrap_future(work.done))

    async def close(self) -> None:
        """Finish queued writes, then close.  Later calls raise EngineUnavailable."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        self._writer.join()
        self._readers.shutdown(wait=True)
        for connection in self._connected:  # the log is written into the file only if no connection is open
            connection.close()
        self._connected.clear()
        self._database.close()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineUnavailable("the graph is closed")

    def _connection(self) -> Any:
        """The connection of this thread.  The caller is counted as reading."""
        database, connection = getattr(self._connections, "value", (None, None))
        if database is not self._database:
            connection = ladybug.Connection(self._database, num_threads=THREADS)
            self._connections.value = (self._database, connection)
            self._connected.append(connection)
        return connection

    def _read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        with self._idle:  # not while the database is being replaced
            self._reading += 1
        try:
            connection = self._connection()
            if parameters.get("offset", 0) > SAFE_SKIP and _is_past_the_end(connection, cypher, parameters):
                return []
            return _execute(connection, cypher, parameters)
        except (RuntimeError, *DATA_FAULTS) as error:
            raise _translate_error(error) from error
        finally:
            with self._idle:
                self._reading -= 1
                self._idle.notify_all()

    def _write_loop(self) -> None:
        connection = ladybug.Connection(self._database)
        taken: list[_Work | None] = []  # from the queue, and not done yet
        while (work := taken.pop() if taken else self._queue.get()) is not None:
            if work.statements is None:
                connection = self._rewrite_now(connection, work)
                continue
            group = [work]
            while len(group) < GROUP and not taken and not self._queue.empty():  # only this thread takes from it
                following = self._queue.get()
                if following is None or following.statements is None:
                    taken.append(following)
                else:
                    group.append(following)
            self._commit(connection, group)
        while not self._queue.empty():  # queued while closing
            if (late := self._queue.get()) is not None:
                late.done.set_exception(EngineUnavailable("the graph is closed"))
        connection.close()

    def _rewrite_now(self, connection: Any, rewrite: _Work) -> Any:
        """Returns the writer's connection from now on."""
        assert self._path is not None
        try:
            copy = copy_database(connection, self._path, self._pool_bytes)
            connection = self._replace_database(connection, copy)
        except Exception as error:  # any error is passed to the caller, because this thread must not end
            discard_copy(self._path)
            failure = EngineUnavailable(f"rewriting the graph failed ({type(error).__name__}): the former file stays in use")
            failure.__cause__ = error
            rewrite.done.set_exception(failure)
            return connection
        rewrite.done.set_result([])
        return connection

    def _replace_database(self, connection: Any, copy: Path) -> Any:
        assert self._path is not None
        with self._idle:
            self._idle.wait_for(lambda: not self._reading)
            # Afterwards the file has everything, so that its log can be removed before the file is replaced.
            connection.execute("CHECKPOINT").close()
            for each in (*self._connected, connection):
                each.close()
            self._connected.clear()
            self._database.close()
            try:
                for log in self._path.parent.glob(f"{self._path.name}.wal*"):
                    log.unlink()
                sync_path(copy)
                sync_path(self._path.parent)
                copy.replace(self._path)
                sync_path(self._path.parent)
            finally:
                self._database = self._open_database()
        return ladybug.Connection(self._database)

    def _commit(self, connection: Any, group: list[_Work]) -> None:
        try:
            outcomes = _transaction(connection, [write.statements or () for write in group])
        except Exception as error:  # any error is passed to the callers, because this thread must not end
            if len(group) == 1:
                group[0].done.set_exception(error)
            else:
                for write in group:
                    self._commit(connection, [write])
            return
        for write, rows in zip(group, outcomes, strict=True):
            write.done.set_result(rows)


def _transaction(connection: Any, writes: Sequence[Sequence[Statement]]) -> list[list[list[Row]]]:
    connection.execute("BEGIN TRANSACTION").close()
    try:
        outcomes = []
        for statements in writes:
            rows_of_each = []
            for statement in statements:
                asked = statement.holds is not None
                rows = [] if asked else _execute(connection, statement.cypher, statement.parameters)
                statement.check(rows)
                rows_of_each.append(rows)
            outcomes.append(rows_of_each)
        _commit_transaction(connection)
    except BaseException as error:
        with contextlib.suppress(RuntimeError):  # the engine has already rolled back its own failures
            connection.execute("ROLLBACK").close()
        raise (_translate_error(error) if isinstance(error, (RuntimeError, *DATA_FAULTS)) else error) from error
    return outcomes


def _commit_transaction(connection: Any) -> None:
    try:
        connection.execute("COMMIT").close()
    except RuntimeError as error:
        if not str(error).startswith(COMMITTED):
            raise
        logger.error("the graph engine had too little memory for a checkpoint: what was written is kept in its log")


def _is_past_the_end(connection: ladybug.Connection, cypher: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a page begins after the last row.  There, Ladybug 0.22.0 reads memory that it does not own, and crashes."""
    counting, pages = _PAGE.subn("RETURN count(*) AS rows", cypher)
    if not pages:
        return False
    named = {name: value for name, value in parameters.items() if name not in ("offset", "limit")}
    return bool(_execute(connection, counting, named)[0]["rows"] <= parameters["offset"])


def _execute(connection: Any, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(cypher, dict(parameters))
    try:
        rows: list[Row] = result.rows_as_dict().get_all()
        return rows
    finally:
        result.close()


def _translate_error(error: Exception) -> MemoryServiceError:
    """The error to raise.  The engine's message may contain stored text, so it is only in the cause."""
    text = str(error)
    if isinstance(error, DATA_FAULTS) or any(sign in text for sign in _ABOUT_A_VALUE):
        return unstorable("the graph")
    if "duplicated primary key" in text or "Write-write conflict" in text:
        return Conflict("a record with this key already exists")
    if text.startswith(("Binder exception", "Parser exception", "Catalog exception")):
        return MemoryServiceError("the graph engine rejected a statement")
    if "buffer pool is full" in text:
        return EngineUnavailable("the graph engine has too little memory for these texts: give this machine or container more")
    return EngineUnavailable("the graph engine failed")


def _choose_pool_bytes() -> int:
    """A share of the memory of this machine or container.  It is used only as the stored texts need it.

    The engine rewrites a group of 131,072 records at a checkpoint if their texts have grown, and copies one at a time.  It
    needs about 3.5 times their bytes for that.  With too little it fails, and a copy even ends the process (Ladybug 0.22.0).
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        memory = min(memory, int(_CGROUP_LIMIT.read_text("ascii")))
    return int(min(max(SHARE * memory, LEAST), MOST))


def _open_database(path: str, buffer_pool_bytes: int) -> Any:
    if path != MEMORY:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    try:
        return ladybug.Database(path, buffer_pool_size=buffer_pool_bytes, max_db_size=MAX_BYTES)
    except RuntimeError as error:
        if "lock" in str(error).lower():
            raise ConfigurationError(
                f"the graph at {path} is open in another process: stop that one, use another data directory, or let the "
                "processes share a Neo4j (REACT_MEM_GRAPH_URL)"
            ) from error
        raise ConfigurationError(
            f"the graph at {path} cannot be opened ({error}): restore a backup, or move it away to start empty"
        ) from error


async def _found_version(graph: LadybugGraph) -> int:
    """The schema version of the database; 0 if it is empty."""
    tables = {row["name"] for row in await graph.read("CALL show_tables() RETURN name", {})}
    rows = await graph.read(cypher("schema_ladybug")["read_version"], {}) if "Meta" in tables else []
    return int(rows[0]["version"]) if rows else 0
