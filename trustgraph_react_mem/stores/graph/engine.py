"""The interface of graph engines, and the loader of Cypher statements.

Invariants of every engine:
- A write is one transaction, and durable on return.
- Text reaches the engine only as a parameter.
- The statements are in the files of ``cypher/`` and are the same for all engines, except for the schema.
"""

import functools
import importlib.resources
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from ...errors import ConfigurationError, Conflict, MemoryServiceError
from ...memory.scope import Scope

Row = dict[str, Any]
Dialect = Literal["ladybug", "neo4j"]
SourceKind = Literal["record", "invocation", "conversation"]
T = TypeVar("T")

SCHEMA_VERSION = 4
CHUNK = 2000  # maximum rows per statement
FIRST_VERSION = 2  # the first released schema; older databases exist only in development


@dataclass(frozen=True, slots=True)
class Statement:
    """One Cypher statement with its parameters.

    ``expect``: the number of rows it must return.  Otherwise the transaction is rolled back and ``otherwise`` is raised.
    This implements compare-and-set.
    """

    cypher: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    expect: int | None = None
    otherwise: type[MemoryServiceError] = Conflict
    holds: Callable[[], bool] | None = None  # evaluated inside the transaction instead of Cypher (embedded engines only)

    def check(self, rows: Sequence[Row]) -> None:
        """Raises ``otherwise`` (the number of rows or the condition does not match)."""
        if (self.expect is not None and len(rows) != self.expect) or (self.holds is not None and not self.holds()):
            raise self.otherwise("another writer changed the record first: read it again")


class GraphEngine(Protocol):
    """A graph database.

    ``shared``: several processes can use it at once.  ``remains``: how long its files may contain deleted text after
    ``rewrite``, as a sentence for receipts; "" if they do not.
    """

    @property
    def shared(self) -> bool: ...

    @property
    def remains(self) -> str: ...

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]: ...

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Run all statements in one transaction.  Returns the rows of each.

        Raises:
            Conflict: a record with that key exists, or ``expect`` was not met.  Nothing was written.
            BadRequest: the engine cannot take one of the values.  Nothing was written.
            EngineUnavailable: the engine is closed or does not answer.
        """
        ...

    async def rewrite(self) -> None:
        """Remove deleted text from the files, as far as that can be forced.  May take minutes.  Raises: EngineUnavailable."""
        ...

    async def close(self) -> None: ...


async def retry_conflicts(attempt: Callable[[], Awaitable[T]], attempts: int) -> T:
    """Repeat a write that another writer can get ahead of.  Raises Conflict (from the last of ``attempts``)."""
    for _ in range(attempts - 1):
        try:
            return await attempt()
        except Conflict:
            continue
    return await attempt()


def uid(scope: Scope, *parts: str | int) -> str:
    """The engine-wide key of a record.  Scope keys contain no ``|``, so records of two scopes never have the same key."""
    return "|".join((scope.key, *(str(part) for part in parts)))


def in_chunks(
    text: str,
    rows: Sequence[Any],
    *,
    name: str = "rows",
    expect: bool = False,
    more: Mapping[str, Any] | None = None,
) -> list[Statement]:
    """The same statement for each ``CHUNK`` of the rows.  ``expect``: it must return as many.  ``more``: other parameters."""
    chunks = [list(rows[start : start + CHUNK]) for start in range(0, len(rows), CHUNK)]
    return [Statement(text, {name: chunk, **(more or {})}, len(chunk) if expect else None) for chunk in chunks]


def workspace_prefix(workspace: str) -> str:
    """What the keys of all scopes of a workspace start with."""
    return Scope(workspace=workspace, user="", collection="x").key.removesuffix("/x").removesuffix("/") + "/"


def source_uid(scope: Scope, kind: SourceKind, source_id: str) -> str:
    """Key of the source node of a record, an invocation or a conversation.  Edges lead from it to the dependents.

    The source node is separate from the record, so that the edges can exist without it: a fact may be imported before its
    sources, and the dependents of an erased record must still be found.
    """
    return uid(scope, "source", kind, source_id)


@functools.cache
def cypher(area: str) -> Mapping[str, str]:
    """The statements of ``cypher/<area>.cypher`` by name.  Each follows a line ``// @name``."""
    text = (importlib.resources.files(__package__) / "cypher" / f"{area}.cypher").read_text(encoding="utf-8")
    blocks = re.split(r"^// @([a-z0-9_]+)[^\n]*\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(blocks[1::2], blocks[2::2], strict=True)}


class CypherStore:
    """The statements of one file of ``cypher/``, over either engine."""

    area: ClassVar[str]

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine

    def _statement(self, name: str, /, expect: int | None = None, **parameters: object) -> Statement:
        return Statement(cypher(self.area)[name], parameters, expect)

    async def _read(self, name: str, /, **parameters: object) -> list[Row]:
        return await self._engine.read(cypher(self.area)[name], parameters)

    async def _write(self, name: str, /, expect: int | None = None, **parameters: object) -> list[Row]:
        """Run one statement in a transaction of its own.  Raises: as ``GraphEngine.write``."""
        (rows,) = await self._engine.write([self._statement(name, expect, **parameters)])
        return rows


def scope_root(scope: Scope, area: str) -> str:
    """Key of the root node of a scope in one area (facts, episodes, conversations).  Edges lead from it to the records."""
    return uid(scope, "keeper", area)


def check_schema(where: str, found: int) -> None:
    """Raises ConfigurationError (schema ``found`` cannot be migrated to ``SCHEMA_VERSION``; 0 = empty, which can)."""
    if found > SCHEMA_VERSION:
        raise ConfigurationError(f"{where} has schema {found}, this program supports {SCHEMA_VERSION}: use a newer program")
    if 0 < found < FIRST_VERSION:
        raise ConfigurationError(
            f"{where} has schema {found} of a version before the first release, which cannot be read: "
            "export it with the program that wrote it, or move it away to start empty"
        )


def schema_statements(dialect: Dialect, above: int) -> list[str]:
    """Statements that migrate a database from schema ``above`` (0 = empty) to ``SCHEMA_VERSION``."""
    versions = cypher(f"schema_{dialect}")
    return [
        statement.strip()
        for version in range(max(above + 1, FIRST_VERSION), SCHEMA_VERSION + 1)
        for statement in versions[f"v{version}"].split(";")
        if statement.strip()
    ]
