"""The listener itself: hosts and origins, limits, clients that send or read nothing, and its end."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.errors import BadRequest, MemoryServiceError
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import ANSWERS, Authenticate, Listener, make_application
from trustgraph_react_mem.http.guards import errors_as
from trustgraph_react_mem.http.identity import Identity
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.http.limits import once
from trustgraph_react_mem.http.principal import SCOPE
from trustgraph_react_mem.http.server import HttpServer
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.memory.scope import Scope

CANARY = "Qzx7731"
MEMORY = Scope(workspace="default", user="ana", collection="default")


class Routes:
    """Handlers that show what the guards let through."""

    def __init__(self) -> None:
        self.runs = 0
        self.go_on = asyncio.Event()

    async def echo(self, request: web.Request) -> web.Response:
        self.runs += 1
        return web.json_response({"size": len(await request.read()), "run": self.runs})

    async def wait(self, request: web.Request) -> web.Response:
        self.runs += 1
        await self.go_on.wait()
        return web.json_response({"run": self.runs})

    async def fail(self, request: web.Request) -> web.Response:
        raise ValueError(f"what {CANARY} said")

    async def break_off(self, request: web.Request) -> web.StreamResponse:
        begun = web.StreamResponse()
        await begun.prepare(request)
        await begun.write(b"begun")
        raise ValueError(CANARY) if "bug" in request.query else BadRequest(CANARY)

    async def big(self, request: web.Request) -> web.Response:
        return web.Response(body=b"x" * 64 * 2**20)

    def table(self) -> list[web.RouteDef]:
        def shape(error: MemoryServiceError, request_id: str) -> web.Response:
            return web.json_response({"error": {"message": str(error)}}, status=418)

        async def shaped(request: web.Request) -> web.Response:
            raise BadRequest("no")

        async def repeated(request: web.Request) -> web.Response:
            return await self.wait(request)

        async def remembered(request: web.Request) -> web.Response:
            request[SCOPE] = MEMORY
            await self.wait(request)
            return web.json_response({"text": CANARY})

        return [
            web.post("/echo", self.echo),
            web.get("/echo", self.echo),
            web.delete("/echo", self.echo),
            web.get("/wait", self.wait),
            web.post("/once", once(repeated)),
            web.post("/remembered", once(remembered)),
            web.get("/fail", self.fail),
            web.get("/breaks", self.break_off),
            web.get("/big", self.big),
            web.post("/shaped", errors_as(shape)(shaped)),
        ]


class Site:
    """``async with Site(folder, max_body=...) as site``: a listener without a bus, and one key."""

    def __init__(self, folder: Path, authenticate: Authenticate | None = None, **settings: Any) -> None:
        keys = KeyFile(folder / "data")
        self.key = keys.create("user", user="ana")[1]
        self.routes = Routes()
        chosen = HttpSettings(port=0, **settings)
        listener = Listener(
            buses=Buses(BusAddress(url="pulsar://127.0.0.1:1")),
            authenticate=authenticate or Identity(keys.resolve),
            settings=chosen,
        )
        self.app = make_application(listener, self.routes.table())
        self.server = HttpServer(self.app, chosen, grace_s=30)

    async def __aenter__(self) -> "Site":
        await self.server.__aenter__()
        self.session = aiohttp.ClientSession(self.server.url, headers={"Authorization": f"Bearer {self.key}"})
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()
        await self.server.__aexit__()

    @property
    def port(self) -> int:
        return int(self.server.url.rpartition(":")[2])

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:8850"}, 200),
        ({"Host": "[::1]:8850"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "[broken"}, 403),
        ({"Host": "memory.example"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[broken"}, 403),
        ({"Origin": "https://app.example"}, 200),
        ({"Host": "localhost:8850", "Origin": "http://localhost:8850"}, 200),
        ({"Host": "localhost:8850", "Origin": "http://localhost:9999"}, 403),
    ],
)
async def test_foreign_hosts_and_pages_are_refused(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    async with Site(tmp_path, hosts="memory.example", origins="https://app.example") as site:
        async with site.session.get("/echo", headers=headers) as answer:
            assert answer.status == status
            allowed = answer.headers.get("Access-Control-Allow-Origin")
        assert allowed == ("https://app.example" if headers.get("Origin") == "https://app.example" else None)
        assert site.routes.runs == (status == 200)


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_the_limit_is_413(tmp_path: Path, declared: bool) -> None:
    async def pieces() -> Any:
        for _ in range(20):
            yield b"x" * 1024

    async with Site(tmp_path, max_body=4096) as site:
        body: Any = b"x" * 20_480 if declared else pieces()
        async with site.session.post("/echo", data=body) as answer:
            assert answer.status == 413
            assert "4096" in (await answer.json())["detail"]
        async with site.session.post("/echo", data=b"x" * 4096) as answer:
            assert (await answer.json())["size"] == 4096


async def test_connections_beyond_the_limit_are_told_to_come_later(tmp_path: Path) -> None:
    async with Site(tmp_path, max_connections=2) as site:
        async with site.session.get("/echo") as answer:
            assert answer.status == 200
        held = await site.connect()
        reader, writer = await site.connect()
        answer_text = await asyncio.wait_for(reader.read(), 60)
        assert answer_text.startswith(b"HTTP/1.1 503")
        assert b"Retry-After: 5\r\n" in answer_text
        head, _, body = answer_text.partition(b"\r\n\r\n")
        assert f"Content-Length: {len(body)}".encode() in head
        assert json.loads(body)["status"] == 503
        held[1].close()
        writer.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no limit for readers that stand still")
async def test_a_client_that_reads_nothing_loses_its_connection(tmp_path: Path) -> None:
    async with Site(tmp_path, send_timeout_s=1.0) as site:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", site.port))
        slow.sendall(f"GET /big HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {site.key}\r\n\r\n".encode())
        server = site.server.runner.server
        assert server is not None
        async with asyncio.timeout(120):
            while not server.connections:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.05)
            while server.connections:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        slow.close()


async def test_a_failure_is_answered_and_logged_without_its_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with Site(tmp_path) as site, site.session.get("/fail") as answer:
        assert answer.status == 500
        assert CANARY not in await answer.text()
    assert CANARY not in caplog.text
    assert site.key not in caplog.text
    assert "ValueError" in caplog.text


async def test_a_key_that_calls_too_often_is_told_when_to_call_again(tmp_path: Path) -> None:
    async with Site(tmp_path, rate_limit=2) as site:
        left = []
        for _ in range(2):
            async with site.session.get("/echo") as answer:
                assert answer.headers["X-RateLimit-Limit"] == "2"
                left.append(int(answer.headers["X-RateLimit-Remaining"]))
        assert left == [1, 0]
        async with site.session.get("/echo") as answer:
            assert answer.status == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= 30
            assert answer.headers["X-RateLimit-Remaining"] == "0"


@pytest.mark.parametrize("query", ["", "?bug"])
async def test_a_stream_that_breaks_off_has_no_second_answer_in_it(tmp_path: Path, query: str) -> None:
    async with Site(tmp_path) as site:
        reader, writer = await site.connect()
        writer.write(f"GET /breaks{query} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {site.key}\r\n\r\n".encode())
        async with asyncio.timeout(60):
            answer = await reader.read()
        writer.close()
        assert answer.count(b"HTTP/1.1") == 1
        assert b"begun" in answer
        assert CANARY.encode() not in answer


async def test_two_equal_requests_at_the_same_time_run_once(tmp_path: Path) -> None:
    async with Site(tmp_path) as site:
        sent = {"Idempotency-Key": "k"}

        async def send() -> Any:
            async with site.session.post("/once", data=b"same", headers=sent) as answer:
                return await answer.json()

        both = [asyncio.create_task(send()) for _ in range(2)]
        async with asyncio.timeout(60):
            while not site.routes.runs:  # noqa: ASYNC110 - until the first has begun
                await asyncio.sleep(0.01)
        site.routes.go_on.set()
        assert await asyncio.gather(*both) == [{"run": 1}, {"run": 1}]
        async with site.session.post("/once", data=b"same", headers={"Idempotency-Key": "x" * 256}) as answer:
            assert answer.status == 400


@pytest.mark.parametrize("while_running", [True, False])
async def test_what_was_answered_is_forgotten_with_what_was_erased(tmp_path: Path, while_running: bool) -> None:
    async with Site(tmp_path) as site:

        async def send() -> tuple[int, str]:
            async with site.session.post("/remembered", headers={"Idempotency-Key": "k"}) as answer:
                return answer.status, await answer.text()

        running = asyncio.create_task(send())
        async with asyncio.timeout(60):
            while not site.routes.runs:  # noqa: ASYNC110 - until it has begun
                await asyncio.sleep(0.01)
        if while_running:
            site.app[ANSWERS].forget(MEMORY)
        site.routes.go_on.set()
        assert (await running)[0] == 200
        if not while_running:
            assert CANARY in (await send())[1]
            site.app[ANSWERS].forget(MEMORY)
        status, text = await send()
        assert (status, CANARY in text, site.routes.runs) == (410, False, 1)


async def test_a_running_request_is_finished_when_the_listener_ends(tmp_path: Path) -> None:
    site = Site(tmp_path)
    await site.__aenter__()
    running = asyncio.create_task(_get(site, "/wait"))
    async with asyncio.timeout(60):
        while not site.routes.runs:  # noqa: ASYNC110 - until it has begun
            await asyncio.sleep(0.01)
    ending = asyncio.create_task(site.server.__aexit__())
    await asyncio.sleep(0)
    site.routes.go_on.set()
    assert await running == 200
    await ending
    with pytest.raises(aiohttp.ClientConnectionError):
        await _get(site, "/echo")
    await site.session.close()


async def _get(site: Site, path: str) -> int:
    async with site.session.get(path) as answer:
        return answer.status


async def test_a_deletion_whose_body_is_not_read_is_refused(tmp_path: Path) -> None:
    async with Site(tmp_path) as site:
        for body, status in ((b'{"agent_id": "one"}', 400), (b"", 200), (b" {} ", 200)):
            async with site.session.delete("/echo", data=body) as answer:
                assert answer.status == status, body
        assert site.routes.runs == 2
