"""Bringing a graph to this version's schema, over either engine.

Statements of ``cypher/schema_<dialect>.cypher`` come first, version by version; what they cannot compute from stored JSON is
done here.  The version is written last, so that an interrupted migration begins again: each step may run twice.
"""

from collections.abc import Sequence

from ...errors import Conflict
from .engine import SCHEMA_VERSION, Dialect, GraphEngine, Row, Statement, check_schema, cypher, schema_statements
from .episodes import episode_of, link_sources
from .fact_rows import fact_of
from .fact_statements import FactStatements, source_keys

SOURCES_SINCE = 4  # schema with the nodes that lead to what rests on a record
PAGE = 1000
ATTEMPTS = 4


async def migrate(engine: GraphEngine, dialect: Dialect, where: str, found: int) -> None:
    """From schema ``found`` (0 = empty) to ``SCHEMA_VERSION``; ``where`` names the database in errors.

    Raises: ConfigurationError (a newer program wrote it, or one before the first release).
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
    after = ""
    while page := await engine.read(cypher("migration")["facts_without_sources"], {"after": after, "limit": PAGE}):
        facts = [fact_of(row) for row in page]
        unlinked = statements.each([row["uid"] for row in page], "unlink_sources")
        await _write(engine, [*unlinked, *statements.link_sources([(fact, source_keys(fact)) for fact in facts])])
        after = _last(page)


async def _link_episode_sources(engine: GraphEngine) -> None:
    after = ""
    while page := await engine.read(cypher("migration")["episodes"], {"after": after, "limit": PAGE}):
        unlinked = [Statement(cypher("episodes")["unlink_sources"], {"uid": row["uid"]}) for row in page]
        await _write(engine, [*unlinked, *link_sources([episode_of(row) for row in page])])
        after = _last(page)


def _last(page: Sequence[Row]) -> str:
    return str(page[-1]["uid"])


async def _write(engine: GraphEngine, statements: Sequence[Statement]) -> None:
    for last in (False,) * (ATTEMPTS - 1) + (True,):
        try:
            await engine.write(statements)
            return
        except Conflict:  # another process migrates the same server
            if last:
                raise
