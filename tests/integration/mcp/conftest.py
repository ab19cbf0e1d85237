"""A stack, the HTTP listener over it, and the SDK's client in both protocol eras, in process and over HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal

import httpx2
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http import mcp as http_mcp
from trustgraph_react_mem.http.access import Access, Buses
from trustgraph_react_mem.http.application import Listener, make_application
from trustgraph_react_mem.http.identity import Identity
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.http.settings import McpSettings
from trustgraph_react_mem.mcp.server import build_server

Way = Literal["in process, legacy", "in process, modern", "http, legacy", "http, modern"]
QUICK: tuple[Way, ...] = ("in process, modern", "http, legacy")
WAYS = [*QUICK, *(pytest.param(way, marks=pytest.mark.slow) for way in ("in process, legacy", "http, modern"))]
#: For groups of tools: each tool comes through the same way as those of test_tools.py.
GROUP_WAYS = [
    QUICK[1],
    *(pytest.param(way, marks=pytest.mark.slow) for way in (QUICK[0], "in process, legacy", "http, modern")),
]
MODES = {"legacy": "legacy", "modern": "2026-07-28"}
Open = Callable[..., AbstractAsyncContextManager[Any]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedStack]:
    async with plain_stack(tmp_path_factory.mktemp("mcp")) as stack:
        yield stack


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bus(stack: EmbeddedStack) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(stack.address) as bus:
        yield bus


class Served:
    """The listener with every group of tools, and its keys."""

    def __init__(self, url: str, keys: KeyFile) -> None:
        self.url = url
        self._keys = keys

    def key(self, user: str, **more: Any) -> str:
        _, secret = self._keys.create("user", user=user, **more)
        return secret


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served(stack: EmbeddedStack) -> AsyncIterator[Served]:
    keys = KeyFile(stack.home)
    listener = Listener(buses=Buses(stack.address), authenticate=Identity(keys.resolve))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACT_MEM_MCP_GROUPS", "refine")
        application = make_application(listener, http_mcp.routes())
    async with TestServer(application) as server:
        yield Served(str(server.make_url("")).rstrip("/"), keys)
    await listener.buses.close()


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A person for each test and way."""
    return "".join(letter if letter.isalnum() else "-" for letter in request.node.name)[:90]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


def in_process(bus: MemoryBus, user: str, *, collection: str = "default", settings: McpSettings | None = None) -> Any:
    async def find_access(request: Any) -> Access:
        principal = Principal(key_id="local", kind="user", user=user)
        return Access(principal=principal, user=user, collection=collection, services=bus)

    return build_server(find_access, settings or McpSettings(groups="refine"))


@asynccontextmanager
async def over_http(url: str, key: str, mode: str, path: str = "/mcp") -> AsyncIterator[Any]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as web,
        Client(streamable_http_client(url + path, http_client=web), mode=mode) as client,
    ):
        yield client


@pytest.fixture
def connect(bus: MemoryBus, served: Served, way: Way) -> Open:
    """Opens a client of a user (and collection), in the way that the test runs in."""
    place, _, era = way.partition(", ")

    @asynccontextmanager
    async def open_client(user: str, collection: str = "default") -> AsyncIterator[Any]:
        if place == "in process":
            async with Client(in_process(bus, user, collection=collection), mode=MODES[era]) as client:
                yield client
        else:
            path = "/mcp" if collection == "default" else f"/mcp/{collection}"
            async with over_http(served.url, served.key(user), MODES[era], path) as client:
                yield client

    return open_client
