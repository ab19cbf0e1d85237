"""Relations between entities, which earlier versions drew from conversations.  The base of ``CypherFactGraph``."""

from collections.abc import Sequence

from ...memory.records import Fact, Relation
from ...memory.scope import Scope
from .engine import GraphEngine, uid
from .fact_lookups import FactLookups
from .fact_rows import fact_of
from .fact_statements import FactStatements, entity_uid
from .scopes import CypherRecords


class CypherEntityGraph(CypherRecords[Fact]):
    """The part of ``FactGraph`` that reads facts by id and handles entities."""

    def __init__(self, engine: GraphEngine) -> None:
        super().__init__(engine, "facts")
        self._statements = FactStatements()
        self._look = FactLookups(engine)

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Fact]:
        rows = await self._look.rows([uid(scope, record_id) for record_id in dict.fromkeys(ids)])
        return [fact_of(row) for row in rows.values()]

    async def relate(self, scope: Scope, relations: Sequence[Relation]) -> None:
        names = {name for relation in relations for name in (relation.subject, relation.object)}
        rows = [
            {
                "subject": entity_uid(scope, relation.subject),
                "object": entity_uid(scope, relation.object),
                "predicate": relation.predicate,
                "fact_id": relation.fact_id,
            }
            for relation in relations
        ]
        stated = [
            {"fact": uid(scope, relation.fact_id), "subject": row["subject"]}
            for relation, row in zip(relations, rows, strict=True)
        ]
        statements = [
            *self._statements.entities(scope, names),
            *self._statements.in_chunks(rows, "relate"),
            *self._statements.in_chunks(stated, "link_statements"),
        ]

        async def once() -> None:
            await self._engine.write(statements)

        await self._look.with_retries(once)

    async def relations(self, scope: Scope) -> list[Relation]:
        rows = await self._engine.read(self._cypher["relations"], {"scope": scope.key})
        return [Relation(**row) for row in rows]
