"""The statements that write and remove facts, built from records; nothing here reaches an engine."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ..memory.digest import content_digest, normalised
from ..memory.records import Fact
from ..memory.scope import Scope
from .fact_rows import change_row, fact_row, time_text
from .graph import Row, Statement, cypher, uid

CHUNK = 2000  # rows in one statement


def entity_uid(scope: Scope, name: str) -> str:
    return uid(scope, normalised(name))


class FactStatements:
    def __init__(self) -> None:
        self._cypher = cypher("facts")

    def create(self, facts: Sequence[Fact], by: str, trigger: str, at: datetime) -> list[Statement]:
        stored = {"stored_at": time_text(at), "stored_by": by, "stored_trigger": trigger}
        rows = [fact_row(fact) | stored for fact in facts]
        return [*self.over(rows, "create"), *self._edges(facts)]

    def replace(
        self, changed: Sequence[tuple[Fact, Fact]], change: str, *, by: str, trigger: str, at: datetime
    ) -> list[Statement]:
        rows = [fact_row(after) | {"expected": before.version} for before, after in changed]
        log = [change_row(before, after, change, at=at, by=by, trigger=trigger) for before, after in changed]
        afters = [after for before, after in changed]
        moved = [after for before, after in changed if before.entities != after.entities]
        return [
            *self.over(rows, "replace", expect=True),
            *self.over(log, "log_change"),
            *(self.over([uid(fact.scope, fact.id) for fact in moved], "unlink_entities", name="uids")),
            *self._edges(afters),
        ]

    def _edges(self, facts: Sequence[Fact]) -> list[Statement]:
        digests = [
            {
                "uid": uid(fact.scope, fact.kind, content_digest(fact.content)),
                "scope": fact.scope.key,
                "fact_id": fact.id,
            }
            for fact in facts
            if fact.kind != "turn" and fact.status == "active"
        ]
        entities: dict[Scope, set[str]] = {}
        links = []
        for fact in facts:
            names = {name for name in fact.entities if name.strip()}
            entities.setdefault(fact.scope, set()).update(names)
            links += [{"fact": uid(fact.scope, fact.id), "entity": entity_uid(fact.scope, name)} for name in names]
        sources = [
            {"fact": uid(fact.scope, fact.id), "invocation": uid(fact.scope, fact.invocation_id)}
            for fact in facts
            if fact.invocation_id
        ]
        merged = [statement for scope, names in entities.items() for statement in self.entities(scope, names)]
        return [
            *self.over(digests, "set_digests"),
            *merged,
            *self.over(links, "link_entities"),
            *self.over(sources, "link_invocations"),
        ]

    def entities(self, scope: Scope, names: Iterable[str]) -> list[Statement]:
        by_uid = {entity_uid(scope, name): name for name in sorted(names)}
        rows = [{"uid": key, "scope": scope.key, "name": name} for key, name in by_uid.items()]
        return self.over(rows, "merge_entities")

    def forget(self, facts: Sequence[Fact]) -> list[Statement]:
        statements: list[Statement] = []
        for scope in dict.fromkeys(fact.scope for fact in facts):
            own = [fact for fact in facts if fact.scope == scope]
            keys = [uid(scope, fact.id) for fact in own]
            digests = [
                {"uid": uid(scope, fact.kind, content_digest(fact.content)), "fact_id": fact.id}
                for fact in own
                if fact.kind != "turn"
            ]
            relations = {"scope": scope.key, "ids": [fact.id for fact in own]}
            statements += [
                Statement(self._cypher["forget_relations"], relations),
                *self.over(keys, "forget_changes", name="uids"),
                *self.over(digests, "forget_digests"),
                *self.over(keys, "forget", name="uids"),
                Statement(self._cypher["forget_orphans"], {"scope": scope.key}),
            ]
        return statements

    def over(
        self, rows: Sequence[Row] | Sequence[str], statement: str, *, name: str = "rows", expect: bool = False
    ) -> list[Statement]:
        chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
        return [Statement(self._cypher[statement], {name: list(chunk)}, len(chunk) if expect else None) for chunk in chunks]

    def over_uids(self, scope: Scope, ids: Iterable[str], statement: str, more: Mapping[str, str | bool]) -> list[Statement]:
        keys = [uid(scope, record_id) for record_id in ids]
        return [
            Statement(self._cypher[statement], {"uids": keys[start : start + CHUNK], **more})
            for start in range(0, len(keys), CHUNK)
        ]
