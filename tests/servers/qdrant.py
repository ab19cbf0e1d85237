"""Qdrant's REST interface, as far as this package uses it, in front of Qdrant's own engine in its embedded form.

Qdrant's server comes in no package.  This stands in for it where several processes need the same vectors: one process on
loopback that keeps its collections in a folder.  Every body is read with qdrant-client's typed model of its endpoint, and
what is not known here is refused, so that nothing is silently left out.  With ``--strict`` request and answer are held to
Qdrant's published OpenAPI as well, which is slow for long vectors.  It has no shards, replicas, snapshots and keys.

Run as ``python -m tests.servers.qdrant FOLDER PORT``; prints one line when it serves.
"""

import argparse
import asyncio
import json
import logging
import re
import shutil
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import qdrant_edge as edge
from aiohttp import web
from pydantic import TypeAdapter, ValidationError
from qdrant_client import models

from .qdrant_openapi import OPENAPI, VERSION, NotInOpenApi

Json = dict[str, Any]
Operation = Callable[[web.Request, Json], Awaitable[Any]]

NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
LARGEST_BODY = 32 * 2**20  # the server's own default
KINDS: Mapping[str, Any] = {
    "create": models.CreateCollection,
    "index": models.CreateFieldIndex,
    "upsert": models.PointInsertOperations,
    "retrieve": models.PointRequest,
    "query": models.QueryRequest,
    "scroll": models.ScrollRequest,
    "count": models.CountRequest,
    "delete": models.PointsSelector,
    "facet": models.FacetRequest,
}
BODIES: Mapping[str, TypeAdapter[Any]] = {name: TypeAdapter(kind) for name, kind in KINDS.items()}


class Refused(Exception):
    """A request that is not carried out, with its status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Collection:
    """A shard and what it was made with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: Json = json.loads((folder / "collection.json").read_text("utf-8"))
        self.shard: Any = edge.EdgeShard.load(str(folder / "shard"))

    @classmethod
    def create(cls, folder: Path, made: Json) -> "Collection":
        """All of it or nothing, whenever the process ends."""
        draft = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        (draft / "shard").mkdir(parents=True)
        shard = edge.EdgeShard.create(str(draft / "shard"), _shape(made))
        shard.flush()
        shard.close()
        (draft / "collection.json").write_text(json.dumps(made | {"indexes": {}}), "utf-8")
        draft.rename(folder)
        return cls(folder)

    def index(self, field: str, schema: Json | str) -> None:
        tenant = isinstance(schema, dict) and bool(schema.get("is_tenant"))
        kind = schema["type"] if isinstance(schema, dict) else schema
        _known("an index's type", kind, {"keyword"})
        self.shard.update(edge.UpdateOperation.create_field_index(field, edge.KeywordIndexParams(is_tenant=tenant)))
        self.made["indexes"][field] = schema
        draft = self.folder / "collection.json.new"
        draft.write_text(json.dumps(self.made), "utf-8")
        draft.replace(self.folder / "collection.json")

    def info(self) -> Json:
        schemas = {
            field: {"data_type": "keyword", "points": 0, **({"params": schema} if isinstance(schema, dict) else {})}
            for field, schema in self.made["indexes"].items()
        }
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": self.shard.count(edge.CountRequest()),
            "segments_count": self.shard.info().segments_count,
            "config": {
                "params": {"vectors": self.made["vectors"], "sparse_vectors": self.made.get("sparse_vectors", {})},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000} | self.made.get("hnsw_config", {}),
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "metadata": self.made.get("metadata"),
            },
            "payload_schema": schemas,
        }


