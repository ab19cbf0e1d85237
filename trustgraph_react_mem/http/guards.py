"""Middleware that every request passes: its id, hosts and origins, the size and time of its body, and errors."""

import asyncio
import functools
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Literal
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.web_protocol import RequestPayloadError

from ..errors import BadRequest, MemoryServiceError, NotFound, NotPermitted, TooLarge
from ..failure_log import log_failure
from .problems import MethodNotAllowed, problem
from .settings import HttpSettings, is_loopback
from .telemetry_middleware import route_of

logger = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Credential = Literal["required", "on-network", "own"]
ErrorShape = Callable[[MemoryServiceError, str], web.Response]
"""An error and the id of the request -> the response."""

REQUEST_ID: web.RequestKey[str] = web.RequestKey("id", str)
HEADERS: web.RequestKey[dict[str, str]] = web.RequestKey("headers", dict)  # those that the response gets
_BEGUN: web.RequestKey[bool] = web.RequestKey("begun", bool)
SETTINGS: web.AppKey[HttpSettings] = web.AppKey("settings", HttpSettings)
SILENT: web.AppKey[set[asyncio.BaseProtocol]] = web.AppKey("silent", set)
"""New connections that have sent no request yet."""
_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def mark(**traits: object) -> Callable[[Handler], Handler]:
    """Decorator of a handler, whose traits the middleware looks at.

    - ``error_shape``: makes the response of an error, also of one that a middleware finds.  Default: RFC 9457.
    - ``reads_body``: it reads the body itself, with a limit of its own.
    - ``credential``: which one it needs.  ``on-network``: none from this machine itself (loopback, without a proxy in between).
      ``own``: the handler authenticates its caller itself, such as the page that signs in.  Default: ``required``.
    - ``once``: ``Idempotency-Key`` works (``limits.Answers``).
    """

    def set_traits(handler: Handler) -> Handler:
        vars(handler).update(traits)
        return handler

    return set_traits


def errors_as(shape: ErrorShape) -> Callable[[Handler], Handler]:
    return mark(error_shape=shape)


reads_body = mark(reads_body=True)


def response_headers(request: web.Request) -> dict[str, str]:
    """Headers that the response of this request gets, whatever it is.  Handlers may add some."""
    headers: dict[str, str] = request.setdefault(HEADERS, {})
    return headers


def request_id_of(request: web.Request) -> str:
    return str(request.get(REQUEST_ID, ""))


@web.middleware
async def name_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """``X-Request-ID`` in and out.  One that is too long, or has other characters than a token, is replaced."""
    request.app[SILENT].discard(request.protocol)
    given = request.headers.get("X-Request-ID", "")
    request[REQUEST_ID] = given if _ID.fullmatch(given) else secrets.token_hex(16)
    response_headers(request)["X-Request-ID"] = request[REQUEST_ID]
    return await handler(request)


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal before the headers are sent."""
    request[_BEGUN] = True
    for name, value in response_headers(request).items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Cache-Control", "no-store")  # answers hold memories


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except MemoryServiceError as error:
        return _shape(request, error)
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods))
        response_headers(request)["Allow"] = allowed
        return _shape(request, MethodNotAllowed(f"{request.method} is not possible here: use {allowed}"))
    except web.HTTPNotFound:
        return _shape(request, NotFound(f"there is no route {request.method} {request.path[:200]}: /openapi.json lists them"))
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _shape(request, BadRequest(error.reason))
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception:
        # Broad because a client must get an answer without the text of the error.
        log_failure(logger, "request %s (%s %s) failed", request_id_of(request), request.method, route_of(request))
        return _shape(request, MemoryServiceError("the request failed inside the server: report it with its request id"))


def _shape(request: web.Request, error: MemoryServiceError) -> web.Response:
    """Raises: ConnectionError (an answer has begun, so that only closing the connection tells the client)."""
    if _BEGUN in request:
        raise ConnectionError("an answer has begun already")
    shape: ErrorShape = getattr(request.match_info.handler, "error_shape", problem)
    response = shape(error, request_id_of(request))
    if request.can_read_body and not request.content.is_eof():
        response.force_close()  # rather than read the rest of a body that is not used
    return response


@web.middleware
async def check_origin(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuses requests of web pages that are not listed, and host names that an attacker's DNS may point here."""
    _check_host(request)
    origin = request.headers.get("Origin", "").lower()
    if not origin:
        return await handler(request)
    if origin in {listed.lower().rstrip("/") for listed in request.app[SETTINGS].origins}:
        headers = response_headers(request)
        headers |= {"Access-Control-Allow-Origin": origin, "Vary": "Origin", "Access-Control-Expose-Headers": "*"}
        if request.method == "OPTIONS" and request.headers.get("Access-Control-Request-Method"):
            headers |= {
                "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
                "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers", "")[:1000],
                "Access-Control-Max-Age": "600",
            }
            return web.Response(status=204)
    elif not _is_own(origin, request.headers.get("Host", "").lower()):
        raise NotPermitted(f"web pages of {origin[:100]!r} may not use this server: list it in REACT_MEM_HTTP_ORIGINS")
    return await handler(request)


