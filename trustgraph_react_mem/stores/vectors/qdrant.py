"""The production vector engine: a Qdrant server, accessed with qdrant-client.

Each index is one collection, shared by all tenants.  The scope is a keyword index marked as tenant, so that the server stores
the points of a scope together.  The name of the embedding model is in the metadata of the collection and checked on opening.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from ...errors import BadRequest, ConfigurationError, EngineUnavailable, IndexGone
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import IndexPoint, SparseVector, Vector
from ...memory.scope import Scope
from ...telemetry.tracing import traced_store
from ..data_faults import DATA_FAULTS, unstorable
from .point_index import WHAT, Match, Payload, PointIndex, Stored
from .points import (
    DENSE,
    FILTERED,
    MOST_SCOPES,
    SCOPE_FIELD,
    SERVER_DEFAULTS,
    SPARSE,
    WORKSPACE_FIELD,
    EngineOptions,
    StoredIndex,
    check_profile,
    is_named,
    point_id,
    profile_entry,
    sort_by_age,
    stored_index,
    stored_payload,
)

VACUUM_S = 15.0  # how long the server looks for segments to rewrite: its optimiser wakes up every few seconds
SLICE = 256  # points in one request
TIMEOUT_S = 10
LEAST_VERSION = (1, 19)  # the first with word statistics per scope (search parameter idf.corpus)

_T = TypeVar("_T")


class QdrantIndex(PointIndex):
    """Open with ``await QdrantIndex.open("http://host:6333", profile, name="facts")``."""

    slice = SLICE
    remains = (
        "the vector database: Qdrant removes deleted points from its files when it rewrites a segment, and from its "
        "write-ahead log when it is next truncated; there is no time limit, because it does not rewrite a segment of fewer "
        "than 100 points until it merges it with another"
    )

    def __init__(self, client: AsyncQdrantClient, collection: str, profile: EmbeddingProfile, options: EngineOptions) -> None:
        self.profile = profile
        self._client = client
        self._collection = collection
        self._options = options
        self._closed = False

    @classmethod
    async def open(
        cls,
        where: AsyncQdrantClient | str,
        profile: EmbeddingProfile,
        *,
        name: str = "facts",
        options: EngineOptions = SERVER_DEFAULTS,
    ) -> "QdrantIndex":
        client = _client(where, options) if isinstance(where, str) else where
        index = cls(client, name, profile, options)
        try:
            await index._prepare()
        except BaseException:
            if isinstance(where, str):
                await index.close()
            raise
        return index

    @staticmethod
    async def list_indexes(where: str, *, name: str = "facts", options: EngineOptions = SERVER_DEFAULTS) -> list[StoredIndex]:
        client = _client(where, options)
        try:
            there = (await _translate_errors(client.get_collections())).collections
            found = []
            for one in there:
                if is_named(one.name, name):
                    config = (await _translate_errors(client.get_collection(one.name))).config
                    found.append(stored_index(one.name, (config.metadata or {}).get("embedding", {})))
            return sort_by_age(stored for stored in found if stored.model)
        finally:
            await client.close()

    @traced_store("qdrant", "upsert")
    async def _put(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        structures = [_engine_point(scope, point) for point in points]
        await self._call(self._client.upsert(self._collection, structures, wait=True))

    @traced_store("qdrant", "delete")
    async def _remove(self, keys: Sequence[Any]) -> None:
        await self._call(self._client.delete(self._collection, models.PointIdsList(points=list(keys)), wait=True))

    @traced_store("qdrant", "delete")
    async def _remove_scope(self, scope: Scope) -> None:
        selector = models.FilterSelector(filter=_filter(scope, None))
        await self._call(self._client.delete(self._collection, selector, wait=True))

    @traced_store("qdrant", "fetch")
    async def _retrieve(self, keys: Sequence[str], with_vectors: bool) -> list[Stored]:
        asked = self._client.retrieve(self._collection, list(keys), with_payload=True, with_vectors=with_vectors)
        return _to_stored(await self._call(asked))

    async def _scroll(self, scope: Scope, offset: Any, limit: int, with_vectors: bool) -> tuple[list[Stored], Any]:
        records, following = await self._call(
            self._client.scroll(
                self._collection,
                scroll_filter=_filter(scope, None),
                limit=limit,
                offset=offset,
                with_payload=True,
                with_vectors=with_vectors,
            )
        )
        return _to_stored(records), following

    async def _count(self, scope: Scope, match: Match) -> int:
        return (await self._call(self._client.count(self._collection, _filter(scope, match), exact=True))).count

    @traced_store("qdrant", "search")
    async def _query(
        self, scope: Scope, name: str, query: Vector | SparseVector, limit: int, match: Match
    ) -> list[tuple[float, Payload]]:
        params = None
        if isinstance(query, SparseVector):
            params = models.SearchParams(idf=models.IdfCorpusParams(corpus=_filter(scope, None)))
        answer = await self._call(
            self._client.query_points(
                self._collection,
                query=_sparse(query) if isinstance(query, SparseVector) else query.tolist(),
                using=name,
                query_filter=_filter(scope, match),
                search_params=params,
                limit=limit,
                with_payload=True,
            )
        )
        return [(found.score, found.payload or {}) for found in answer.points]

    async def _facet(self) -> Sequence[Any]:
        found = await self._call(self._client.facet(self._collection, SCOPE_FIELD, limit=MOST_SCOPES, exact=True))
        return found.hits

    async def maintain(self) -> None:
        """Does nothing: the server optimises automatically."""

    async def rewrite(self) -> None:
        """Ask the server to rewrite every segment with deleted points.

        It does so for segments with enough of them.  The thresholds are lowered to the least that it accepts, and set back.
        """
        before = (await self._call(self._client.get_collection(self._collection))).config.optimizer_config
        lowest = models.OptimizersConfigDiff(deleted_threshold=1e-6, vacuum_min_vector_number=100)
        usual = models.OptimizersConfigDiff(
            deleted_threshold=before.deleted_threshold, vacuum_min_vector_number=before.vacuum_min_vector_number
        )
        await self._call(self._client.update_collection(self._collection, optimizers_config=lowest))
        try:
            await asyncio.sleep(VACUUM_S)
        finally:
            await self._call(self._client.update_collection(self._collection, optimizers_config=usual))

    async def drop(self) -> None:
        with contextlib.suppress(IndexGone):
            await self._call(self._client.delete_collection(self._collection))
        await self.close()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._client.close()

    async def _prepare(self) -> None:
        await self._check_version()
        if not await self._call(self._client.collection_exists(self._collection)):
            await self._create()
        info = await self._call(self._client.get_collection(self._collection))
        stored = (info.config.metadata or {}).get("embedding", {})
        check_profile(f"the Qdrant collection {self._collection!r}", stored, self.profile)
        await self._index_payload(set(info.payload_schema))

    async def _check_version(self) -> None:
        """Older servers ignore the unknown parameter ``idf.corpus`` and would count words over all scopes."""
        version = (await self._call(self._client.info())).version
        found = re.match(r"(\d+)\.(\d+)", version)
        if found and (int(found[1]), int(found[2])) < LEAST_VERSION:
            least = ".".join(map(str, LEAST_VERSION))
            raise ConfigurationError(f"Qdrant {version} is too old to keep scopes apart: run {least} or newer")

    async def _create(self) -> None:
        params = models.VectorParams(
            size=self.profile.dimension, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16
        )
        dense = dict.fromkeys(DENSE, params)
        sparse = {name: models.SparseVectorParams(modifier=models.Modifier.IDF) for name in SPARSE}
        try:
            await self._client.create_collection(
                self._collection,
                vectors_config=dense,
                sparse_vectors_config=sparse,
                # One HNSW graph per tenant, so that a search never traverses points of another tenant.
                hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
                metadata={"embedding": profile_entry(self.profile, self._options.generation)},
                shard_number=self._options.shards or None,
                replication_factor=self._options.copies or None,
            )
        except (UnexpectedResponse, ValueError):
            # Another process may have created it concurrently.
            if not await self._call(self._client.collection_exists(self._collection)):
                raise

    async def _index_payload(self, there: set[str]) -> None:
        """Create missing payload indexes, including those that an interrupted start did not create."""
        keyword = models.PayloadSchemaType.KEYWORD
        tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        wanted: dict[str, models.PayloadSchemaType | models.KeywordIndexParams] = {SCOPE_FIELD: tenant}
        wanted |= dict.fromkeys((WORKSPACE_FIELD, *FILTERED), keyword)
        for field, schema in wanted.items():
            if field not in there:
                await self._call(self._client.create_payload_index(self._collection, field, schema, wait=True))

    async def _call(self, request: Awaitable[_T]) -> _T:
        if self._closed:
            if hasattr(request, "close"):
                request.close()
            raise EngineUnavailable("the vector index is closed")
        return await _translate_errors(request)


def _client(server: str, options: EngineOptions) -> AsyncQdrantClient:
    return AsyncQdrantClient(url=server, api_key=options.api_key or None, timeout=TIMEOUT_S, check_compatibility=False)


async def _translate_errors(request: Awaitable[_T]) -> _T:
    try:
        return await request
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            raise ConfigurationError("Qdrant rejects the API key: check it") from error
        if error.status_code == 404:
            raise IndexGone("the Qdrant collection no longer exists") from error
        if error.status_code in (400, 413, 422):
            raise BadRequest(
                f"Qdrant rejects a value of this request with status {error.status_code}: check its texts"
            ) from error
        raise EngineUnavailable(f"Qdrant answered with status {error.status_code}") from error
    except (ApiException, QdrantException, httpx.HTTPError, OSError, json.JSONDecodeError) as error:
        raise EngineUnavailable("Qdrant does not answer: check its address, and that it is running") from error
    except DATA_FAULTS as error:  # the client could not encode a value
        raise unstorable(WHAT) from error


def _filter(scope: Scope, match: Match) -> models.Filter:
    own = models.FieldCondition(key=SCOPE_FIELD, match=models.MatchValue(value=scope.key))
    conditions: list[models.Condition] = [own]
    for field, values in (match or {}).items():
        conditions.append(models.FieldCondition(key=field, match=models.MatchAny(any=list(values))))
    return models.Filter(must=conditions)


def _engine_point(scope: Scope, point: IndexPoint) -> models.PointStruct:
    vectors: dict[str, Any] = {name: vector.tolist() for name, vector in point.vectors.items()}
    vectors |= {name: _sparse(sparse) for name, sparse in point.sparse.items() if sparse.indices}
    return models.PointStruct(id=point_id(scope, point.id), vector=vectors, payload=stored_payload(scope, point))


def _to_stored(records: Sequence[models.Record]) -> list[Stored]:
    return [Stored(record.id, record.vector, record.payload or {}) for record in records]


def _sparse(sparse: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