class Qdrant:
    """The collections of a folder.  Calls into the engine keep Python's global lock, so they are made in place."""

    def __init__(self, folder: Path, *, strict: bool = False) -> None:
        self._folder = folder
        self._strict = strict
        folder.mkdir(parents=True, exist_ok=True)
        self._collections = {found.parent.name: Collection(found.parent) for found in folder.glob("[!.]*/collection.json")}
        self._changes = 0

    def application(self) -> web.Application:
        application = web.Application(client_max_size=LARGEST_BODY)
        at = "/collections/{name}"
        application.add_routes(
            [
                web.get("/", self._greeting),
                web.get("/healthz", self._greeting),
                web.get("/collections", self._answering(self._list)),
                web.get(f"{at}/exists", self._answering(self._exists)),
                web.get(at, self._answering(self._info)),
                web.put(at, self._answering(self._create, "create")),
                web.delete(at, self._answering(self._drop)),
                web.put(f"{at}/index", self._answering(self._index, "index")),
                web.put(f"{at}/points", self._answering(self._upsert, "upsert")),
                web.post(f"{at}/points", self._answering(self._retrieve, "retrieve")),
                web.post(f"{at}/points/query", self._answering(self._query, "query")),
                web.post(f"{at}/points/scroll", self._answering(self._scroll, "scroll")),
                web.post(f"{at}/points/count", self._answering(self._count, "count")),
                web.post(f"{at}/points/delete", self._answering(self._delete, "delete")),
                web.post(f"{at}/facet", self._answering(self._facet, "facet")),
            ]
        )
        return application

    def close(self) -> None:
        for collection in self._collections.values():
            collection.shard.close()
        self._collections.clear()

    # ------------------------------------------------------------------------------------------------ the frame

    async def _greeting(self, _: web.Request) -> web.Response:
        return web.json_response({"title": "qdrant - stand-in", "version": VERSION})

    def _answering(self, operation: Operation, body: str = "") -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            began = time.perf_counter()
            try:
                given = await _read(request, body) if body else {}
                if self._strict:
                    OPENAPI.request(request.method, request.path, request.query, given or None)
                result = await operation(request, given)
                answered = {"result": result, "status": "ok", "time": time.perf_counter() - began}
                if self._strict:
                    OPENAPI.response(request.method, request.path, 200, answered)
            except NotInOpenApi as error:
                return web.json_response({"status": {"error": str(error)}, "time": 0.0}, status=400)
            except Refused as refused:
                return web.json_response({"status": {"error": str(refused)}, "time": 0.0}, status=refused.status)
            except Exception as error:
                # The binding raises nothing more precise; whoever asked must get an answer.
                logging.getLogger(__name__).exception("%s %s failed", request.method, request.path)
                return web.json_response({"status": {"error": f"{type(error).__name__}: {error}"}, "time": 0.0}, status=500)
            return web.json_response(answered)

        return answer

    def _of(self, request: web.Request) -> Collection:
        name = request.match_info["name"]
        if name not in self._collections:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self._collections[name]

    def _done(self) -> Json:
        self._changes += 1
        return {"operation_id": self._changes, "status": "completed"}

    # ------------------------------------------------------------------------------------------------ collections

    async def _list(self, _: web.Request, __: Json) -> Json:
        return {"collections": [{"name": name} for name in sorted(self._collections)]}

    async def _exists(self, request: web.Request, _: Json) -> Json:
        return {"exists": request.match_info["name"] in self._collections}

    async def _info(self, request: web.Request, _: Json) -> Json:
        return self._of(request).info()

    async def _create(self, request: web.Request, body: Json) -> bool:
        name = request.match_info["name"]
        _known("a field of a new collection", body, {"vectors", "sparse_vectors", "hnsw_config", "metadata"})
        if not NAME.fullmatch(name):
            raise Refused(400, f"collection name {name!r}: use letters, digits, - and _")
        if name in self._collections:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        self._collections[name] = Collection.create(self._folder / name, body)
        return True

    async def _drop(self, request: web.Request, _: Json) -> bool:
        collection = self._collections.pop(request.match_info["name"], None)
        if collection is not None:
            collection.shard.close()
            shutil.rmtree(collection.folder)
        return collection is not None

    async def _index(self, request: web.Request, body: Json) -> Json:
        self._of(request).index(body["field_name"], body["field_schema"])
        return self._done()

    # ------------------------------------------------------------------------------------------------ points

    async def _upsert(self, request: web.Request, body: Json) -> Json:
        _known("a field of an upsert", body, {"points"})
        points = [edge.Point(point["id"], _vectors(point["vector"]), point.get("payload") or {}) for point in body["points"]]
        self._of(request).shard.update(edge.UpdateOperation.upsert_points(points))
        return self._done()

    async def _retrieve(self, request: web.Request, body: Json) -> list[Json]:
        _known("a field of a retrieval", body, {"ids", "with_payload", "with_vector"})
        shard = self._of(request).shard
        found = shard.retrieve(body["ids"], body.get("with_payload", True), body.get("with_vector", False))
        return [_record(each) for each in found]

    async def _query(self, request: web.Request, body: Json) -> Json:
        _known("a field of a query", body, {"query", "using", "filter", "params", "limit", "with_payload", "with_vector"})
        params = body.get("params") or {}
        _known("a parameter of a search", params, {"idf", "exact"})
        idf = edge.IdfParams(corpus=_filter(params["idf"].get("corpus"))) if params.get("idf") else None
        asked = edge.QueryRequest(
            limit=body.get("limit", 10),
            query=edge.Query.Nearest(_nearest(body["query"]), using=body["using"]),
            filter=_filter(body.get("filter")),
            params=edge.SearchParams(exact=bool(params.get("exact")), idf=idf),
            with_payload=body.get("with_payload", False),
            with_vector=body.get("with_vector", False),
        )
        found = self._of(request).shard.query(asked)
        return {"points": [_record(each) | {"version": each.version, "score": each.score} for each in found]}

    async def _scroll(self, request: web.Request, body: Json) -> Json:
        _known("a field of a scroll", body, {"offset", "limit", "filter", "with_payload", "with_vector"})
        asked = edge.ScrollRequest(
            offset=body.get("offset"),
            limit=body.get("limit", 10),
            filter=_filter(body.get("filter")),
            with_payload=body.get("with_payload", True),
            with_vector=body.get("with_vector", False),
        )
        found, following = self._of(request).shard.scroll(asked)
        return {"points": [_record(each) for each in found], "next_page_offset": None if following is None else str(following)}

    async def _count(self, request: web.Request, body: Json) -> Json:
        _known("a field of a count", body, {"filter", "exact"})
        return {"count": self._of(request).shard.count(edge.CountRequest(filter=_filter(body.get("filter"))))}

    async def _facet(self, request: web.Request, body: Json) -> Json:
        _known("a field of a facet", body, {"key", "limit", "filter", "exact"})
        asked = edge.FacetRequest(
            key=body["key"],
            limit=body.get("limit", 10),
            exact=bool(body.get("exact")),
            filter=_filter(body.get("filter")),
        )
        found = self._of(request).shard.facet(asked).hits
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in found]}

    async def _delete(self, request: web.Request, body: Json) -> Json:
        _known("a field of a deletion", body, {"points", "filter"})
        by_id = "points" in body
        operation = (
            edge.UpdateOperation.delete_points(body["points"])
            if by_id
            else edge.UpdateOperation.delete_points_by_filter(_filter(body["filter"]))
        )
        self._of(request).shard.update(operation)
        return self._done()


