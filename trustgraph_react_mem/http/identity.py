"""Who sends a request: the credential decides, and for keys of gateways the user that a trusted header names.

A second kind of credential is one more ``Resolver`` in the list that ``Identity`` gets.
"""

import base64
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from aiohttp import web

from ..errors import BadRequest, NotAuthenticated
from .keys import KeyFile
from .principal import Principal
from .settings import USER_HEADERS
from .ui.sessions import Sessions

Resolver = Callable[[str], Awaitable[Principal | None]]
"""A credential -> its holder; None: it is of another kind or not valid.  Raises: EngineUnavailable (it cannot be checked)."""

SCHEMES = ("bearer", "token")

JWT_HEADER = "X-OpenWebUI-User-Jwt"
JWT_LEEWAY_S = 30.0


class Identity:
    """``await identity(request)`` is its ``Principal``.  ``sessions``: of the web page; None: there is none."""

    def __init__(self, *resolvers: Resolver, sessions: Sessions | None = None) -> None:
        self._resolvers = resolvers
        self._sessions = sessions

    async def __call__(self, request: web.Request) -> Principal:
        """Raises: NotAuthenticated, NotPermitted (not sent by the page of the session), EngineUnavailable."""
        session = self._sessions.of(request) if self._sessions is not None else None
        if session is None:
            return await self.resolve(credential_of(request))
        session.check_page(request)
        if session.credential:  # so that a revoked key ends its sessions
            return await self.resolve(session.credential)
        return session.principal

    async def resolve(self, credential: str) -> Principal:
        """Of a credential.  Raises: NotAuthenticated, EngineUnavailable."""
        for resolver in self._resolvers:
            principal = await resolver(credential)
            if principal is not None:
                return principal
        raise NotAuthenticated("the key is not valid: it was revoked, or is not a key of this server")


def key_resolver(keys: KeyFile) -> Resolver:
    async def resolve(credential: str) -> Principal | None:
        key = keys.find(credential)
        return key.principal if key is not None else None

    return resolve


def credential_of(request: web.Request) -> str:
    """Raises: NotAuthenticated (none, several different ones, or of an unknown kind)."""
    found = {given.strip() for given in request.headers.getall("X-API-Key", [])}
    for header in request.headers.getall("Authorization", []):
        scheme, _, given = header.strip().partition(" ")
        if scheme.lower() not in SCHEMES:
            raise NotAuthenticated("the Authorization header has an unknown scheme: send 'Authorization: Bearer KEY'")
        found.add(given.strip())
    found.discard("")
    if len(found) > 1:
        raise NotAuthenticated("the request has several different keys: send one")
    if not found:
        raise NotAuthenticated(
            "the request has no key: send 'Authorization: Bearer KEY' or 'X-API-Key: KEY'; `react-mem keys create` makes one"
        )
    return found.pop()


class TrustedUser:
    """Reads the user that a request names in its headers.  Only the header's presence is checked here, not the right to it.

    ``headers``: names of headers that gateways set.  ``jwt_secret``: with which Open WebUI signs ``X-OpenWebUI-User-Jwt``
    (its ``FORWARD_USER_INFO_HEADER_JWT_SECRET``); "" = such tokens are refused.
    """

    def __init__(
        self, headers: Sequence[str] = USER_HEADERS, jwt_secret: str = "", now: Callable[[], float] = time.time
    ) -> None:
        self._headers = tuple(headers)
        self._jwt_secret = jwt_secret.encode()
        self._now = now

    def __call__(self, request: web.Request) -> str:
        """The user, "" if no header names one.  Raises: BadRequest (several users), NotAuthenticated (a token is not valid)."""
        named = {given.strip() for name in self._headers for given in request.headers.getall(name, [])}
        if token := request.headers.get(JWT_HEADER):
            named.add(self._verify(token))
        named.discard("")
        if len(named) > 1:
            raise BadRequest("the headers of the request name several users: send one of " + ", ".join(self._headers))
        return named.pop() if named else ""

    def _verify(self, token: str) -> str:
        if not self._jwt_secret:
            raise NotAuthenticated(f"{JWT_HEADER} cannot be checked: set REACT_MEM_HTTP_OPENWEBUI_JWT_SECRET")
        claims = verified_claims(token, self._jwt_secret)
        if claims is None or claims.get("iss") != "open-webui" or not isinstance(claims.get("sub"), str):
            raise NotAuthenticated(f"{JWT_HEADER} is not a token that Open WebUI signed with the secret of this server")
        until = claims.get("exp")
        if not isinstance(until, int | float) or until + JWT_LEEWAY_S < self._now():
            raise NotAuthenticated(f"{JWT_HEADER} has expired: send the request again")
        return str(claims["sub"])


def verified_claims(token: str, secret: bytes) -> Mapping[str, Any] | None:
    """The claims of a JSON Web Token that is signed with HS256 (RFC 7515, 7519).  None: it is not valid.

    The algorithm is fixed here, so that a token cannot choose a weaker one.
    """
    try:
        head, body, signature = token.split(".")
        if json.loads(_decode(head)).get("alg") != "HS256":
            return None
        expected = hmac.digest(secret, f"{head}.{body}".encode("ascii"), "sha256")
        if not hmac.compare_digest(expected, _decode(signature)):
            return None
        claims = json.loads(_decode(body))
    except (ValueError, AttributeError, RecursionError):
        return None
    return claims if isinstance(claims, dict) else None


def _decode(part: str) -> bytes:
    return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
