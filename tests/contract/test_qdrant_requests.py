"""What QdrantIndex sends to a server: each request and answer here is held to the server's published OpenAPI description and
the client's typed models."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import numpy as np
import pytest
from pydantic import TypeAdapter
from qdrant_client import AsyncQdrantClient, models

from tests.servers.qdrant_openapi import OPENAPI, VERSION, NotInOpenApi
from trustgraph_react_mem.errors import ConfigurationError, EngineUnavailable
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import IndexPoint, SparseVector
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.vectors.points import point_id
from trustgraph_react_mem.stores.vectors.qdrant import QdrantIndex

PROFILE = EmbeddingProfile(name="test-words", dimension=4)
ANN = Scope(workspace="w", user="o'neil", collection="default")
SCOPE_CONDITION = {"key": "scope", "match": {"value": "w/o%27neil/default"}}


BODY: dict[tuple[str, str], Any] = {
    ("PUT", "/collections/facts"): models.CreateCollection,
    ("PUT", "/collections/facts/index"): models.CreateFieldIndex,
    ("PUT", "/collections/facts/points"): models.PointInsertOperations,
    ("POST", "/collections/facts/points"): models.PointRequest,
    ("POST", "/collections/facts/points/query"): models.QueryRequest,
    ("POST", "/collections/facts/points/scroll"): models.ScrollRequest,
    ("POST", "/collections/facts/points/count"): models.CountRequest,
    ("POST", "/collections/facts/points/delete"): models.PointsSelector,
}


class FakeServer(httpx.AsyncBaseTransport):
    """Answers in Qdrant's form and keeps every request; ``status`` other than 200 is given to all."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = []
        self.exists = False
        self.version = VERSION
        self.metadata: dict[str, Any] = {}
        self.indexed: set[str] = set()
        self.status = 200
        self.broken: Exception | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.broken is not None:
            raise self.broken
        body = json.loads(await request.aread() or b"{}")
        called = (request.method, request.url.path)
        OPENAPI.request(*called, dict(request.url.params), body)
        if called in BODY:
            TypeAdapter(BODY[called]).validate_python(body)
        self.sent.append((*called, dict(request.url.params), body))
        if self.status != 200:
            return httpx.Response(self.status, json={"status": {"error": "no"}, "time": 0})
        answer = {"result": self._result(request, body), "status": "ok", "time": 0.001}
        if request.url.path == "/":
            answer = {"title": "qdrant - vector search engine", "version": self.version}
        OPENAPI.response(*called, 200, answer)
        return httpx.Response(200, json=answer)

    def _result(self, request: httpx.Request, body: dict[str, Any]) -> Any:
        path = request.url.path
        match request.method, path:
            case "GET", "/collections/facts/exists":
                return {"exists": self.exists}
            case "PUT", "/collections/facts":
                self.exists, self.metadata = True, body["metadata"]
                return True
            case "PUT", "/collections/facts/index":
                self.indexed.add(body["field_name"])
            case "GET", "/collections/facts":
                return collection_info(self.metadata, self.indexed)
            case "POST", "/collections/facts/points/query":
                stored = {"record_id": "a", "scope": "w/o%27neil/default", "workspace": "w", "content": "tea"}
                return {"points": [{"id": point_id(ANN, "a"), "version": 1, "score": 0.5, "payload": stored}]}
            case "POST", "/collections/facts/points":
                return [
                    {"id": body["ids"][0], "payload": {"record_id": "a", "scope": "w/o%27neil/default", "workspace": "w"}},
                    {"id": body["ids"][0], "payload": {"record_id": "a", "scope": "w/eve/default", "workspace": "w"}},
                ]
            case "POST", "/collections/facts/points/scroll":
                return {"points": [], "next_page_offset": None}
            case "POST", "/collections/facts/points/count":
                return {"count": 3}
        return {"operation_id": 1, "status": "completed"}

    def bodies(self, method: str, path: str) -> list[dict[str, Any]]:
        return [body for sent_method, sent_path, _, body in self.sent if (sent_method, sent_path) == (method, path)]


def collection_info(metadata: dict[str, Any], indexed: set[str]) -> dict[str, Any]:
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "config": {
            "params": {"vectors": {"text": {"size": 4, "distance": "Cosine"}}},
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
            "metadata": metadata,
        },
        "payload_schema": {name: {"data_type": "keyword", "points": 0} for name in indexed},
    }


def client_of(server: FakeServer) -> AsyncQdrantClient:
    return AsyncQdrantClient(url="http://qdrant.test:6333", transport=server, check_compatibility=False)


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


async def test_the_collection_is_made_for_many_tenants(server: FakeServer) -> None:
    await QdrantIndex.open(client_of(server), PROFILE)
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
async def test_a_server_too_old_to_count_words_per_scope_is_refused(server: FakeServer, version: str) -> None:
    """It would take the field in silence and count over all scopes."""
    server.version = version
    with pytest.raises(ConfigurationError, match=rf"Qdrant {re.escape(version)} is too old.*1\.19"):
        await QdrantIndex.open(client_of(server), PROFILE)
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


async def test_every_request_names_the_scope_and_waits(server: FakeServer) -> None:
    index = await QdrantIndex.open(client_of(server), PROFILE)
    at = datetime(2026, 3, 1, tzinfo=UTC).isoformat()
    point = IndexPoint(
        id="a",
        vectors={"text": np.array([1, 0, 0, 0], np.float32)},
        sparse={"words": SparseVector(indices=(7, 9), values=(1.0, 0.5))},
        payload={"content": "tea", "created_at": at, "turn_ids": ["t"], "n": None},
    )
    await index.upsert(ANN, [point])
    hits = await index.search_dense(ANN, "text", point.vectors["text"], limit=3, match={"kind": ["turn", "topic"]})
    assert (hits[0].id, hits[0].payload) == ("a", {"content": "tea"})
    await index.search_sparse(ANN, "words", point.sparse["words"], limit=3)
    assert [found.id for found in await index.fetch(ANN, ["a"], with_vectors=True)] == ["a"]  # not Eve's
    assert await index.delete(ANN, ["a"]) == 1
    assert await index.delete_scope(ANN) == 3
    assert await index.count(ANN) == 3
    assert [batch async for batch in index.scan(ANN)] == []

    (upserted,) = server.bodies("PUT", "/collections/facts/points")
    (sent,) = upserted["points"]
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
    assert [params["wait"] for params in writes] == ["true"] * 3


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
    server: FakeServer, fault: Callable[[FakeServer], None], error: type[Exception]
) -> None:
    index = await QdrantIndex.open(client_of(server), PROFILE)
    fault(server)
    with pytest.raises(error, match="Qdrant"):
        await index.count(ANN)
    with pytest.raises(error, match="Qdrant"):
        await QdrantIndex.open(client_of(server), PROFILE)