def _check_host(request: web.Request) -> None:
    settings = request.app[SETTINGS]
    given, addressed = request.headers.get("Host"), _name_in(request.host)
    # A request of HTTP/1.0 may have no Host, as those of health checks: it is addressed by the address of this server.
    if given is not None and addressed != _name_in(given):  # a whole address in the first line (RFC 9112, section 3.2.2)
        raise BadRequest(f"the first line names the host {addressed[:100]!r}, the Host header {given[:100]!r}: send one name")
    known = addressed in map(str.lower, settings.hosts) or is_loopback(addressed)
    if not known and (settings.is_loopback or settings.hosts):
        named = given if given is not None else addressed
        raise NotPermitted(f"the host name {named[:100]!r} is not one of this server: list it in REACT_MEM_HTTP_HOSTS")


def _is_own(origin: str, host: str) -> bool:
    """Whether the page came from this listener.  ``null``, the origin of sandboxed pages, is of none."""
    try:
        return bool(host) and urlsplit(origin).netloc == host
    except ValueError:
        return False


@functools.lru_cache(maxsize=256)
def _name_in(authority: str) -> str:
    """Without the port.  "" for what is none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


@web.middleware
async def read_bodies(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Reads each body before its handler runs, within limits of size and time."""
    settings = request.app[SETTINGS]
    if getattr(request.match_info.handler, "reads_body", False):
        return await handler(request)
    if (request.content_length or 0) > settings.max_body:
        raise TooLarge(f"the body has {request.content_length} bytes: send at most {settings.max_body}, in several requests")
    if request.can_read_body:
        await read_within(request, settings.max_body, settings.body_timeout_s)
        said = request.method == "DELETE" and (await request.read()).strip() not in (b"", b"{}", b"null")
        if said and request.match_info.http_exception is None:  # a filter that is not read would leave a deletion of everything
            raise BadRequest(
                "the body of this DELETE is not read, and nothing was deleted: say in path and query what to delete"
            )
    return await handler(request)


async def read_within(request: web.Request, most: int, timeout_s: float) -> None:
    """Read the body.  ``most``: the limit of the request, in bytes.  Raises: BadRequest, TooLarge."""
    try:
        async with asyncio.timeout(timeout_s):
            await request.read()
    except TimeoutError:
        raise BadRequest(f"the body did not arrive within {timeout_s:g} s: send it faster") from None
    except web.HTTPRequestEntityTooLarge:
        raise TooLarge(f"the body has more than {most} bytes: send less, or raise the limit") from None
    except (RequestPayloadError, ValueError):  # what aiohttp raises if decompressing fails
        raise BadRequest("the body cannot be read: check its Content-Encoding and Transfer-Encoding") from None
