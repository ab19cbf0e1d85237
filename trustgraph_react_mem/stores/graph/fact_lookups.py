"""Facts by their keys, and what must be known before they are written: buckets and entities."""

from collections.abc import Sequence

from ...memory.records import Fact
from .engine import GraphEngine, uid
from .fact_rows import fact_of
from .fact_statements import FactStatements, bucket_of
from .records import CypherRecords

ATTEMPTS = 8  # of a compare-and-set, before Conflict is raised to the caller


class FactLookups(CypherRecords[Fact]):
    """The base of the graph of facts and of its archive."""

    def __init__(self, engine: GraphEngine) -> None:
        super().__init__(engine, "facts", fact_of)
        self._statements = FactStatements()

    async def _known_buckets(self, facts: Sequence[Fact]) -> set[str]:
        keys = list({bucket_of(fact) for fact in facts})
        rows = await self._engine.read(self._cypher["known_buckets"], {"uids": keys}) if keys else []
        return {row["uid"] for row in rows}

    async def _entities_of(self, facts: Sequence[Fact]) -> list[str]:
        """Keys of the entities that the facts are about, or between which they state relations."""
        keys = set(await self._find_each("entities_about", [uid(fact.scope, fact.id) for fact in facts]))
        for fact in facts:
            parameters = {"uid": uid(fact.scope, fact.id), "id": fact.id}
            stated = await self._engine.read(self._cypher["entities_stated"], parameters)
            keys |= {row[end] for row in stated for end in ("subject", "object")}
        return sorted(keys)
