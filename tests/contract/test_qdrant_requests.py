"""What QdrantIndex sends to a server.  The stand-in for it holds each request and answer to the published OpenAPI description
and the client's typed models."""

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from aiohttp.test_utils import TestServer
from qdrant_client import AsyncQdrantClient, models

from tests.servers.qdrant import Qdrant
from tests.servers.qdrant_openapi import OPENAPI, NotInOpenApi
from trustgraph_react_mem.errors import ConfigurationError, EngineUnavailable
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import IndexPoint, SparseVector
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.vectors.points import point_id
from trustgraph_react_mem.stores.vectors.qdrant import QdrantIndex

PROFILE = EmbeddingProfile(name="test-words", dimension=4)
ANN = Scope(workspace="w", user="o'neil", collection="default")
SCOPE_CONDITION = {"key": "scope", "match": {"value": "w/o%27neil/default"}}


class Recorder(httpx.AsyncHTTPTransport):
    """Keeps every request on its way to the server; ``version``, ``status`` and ``broken`` stand for another server."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = []
        self.version = ""
        self.status = 200
        self.broken: Exception | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.broken is not None:
            raise self.broken
        body = json.loads(await request.aread() or b"{}")
        self.sent.append((request.method, request.url.path, dict(request.url.params), body))
        if self.status != 200:
            return httpx.Response(self.status, json={"status": {"error": "no"}, "time": 0})
        if self.version and request.url.path == "/":
            return httpx.Response(200, json={"title": "qdrant - vector search engine", "version": self.version})
        return await super().handle_async_request(request)

    def bodies(self, method: str, path: str) -> list[dict[str, Any]]:
        return [body for sent_method, sent_path, _, body in self.sent if (sent_method, sent_path) == (method, path)]


@pytest.fixture
def server() -> Recorder:
    return Recorder()


@pytest.fixture
async def client(server: Recorder, tmp_path: Path) -> AsyncIterator[AsyncQdrantClient]:
    engine = Qdrant(tmp_path, strict=True)
    async with TestServer(engine.application()) as running:
        yield AsyncQdrantClient(url=str(running.make_url("")), transport=server, check_compatibility=False)
    engine.close()


async def test_the_collection_is_made_for_many_tenants(server: Recorder, client: AsyncQdrantClient) -> None:
    await QdrantIndex.open(client, PROFILE)
    (created,) = server.bodies("PUT", "/collections/facts")
    assert created["vectors"] == {
        name: {"size": 4, "distance": "Cosine", "datatype": "float16"} for name in ("text", "context")
    }
    assert created["sparse_vectors"] == {name: {"modifier": "idf"} for name in ("words", "words_context")}
    made = created["metadata"]["embedding"]
    assert (made["name"], made["dimension"]) == ("test-words", 4)
    assert datetime.fromisoformat(made["created_at"]).tzinfo is not None  # which of several models' collections is the older
    assert created["hnsw_config"] == {"m": 0, "payload_m": 16}
    assert not {"shard_number", "replication_factor"} & set(created)
    indexes = {body["field_name"]: body["field_schema"] for body in server.bodies("PUT", "/collections/facts/index")}
    assert indexes["scope"] == {"type": "keyword", "is_tenant": True}
    assert {name for name, schema in indexes.items() if schema == "keyword"} == {"workspace", "kind", "status", "source"}


@pytest.mark.parametrize("version", ["1.15.5", "1.18.2", "0.11.7"])
async def test_a_server_too_old_to_count_words_per_scope_is_refused(
    server: Recorder, client: AsyncQdrantClient, version: str
) -> None:
    """It would take the field in silence and count over all scopes."""
    server.version = version
    with pytest.raises(ConfigurationError, match=rf"Qdrant {re.escape(version)} is too old.*1\.19"):
        await QdrantIndex.open(client, PROFILE)
    assert not [method for method, *_ in server.sent if method != "GET"]


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (("PUT", "/collections/facts/points", {"wait": "perhaps"}, {"points": []}), "parameter wait"),
        (("PUT", "/collections/facts/points", {"sync": "true"}, {"points": []}), "no parameter 'sync'"),
        (("PUT", "/collections/facts", {}, {"vectors": {}, "metadate": {}}), "'metadate'"),
        (("POST", "/collections/facts/points/count", {}, {"exact": "yes"}), "exact"),
        (("POST", "/collections/facts", {}, {}), "no method POST"),
        (("GET", "/collections/facts/nothing", {}, None), "no path"),
        (("GET", "/collections/facts/exists", {}, {"now": True}), "takes no body"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_what_the_published_description_does_not_name_is_refused(call: Any, fault: str) -> None:
    with pytest.raises(NotInOpenApi, match=fault):
        OPENAPI.request(*call)


async def test_every_request_names_the_scope_and_waits(server: Recorder, client: AsyncQdrantClient) -> None:
    index = await QdrantIndex.open(client, PROFILE)
    at = datetime(2026, 3, 1, tzinfo=UTC).isoformat()
    point = IndexPoint(
        id="a",
        vectors={"text": np.array([1, 0, 0, 0], np.float32)},
        sparse={"words": SparseVector(indices=(7, 9), values=(1.0, 0.5))},
        payload={"content": "tea", "kind": "turn", "created_at": at, "turn_ids": ["t"], "n": None},
    )
    await index.upsert(ANN, [point, replace(point, id="b")])
    hits = await index.search_dense(ANN, "text", point.vectors["text"], limit=3, match={"kind": ["turn", "topic"]})
    assert {hit.id for hit in hits} == {"a", "b"}
    await index.search_sparse(ANN, "words", point.sparse["words"], limit=3)
    stranger = {"record_id": "e", "scope": "w/eve/default", "workspace": "w"}
    await client.upsert("facts", [models.PointStruct(id=point_id(ANN, "e"), vector={}, payload=stranger)])
    assert [found.id for found in await index.fetch(ANN, ["a", "e"], with_vectors=True)] == ["a"]  # not Eve's
    assert await index.delete(ANN, ["a"]) == 1
    assert await index.delete_scope(ANN) == 1
    assert await index.count(ANN) == 0
    assert [batch async for batch in index.scan(ANN)] == []

    upserted, _ = server.bodies("PUT", "/collections/facts/points")
    sent, _ = upserted["points"]
    assert sent["id"] == point_id(ANN, "a")
    assert sent["payload"] == {**point.payload, "scope": "w/o%27neil/default", "workspace": "w", "record_id": "a"}
    assert sent["vector"] == {"text": [1, 0, 0, 0], "words": {"indices": [7, 9], "values": [1.0, 0.5]}}
    dense, sparse = server.bodies("POST", "/collections/facts/points/query")
    assert dense["filter"]["must"] == [SCOPE_CONDITION, {"key": "kind", "match": {"any": ["turn", "topic"]}}]
    assert sparse["filter"]["must"] == [SCOPE_CONDITION]
    assert sparse["params"]["idf"] == {"corpus": {"must": [SCOPE_CONDITION]}}
    by_id, by_scope = server.bodies("POST", "/collections/facts/points/delete")
    assert by_id == {"points": [point_id(ANN, "a")]}
    assert by_scope["filter"]["must"] == [SCOPE_CONDITION]
    writes = [params for method, path, params, _ in server.sent if path.endswith(("/points", "/delete")) and "wait" in params]
    assert [params["wait"] for params in writes] == ["true"] * 4


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (lambda server: setattr(server, "status", 503), EngineUnavailable),
        (lambda server: setattr(server, "status", 401), ConfigurationError),
        (lambda server: setattr(server, "broken", httpx.ConnectError("refused")), EngineUnavailable),
        (lambda server: setattr(server, "broken", httpx.ReadTimeout("slow")), EngineUnavailable),
    ],
)
async def test_faults_of_the_server_are_named(
    server: Recorder, client: AsyncQdrantClient, fault: Callable[[Recorder], None], error: type[Exception]
) -> None:
    index = await QdrantIndex.open(client, PROFILE)
    fault(server)
    with pytest.raises(error, match="Qdrant"):
        await index.count(ANN)
    with pytest.raises(error, match="Qdrant"):
        await QdrantIndex.open(client, PROFILE)
