"""`/health/live`, `/health/ready`, `/version` and `/metrics`."""

import asyncio

import prometheus_client
from aiohttp import web

from ... import __version__
from ..application import LISTENER
from . import answers, models
from .routing import Answer, Route, answer_of


async def live(request: web.Request, query: models.Empty, body: None) -> Answer:
    return answers.Health(status="live")


async def ready(request: web.Request, query: models.Empty, body: None) -> Answer:
    listener = request.app[LISTENER]
    parts = await listener.readiness.parts(listener.buses)
    works = all(state == "ok" for state in parts.values())
    return answer_of(answers.Health(status="ready" if works else "not ready", parts=parts), 200 if works else 503)


async def version(request: web.Request, query: models.Empty, body: None) -> Answer:
    return answers.Version(version=__version__)


async def metrics(request: web.Request, query: models.Empty, body: None) -> Answer:
    text = await asyncio.to_thread(prometheus_client.generate_latest)
    return web.Response(body=text, headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST})


ROUTES = [
    Route(
        method="GET",
        path="/health/live",
        summary="Whether the listener runs.",
        endpoint=live,
        tag="health",
        answers={200: answers.Health},
        credential="on-network",
    ),
    Route(
        method="GET",
        path="/health/ready",
        summary="Whether all services answer, and which do not.",
        endpoint=ready,
        tag="health",
        answers={200: answers.Health, 503: answers.Health},
        credential="on-network",
    ),
    Route(
        method="GET",
        path="/version",
        summary="The version of the program and of this interface.",
        endpoint=version,
        tag="health",
        answers={200: answers.Version},
        credential="on-network",
    ),
    Route(
        method="GET",
        path="/metrics",
        summary="Metrics of this process for Prometheus.",
        endpoint=metrics,
        tag="health",
        answers={200: None},
        answer_type="text/plain",
        credential="on-network",
    ),
]
