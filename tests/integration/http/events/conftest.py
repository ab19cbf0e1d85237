"""One embedded stack, and a listener over it with keys of two people, a gateway and a reader."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest_asyncio
from aiohttp.test_utils import TestServer

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import NotAuthenticated
from trustgraph_react_mem.http import native
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import Listener, make_application
from trustgraph_react_mem.http.events.hub import EventHub
from trustgraph_react_mem.http.events.stream import routes as event_routes
from trustgraph_react_mem.http.identity import Identity
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.http.ui.routes import routes as ui_routes
from trustgraph_react_mem.testing import ScriptedModel

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

    def __init__(self, stack: EmbeddedStack, hub: EventHub | None = None, **settings: Any) -> None:
        self.stack = stack
        self.revoked: set[str] = set()
        self.buses = Buses(stack.address)
        self.hub = hub or EventHub()
        chosen = HttpSettings(**settings)
        listener = Listener(buses=self.buses, authenticate=Identity(self._resolve), events=self.hub, settings=chosen)
        self._server = TestServer(make_application(listener, [*event_routes(), *native.routes(), *ui_routes()]))
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

    async def call(self, method: str, path: str, body: Message | None = None, key: str = "ann-key") -> Message:
        """The JSON of a successful answer."""
        headers = {"Authorization": f"Bearer {key}"}
        async with self.session.request(method, self.url + path, json=body, headers=headers) as response:
            found: Message = await response.json(content_type=None)
            assert response.status < 300, found
            return found

    async def store(self, text: str, key: str = "ann-key", **more: Any) -> str:
        """Store a memory.  Returns its id."""
        stored = await self.call("POST", "/v1/memories", {"text": text, "infer": False, **more}, key)
        return str(stored["results"][0]["id"])

    async def ask(self, question: str, key: str = "ann-key", query: str = "", **more: Any) -> list[Message]:
        """The messages of the agent's answer."""
        sent, headers = {"question": question, **more}, {"Authorization": f"Bearer {key}"}
        async with self.session.post(f"{self.url}/ui/ask{query}", json=sent, headers=headers) as response:
            assert response.status == 200, await response.text()
            return [json.loads(line.removeprefix("data: ")) for line in (await response.text()).split("\n\n") if line]

    @contextlib.asynccontextmanager
    async def stream(self, key: str = "ann-key", query: str = "", **headers: str) -> AsyncIterator["Stream"]:
        sent = {"Authorization": f"Bearer {key}", **headers}
        async with self.session.get(f"{self.url}/v1/events{query}", headers=sent) as response:
            assert response.status == 200, await response.text()
            stream = Stream(response)
            assert await stream.line() == "retry: 3000"
            yield stream


class Stream:
    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def line(self) -> str:
        async with asyncio.timeout(PATIENCE_S):
            return (await self._response.content.readline()).decode().rstrip("\n")

    async def rest(self) -> str:
        return (await self._response.content.read()).decode()

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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(tmp_path_factory: Any) -> AsyncIterator[EmbeddedStack]:
    async with plain_stack(tmp_path_factory.mktemp("events"), ScriptedModel([])) as stack:
        yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(stack: EmbeddedStack) -> AsyncIterator[Site]:
    async with Site(stack) as site:
        yield site
