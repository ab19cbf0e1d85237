"""What every vector index does alike: it checks points and queries, works in slices, and reads the layout of ``points``."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...memory.embedding import EmbeddingProfile
from ...memory.ports import Hit, IndexPoint, SparseVector, Vector, VectorIndex
from ...memory.scope import Scope
from ..data_faults import refuse_data_faults
from .points import (
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
)

WHAT = "the vector index"  # in errors
Match = Mapping[str, Sequence[str]] | None  # payload field -> the values that it may have
Payload = Mapping[str, Any]


class Stored(NamedTuple):
    """A point as its engine returns it."""

    key: Any
    vectors: Any
    payload: Payload


class PointIndex(VectorIndex, ABC):
    """``VectorIndex`` over an engine.  The abstract methods are its calls; each raises EngineUnavailable."""

    profile: EmbeddingProfile
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
            await self._put(scope, part)
            await asyncio.sleep(0)

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        removed = 0
        for part in chunks(list(dict.fromkeys(ids)), self.slice):
            there = [found.key for found in await self._find(scope, part)]
            if there:
                await self._remove(there)
            removed += len(there)
            await asyncio.sleep(0)
        return removed

    async def delete_scope(self, scope: Scope) -> int:
        count = await self.count(scope)
        if count:
            await self._remove_scope(scope)
        return count

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        return [_point(found) for found in await self._find(scope, ids, with_vectors=with_vectors)]

    async def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        offset: Any = None
        while True:
            found, offset = await self._scroll(scope, offset, batch, with_vectors)
            if found:
                yield [_point(each) for each in found]
            if offset is None:
                return
            await asyncio.sleep(0)

    async def count(self, scope: Scope, match: Match = None) -> int:
        return await self._count(scope, match)

    async def search_dense(self, scope: Scope, name: str, query: Vector, *, limit: int, match: Match = None) -> list[Hit]:
        check_vector(name, query, self.profile)
        return await self._search(scope, name, query, limit, match)

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Match = None
    ) -> list[Hit]:
        check_sparse(name, query)
        return await self._search(scope, name, query, limit, match) if query.indices else []

    async def scopes(self) -> Mapping[Scope, int]:
        return {Scope.from_key(str(hit.value)): hit.count for hit in await self._facet() if hit.count}

    async def _find(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[Stored]:
        with refuse_data_faults(WHAT):
            keys = [point_id(scope, record_id) for record_id in dict.fromkeys(ids)]
        found = await self._retrieve(keys, with_vectors) if keys else []
        return [each for each in found if each.payload.get(SCOPE_FIELD) == scope.key]

    async def _search(self, scope: Scope, name: str, query: Vector | SparseVector, limit: int, match: Match) -> list[Hit]:
        if limit < 1 or (match and not all(match.values())):
            return []
        found = await self._query(scope, name, query, limit, match)
        return [Hit(id=payload[RECORD_FIELD], score=score, payload=plain_payload(payload)) for score, payload in found]

    @abstractmethod
    async def _put(self, scope: Scope, points: Sequence[IndexPoint]) -> None: ...

    @abstractmethod
    async def _remove(self, keys: Sequence[Any]) -> None: ...

    @abstractmethod
    async def _remove_scope(self, scope: Scope) -> None: ...

    @abstractmethod
    async def _retrieve(self, keys: Sequence[str], with_vectors: bool) -> list[Stored]: ...

    @abstractmethod
    async def _scroll(self, scope: Scope, offset: Any, limit: int, with_vectors: bool) -> tuple[list[Stored], Any]: ...

    @abstractmethod
    async def _count(self, scope: Scope, match: Match) -> int: ...

    @abstractmethod
    async def _query(
        self, scope: Scope, name: str, query: Vector | SparseVector, limit: int, match: Match
    ) -> list[tuple[float, Payload]]:
        """Scores and payloads.  For a sparse query, document frequencies are counted within the scope, so that data of other
        tenants neither matters nor leaks."""

    @abstractmethod
    async def _facet(self) -> Sequence[Any]: ...


def _point(found: Stored) -> IndexPoint:
    vectors: dict[str, Vector] = {}
    sparse: dict[str, SparseVector] = {}
    for name, value in (found.vectors or {}).items():
        if name in SPARSE:
            sparse[name] = SparseVector(indices=tuple(value.indices), values=tuple(value.values))
        else:
            vectors[name] = np.asarray(value, dtype=np.float32)
    return IndexPoint(id=found.payload[RECORD_FIELD], vectors=vectors, sparse=sparse, payload=plain_payload(found.payload))
