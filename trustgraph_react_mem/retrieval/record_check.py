"""Recall without ghosts: in scopes whose stores may disagree, points are compared with the graph before they are used.

A ghost is a point whose record the graph does not know, or knows in another version: vectors are newer or older than the
graph, as after a backup of only one of them was restored.  Scopes that are not in doubt cost nothing.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import TypeVar

from ..memory.ports import EpisodeGraph, FactGraph, Hit, IndexPoint, PointReader, SparseVector, Vector
from ..memory.records import Episode, Fact
from ..memory.scope import Scope

Found = TypeVar("Found", Hit, IndexPoint)


class RecordCheck:
    """Knows which scopes are in doubt.  ``doubtful`` changes while this object is in use."""

    def __init__(self, graph: FactGraph | EpisodeGraph, doubtful: Collection[Scope]) -> None:
        self._graph, self._doubtful = graph, doubtful

    def over(self, index: PointReader) -> "CheckedIndex":
        return CheckedIndex(index, self)

    async def without_ghosts(self, scope: Scope, found: list[Found]) -> list[Found]:
        """Those whose record the graph has, in the same order."""
        if scope not in self._doubtful or not found:
            return found
        records: Sequence[Fact | Episode] = await self._graph.get(scope, [each.id for each in found])
        known = {record.id: record for record in records}
        return [each for each in found if each.id in known and _is_current(known[each.id], each.payload)]


class CheckedIndex:
    """``PointReader`` without ghosts."""

    def __init__(self, index: PointReader, check: RecordCheck) -> None:
        self.profile = index.profile
        self._index, self._check = index, check

    async def fetch(
        self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False, fields: Sequence[str] = ()
    ) -> list[IndexPoint]:
        read = (*fields, "version") if fields else ()
        found = await self._index.fetch(scope, ids, with_vectors=with_vectors, fields=read)
        return await self._check.without_ghosts(scope, found)

    async def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        async for points in self._index.scan(scope, with_vectors=with_vectors, batch=batch):
            if known := await self._check.without_ghosts(scope, points):
                yield known

    async def count(self, scope: Scope, match: Mapping[str, Sequence[str]] | None = None) -> int:
        return await self._index.count(scope, match)

    async def search_dense(
        self, scope: Scope, name: str, query: Vector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        hits = await self._index.search_dense(scope, name, query, limit=limit, match=match)
        return await self._check.without_ghosts(scope, hits)

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        hits = await self._index.search_sparse(scope, name, query, limit=limit, match=match)
        return await self._check.without_ghosts(scope, hits)


def _is_current(record: Fact | Episode, payload: Mapping[str, object]) -> bool:
    if isinstance(record, Fact):
        return record.status != "undone" and payload.get("version", record.version) == record.version
    return record.undone_at is None
