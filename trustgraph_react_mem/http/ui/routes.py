"""`/ui/`: the page, and `/ui/session`, where a browser signs in and out.  ``asking`` has `/ui/ask`."""

from urllib.parse import urlsplit

from aiohttp import web

from ...errors import NotAuthenticated, NotFound
from ..application import LISTENER, credential
from ..identity import credential_of
from .asking import ask
from .sessions import LIFE_S, UiSession, cookie_name
from .static import INDEX, static_files

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
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


@credential("own")
async def to_page(request: web.Request) -> web.StreamResponse:
    return web.Response(status=308, headers={"Location": "/ui/", **HEADERS})


@credential("own")
async def show_file(request: web.Request) -> web.StreamResponse:
    """A file of the page, and the page itself for the addresses of its panes.  Raises: NotFound."""
    files, name = static_files(), request.match_info["path"]
    found = files.get(name)
    if found is None:
        if "." in name:
            raise NotFound(f"the page has no file {name[:60]!r}")
        found = files[INDEX]
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    return web.Response(
        body=found.compressed if packed else found.content,
        content_type=found.content_type,
        charset="utf-8",
        headers={
            **HEADERS,
            **({"Content-Encoding": "gzip"} if packed else {}),
            "Vary": "Accept-Encoding",
            "Cache-Control": f"public, max-age={YEAR_S}, immutable" if found.fixed else "no-cache",
        },
    )


@credential("own")
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


@credential("own")
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
