"""Answers in mem0's shapes.

Invariants: every answer has a body with JSON, because mem0's clients parse one from each 2xx; an error has both ``detail``
and ``error``, because they read either.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Any

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError
from ..access import Access
from ..application import access_of, principal_of
from ..problems import headers_of, status_of
from .filters import Filter
from .ids import Ids

Handler = Callable[[web.Request], Awaitable[web.Response]]
IGNORED = "X-Memory-Ignored"
MOST_NAMES = 50


def answered(handler: Handler) -> Handler:
    """The handler with its errors in mem0's shape."""

    @wraps(handler)
    async def answering(request: web.Request) -> web.Response:
        try:
            return await handler(request)
        except MemoryServiceError as error:
            return failure(error)

    return answering


def failure(error: MemoryServiceError) -> web.Response:
    body = {"detail": str(error), "error": str(error), "code": error.wire_type}
    return web.json_response(body, status=status_of(error), headers=headers_of(error))


def reply(body: Any, ignored: Iterable[str] = ()) -> web.Response:
    """``ignored``: parts of the request without an effect.  A header names them, so that nothing is dropped silently."""
    names = dict.fromkeys(name[:40] for name in ignored if name.isascii() and name.isprintable())
    return web.json_response(body, headers={IGNORED: ",".join(list(names)[:MOST_NAMES])} if names else {})


async def access_for(request: web.Request, ids: Ids, filters: Filter | None = None) -> Access:
    """The memory of the one user that a request names.  ``*`` names none.

    Raises: as ``access_of``; BadRequest (several users).
    """
    named = ({ids.user_id} | (filters.users if filters else frozenset())) - {"", "*"}
    principal = await principal_of(request)
    if len(named) > 1 and principal.kind != "user":
        raise BadRequest(f"the request names {len(named)} users: send one request for each")
    others = sorted(named - {principal.user}) if principal.kind == "user" else sorted(named)
    return await access_of(request, user=others[0] if others else "")
