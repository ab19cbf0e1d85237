"""One started stack and its spans for all tests of telemetry."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import NotAuthenticated
from trustgraph_react_mem.http import native
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import Listener, access_of, make_application
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.testing import Rule, ScriptedModel

_EXPORTER = InMemorySpanExporter()
TOOL_QUERY = "the dog of the user"
USES_A_TOOL = f'Thought: I look it up.\nAction: retrieve-facts\nArgs: {{"query": "{TOOL_QUERY}"}}'


def look_up(request: ChatRequest) -> str:
    """First the tool, then the answer."""
    return "Thought: I know.\nFinal Answer: Your dog is Miso." if TOOL_QUERY in request.prompt else USES_A_TOOL


@pytest.fixture(scope="session")
def exporter() -> InMemorySpanExporter:
    """All spans of this process.  OpenTelemetry accepts one provider in the life of a process."""
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider(resource=Resource.create({"service.name": "test"})))
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(_EXPORTER))
    return _EXPORTER


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    exporter.clear()
    yield exporter
    exporter.clear()


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def stack(tmp_path_factory: pytest.TempPathFactory, exporter: InMemorySpanExporter) -> AsyncIterator[EmbeddedStack]:
    rules = [Rule(when="Question: look up", answer=look_up), Rule(when="model is down", error="unavailable")]
    async with plain_stack(tmp_path_factory.mktemp("telemetry"), ScriptedModel(rules)) as running:
        yield running


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def bus(stack: EmbeddedStack) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(stack.address) as connected:
        yield connected


async def ask(request: web.Request) -> web.Response:
    body = await request.json()
    access = await access_of(request, user=body["user"], collection=body.get("collection", "default"))
    answer = ""
    async for message in access.ask(AgentRequest(question=body["question"])):
        answer = message.content if message.message_type == "answer" else answer
    return web.json_response({"answer": answer})


async def accept_a_key(request: web.Request) -> Principal:
    if request.headers.get("Authorization") == "Bearer wrong":
        raise NotAuthenticated("the key is not known: create one")
    return Principal(key_id="test", kind="service")


async def count(request: web.Request) -> web.StreamResponse:
    """A stream of server-sent events."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"data: 1\n\n")
    return response


async def fail(request: web.Request) -> web.Response:
    raise RuntimeError("a bug")


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def client(stack: EmbeddedStack) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    buses = Buses(stack.address)
    listener = Listener(buses=buses, authenticate=accept_a_key)
    app = make_application(
        listener,
        [
            web.post("/ask/{number}", ask),
            web.get("/count", count),
            web.get("/fail/{number}", fail),
            *native.routes(),
        ],
    )
    async with TestClient(TestServer(app)) as connected:
        yield connected
    await buses.close()
