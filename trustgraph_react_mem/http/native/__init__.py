"""The native REST interface, ``/v1/memories`` and others, with health and its OpenAPI document."""

from aiohttp import web

from ..guards import mark
from . import configuration, explaining, health, management, memories, records
from .openapi import handler
from .routing import Route

MODULES = (explaining, memories, records, management, configuration, health)
ROUTES: list[Route] = [route for module in MODULES for route in module.ROUTES]


def routes() -> list[web.RouteDef]:
    shown = mark(credential="on-network")(handler(ROUTES))
    return [*(each for route in ROUTES for each in route.definitions()), web.RouteDef("GET", "/openapi.json", shown, {})]
