"""What surrounds a stock TrustGraph in these tests, in one process: the model, and what needs Cassandra or the world there.

The configuration service keeps a file, whoever sends no credential may do everything, every document is taken, and the
services behind tools answer with a fixed text.  ``POST /switch {"librarian": false}`` lets the librarian fall silent,
``{"hold": true}`` lets the tool ``hold`` wait until it is switched off again; ``GET /seen`` tells what arrived.

Run as ``python -m tests.stock.stand_ins PULSAR_URL PORT CONFIG_FILE``.
"""

import argparse
import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web
from trustgraph.base import AsyncProcessor, ConsumerSpec, FlowProcessor, ProducerSpec, WorkspaceProcessor
from trustgraph.schema import (
    GraphRagQuery,
    GraphRagResponse,
    IamRequest,
    IamResponse,
    LibrarianRequest,
    LibrarianResponse,
    RowEmbeddingsRequest,
    RowEmbeddingsResponse,
    RowIndexMatch,
    StructuredQueryRequest,
    StructuredQueryResponse,
    ToolRequest,
    ToolResponse,
    Triple,
    Triples,
    TriplesQueryRequest,
    TriplesQueryResponse,
    iam_request_queue,
    iam_response_queue,
    librarian_request_queue,
    librarian_response_queue,
)

from trustgraph_react_mem.processors import embedded_config

from .blueprint import WORKSPACES
from .iam import make_iam_service
from .model_server import FACT, Server


