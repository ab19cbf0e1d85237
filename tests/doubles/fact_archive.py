"""What an export takes from a fact graph in plain dictionaries, and how an import puts it back."""

from collections.abc import Sequence
from dataclasses import replace

from tests.doubles.fact_graph import MemoryFactGraph
from trustgraph_react_mem.memory.ports import FactWithHistory, Place
from trustgraph_react_mem.memory.records import VersionEntry
from trustgraph_react_mem.memory.scope import Scope


class MemoryFactArchive(MemoryFactGraph):
    """``FactArchive``, too."""

    async def export_page(self, scope: Scope, *, after: Place, limit: int = 100) -> list[FactWithHistory]:
        found = [
            FactWithHistory(
                fact=node.fact,
                stored_at=node.stored_at,
                stored_by=node.stored_by,
                stored_trigger=node.stored_trigger,
                changes=tuple(node.changes),
            )
            for node in self.held(scope)
        ]
        behind = [each for each in found if each.place > after]
        return sorted(behind, key=lambda each: each.place)[:limit]

    async def restore(self, scope: Scope, facts: Sequence[FactWithHistory]) -> int:
        self._hold()
        there = {node.fact.id for node in self.held(scope)}
        new = {each.fact.id: each for each in facts if each.fact.id not in there}
        self._remove(scope, list(new))
        for fact_id, each in new.items():
            self._create(each.fact, each.stored_by, each.stored_trigger, each.stored_at)
            self._area(scope).nodes[fact_id].changes = list(each.changes)
        return len(new)

    async def restore_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        nodes = {node.fact.id: node for node in self.held(scope)}
        added = 0
        for entry in entries:
            node = nodes.get(entry.record_id)
            if node is None or not 1 < entry.version <= node.fact.version:
                continue
            if all(known.version != entry.version for known in node.changes):
                node.changes.append(replace(entry))
                node.changes.sort(key=lambda known: known.version)
                added += 1
        return added

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        there = {node.fact.id for node in self.held(scope)}
        pairs = [(new, old) for new, olds in self._area(scope).replaced.items() for old in olds]
        return sorted(pair for pair in pairs if there.issuperset(pair))

    async def restore_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        there = {node.fact.id for node in self.held(scope)}
        known = set(await self.replacements(scope))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in known and there.issuperset(pair)]
        for one, other in new:
            self._area(scope).replaced.setdefault(one, []).append(other)
        return len(new)
