"""The production vector engine: a Qdrant server, accessed with qdrant-client.

Each index is one collection, shared by all tenants.  The scope is a keyword index marked as tenant, so that the server stores
the points of a scope together.  The name of the embedding model is in the metadata of the collection and checked on opening.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, TypeVar

import httpx
import numpy as np
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from ...errors import BadRequest, ConfigurationError, EngineUnavailable, IndexGone
from ...memory.embedding import EmbeddingProfile
from ...telemetry.tracing import traced_store
from ..data_faults import DATA_FAULTS, unstorable
from .point_index import WHAT, PointIndex
from .points import (
    DENSE,
    INDEXED,
    SCOPE_FIELD,
    SERVER_DEFAULTS,
    SPARSE,
    EngineOptions,
    StoredIndex,
    check_profile,
    is_named,
    profile_entry,
    read_entries,
)

VACUUM_S = 15.0  # how long the server looks for segments to rewrite: its optimiser wakes up every few seconds
SLICE = 256  # points in one request
TIMEOUT_S = 10
LEAST_VERSION = (1, 19)  # the first with word statistics per scope (search parameter idf.corpus)

_T = TypeVar("_T")


class QdrantIndex(PointIndex):
    """Open with ``await QdrantIndex.open("http://host:6333", profile, name="facts")``."""

    kit: ClassVar[Any] = models
    point = models.PointStruct
    number = np.float32
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
            there = [each.name for each in (await _translate_errors(client.get_collections())).collections]
            found = {each: await _translate_errors(client.get_collection(each)) for each in there if is_named(each, name)}
            return read_entries({each: _entry(info) for each, info in found.items()})
        finally:
            await client.close()

    @traced_store("qdrant", "upsert")
    async def _put(self, points: list[Any]) -> None:
        await self._call(self._client.upsert(self._collection, points, wait=True))

    @traced_store("qdrant", "delete")
    async def _remove(self, keys: list[Any]) -> None:
        await self._call(self._client.delete(self._collection, models.PointIdsList(points=keys), wait=True))

    @traced_store("qdrant", "delete")
    async def _remove_where(self, where: Any) -> None:
        await self._call(self._client.delete(self._collection, models.FilterSelector(filter=where), wait=True))

    @traced_store("qdrant", "fetch")
    async def _retrieve(self, keys: list[str], with_vectors: bool) -> Sequence[Any]:
        asked = self._client.retrieve(self._collection, keys, with_payload=True, with_vectors=with_vectors)
        return await self._call(asked)

    async def _scroll(self, where: Any, offset: Any, limit: int, with_vectors: bool) -> tuple[Sequence[Any], Any]:
        page = {"limit": limit, "offset": offset, "with_payload": True, "with_vectors": with_vectors}
        return await self._call(self._client.scroll(self._collection, scroll_filter=where, **page))

    async def _count(self, where: Any) -> int:
        return (await self._call(self._client.count(self._collection, where, exact=True))).count

    @traced_store("qdrant", "search")
    async def _query(self, name: str, query: Any, limit: int, where: Any, corpus: Any) -> Sequence[Any]:
        params = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus)) if corpus is not None else None
        found = await self._call(
            self._client.query_points(
                self._collection,
                query=query,
                using=name,
                query_filter=where,
                search_params=params,
                limit=limit,
                with_payload=True,
            )
        )
        return found.points

    async def _facet(self, field: str, limit: int) -> Sequence[Any]:
        return (await self._call(self._client.facet(self._collection, field, limit=limit, exact=True))).hits

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
        check_profile(f"the Qdrant collection {self._collection!r}", _entry(info), self.profile)
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
        for field in INDEXED:
            if field not in there:
                schema = tenant if field == SCOPE_FIELD else keyword
                await self._call(self._client.create_payload_index(self._collection, field, schema, wait=True))

    async def _call(self, request: Awaitable[_T]) -> _T:
        if self._closed:
            if hasattr(request, "close"):
                request.close()
            raise EngineUnavailable("the vector index is closed")
        return await _translate_errors(request)


def _entry(info: models.CollectionInfo) -> dict[str, Any]:
    entry: dict[str, Any] = (info.config.metadata or {}).get("embedding", {})
    return entry


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
