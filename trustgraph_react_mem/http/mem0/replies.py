"""Answers in mem0's shapes.

Invariants: every answer has a body with JSON, because mem0's clients parse one from each 2xx; an error has both ``detail``
and ``error``, because they read either.
"""

from collections.abc import Collection

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError
from ..access import Access
from ..application import principal_of
from ..forgetting import Erasure
from ..peer_records import reach, reply
from ..problems import headers_of, status_of
from .filters import Filter
from .ids import Ids


def failure(error: MemoryServiceError, request_id: str) -> web.Response:
    """An error in mem0's shape."""
    body = {"detail": str(error), "error": str(error), "code": error.wire_type, "request_id": request_id}
    return web.json_response(body, status=status_of(error), headers=headers_of(error))


def reply_deleted(erasure: Erasure, message: str) -> web.Response:
    """How many memories were deleted; 202 and the event that will say it, while the erasure is running."""
    if erasure.memories is not None:
        return reply({"message": message, "count": erasure.memories})
    where = f"/v1/event/{erasure.job_id}/"
    running = {"message": f"The deletion is running: GET {where} says when it is done", "event_id": erasure.job_id}
    return web.json_response({**running, "status": "PENDING"}, status=202, headers={"Location": where})


async def access_for(request: web.Request, ids: Ids, filters: Filter | None = None, *, users: Collection[str] = ()) -> Access:
    """The memory of the one user that a request names.  ``*`` names none.  ``users``: named elsewhere in it.

    Raises: as ``access_of``; BadRequest (several users).
    """
    named = ({ids.user_id} | (filters.users if filters else frozenset()) | set(users)) - {"", "*"}
    principal = await principal_of(request)
    if len(named) > 1 and principal.kind != "user":
        raise BadRequest(f"the request names {len(named)} users: send one request for each")
    others = sorted(named - {principal.user}) if principal.kind == "user" else sorted(named)
    return await reach(request, user=others[0] if others else "")
