"""Puts the listener together: the routes of all interfaces, who calls, limits and errors."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from ..errors import BadRequest, MemoryServiceError, NotAuthenticated, NotPermitted
from ..memory.trust.owner_seal import OwnerSeal
from . import guards
from .access import Access, Buses, choose_collection, choose_user
from .events.hub import EventHub
from .guards import SETTINGS, SILENT, Credential, Handler, response_headers
from .keys import ApiKey
from .limits import Answers, Rates
from .principal import PRINCIPAL, SCOPE, Principal, named_collection
from .settings import HttpSettings, is_loopback
from .telemetry_middleware import measure_first_byte, observe_requests
from .ui.sessions import Sessions

Authenticate = Callable[[web.Request], Awaitable[Principal]]
"""Finds who sends a request.  Raises: NotAuthenticated."""
EnterWorkspace = Callable[[Principal, str], Awaitable[Principal]]
"""The caller in another workspace that the request names.  Raises: NotPermitted, EngineUnavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """What all handlers share: ``request.app[LISTENER]``."""

    buses: Buses
    authenticate: Authenticate
    seal: OwnerSeal | None = None
    settings: HttpSettings = field(default_factory=HttpSettings)
    events: EventHub = field(default_factory=EventHub)
    enter_workspace: EnterWorkspace | None = None
    sessions: Sessions = field(default_factory=Sessions)
    list_keys: Callable[[], Sequence[ApiKey]] = tuple

    def trusted_user(self, request: web.Request) -> str:
        """The user that the headers of gateways name, "" if none does.  Only their presence is checked, not the right to them.

        Raises: BadRequest (several users).
        """
        headers = self.settings.user_headers
        named = {given.strip() for name in headers for given in request.headers.getall(name, [])} - {""}
        if len(named) > 1:
            raise BadRequest("the headers of the request name several users: send one of " + ", ".join(headers))
        return named.pop() if named else ""

    async def still_admits(self, request: web.Request) -> bool:
        """False once the credential was revoked or has expired.  Of a check that fails for another reason, nothing is known."""
        try:
            await self.authenticate(request)
        except MemoryServiceError as error:
            return not isinstance(error, NotAuthenticated)
        return True


LISTENER: web.AppKey[Listener] = web.AppKey("listener", Listener)
ANSWERS: web.AppKey[Answers] = web.AppKey("answers", Answers)
RATES: web.AppKey[Rates] = web.AppKey("rates", Rates)
ANY_USER = "*"  # mem0: the request names none


async def principal_of(request: web.Request) -> Principal:
    """Raises: NotAuthenticated."""
    known = request.get(PRINCIPAL)
    if known is None:
        listener = request.app[LISTENER]
        known = await listener.authenticate(request)
        workspace = request.headers.get("X-Memory-Workspace", known.workspace)
        if workspace != known.workspace:
            if listener.enter_workspace is None:
                raise NotPermitted(f"the key {known.key_id} may not use the workspace {workspace[:60]!r}: leave it out")
            known = await listener.enter_workspace(known, workspace)
        request[PRINCIPAL] = known
    return known


async def access_of(request: web.Request, *, user: str = "", collection: str = "", flow: str = "") -> Access:
    """The memory that a request may reach.

    ``user``, ``collection``: named in the body or the path.  A trusted header may name the user too
    (``Listener.trusted_user``), and ``user_id`` of the query, on every route; ``X-Memory-Collection`` may name the collection.
    ``flow``: whose services are called; default: the listener's.  A header of the answer says if reading is switched off.

    Raises: NotAuthenticated, NotPermitted, BadRequest (no user, or different ones), EngineUnavailable.
    """
    listener, principal = request.app[LISTENER], await principal_of(request)
    in_query = [name for given in request.query.getall("user_id", []) if (name := given.strip()) != ANY_USER]

    def note(response: object) -> None:
        """So that a client does not try again."""
        if getattr(response, "stats", {}).get("read") == "off":
            response_headers(request)["X-Memory-Read"] = "off"

    access = Access(
        principal=principal,
        user=choose_user(principal, user, listener.trusted_user(request), *in_query),
        collection=choose_collection(principal, collection or named_collection(request)),
        services=await listener.buses.open(principal.workspace, flow),
        seal=listener.seal,
        heard=note,
    )
    request[SCOPE] = access.scope
    return access


@web.middleware
async def check_credential(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Lets holders of a credential through, at the rate that each may have."""
    if request.match_info.http_exception is not None:  # no such route: nothing to protect
        return await handler(request)
    kind: Credential = getattr(request.match_info.handler, "credential", "required")
    on_loopback = request.app[LISTENER].settings.is_loopback  # a proxy before it decides who may connect
    if kind == "own" or (kind == "on-network" and (on_loopback or _is_local(request))):
        return await handler(request)
    request.app[RATES].take(request, await principal_of(request))
    return await handler(request)


def _is_local(request: web.Request) -> bool:
    """Whether a program of this machine sent the request, such as the health check of a container."""
    forwarded = any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "X-Real-IP"))
    return is_loopback(request.remote or "") and not forwarded


def make_application(
    listener: Listener,
    routes: Iterable[web.AbstractRouteDef],
    contexts: Iterable[Callable[[web.Application], AsyncIterator[None]]] = (),
) -> web.Application:
    """An application whose handlers run behind all checks.  The body of a request is read before its handler runs.

    ``contexts``: what interfaces open at the start and close at the end (``web.Application.cleanup_ctx``).
    """
    settings, answers = listener.settings, Answers(listener.trusted_user)
    checks = observe_requests, guards.name_request, guards.answer_errors, guards.check_origin, check_credential
    app = web.Application(
        middlewares=[*checks, guards.read_bodies, answers.guard],
        client_max_size=settings.max_body,
    )
    app[LISTENER], app[SETTINGS] = listener, settings
    app[ANSWERS], app[RATES], app[SILENT] = answers, Rates(settings.rate_limit), set()
    app.on_shutdown.append(lambda _: listener.events.close())
    app.cleanup_ctx.extend(contexts)
    app.on_response_prepare.extend([guards.add_headers, measure_first_byte])
    app.add_routes(routes)
    return app
