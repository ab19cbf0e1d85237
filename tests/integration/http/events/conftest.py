"""One embedded stack, and a listener over it with keys of two people, a gateway and a reader."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import NotAuthenticated
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import Listener, make_application
from trustgraph_react_mem.http.events.hub import EventHub, EventLimits
from trustgraph_react_mem.http.events.routes import routes
from trustgraph_react_mem.http.identity import Identity
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.models.chat import ChatPiece, ChatRequest
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing import Rule, ScriptedModel
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

PATIENCE_S = 60.0
Message = dict[str, Any]

KEYS = {
    "ann-key": Principal(key_id="ann", kind="user", user="ann"),
    "bob-key": Principal(key_id="bob", kind="user", user="bob"),
    "reader-key": Principal(key_id="reader", kind="user", user="ann", writes=False),
    "gateway-key": Principal(key_id="gateway", kind="service"),
}


class Site:
    """A listener.  ``revoked``: keys that are no longer valid."""

    def __init__(self, stack: EmbeddedStack, limits: EventLimits | None = None, **settings: Any) -> None:
        self.stack = stack
        self.revoked: set[str] = set()
        self.buses = Buses(stack.address)
        self.hub = EventHub(limits)
        chosen = HttpSettings(**settings)
        listener = Listener(buses=self.buses, authenticate=Identity(self._resolve), events=self.hub, settings=chosen)
        self._server = TestServer(make_application(listener, routes()))
        self.session = aiohttp.ClientSession()

    async def _resolve(self, credential: str) -> Principal | None:
        if credential in self.revoked:
            raise NotAuthenticated("the key was revoked")
        return KEYS.get(credential)

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    async def __aenter__(self) -> "Site":
        await self._server.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()
        await self._server.close()
        await self.buses.close()

    @contextlib.asynccontextmanager
    async def socket(self, key: str = "ann-key", path: str = "/v1/socket", **more: Any) -> AsyncIterator["Socket"]:
        """An open socket, authenticated if ``key`` is not empty."""
        async with self.session.ws_connect(self.url + path, **more) as opened:
            socket = Socket(opened)
            if key:
                await opened.send_json({"type": "auth", "token": key})
                assert (await socket.receive()) == {"type": "auth-ok", "default_workspace": "default"}
            yield socket

    @contextlib.asynccontextmanager
    async def stream(self, key: str = "ann-key", query: str = "", **headers: str) -> AsyncIterator["Stream"]:
        sent = {"Authorization": f"Bearer {key}", **headers}
        async with self.session.get(f"{self.url}/v1/events{query}", headers=sent) as response:
            assert response.status == 200, await response.text()
            stream = Stream(response)
            assert await stream.line() == "retry: 3000"
            yield stream


class Socket:
    def __init__(self, opened: aiohttp.ClientWebSocketResponse) -> None:
        self.raw = opened

    async def receive(self) -> Message:
        found: Message = await self.raw.receive_json(timeout=PATIENCE_S)
        return found

    async def send(self, frame_id: Any, service: str, request: Any, **more: Any) -> None:
        await self.raw.send_json({"id": frame_id, "service": service, "request": request, **more})

    async def ask(self, service: str, request: Any, **more: Any) -> Message:
        """The only reply to a request."""
        await self.send("only", service, request, **more)
        reply = await self.receive()
        assert reply["id"] == "only"
        assert reply["complete"] is True
        return reply

    async def until(self, **wanted: Any) -> Message:
        """The first event with these values."""
        while True:
            response: Message = (await self.receive()).get("response", {})
            if wanted.items() <= response.items():
                return response

    async def closed(self) -> tuple[int | None, str]:
        """The code and the reason with which the server closes; messages before are dropped."""
        while True:
            message = await self.raw.receive(timeout=PATIENCE_S)
            if message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
                return self.raw.close_code, str(message.extra or "")


class Stream:
    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def line(self) -> str:
        async with asyncio.timeout(PATIENCE_S):
            return (await self._response.content.readline()).decode().rstrip("\n")

    async def events(self) -> AsyncIterator[Message]:
        fields: Message = {}
        while True:
            line = await self.line()
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                yield {**fields, "data": json.loads(fields["data"])}
                fields = {}

    async def until(self, **wanted: Any) -> Message:
        async for event in self.events():
            if wanted.items() <= event["data"].items():
                return event
        raise AssertionError("unreachable")


def short(**more: Any) -> EventLimits:
    return replace(EventLimits(), **more)


class HeldModel(ScriptedModel):
    """Answers a prompt with the word HELD only once ``released`` is set."""

    def __init__(self) -> None:
        super().__init__([Rule(when="HELD", answer="Thought: done.\nFinal Answer: done.")])
        self.released = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        if "HELD" in request.prompt:
            await self.released.wait()
        async for piece in super().stream(request):
            yield piece


@pytest.fixture(scope="module")
def model() -> HeldModel:
    return HeldModel()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(tmp_path_factory: Any, model: HeldModel) -> AsyncIterator[EmbeddedStack]:
    home = tmp_path_factory.mktemp("events")
    settings = StoreSettings(keys=home / "keys")
    async with EmbeddedStack(home / "data", model=model, embeddings=HashedEmbedder(), settings=settings) as stack:
        yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(stack: EmbeddedStack) -> AsyncIterator[Site]:
    async with Site(stack) as site:
        yield site
