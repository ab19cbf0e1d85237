"""`/health/live`, `/health/ready`, `/version` and `/metrics`."""

import asyncio

import prometheus_client
from aiohttp import web

from ... import __version__
from ...bus.external_client import CHECK_TIMEOUT_S, PROBES
from ...errors import MemoryServiceError
from ..access import Buses
from ..application import LISTENER
from . import answers
from .routing import Answer, Routes, answer_of

ROUTES = Routes()


@ROUTES.route("GET", "/health/live", tag="health", credential="on-network")
async def live() -> answers.Health:
    """Whether the listener runs."""
    return answers.Health(status="live")


@ROUTES.route("GET", "/health/ready", tag="health", answers={200: answers.Health, 503: answers.Health}, credential="on-network")
async def ready(request: web.Request) -> Answer:
    """Whether all services answer, and which do not."""
    parts = await _ask(request.app[LISTENER].buses)
    works = all(state == "ok" for state in parts.values())
    return answer_of(answers.Health(status="ready" if works else "not ready", parts=parts), 200 if works else 503)


async def _ask(buses: Buses) -> dict[str, str]:
    """Part -> "ok", or the kind of its error."""

    async def state(name: str) -> str:
        try:
            await services.call(PROBES[name], CHECK_TIMEOUT_S)
        except MemoryServiceError as error:
            return error.wire_type
        return "ok"

    try:
        services = await buses.open("default")
    except MemoryServiceError as error:
        return {"bus": error.wire_type}
    return {"bus": "ok", **dict(zip(PROBES, await asyncio.gather(*map(state, PROBES)), strict=True))}


@ROUTES.route("GET", "/version", tag="health", credential="on-network")
async def version() -> answers.Version:
    """The version of the program and of this interface."""
    return answers.Version(version=__version__)


@ROUTES.route("GET", "/metrics", tag="health", answers={200: None}, answer_type="text/plain", credential="on-network")
async def metrics() -> Answer:
    """Metrics of this process for Prometheus."""
    text = await asyncio.to_thread(prometheus_client.generate_latest)
    return web.Response(body=text, headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST})
