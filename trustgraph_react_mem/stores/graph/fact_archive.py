"""Facts with their histories in a Cypher graph, for exports and imports."""

from collections.abc import Sequence

from ...memory.ports import FactWithHistory, Place
from ...memory.records import Fact, VersionEntry
from ...memory.scope import Scope
from ...memory.timefmt import require_time
from .engine import CHUNK, retry_conflicts, scope_root, uid
from .fact_rows import entry_of, fact_of
from .fact_statements import FactStatements, bucket_of
from .records import TOMBSTONED, CypherRecords

ATTEMPTS = 8  # of a compare-and-set, before Conflict is raised to the caller


class CypherFactArchive(CypherRecords[Fact]):
    """That part of ``FactGraph`` over either engine."""

    area = "facts"
    decode = staticmethod(fact_of)
    _statements = FactStatements()

    async def export_page(self, scope: Scope, *, after: Place, limit: int = 100) -> list[FactWithHistory]:
        source, position, record_id = after
        root = scope_root(scope, "facts")
        found = await self._read("kept", root=root, source=source, position=position, id=record_id, limit=limit)
        page = []
        for key, row in (await self._rows([row["uid"] for row in found])).items():
            fact = fact_of(row)
            changes = await self._read("history", uid=key) if fact.version > 1 else []
            page.append(
                FactWithHistory(
                    fact=fact,
                    stored_at=require_time(row["stored_at"]),
                    stored_by=row["stored_by"],
                    stored_trigger=row["stored_trigger"],
                    changes=tuple(entry_of(change, scope) for change in reversed(changes)),
                )
            )
        return page

    async def restore(self, scope: Scope, facts: Sequence[FactWithHistory]) -> int:
        added = 0

        async def once() -> None:
            nonlocal added
            rows = await self._rows([uid(scope, each.fact.id) for each in facts], tombstoned=True)
            tombstones = [fact_of(row) for row in rows.values() if row["status"] == TOMBSTONED]
            there = {row["id"] for row in rows.values() if row["status"] != TOMBSTONED}
            new = [each for each in {each.fact.id: each for each in facts}.values() if each.fact.id not in there]
            buckets = await self._known_buckets([each.fact for each in new])
            statements = self._statements.forget(tombstones, await self._entities_of(tombstones), buckets=False)
            await self._engine.write([*statements, *self._statements.restore(new, buckets=buckets)])
            added = len(new)

        await retry_conflicts(once, ATTEMPTS)
        return added

    async def restore_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        added = 0

        async def once() -> None:
            nonlocal added
            rows = await self._rows([uid(scope, name) for name in dict.fromkeys(entry.record_id for entry in entries)])
            versions = {row["id"]: row["version"] for row in rows.values()}
            wanted = {
                uid(scope, entry.record_id, entry.version): entry
                for entry in entries
                if 1 < entry.version <= versions.get(entry.record_id, 0)
            }
            keys = list(wanted)
            for start in range(0, len(keys), CHUNK):
                for row in await self._read("known_changes", uids=keys[start : start + CHUNK]):
                    del wanted[row["uid"]]
            await self._engine.write(self._statements.log(list(wanted.values()), scope))
            added = len(wanted)

        await retry_conflicts(once, ATTEMPTS)
        return added

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        return [(row["new"], row["old"]) for row in await self._read("replacements", scope=scope.key)]

    async def restore_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        known = set(await self.replacements(scope)) if pairs else set()
        there = await self._rows([uid(scope, name) for name in dict.fromkeys(name for pair in pairs for name in pair)])
        ids = {row["id"] for row in there.values()}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in known and ids.issuperset(pair)]
        links = [{"new": uid(scope, one), "old": uid(scope, other)} for one, other in new]
        await self._engine.write(self._statements.in_chunks(links, "link_superseded"))
        return len(new)

    # -- what must be known before facts are written

    async def _known_buckets(self, facts: Sequence[Fact]) -> set[str]:
        keys = list({bucket_of(fact) for fact in facts})
        return {row["uid"] for row in await self._read("known_buckets", uids=keys)} if keys else set()

    async def _entities_of(self, facts: Sequence[Fact]) -> list[str]:
        """Keys of the entities that the facts are about, or between which they state relations."""
        keys = set(await self._find_each("entities_about", [uid(fact.scope, fact.id) for fact in facts]))
        for fact in facts:
            stated = await self._read("entities_stated", uid=uid(fact.scope, fact.id), id=fact.id)
            keys |= {row[end] for row in stated for end in ("subject", "object")}
        return sorted(keys)
