"""The embedded graph engine: Ladybug, one database file, one process.

The engine takes one write transaction at a time, so one thread does all writing.  It commits what has gathered in its queue as
one transaction (a commit costs a synchronised write to disk, a statement a fraction of that); when one of them fails,
each is done again on its own, so that a caller answers only for its own statements.  Reads have a connection per thread.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ladybug

from ...errors import ConfigurationError, Conflict, EngineUnavailable, MemoryServiceError
from .engine import Row, Statement, cypher
from .migration import migrate

# The package would load its engine with every symbol global.  Those then take the place of llama.cpp's own in the same
# process, and a model that is loaded later ends it with std::bad_alloc.  Loaded here first, in the ordinary way, they do not.
with contextlib.suppress(ImportError):  # the package explains a missing engine itself, when it is used
    import ladybug._lbug

MEMORY = ":memory:"
GROUP = 64  # most writes that share one commit


@dataclass(slots=True)
class _Write:
    statements: Sequence[Statement]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[list[list[Row]]]


class LadybugGraph:
    """Open with ``await LadybugGraph.open(path)``; ``":memory:"`` keeps nothing."""

    shared = False

    def __init__(self, database: Any, readers: int) -> None:
        self._database = database
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._connections = threading.local()
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="graph-read")
        self._writer = threading.Thread(target=self._write_loop, name="graph-write", daemon=True)
        self._closed = False
        self._writer.start()

    @classmethod
    async def open(
        cls, path: Path | str, *, readers: int = 2, buffer_pool_bytes: int = 256 * 2**20, max_size_bytes: int = 2**36
    ) -> "LadybugGraph":
        """Create or open the database and bring its tables to this version's schema.

        Raises:
            ConfigurationError: another process has it open, it is damaged, or a newer program wrote it.
        """
        database = await asyncio.to_thread(_open_database, str(path), buffer_pool_bytes, max_size_bytes)
        graph = cls(database, readers)
        try:
            await migrate(graph, "ladybug", f"the graph at {path}", await _found_version(graph))
        except BaseException:
            await graph.close()
            raise
        return graph

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        self._check_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, cypher, parameters)

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self._check_open()
        if not statements:
            return []
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[list[Row]]] = loop.create_future()
        self._queue.put(_Write(statements, loop, future))
        # A caller that is cancelled does not take its write back: it is already on its way.
        return await asyncio.shield(future)

    async def close(self) -> None:
        """Finishes the writes already given, then closes; later calls raise EngineUnavailable."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        self._writer.join()
        self._readers.shutdown(wait=True)
        self._database.close()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineUnavailable("the graph is closed")

    def _connection(self) -> Any:
        connection = getattr(self._connections, "value", None)
        if connection is None:
            connection = self._connections.value = ladybug.Connection(self._database)
        return connection

    def _read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        try:
            return _execute(self._connection(), cypher, parameters)
        except RuntimeError as error:
            raise _explained(error) from error

    def _write_loop(self) -> None:
        connection = ladybug.Connection(self._database)
        closing = False
        while not closing:
            first = self._queue.get()
            if first is None:
                break
            group = [first]
            while len(group) < GROUP:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    closing = True
                    break
                group.append(following)
            self._commit(connection, group)
        while True:  # given between the last group and the end
            try:
                late = self._queue.get_nowait()
            except queue.Empty:
                break
            if late is not None:
                _fail(late, EngineUnavailable("the graph is closed"))
        connection.close()

    def _commit(self, connection: Any, group: list[_Write]) -> None:
        try:
            outcomes = _transaction(connection, [write.statements for write in group])
        except Exception as error:  # whatever it is belongs to the callers: this thread must go on
            if len(group) == 1:
                _fail(group[0], error)
            else:
                for write in group:
                    self._commit(connection, [write])
            return
        for write, rows in zip(group, outcomes, strict=True):
            _succeed(write, rows)


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
        connection.execute("COMMIT").close()
    except BaseException as error:
        with contextlib.suppress(RuntimeError):  # the engine has already undone what failed inside it
            connection.execute("ROLLBACK").close()
        raise (_explained(error) if isinstance(error, RuntimeError) else error) from error
    return outcomes


def _execute(connection: Any, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(cypher, dict(parameters))
    try:
        names = result.get_column_names()
        return [dict(zip(names, row, strict=True)) for row in result.get_all()]
    finally:
        result.close()


def _explained(error: RuntimeError) -> MemoryServiceError:
    """The engine's message may hold stored text, so it stays in the cause and out of ours."""
    text = str(error)
    if "duplicated primary key" in text or "Write-write conflict" in text:
        return Conflict("a record with this key is there already")
    if text.startswith(("Binder exception", "Parser exception", "Catalog exception")):
        return MemoryServiceError("the graph engine does not take this statement")
    return EngineUnavailable("the graph engine failed")


def _open_database(path: str, buffer_pool_bytes: int, max_size_bytes: int) -> Any:
    if path != MEMORY:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    try:
        return ladybug.Database(path, buffer_pool_size=buffer_pool_bytes, max_db_size=max_size_bytes)
    except RuntimeError as error:
        if "lock" in str(error).lower():
            raise ConfigurationError(
                f"the graph at {path} is open in another process: stop that one, or use another data directory"
            ) from error
        raise ConfigurationError(
            f"the graph at {path} cannot be opened ({error}): restore a backup, or move it away to start empty"
        ) from error


async def _found_version(graph: LadybugGraph) -> int:
    """0 of an empty database."""
    tables = {row["name"] for row in await graph.read("CALL show_tables() RETURN name", {})}
    rows = await graph.read(cypher("schema_ladybug")["read_version"], {}) if "Meta" in tables else []
    return int(rows[0]["version"]) if rows else 0


def _succeed(write: _Write, rows: list[list[Row]]) -> None:
    _resolve(write, lambda: write.future.set_result(rows))


def _fail(write: _Write, error: BaseException) -> None:
    _resolve(write, lambda: write.future.set_exception(error))


def _resolve(write: _Write, settle: Any) -> None:
    def settle_once() -> None:
        if not write.future.done():
            settle()

    with contextlib.suppress(RuntimeError):  # the caller's loop has ended; the write stands all the same
        write.loop.call_soon_threadsafe(settle_once)
