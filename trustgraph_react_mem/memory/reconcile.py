"""Repair after a crash: what a write or a forgetting left half done is finished.  Safe to run at any time, any number of times.

The graph decides: a record it holds without the mark ``indexed`` gets its vectors, a tombstone loses vectors and node, and a
point without a record (looked for scope by scope) is removed.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from ..errors import ModelUnavailable
from .episodes import EpisodeMemory
from .facts import FactMemory
from .scope import Scope

logger = logging.getLogger(__name__)

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport:
    """``waiting`` is True when the embedding model was away: the rest is done by the next run."""

    indexed: int = 0
    removed: int = 0
    waiting: bool = False


class Reconciler:
    def __init__(self, facts: FactMemory, episodes: EpisodeMemory | None = None) -> None:
        self._memories: list[FactMemory | EpisodeMemory] = [facts]
        if episodes is not None:
            self._memories.append(episodes)

    async def repair(self) -> RepairReport:
        """At start and from time to time: everything that is marked as unfinished, in all scopes."""
        removed = indexed = 0
        waiting = False
        for memory in self._memories:
            while batch := await memory.graph.condemned(limit=BATCH):
                for scope, ids in _by_scope(batch):
                    await memory.finish_forgetting(scope, ids)
                removed += len(batch)
            try:
                indexed += await self._index_missing(memory)
            except ModelUnavailable:
                waiting = True
        if indexed or removed:
            logger.info("Repaired stores", extra={"indexed": indexed, "removed": removed})
        return RepairReport(indexed=indexed, removed=removed, waiting=waiting)

    async def repair_scope(self, scope: Scope) -> RepairReport:
        """As ``repair`` for everything, and compares all points of one scope with the graph: slower, and complete."""
        report = await self.repair()
        removed, indexed, waiting = 0, 0, report.waiting
        for memory in self._memories:
            seen: set[str] = set()
            orphans: list[str] = []
            async for points in memory.index.scan(scope):
                ids = [point.id for point in points]
                there = {record.id for record in await memory.graph.get(scope, ids)}
                seen |= there
                orphans += [record_id for record_id in ids if record_id not in there]
            removed += await memory.index.delete(scope, orphans)
            try:
                indexed += await self._index_lost(memory, scope, seen)
            except ModelUnavailable:
                waiting = True
        return RepairReport(indexed=report.indexed + indexed, removed=report.removed + removed, waiting=waiting)

    async def _index_missing(self, memory: FactMemory | EpisodeMemory) -> int:
        done = 0
        while True:
            if isinstance(memory, FactMemory):
                facts = await memory.graph.not_indexed(limit=BATCH)
                for scope in dict.fromkeys(fact.scope for fact in facts):
                    await memory.finish_indexing(scope, [fact for fact in facts if fact.scope == scope])
                found = len(facts)
            else:
                episodes = await memory.graph.not_indexed(limit=BATCH)
                for scope in dict.fromkeys(episode.scope for episode in episodes):
                    await memory.finish_indexing(scope, [each for each in episodes if each.scope == scope])
                found = len(episodes)
            done += found
            if found < BATCH:
                return done

    async def _index_lost(self, memory: FactMemory | EpisodeMemory, scope: Scope, seen: set[str]) -> int:
        """Records that the graph calls indexed and the index does not have: an index restored from an older copy."""
        done = offset = 0
        while True:
            if isinstance(memory, FactMemory):
                facts = await memory.graph.listing(scope, statuses=(), limit=BATCH, offset=offset)
                lost = [fact for fact in facts if fact.id not in seen]
                if lost:
                    await memory.finish_indexing(scope, lost)
                done, found = done + len(lost), len(facts)
            else:
                episodes = await memory.graph.listing(scope, limit=BATCH, offset=offset)
                missing = [episode for episode in episodes if episode.id not in seen]
                if missing:
                    await memory.finish_indexing(scope, missing)
                done, found = done + len(missing), len(episodes)
            if found < BATCH:
                return done
            offset += found


def _by_scope(condemned: Iterable[tuple[Scope, str]]) -> list[tuple[Scope, list[str]]]:
    ordered = sorted(condemned, key=lambda pair: pair[0].key)
    return [(scope, [record_id for _, record_id in group]) for scope, group in groupby(ordered, key=lambda pair: pair[0])]
