"""Migrate a graph to the current schema, over either engine.

The statements of ``cypher/schema_<dialect>.cypher`` run first, version by version.  Then come the steps that need to parse
stored JSON.  The version is written last, so an interrupted migration starts again: every step must be idempotent.
"""

from collections.abc import AsyncIterator, Sequence

from .engine import (
    SCHEMA_VERSION,
    Dialect,
    GraphEngine,
    Row,
    Statement,
    check_schema,
    cypher,
    retry_conflicts,
    schema_statements,
)
from .episodes import episode_of, link_sources
from .fact_rows import fact_of
from .fact_statements import FactStatements, source_keys

SOURCES_SINCE = 4  # the first schema with source nodes (``engine.source_uid``)
PAGE = 1000
ATTEMPTS = 4


async def migrate(engine: GraphEngine, dialect: Dialect, where: str, found: int) -> None:
    """Migrate from schema ``found`` (0 = empty) to ``SCHEMA_VERSION``.  ``where`` names the database in errors.

    Raises: ConfigurationError (written by a newer program, or before the first release).
    """
    check_schema(where, found)
    for statement in schema_statements(dialect, found):
        await engine.write([Statement(statement)])
    if 0 < found < SOURCES_SINCE:
        await _link_fact_sources(engine)
        await _link_episode_sources(engine)
    if found < SCHEMA_VERSION:
        await engine.write([Statement(cypher(f"schema_{dialect}")["write_version"], {"version": SCHEMA_VERSION})])


async def _link_fact_sources(engine: GraphEngine) -> None:
    statements = FactStatements()
    async for page in _read_pages(engine, "facts_without_sources"):
        facts = [fact_of(row) for row in page]
        unlinked = statements.per_key([row["uid"] for row in page], "unlink_sources")
        await _write(engine, [*unlinked, *statements.link_sources([(fact, source_keys(fact)) for fact in facts])])


async def _link_episode_sources(engine: GraphEngine) -> None:
    async for page in _read_pages(engine, "episodes"):
        unlinked = [Statement(cypher("episodes")["unlink_sources"], {"uid": row["uid"]}) for row in page]
        await _write(engine, [*unlinked, *link_sources([episode_of(row) for row in page])])


async def _read_pages(engine: GraphEngine, statement: str) -> AsyncIterator[list[Row]]:
    after = ""
    while page := await engine.read(cypher("migration")[statement], {"after": after, "limit": PAGE}):
        yield page
        after = page[-1]["uid"]


async def _write(engine: GraphEngine, statements: Sequence[Statement]) -> None:
    # Conflict: another process is migrating the same database.
    await retry_conflicts(lambda: engine.write(statements), ATTEMPTS)
