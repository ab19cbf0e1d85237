"""Lookups that the graphs of facts need before they write: nodes by key, buckets, entities."""

from collections.abc import Sequence

from ...memory.records import Fact
from .engine import GraphEngine, Row, cypher, uid
from .fact_rows import TOMBSTONED
from .fact_statements import CHUNK, bucket_of

ATTEMPTS = 8  # of a compare-and-set, before Conflict is raised to the caller


class FactLookups:
    """Reads over one engine."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._cypher = cypher("facts")

    async def rows(self, keys: Sequence[str], *, tombstoned: bool = False) -> dict[str, Row]:
        """Existing facts as rows by key, in the order of ``keys``.  ``tombstoned``: include tombstones."""
        found: dict[str, Row] = {}
        for start in range(0, len(keys), CHUNK):
            rows = await self._engine.read(self._cypher["existing"], {"uids": list(keys[start : start + CHUNK])})
            found |= {row["uid"]: row for row in rows if tombstoned or row["status"] != TOMBSTONED}
        return {key: found[key] for key in keys if key in found}

    async def known_buckets(self, facts: Sequence[Fact]) -> set[str]:
        keys = list({bucket_of(fact) for fact in facts})
        rows = await self._engine.read(self._cypher["known_buckets"], {"uids": keys}) if keys else []
        return {row["uid"] for row in rows}

    async def entities_of(self, facts: Sequence[Fact]) -> list[str]:
        """Keys of the entities that the facts are about, or between which they state relations."""
        keys: set[str] = set()
        for fact in facts:
            key = uid(fact.scope, fact.id)
            about = await self._engine.read(self._cypher["entities_about"], {"uid": key})
            stated = await self._engine.read(self._cypher["entities_stated"], {"uid": key, "id": fact.id})
            keys |= {row["uid"] for row in about} | {row[end] for row in stated for end in ("subject", "object")}
        return sorted(keys)
