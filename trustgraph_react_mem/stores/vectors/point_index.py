"""What every vector index does alike: it checks points and queries, works in slices, and reads the layout of ``points``."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...memory.embedding import EmbeddingProfile
from ...memory.ports import Hit, IndexPoint, SparseVector, Vector, VectorIndex
from ...memory.scope import Scope
from ..data_faults import refuse_data_faults
from .points import (
    MOST_SCOPES,
    RECORD_FIELD,
    SCOPE_FIELD,
    SERVER_DEFAULTS,
    SPARSE,
    EngineOptions,
    StoredIndex,
    check_point,
    check_sparse,
    check_vector,
    chunks,
    plain_payload,
    point_id,
    stored_payload,
)

WHAT = "the vector index"  # in errors
Match = Mapping[str, Sequence[str]] | None  # payload field -> the values that it may have


class PointIndex(VectorIndex, ABC):
    """``VectorIndex`` over an engine.

    The abstract methods are its calls; each raises EngineUnavailable.  What they take and return are objects of ``kit``.
    """

    profile: EmbeddingProfile
    kit: ClassVar[Any]  # module with the engine's structures: filters, sparse vectors
    point: ClassVar[Any]  # its class of points
    number: ClassVar[Any]  # NumPy's type of a dense vector, as the engine takes it
    slice: ClassVar[int]  # points in one call

    @classmethod
    @abstractmethod
    async def open(
        cls, where: str, profile: EmbeddingProfile, *, name: str, options: EngineOptions = SERVER_DEFAULTS
    ) -> "PointIndex":
        """Open an index, and create it if needed.

        Raises:
            ConfigurationError: it has vectors of another embedding model, is open in another process, is damaged, or the
                server is too old or rejects the API key.
            EngineUnavailable: the server does not answer.
        """

    @staticmethod
    @abstractmethod
    async def list_indexes(where: str, *, name: str, options: EngineOptions = SERVER_DEFAULTS) -> list[StoredIndex]:
        """The existing indexes of a store, one per embedding model, oldest first.  Raises EngineUnavailable."""

    async def upsert(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        for point in points:
            check_point(point, self.profile)
        for part in chunks(points, self.slice):
            await self._put([self._structure(scope, point) for point in part])
            await asyncio.sleep(0)

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        removed = 0
        for part in chunks(list(dict.fromkeys(ids)), self.slice):
            there = [found.id for found in await self._find(scope, part)]
            if there:
                await self._remove(there)
            removed += len(there)
            await asyncio.sleep(0)
        return removed

    async def delete_scope(self, scope: Scope) -> int:
        count = await self.count(scope)
        if count:
            await self._remove_where(self._filter(scope))
        return count

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        return [_point(found) for found in await self._find(scope, ids, with_vectors=with_vectors)]

    async def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        offset: Any = None
        while True:
            found, offset = await self._scroll(self._filter(scope), offset, batch, with_vectors)
            if found:
                yield [_point(each) for each in found]
            if offset is None:
                return
            await asyncio.sleep(0)

    async def count(self, scope: Scope, match: Match = None) -> int:
        return await self._count(self._filter(scope, match))

    async def search_dense(self, scope: Scope, name: str, query: Vector, *, limit: int, match: Match = None) -> list[Hit]:
        check_vector(name, query, self.profile)
        return await self._search(scope, name, query, limit, match)

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Match = None
    ) -> list[Hit]:
        check_sparse(name, query)
        return await self._search(scope, name, query, limit, match) if query.indices else []

    async def scopes(self) -> Mapping[Scope, int]:
        hits = await self._facet(SCOPE_FIELD, MOST_SCOPES)
        return {Scope.from_key(str(hit.value)): hit.count for hit in hits if hit.count}

    async def _find(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[Any]:
        with refuse_data_faults(WHAT):
            keys = [point_id(scope, record_id) for record_id in dict.fromkeys(ids)]
        found = await self._retrieve(keys, with_vectors) if keys else []
        return [each for each in found if each.payload.get(SCOPE_FIELD) == scope.key]

    async def _search(self, scope: Scope, name: str, query: Vector | SparseVector, limit: int, match: Match) -> list[Hit]:
        if limit < 1 or (match and not all(match.values())):
            return []
        asked, corpus = (
            (self._sparse(query), self._filter(scope)) if isinstance(query, SparseVector) else (query.tolist(), None)
        )
        found = await self._query(name, asked, limit, self._filter(scope, match), corpus)
        return [Hit(id=hit.payload[RECORD_FIELD], score=hit.score, payload=plain_payload(hit.payload)) for hit in found]

    def _filter(self, scope: Scope, match: Match = None) -> Any:
        with refuse_data_faults(WHAT):
            allowed = {field: self.kit.MatchAny(any=list(values)) for field, values in (match or {}).items()}
            allowed = {SCOPE_FIELD: self.kit.MatchValue(value=scope.key), **allowed}
            return self.kit.Filter(must=[self.kit.FieldCondition(key=field, match=each) for field, each in allowed.items()])

    def _structure(self, scope: Scope, point: IndexPoint) -> Any:
        vectors: dict[str, Any] = {name: vector.astype(self.number).tolist() for name, vector in point.vectors.items()}
        vectors |= {name: self._sparse(sparse) for name, sparse in point.sparse.items() if sparse.indices}
        return self.point(id=point_id(scope, point.id), vector=vectors, payload=stored_payload(scope, point))

    def _sparse(self, sparse: SparseVector) -> Any:
        return self.kit.SparseVector(indices=list(sparse.indices), values=list(sparse.values))

    @abstractmethod
    async def _put(self, points: list[Any]) -> None: ...

    @abstractmethod
    async def _remove(self, keys: list[Any]) -> None: ...

    @abstractmethod
    async def _remove_where(self, where: Any) -> None: ...

    @abstractmethod
    async def _retrieve(self, keys: list[str], with_vectors: bool) -> Sequence[Any]: ...

    @abstractmethod
    async def _scroll(self, where: Any, offset: Any, limit: int, with_vectors: bool) -> tuple[Sequence[Any], Any]: ...

    @abstractmethod
    async def _count(self, where: Any) -> int: ...

    @abstractmethod
    async def _query(self, name: str, query: Any, limit: int, where: Any, corpus: Any) -> Sequence[Any]:
        """``corpus``: the filter of the scope in which the document frequencies of a sparse query are counted, so that data of
        other tenants neither matters nor leaks."""

    @abstractmethod
    async def _facet(self, field: str, limit: int) -> Sequence[Any]: ...


def _point(found: Any) -> IndexPoint:
    vectors: dict[str, Vector] = {}
    sparse: dict[str, SparseVector] = {}
    for name, value in (found.vector or {}).items():
        if name in SPARSE:
            sparse[name] = SparseVector(indices=tuple(value.indices), values=tuple(value.values))
        else:
            vectors[name] = np.asarray(value, dtype=np.float32)
    return IndexPoint(id=found.payload[RECORD_FIELD], vectors=vectors, sparse=sparse, payload=plain_payload(found.payload))
