"""`/ui/`: the page, `/ui/session`, where a browser signs in and out, and `/ui/ask`, where the page asks the agent.

Only names that the manifest of the bundle lists are served, so a path cannot name another file.  `make ui` makes the bundle.

Source of the messages of `/ui/ask`: trustgraph-flow 2.11.1, ``messaging/translators/agent.py``.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from trustgraph.messaging import TranslatorRegistry

from ...bus.client_specs import raise_error
from ...errors import MemoryServiceError, NotAuthenticated, NotFound
from ...schema import AgentRequest
from ..application import LISTENER, access_of
from ..events.stream import EventStream, encode_event
from ..guards import mark
from ..identity import credential_of
from ..native.models import Model, Name, Text
from ..native.routing import read_body
from .sessions import LIFE_S, UiSession, cookie_name

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
YEAR_S = 31_536_000


def routes() -> list[web.RouteDef]:
    return [
        web.get("/ui", to_page),
        web.get("/ui/session", show_session),
        web.post("/ui/session", sign_in),
        web.delete("/ui/session", sign_out),
        web.post("/ui/ask", ask),
        web.get("/ui/{path:.*}", show_file),
    ]


@mark(credential="own")
async def to_page(request: web.Request) -> web.StreamResponse:
    return web.Response(status=308, headers={"Location": "/ui/", **HEADERS})


@mark(credential="own")
async def show_file(request: web.Request) -> web.StreamResponse:
    """A file of the page, and the page itself for the addresses of its panes.  Raises: NotFound."""
    files, name = static_files(), request.match_info["path"]
    if name not in files:
        if "." in name:
            raise NotFound(f"the page has no file {name[:60]!r}")
        name = INDEX
    named_by_content = name.startswith("app-")
    response = web.Response(
        body=files[name],
        content_type=TYPES[name[name.rindex(".") :]],
        charset="utf-8",
        headers={
            **HEADERS,
            "Vary": "Accept-Encoding",
            "Cache-Control": f"public, max-age={YEAR_S}, immutable" if named_by_content else "no-cache",
        },
    )
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    return response


@mark(credential="own")
async def sign_in(request: web.Request) -> web.StreamResponse:
    """Exchange the secret of a link, or a user key, for a cookie.  Raises: NotAuthenticated, EngineUnavailable."""
    listener, secret = request.app[LISTENER], credential_of(request)
    link = listener.sessions.redeem(secret)
    if link is not None:
        token, session = listener.sessions.open(request, link.principal)
    else:
        token, session = listener.sessions.open(request, await listener.authenticate(request), secret)
    response = _describe(session)
    response.set_cookie(
        cookie_name(request),
        token,
        path="/",
        max_age=LIFE_S,
        httponly=True,
        samesite="Strict",
        secure=urlsplit(request.headers.get("Origin", "")).scheme == "https",
    )
    return response


@mark(credential="own")
async def show_session(request: web.Request) -> web.StreamResponse:
    """Raises: NotAuthenticated, NotPermitted."""
    session = request.app[LISTENER].sessions.of(request)
    if session is None:
        raise NotAuthenticated("this browser is not signed in: `react-mem ui` opens the page with a link that signs in")
    await request.app[LISTENER].authenticate(request)
    return _describe(session)


async def sign_out(request: web.Request) -> web.StreamResponse:
    request.app[LISTENER].sessions.close(request)
    response = web.Response(status=204)
    response.del_cookie(cookie_name(request), path="/")
    return response


def _describe(session: UiSession) -> web.Response:
    who = session.principal
    return web.json_response(
        {
            "user": who.user,
            "workspace": who.workspace,
            "collections": list(who.collections),
            "writes": who.writes,
            "csrf": session.csrf,
            "expires_at": session.expires_at,
        },
        headers=HEADERS,
    )


INDEX = "index.html"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}


@cache
def static_files() -> dict[str, bytes]:
    """Name -> content.  Raises: NotFound (the package was installed from a checkout without the bundle)."""
    folder = files("trustgraph_react_mem") / "ui" / "static"
    try:
        names = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
        return {name: (folder / name).read_bytes() for name in names}
    except OSError:
        raise NotFound("the web page is not part of this installation: run `make ui` in the checkout") from None


class Question(Model):
    question: Text
    conversation_id: Name = ""


async def ask(request: web.Request) -> web.StreamResponse:
    """Body: ``{"question", "conversation_id"}``.  Each event is a message of the agent, or ``{"error": {"message", "code"}}``.

    Raises: BadRequest, NotAuthenticated, NotPermitted, TooManyConnections, and before the first event what the agent reports.
    """
    access, body = await access_of(request), await read_body(request, Question)
    asked = AgentRequest(question=body.question, conversation_id=body.conversation_id, streaming=True)
    stream, encoder = EventStream(request), TranslatorRegistry.get_response_translator("agent")
    with request.app[LISTENER].events.connect(access.principal), contextlib.suppress(ConnectionError):
        async with contextlib.aclosing(access.ask(asked)) as messages:  # type: ignore[type-var]
            try:
                async for message in stream.each(messages):
                    raise_error(message.error)
                    sent: Mapping[str, Any] = encoder.encode(replace(message, error=None))  # as TrustGraph's gateway sends it
                    await stream.send(encode_event(sent))
            except MemoryServiceError as error:
                if not stream.begun:
                    raise
                await stream.send(encode_event({"error": {"message": str(error), "code": error.wire_type}}))
    return await stream.end()
