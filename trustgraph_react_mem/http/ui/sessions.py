"""Sessions of the web page: a cookie that a browser gets for a one-time link or for a key.

Invariants:
- A session reaches what its key reaches: the memory of one user.  It ends with the process, after ``LIFE_S``, or with the key.
- A cookie alone changes nothing: a request that writes must also prove that the page sends it (``csrf``).
- A cookie counts for the host name it was made for, so that a page which reached this server by another name gets no answer.
"""

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from ...errors import NotAuthenticated, NotPermitted
from ..keys import ApiKey, digest_of
from ..principal import Principal

CSRF_HEADER = "X-CSRF-Token"
LIFE_S = 12 * 3600
MOST_SESSIONS = 1000
SAFE = ("GET", "HEAD")


@dataclass(frozen=True, slots=True, kw_only=True)
class UiSession:
    """``credential``: the key that it was opened with; "" = a link.  ``host``: the Host header of the browser."""

    principal: Principal
    host: str
    expires_at: float
    credential: str = field(default="", repr=False)
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def check_page(self, request: web.Request) -> None:
        """Raises: NotPermitted (another page sends it, or it writes without ``X-CSRF-Token``)."""
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise NotPermitted("a page of another origin cannot use this session: send the request with a key")
        proved = hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), self.csrf.encode())
        if not proved and request.method not in SAFE:
            raise NotPermitted(f"a request of a session that writes needs {CSRF_HEADER}: GET /ui/session shows its value")


class Sessions:
    """The sessions of this process.  ``redeem``: the link with a secret, once (``KeyFile.redeem``)."""

    def __init__(self, redeem: Callable[[str], ApiKey | None] = lambda _: None, now: Callable[[], float] = time.time) -> None:
        self.redeem = redeem
        self._now = now
        self._open: OrderedDict[str, UiSession] = OrderedDict()  # digest of the cookie -> session, oldest first

    def open(self, request: web.Request, principal: Principal, credential: str = "") -> tuple[str, UiSession]:
        """The value of the cookie, and the session.  Raises: NotAuthenticated (the key belongs to no user)."""
        if principal.kind != "user":
            raise NotAuthenticated("this key belongs to no user, and the page shows the memory of one: sign in with a user key")
        made = UiSession(principal=principal, host=request.host.lower(), expires_at=self._now() + LIFE_S, credential=credential)
        token = secrets.token_urlsafe(32)
        self._open[digest_of(token)] = made
        if len(self._open) > MOST_SESSIONS:
            self._open.popitem(last=False)
        return token, made

    def of(self, request: web.Request) -> UiSession | None:
        """The session of a request that has no key; None if it has none, or it has ended."""
        if "Authorization" in request.headers or "X-API-Key" in request.headers:
            return None
        found = self._open.get(digest_of(request.cookies.get(cookie_name(request), "")))
        if found is None or found.host != request.host.lower() or found.expires_at <= self._now():
            return None
        return found

    def close(self, request: web.Request) -> None:
        self._open.pop(digest_of(request.cookies.get(cookie_name(request), "")), None)


def cookie_name(request: web.Request) -> str:
    """With the port, because browsers send the cookies of one port of a host to all its ports."""
    port = request.host.rpartition(":")[2]
    return f"react_mem_ui_{port if port.isdecimal() and port.isascii() else 'default'}"