class Switches:
    def __init__(self) -> None:
        self.librarian = True
        self.released = asyncio.Event()
        self.released.set()
        self.held = 0
        self.triples: list[dict[str, Any]] = []
        self.stored: list[tuple[str, Triple]] = []  # collection, triple
        self.documents: list[str] = []
        self.contents: dict[str, Any] = {}

    async def set(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        self.librarian = wanted.get("librarian", self.librarian)
        if "hold" in wanted:
            self.released.clear() if wanted["hold"] else self.released.set()
        return web.json_response({})

    async def seen(self, _: web.Request) -> web.Response:
        return web.json_response({"held": self.held, "triples": self.triples, "documents": self.documents})


class Iam(AsyncProcessor):  # type: ignore[misc]
    """TrustGraph's identity service.  Beside it, who sends no credential is ``anonymous`` and may do everything."""

    async def start(self) -> None:
        await super().start()
        self.service = make_iam_service()
        for workspace in WORKSPACES:
            await self.service.table_store.put_workspace(workspace, workspace, True, None)
        replies = await self.sender_pool.add_producer(topic=iam_response_queue, schema=IamResponse)

        async def handle(message: Any) -> None:
            await replies.send(await self.answer(message.value()), properties={"id": message.properties()["id"]})

        await self.receiver_pool.add_consumer(topic=iam_request_queue, subscription=self.id, schema=IamRequest, handler=handle)

    async def answer(self, request: IamRequest) -> Any:
        if request.operation == "authenticate-anonymous":
            return IamResponse(resolved_user_id="anonymous", resolved_default_workspace="default", resolved_roles=["admin"])
        if request.operation == "authorise" and request.user_id == "anonymous":
            return IamResponse(decision_allow=True, decision_ttl_seconds=3600)
        return await self.service.handle(request)


class Librarian(WorkspaceProcessor):  # type: ignore[misc]
    def __init__(self, *, switches: Switches, **params: Any) -> None:
        super().__init__(**params)
        self._switches = switches

    async def on_workspace_created(self, workspace: str) -> None:
        replies = await self.sender_pool.add_producer(topic=f"{librarian_response_queue}:{workspace}", schema=LibrarianResponse)

        async def handle(message: Any) -> None:
            if not self._switches.librarian:
                return
            request = message.value()
            document = request.document_id or (request.document_metadata.id if request.document_metadata else "")
            response = LibrarianResponse(document_id=document)
            if request.operation == "get-document-content":
                response.content = self._switches.contents.get(document)
            else:
                self._switches.documents.append(document)
                self._switches.contents[document] = request.content
            await replies.send(response, properties={"id": message.properties()["id"]})

        await self.receiver_pool.add_consumer(
            topic=f"{librarian_request_queue}:{workspace}", subscription=self.id, schema=LibrarianRequest, handler=handle
        )


class Answering(FlowProcessor):  # type: ignore[misc]
    """A service of a flow that gives each request one response."""

    def __init__(self, *, request: type, response: type, answer: Callable[[Any], Any], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer
        self.register_specification(
            ConsumerSpec(name="request", schema=request, handler=self._asked, concurrency=params["concurrency"])
        )
        self.register_specification(ProducerSpec(name="response", schema=response))

    async def _asked(self, message: Any, consumer: Any, flow: Any) -> None:
        result = self._answer(message.value())
        result = await result if asyncio.iscoroutine(result) else result
        await flow("response").send(result, properties={"id": message.properties()["id"]})


class TriplesStore(FlowProcessor):  # type: ignore[misc]
    """Keeps what is sent to TrustGraph's knowledge graph."""

    def __init__(self, *, switches: Switches, **params: Any) -> None:
        super().__init__(**params)
        self._switches = switches
        self.register_specification(ConsumerSpec(name="input", schema=Triples, handler=self._stored))

    async def _stored(self, message: Any, consumer: Any, flow: Any) -> None:
        triples = message.value()
        self._switches.stored += [(triples.metadata.collection, triple) for triple in triples.triples]
        self._switches.triples += [
            {
                "workspace": flow.workspace,
                "flow": flow.name,
                "collection": triples.metadata.collection,
                "graph": triple.g,
                "s": triple.s.iri,
                "p": triple.p.iri,
                "o": triple.o.iri or triple.o.value,
            }
            for triple in triples.triples
        ]


def services(switches: Switches, **shared: Any) -> list[Any]:
    async def tool(request: Any) -> ToolResponse:
        if request.name == "hold":
            switches.held += 1
            await switches.released.wait()
        return ToolResponse(text=f"{request.name} of {json.loads(request.parameters)['city']}: sun")

    def rows(request: Any) -> RowEmbeddingsResponse:
        match = RowIndexMatch(index_name="capital", index_value=["Paris"], text="Paris", score=0.875)
        return RowEmbeddingsResponse(matches=[match][: request.limit])

    def stored(request: Any) -> TriplesQueryResponse:
        wanted = {part: term for part in "spo" if (term := getattr(request, part)) is not None}
        found = [
            triple
            for collection, triple in switches.stored
            if collection == request.collection
            and (triple.g or "") == (request.g or "")
            and all(getattr(triple, part) == term for part, term in wanted.items())
        ]
        return TriplesQueryResponse(triples=found[: request.limit])

    kinds: dict[str, tuple[type, type, Callable[[Any], Any]]] = {
        "mcp-tool": (ToolRequest, ToolResponse, tool),
        "graph-rag": (
            GraphRagQuery,
            GraphRagResponse,
            lambda request: GraphRagResponse(
                response=f"{request.collection}: {FACT}", message_type="chunk", end_of_stream=True, end_of_session=True
            ),
        ),
        "structured-query": (
            StructuredQueryRequest,
            StructuredQueryResponse,
            lambda request: StructuredQueryResponse(data=json.dumps({"capital": [request.collection, "Paris"]})),
        ),
        "row-embeddings": (RowEmbeddingsRequest, RowEmbeddingsResponse, rows),
        "triples-query": (TriplesQueryRequest, TriplesQueryResponse, stored),
    }
    return [
        *(
            Answering(id=name, request=request, response=response, answer=answer, **shared)
            for name, (request, response, answer) in kinds.items()
        ),
        TriplesStore(id="triples-write", switches=switches, **shared),
    ]


async def main(pulsar_url: str, port: int, config_file: str) -> None:
    shared = {"pulsar_host": pulsar_url, "pubsub_backend": "pulsar", "concurrency": 8, "config_timeout": 10}
    switches, model = Switches(), Server()
    await embedded_config.Processor(id="config-svc", path=config_file, pulsar_host=pulsar_url).start()
    processors = [
        Iam(id="iam-svc", **shared),
        Librarian(id="librarian", switches=switches, **shared),
        *services(switches, **shared),
    ]
    for processor in processors:
        await processor.start()
    application = web.Application(client_max_size=2**24)
    application.add_routes([*model.routes(), web.post("/switch", switches.set), web.get("/seen", switches.seen)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("pulsar_url")
    parser.add_argument("port", type=int)
    parser.add_argument("config_file")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.pulsar_url, arguments.port, arguments.config_file))
