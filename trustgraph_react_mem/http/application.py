"""Puts the listener together: the routes of all interfaces, who calls, and errors."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import web

from ..errors import MemoryServiceError, NotPermitted
from ..memory.trust.owner_seal import OwnerSeal
from .access import Access, Buses, choose_collection, choose_user
from .events.hub import EventHub
from .identity import TrustedUser
from .principal import Principal
from .problems import problem


class Authenticate(Protocol):
    """Finds who sends a request.  Raises: NotAuthenticated."""

    async def __call__(self, request: web.Request) -> Principal: ...


EnterWorkspace = Callable[[Principal, str], Awaitable[Principal]]
"""The caller in another workspace that the request names.  Raises: NotPermitted, EngineUnavailable."""


async def refuse_workspace(principal: Principal, workspace: str) -> Principal:
    raise NotPermitted(f"the key {principal.key_id} may not use the workspace {workspace[:60]!r}: leave the workspace out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """What all handlers share: ``request.app[LISTENER]``.  ``trusted_user``: reads the user that a gateway's header names."""

    buses: Buses
    authenticate: Authenticate
    seal: OwnerSeal | None = None
    trusted_user: Callable[[web.Request], str] = field(default_factory=TrustedUser)
    events: EventHub = field(default_factory=EventHub)
    enter_workspace: EnterWorkspace = refuse_workspace


LISTENER: web.AppKey[Listener] = web.AppKey("listener", Listener)
PRINCIPAL = "principal"  # of a request, once it is known


async def principal_of(request: web.Request) -> Principal:
    """Raises: NotAuthenticated."""
    known: Principal | None = request.get(PRINCIPAL)
    if known is None:
        listener = request.app[LISTENER]
        known = await listener.authenticate(request)
        workspace = request.headers.get("X-Memory-Workspace", known.workspace)
        if workspace != known.workspace:
            known = await listener.enter_workspace(known, workspace)
        request[PRINCIPAL] = known
    return known


async def access_of(request: web.Request, *, user: str = "", collection: str = "", flow: str = "") -> Access:
    """The memory that a request may reach.

    ``user``, ``collection``: named in the body or the path.  A trusted header may name the user too
    (``Listener.trusted_user``), and ``X-Memory-Collection`` the collection.  ``flow``: whose services are called; default: the
    listener's.

    Raises: NotAuthenticated, NotPermitted, BadRequest (no user, or different ones), EngineUnavailable.
    """
    listener, principal = request.app[LISTENER], await principal_of(request)
    return Access(
        principal=principal,
        user=choose_user(principal, user, listener.trusted_user(request)),
        collection=choose_collection(principal, collection or request.headers.get("X-Memory-Collection", "")),
        services=listener.events.observe(await listener.buses.open(principal.workspace, flow), principal.workspace),
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
    app = web.Application(middlewares=[answer_errors])
    app[LISTENER] = listener
    app.on_shutdown.append(lambda _: listener.events.close())
    app.add_routes(routes)
    return app
