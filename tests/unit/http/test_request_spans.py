"""Which requests have a span of their own."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from opentelemetry.trace import INVALID_SPAN

from trustgraph_react_mem.http import telemetry_middleware


@pytest.mark.parametrize("upgrade", ["h2c", ""])
async def test_every_request_has_a_span(monkeypatch: pytest.MonkeyPatch, upgrade: str) -> None:
    """Java's client offers ``h2c`` with each first request."""
    begun: list[str] = []

    @contextlib.contextmanager
    def span(name: str, *_: Any, **__: Any) -> Iterator[Any]:
        begun.append(name)
        yield INVALID_SPAN

    async def answer(request: web.Request) -> web.Response:
        return web.Response()

    monkeypatch.setattr(telemetry_middleware, "span", span)
    app = web.Application(middlewares=[telemetry_middleware.observe_requests])
    app.router.add_get("/x", answer)
    async with TestClient(TestServer(app)) as client:
        response = await client.get("/x", headers={"Upgrade": upgrade, "Connection": "Upgrade"} if upgrade else {})
        assert response.status == 200
    assert begun == ["GET /x"]
