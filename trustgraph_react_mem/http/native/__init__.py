"""The native REST interface, ``/v1/memories`` and others, with health and its OpenAPI document."""

from aiohttp import web

from ..guards import mark
from . import configuration, explaining, health, management, memories, records
from .openapi import handler
from .routing import Route

ROUTES: list[Route] = [
    *explaining.ROUTES,
    *memories.ROUTES,
    *records.ROUTES,
    *management.ROUTES,
    *configuration.ROUTES,
    *health.ROUTES,
]


def routes() -> list[web.RouteDef]:
    shown = mark(credential="on-network")(handler(ROUTES))
    return [*(each for route in ROUTES for each in route.definitions()), web.RouteDef("GET", "/openapi.json", shown, {})]