async def _read(request: web.Request, kind: str) -> Json:
    """The body without what is null.  Raises: Refused (it is not what qdrant-client's model of this endpoint takes)."""
    try:
        body = json.loads(await request.read())
        BODIES[kind].validate_python(body)
    except (ValueError, ValidationError) as error:
        raise Refused(400, f"Format error in JSON body: {error}") from None
    return {name: value for name, value in body.items() if value is not None}


def _known(what: str, given: Mapping[str, Any] | str, known: set[str]) -> None:
    unknown = {given} - known if isinstance(given, str) else set(given) - known
    if unknown:
        raise Refused(400, f"the stand-in does not know {what} {', '.join(sorted(unknown))}")


def _shape(made: Json) -> Any:
    distances = {"Cosine": edge.Distance.Cosine, "Dot": edge.Distance.Dot, "Euclid": edge.Distance.Euclid}
    dense = {
        name: edge.EdgeVectorParams(vector["size"], distances[vector["distance"]]) for name, vector in made["vectors"].items()
    }
    sparse = {}
    for name, vector in (made.get("sparse_vectors") or {}).items():
        _known("a modifier", vector["modifier"], {"idf"})
        sparse[name] = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(vectors=dense, sparse_vectors=sparse)


def _vector(value: Any) -> Any:
    return edge.SparseVector(value["indices"], value["values"]) if isinstance(value, dict) else value


def _nearest(query: Any) -> Any:
    """A vector may stand for itself."""
    if not isinstance(query, dict) or "indices" in query:
        return _vector(query)
    _known("a kind of query", query, {"nearest"})
    return _vector(query["nearest"])


def _vectors(value: Json) -> Json:
    return {name: _vector(vector) for name, vector in value.items()}


def _filter(given: Json | None) -> Any:
    if not given:
        return None
    _known("a clause of a filter", given, {"must"})
    conditions: Sequence[Json] = given["must"] if isinstance(given["must"], list) else [given["must"]]
    return edge.Filter(must=[_condition(condition) for condition in conditions])


def _condition(given: Json) -> Any:
    _known("a condition of a filter", given, {"key", "match"})
    match = given["match"]
    _known("a match of a filter", match, {"value", "any"})
    wanted = edge.MatchValue(match["value"]) if "value" in match else edge.MatchAny(match["any"])
    return edge.FieldCondition(given["key"], match=wanted)


def _record(found: Any) -> Json:
    record: Json = {"id": str(found.id), "payload": found.payload}
    if found.vector is not None:
        record["vector"] = {
            name: {"indices": list(vector.indices), "values": list(vector.values)}
            if isinstance(vector, edge.SparseVector)
            else vector
            for name, vector in found.vector.items()
        }
    return record


async def serve(folder: Path, port: int, *, strict: bool) -> None:
    """Until SIGTERM or SIGINT."""
    server = Qdrant(folder, strict=strict)
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    print(f"serving {folder} on port {port}", flush=True)
    await ended.wait()
    await runner.cleanup()
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("port", type=int)
    parser.add_argument("--strict", action="store_true", help="hold requests and answers to the published OpenAPI")
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.folder.resolve(), arguments.port, strict=arguments.strict))
