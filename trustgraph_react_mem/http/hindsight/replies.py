"""Answers in Hindsight's shapes: JSON, and errors as ``{"detail": ...}``."""

from collections.abc import Iterable, Mapping
from typing import Any

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError
from ..access import Access
from ..forgetting import Erasure
from ..peer_records import reach, reply
from ..problems import headers_of, status_of
from ..request_body import read_object, text_of


def failure(error: MemoryServiceError, request_id: str) -> web.Response:
    """An error in Hindsight's shape."""
    body = {"detail": str(error), "request_id": request_id}
    return web.json_response(body, status=status_of(error), headers=headers_of(error))


def bank_erased(access: Access, erasure: Erasure) -> web.Response:
    """``deleted_count`` is null while the erasure is running.  Never 202: Hindsight's client reads no answer from it."""
    if erasure.memories is not None:
        return reply({"success": True, "message": f"bank {access.collection} erased", "deleted_count": erasure.memories})
    message = f"bank {access.collection} is being erased: the operation {erasure.job_id} says when it is done"
    return reply({"success": True, "message": message, "deleted_count": None, "operation_id": erasure.job_id})


def find_set(body: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Those of the names that the body sets, because the client sends an explicit null for what its caller left out."""
    return [name for name in names if body.get(name) not in (None, False, [], {})]


def refuse(body: Mapping[str, Any], names: Iterable[str], why: str) -> None:
    """Raises: BadRequest (the body sets one of the names, and leaving it out would change what is answered)."""
    if found := find_set(body, names):
        raise BadRequest(f"{found[0]} is not supported here ({why}): leave it out")


def refuse_narrowing(request: web.Request) -> None:
    """Raises: BadRequest (a parameter with which a client means to erase less)."""
    if names := [name for name in request.query if name != "user_id"]:
        raise BadRequest(f"parameter {names[0][:60]!r} cannot narrow this, and nothing was deleted: leave it out")


async def bank_of(request: web.Request, user: str = "") -> Access:
    """``user``: whom the body names.  Raises: as ``access_of``."""
    bank = request.match_info["bank"].strip()
    if not bank:
        raise BadRequest("the bank has no name: put it into the path")
    return await reach(request, user=user, collection=bank)


async def bank_and_body(request: web.Request) -> tuple[Access, dict[str, Any]]:
    """Hindsight's bodies name no user; one that names one concerns that user.  Raises: as ``access_of``, BadRequest."""
    body = await read_object(request)
    return await bank_of(request, text_of(body, "user_id")), body
