"""What the repositories need of a graph engine, and where their Cypher comes from.

Invariants every implementation keeps: a write is one transaction and durable on return; text reaches the engine only as a
parameter; the statements themselves are the files in ``cypher/``, one text for both engines.
"""

import functools
import importlib.resources
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ...errors import ConfigurationError, Conflict, MemoryServiceError
from ...memory.scope import Scope

Row = dict[str, Any]
Dialect = Literal["ladybug", "neo4j"]
SourceKind = Literal["record", "invocation", "conversation"]

SCHEMA_VERSION = 4
FIRST_VERSION = 2  # of what was released; a database below it is a developer's


@dataclass(frozen=True, slots=True)
class Statement:
    """One Cypher text with its parameters; ``expect`` is the number of rows it must return.

    A statement that returns another number of rows undoes its transaction, and the caller gets ``otherwise``: that is how
    compare-and-set is written.
    """

    cypher: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    expect: int | None = None
    otherwise: type[MemoryServiceError] = Conflict
    holds: Callable[[], bool] | None = None  # asked instead of any Cypher when its turn comes; of an engine in this process

    def check(self, rows: Sequence[Row]) -> None:
        """Raises ``otherwise``."""
        if (self.expect is not None and len(rows) != self.expect) or (self.holds is not None and not self.holds()):
            raise self.otherwise("another writer changed the record first: read it again")


class GraphEngine(Protocol):
    """``shared``: several processes may have it open at once."""

    @property
    def shared(self) -> bool: ...

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]: ...

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """All statements in one transaction; the rows of each.

        Raises:
            Conflict: a record with that key exists, or ``expect`` was not met; nothing was written.
            EngineUnavailable: the engine is closed or does not answer.
        """
        ...

    async def close(self) -> None: ...


def uid(scope: Scope, *parts: str | int) -> str:
    """The engine-wide key of a scope's record.  A scope key holds no ``|``, so records of two scopes never share one."""
    return "|".join((scope.key, *(str(part) for part in parts)))


def source_uid(scope: Scope, kind: SourceKind, source_id: str) -> str:
    """Key of the node from which what rests on a record, an invocation or a conversation is reached by edges.

    It is a node of its own, so that the edges are there before and after the thing itself: a record may be imported before
    its sources, and what rests on a forgotten record must be found although that record is gone.
    """
    return uid(scope, "source", kind, source_id)


@functools.cache
def cypher(area: str) -> Mapping[str, str]:
    """The named statements of ``cypher/<area>.cypher``; each begins with a line ``// @name``."""
    text = (importlib.resources.files(__package__) / "cypher" / f"{area}.cypher").read_text(encoding="utf-8")
    blocks = re.split(r"^// @([a-z0-9_]+)[^\n]*\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(blocks[1::2], blocks[2::2], strict=True)}


def scope_root(scope: Scope, area: str) -> str:
    """Key of the node from which a scope's records of one area (facts, episodes, conversations) are reached by edges."""
    return uid(scope, "keeper", area)


def check_schema(where: str, found: int) -> None:
    """Raises ConfigurationError unless ``found`` (0 = empty) can be brought to ``SCHEMA_VERSION``."""
    if found > SCHEMA_VERSION:
        raise ConfigurationError(f"{where} has schema {found}, this program knows {SCHEMA_VERSION}: use a newer program")
    if 0 < found < FIRST_VERSION:
        raise ConfigurationError(
            f"{where} has schema {found} of a version before the first release, which cannot be read: "
            "export it with the program that wrote it, or move it away to start empty"
        )


def schema_statements(dialect: Dialect, above: int) -> list[str]:
    """Statements that bring a database of schema version ``above`` (0 = empty) to ``SCHEMA_VERSION``."""
    versions = cypher(f"schema_{dialect}")
    return [
        statement.strip()
        for version in range(max(above + 1, FIRST_VERSION), SCHEMA_VERSION + 1)
        for statement in versions[f"v{version}"].split(";")
        if statement.strip()
    ]
