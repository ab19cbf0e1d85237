"""A vector index in plain dictionaries, held to the suite of the real ones.  A write is durable when it returns."""

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from trustgraph_react_mem.errors import EngineUnavailable, IndexGone
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Hit, IndexPoint, SparseVector, Vector
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.vectors.points import check_point, check_sparse, check_vector, plain_payload

Match = Mapping[str, Sequence[str]] | None


class MemoryVectorIndex:
    """``VectorIndex``; ``points`` may be looked at by a checker."""

    remains = ""

    def __init__(self, profile: EmbeddingProfile) -> None:
        self.profile = profile
        self.points: dict[Scope, dict[str, IndexPoint]] = {}
        self._closed = self._gone = False

    async def upsert(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        self._check_open()
        for point in points:
            check_point(point, self.profile)
        own = self.points.setdefault(scope, {})
        for point in points:
            sparse = {name: vector for name, vector in point.sparse.items() if vector.indices}
            own[point.id] = replace(point, payload=plain_payload(point.payload), sparse=sparse)

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        self._check_open()
        own = self._own(scope)
        return sum(own.pop(record_id, None) is not None for record_id in dict.fromkeys(ids))

    async def delete_scope(self, scope: Scope) -> int:
        self._check_open()
        return len(self.points.pop(scope, {}))

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        self._check_open()
        own = self._own(scope)
        return [_shown(own[record_id], with_vectors) for record_id in dict.fromkeys(ids) if record_id in own]

    async def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        self._check_open()
        found = [_shown(point, with_vectors) for point in self._own(scope).values()]
        for start in range(0, len(found), batch):
            yield found[start : start + batch]

    async def count(self, scope: Scope, match: Match = None) -> int:
        self._check_open()
        return len(list(self._matching(scope, match)))

    async def search_dense(self, scope: Scope, name: str, query: Vector, *, limit: int, match: Match = None) -> list[Hit]:
        self._check_open()
        check_vector(name, query, self.profile)
        unit = query / (float(np.linalg.norm(query)) or 1.0)
        scored = [(float(point.vectors[name] @ unit), point) for point in self._matching(scope, match) if name in point.vectors]
        return _best(scored, limit)

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Match = None
    ) -> list[Hit]:
        self._check_open()
        check_sparse(name, query)
        terms = {
            record_id: dict(zip(point.sparse[name].indices, point.sparse[name].values, strict=True))
            for record_id, point in self._own(scope).items()
            if name in point.sparse
        }
        total = len(self._own(scope))
        rarity = {}
        for term in query.indices:
            having = sum(term in own for own in terms.values())
            rarity[term] = math.log(1.0 + (total - having + 0.5) / (having + 0.5))
        scored = []
        for point in self._matching(scope, match):
            own = terms.get(point.id, {})
            score = sum(
                weight * own[term] * rarity[term]
                for term, weight in zip(query.indices, query.values, strict=True)
                if term in own
            )
            if score > 0:
                scored.append((score, point))
        return _best(scored, limit)

    async def scopes(self) -> Mapping[Scope, int]:
        self._check_open()
        return {scope: len(own) for scope, own in self.points.items() if own}

    async def maintain(self) -> None:
        self._check_open()

    async def rewrite(self) -> None:
        self._check_open()

    async def drop(self) -> None:
        self.points.clear()
        self._closed = self._gone = True

    async def close(self) -> None:
        self._closed = True

    def _own(self, scope: Scope) -> dict[str, IndexPoint]:
        return self.points.get(scope, {})

    def _matching(self, scope: Scope, match: Match) -> list[IndexPoint]:
        return [
            point
            for point in self._own(scope).values()
            if all(point.payload.get(field) in values for field, values in (match or {}).items())
        ]

    def _check_open(self) -> None:
        if self._closed:
            raise IndexGone("the index was dropped") if self._gone else EngineUnavailable("the index is closed")


def _shown(point: IndexPoint, with_vectors: bool) -> IndexPoint:
    return point if with_vectors else replace(point, vectors={}, sparse={})


def _best(scored: list[tuple[float, IndexPoint]], limit: int) -> list[Hit]:
    ordered = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[:limit]
    return [Hit(id=point.id, score=score, payload=dict(point.payload)) for score, point in ordered]
