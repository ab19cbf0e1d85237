"""Puts the listener together: the routes of all interfaces, who calls, and errors."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from ..errors import MemoryServiceError
from ..memory.trust.owner_seal import OwnerSeal
from .access import Access, Buses, choose_collection, choose_user
from .principal import Principal
from .problems import problem
from .telemetry_middleware import measure_first_byte, observe_requests


class Authenticate(Protocol):
    """Finds who sends a request.  Raises: NotAuthenticated."""

    async def __call__(self, request: web.Request) -> Principal: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """What all handlers share: ``request.app[LISTENER]``."""

    buses: Buses
    authenticate: Authenticate
    seal: OwnerSeal | None = None


LISTENER: web.AppKey[Listener] = web.AppKey("listener", Listener)
PRINCIPAL = "principal"  # of a request, once it is known


async def principal_of(request: web.Request) -> Principal:
    """Raises: NotAuthenticated."""
    known: Principal | None = request.get(PRINCIPAL)
    if known is None:
        known = request[PRINCIPAL] = await request.app[LISTENER].authenticate(request)
    return known


async def access_of(request: web.Request, *, user: str = "", collection: str = "", flow: str = "") -> Access:
    """The memory that a request may reach.

    ``user``, ``collection``: named in the body or the path; where they are empty, the headers ``X-Memory-User`` and
    ``X-Memory-Collection`` count.  ``flow``: whose services are called; default: the listener's.

    Raises: NotAuthenticated, NotPermitted, BadRequest (no user), EngineUnavailable.
    """
    listener, principal = request.app[LISTENER], await principal_of(request)
    return Access(
        principal=principal,
        user=choose_user(principal, user or request.headers.get("X-Memory-User", "")),
        collection=choose_collection(principal, collection or request.headers.get("X-Memory-Collection", "")),
        services=await listener.buses.open(principal.workspace, flow),
        seal=listener.seal,
    )


@web.middleware
async def answer_errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except MemoryServiceError as error:
        return problem(error)


def make_application(listener: Listener, routes: Iterable[web.AbstractRouteDef]) -> web.Application:
    app = web.Application(middlewares=[observe_requests, answer_errors])
    app.on_response_prepare.append(measure_first_byte)
    app[LISTENER] = listener
    app.add_routes(routes)
    return app
