"""Who sends a request: the credential decides, and for keys of gateways the user that a trusted header names.

A second kind of credential is one more ``Resolver`` in the list that ``Identity`` gets.
"""

from collections.abc import Awaitable, Callable

from aiohttp import web

from ..errors import NotAuthenticated
from .principal import Principal
from .ui.sessions import Sessions

Resolver = Callable[[str], Awaitable[Principal | None]]
"""A credential -> its holder; None: it is of another kind or not valid.  Raises: EngineUnavailable (it cannot be checked)."""

SCHEMES = ("bearer", "token")


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
