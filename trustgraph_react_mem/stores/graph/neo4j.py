"""The production graph engine: Neo4j, accessed with its asynchronous driver.

Transactions that fail in the server or the network are retried with exponential backoff.  A commit may have succeeded without
confirmation, so all statements either are idempotent or fail their check when repeated.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncTransaction, exceptions
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from ...errors import ConfigurationError, Conflict, EngineUnavailable, MemoryServiceError
from ...telemetry.tracing import traced_store
from ..data_faults import DATA_FAULTS, unstorable
from .engine import SCHEMA_VERSION, Row, Statement, cypher, schema_statements
from .migration import migrate

logger = logging.getLogger(__name__)

ATTEMPTS = 5
TIMEOUT_S = 5.0  # for connecting
_MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
"""Of ``CREATE ... IF NOT EXISTS``, where another process that starts was faster."""
_INDEX_EXISTS = "Neo.ClientError.Schema.IndexWithNameAlreadyExists"
_ABOUT_A_VALUE = ("Neo.ClientError.Statement.ArgumentError", "Neo.ClientError.Statement.TypeError")

_T = TypeVar("_T")


class Neo4jGraph:
    """Open with ``await Neo4jGraph.open("bolt://host:7687", user=..., password=...)``."""

    shared = True
    remains = (
        "the graph database: its transaction log contains deleted text for as long as its retention keeps it "
        "(Neo4j: db.tx_log.rotation.retention_policy, two days by default), and its store files until the space is used again"
    )

    def __init__(self, driver: AsyncDriver, database: str, attempts: int = ATTEMPTS) -> None:
        self._driver = driver
        self._database = database
        self._attempts = attempts
        self._closed = False

    @classmethod
    async def open(
        cls,
        uri: str,
        *,
        user: str = "",
        password: str = "",
        database: str = "neo4j",
        attempts: int = ATTEMPTS,
    ) -> "Neo4jGraph":
        """Connect, and migrate the database to the current schema.

        ``attempts``: of each transaction.

        Raises:
            ConfigurationError: malformed address, wrong credentials, or a schema of a newer program.
            EngineUnavailable: the server does not answer.
        """
        try:
            driver = AsyncGraphDatabase.driver(
                uri,
                auth=(user, password) if user else None,
                connection_timeout=TIMEOUT_S,
                connection_acquisition_timeout=TIMEOUT_S * 2,
                max_transaction_retry_time=0.0,  # retries happen in _answered
                notifications_min_severity="OFF",
            )
        except (ValueError, exceptions.ConfigurationError):
            scheme, _, place = uri.rpartition("://")
            raise ConfigurationError(
                f"'{scheme}://{place.rpartition('@')[2]}' is not an address of a Neo4j server: use bolt://HOST:7687; user and "
                "password are REACT_MEM_GRAPH_USER and REACT_MEM_GRAPH_PASSWORD"
            ) from None
        graph = cls(driver, database, attempts)
        try:
            await graph._migrate()
        except BaseException:
            await graph.close()
            raise
        return graph

    @traced_store("neo4j", "read")
    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        async def once() -> list[Row]:
            async with self._driver.session(database=self._database, default_access_mode="READ") as session:
                return [dict(record) async for record in await session.run(cypher, dict(parameters))]

        return await self._with_retries(once)

    @traced_store("neo4j", "write")
    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        if not statements:
            self._check_open()
            return []

        async def once() -> list[list[Row]]:
            async with (
                self._driver.session(database=self._database) as session,
                await session.begin_transaction() as transaction,
            ):
                outcomes = [await _run(transaction, statement) for statement in statements]
                await transaction.commit()
                return outcomes

        return await self._with_retries(once)

    async def rewrite(self) -> None:
        """Write a checkpoint, after which the retention of the transaction log applies.  The rest cannot be forced."""
        try:
            await self.read("CALL db.checkpoint()", {})
        except MemoryServiceError as error:
            if isinstance(error, EngineUnavailable):
                raise
            logger.warning("writing a checkpoint of Neo4j failed, its user may lack the right: %s", error)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._driver.close()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineUnavailable("the graph is closed")

    async def _with_retries(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        self._check_open()
        retrying = AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=wait_random_exponential(multiplier=0.05, max=2.0),
            stop=stop_after_attempt(self._attempts),
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except exceptions.ConstraintError as error:
            raise Conflict("a record with this key already exists") from error
        except exceptions.AuthError as error:
            raise ConfigurationError("Neo4j rejects the credentials: check user and password") from error
        except exceptions.ClientError as error:
            if error.code in _ABOUT_A_VALUE:
                raise unstorable("the graph") from error
            if error.code == _INDEX_EXISTS:
                raise Conflict("an index with this name already exists") from error
            raise MemoryServiceError("the graph engine rejected a statement") from error
        except (exceptions.Neo4jError, exceptions.DriverError, OSError) as error:
            raise EngineUnavailable("Neo4j does not answer: check its address, and that it is running") from error
        except DATA_FAULTS as error:  # of the driver, which could not encode a parameter
            raise unstorable("the graph") from error

    async def _migrate(self) -> None:
        rows = await self.read(cypher("schema_neo4j")["read_version"], {})
        found = int(rows[0]["version"]) if rows else 0
        try:
            await migrate(self, "neo4j", "this Neo4j database", found)
        except Conflict:
            await self._drop_orphans()
            await migrate(self, "neo4j", "this Neo4j database", found)
        if found < SCHEMA_VERSION:
            await self.read("CALL db.awaitIndexes(60)", {})

    async def _drop_orphans(self) -> None:
        """Drop the indexes of constraints that do not exist, which a process leaves that is killed while it creates one.

        They block the constraint for ever.  No process is creating it now: the statement would have waited for its lock.
        """
        constraints = {name for each in schema_statements("neo4j", 0) for name in re.findall(r"CREATE CONSTRAINT (\w+)", each)}
        rows = await self.read("SHOW INDEXES YIELD name, owningConstraint WHERE owningConstraint IS NULL RETURN name", {})
        for name in sorted(constraints & {row["name"] for row in rows}):
            logger.warning("the index %s has lost its constraint and is created again", name)
            await self.write([Statement(f"DROP INDEX {name} IF EXISTS")])


def _may_pass(error: BaseException) -> bool:
    """Whether the same statements can succeed if they are sent again."""
    transient = isinstance(error, exceptions.TransientError | exceptions.ServiceUnavailable | exceptions.SessionExpired)
    return transient or (isinstance(error, exceptions.ClientError) and error.code == _MADE_MEANWHILE)


async def _run(transaction: AsyncTransaction, statement: Statement) -> list[Row]:
    rows = [dict(record) async for record in await transaction.run(statement.cypher, dict(statement.parameters))]
    statement.check(rows)
    return rows
