"""``/v1/memory``: the routes of the semantic router's memory, with its codes of errors.

A project is a collection.  Facts are ``semantic``, rules ``procedural``, episodes ``episodic``.
Source: ``pkg/apiserver/route_memory.go`` of vllm-project/semantic-router, and the memory specification's deletion by user and
project.
"""

import re
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from ..errors import BadRequest, MemoryServiceError, NotFound, NotPermitted
from ..memory.requests import GetEpisode, ListEpisodes
from ..schema import Episode, Fact
from . import peer_records
from .access import Access, kind_of
from .application import access_of, principal_of
from .guards import ErrorShape, errors_as
from .peer_records import Erasure, erase
from .principal import named_collection
from .problems import headers_of, status_of

TYPES = ("semantic", "procedural", "episodic")
LIMIT, MOST_LIMIT = 20, 100
MOST_EPISODES = 10_000
_NAME = re.compile(r"[a-zA-Z0-9._@:/$-]+")
CODES = {400: "INVALID_REQUEST", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND", 503: "MEMORY_NOT_AVAILABLE"}


class _Refused(BadRequest):
    """A request that is refused with a code of its own."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def routes() -> list[web.RouteDef]:
    table = (
        ("GET", "/v1/memory", list_memories, "LIST_FAILED"),
        ("GET", "/v1/memory/", list_memories, "LIST_FAILED"),
        ("DELETE", "/v1/memory", delete_memories, "DELETE_FAILED"),
        ("DELETE", "/v1/memory/", refuse_empty_id, "DELETE_FAILED"),  # what a client with an empty id sends
        *(("GET", f"/v1/memory/{{id}}{end}", get_memory, "GET_FAILED") for end in ("", "/")),
        *(("DELETE", f"/v1/memory/{{id}}{end}", delete_memory, "DELETE_FAILED") for end in ("", "/")),
    )
    return [web.route(method, path, errors_as(_shape(failed))(handler)) for method, path, handler, failed in table]


def _shape(failed: str) -> ErrorShape:
    """``failed``: the code of an error that is not the caller's."""

    def shape(error: MemoryServiceError, request_id: str) -> web.Response:
        status = error.status if isinstance(error, _Refused) else status_of(error)
        code = error.code if isinstance(error, _Refused) else CODES.get(status, failed)
        told = {"code": code, "message": str(error), "timestamp": datetime.now(UTC).isoformat(), "request_id": request_id}
        return web.json_response({"error": told}, status=status, headers=headers_of(error))

    return shape


async def _access(request: web.Request, *allowed: str) -> Access:
    """The memory of the user that the key has, the header ``x-authz-user-id`` or the query names.

    Raises: _Refused (an unknown or repeated parameter, or no valid name), and as ``access_of``.
    """
    for name in request.query:
        if name not in ("user_id", "project_id", *allowed):
            raise _Refused("INVALID_PARAMETER", f"the query has an unknown parameter {name[:60]!r}: leave it out")
        if len(request.query.getall(name)) > 1:
            raise _Refused("INVALID_PARAMETER", f"{name} is given twice: give it once")
    principal = await principal_of(request)
    user = _check("user_id", request.query.get("user_id"), "INVALID_USER_ID")
    project = _check("project_id", request.query.get("project_id"), "INVALID_ID")
    header = _check("x-authz-user-id", request.headers.get("x-authz-user-id", "").strip() or None, "INVALID_USER_ID")
    if principal.kind != "user" and not (user or header):
        code, status = ("INVALID_REQUEST", 400) if principal.kind == "admin" else ("MISSING_USER_ID", 401)
        raise _Refused(code, f"{kind_of(principal)} needs a user: send x-authz-user-id or user_id", status)
    return await access_of(request, user=user, collection=project)


def _check(what: str, name: str | None, code: str) -> str:
    """The name without white space around it; "" for None.  Raises: _Refused."""
    if name is not None and not _NAME.fullmatch(name.strip()):
        raise _Refused(code, f"{what} {name[:60]!r} is not made of letters, digits and . _ @ : / $ -: correct it")
    return (name or "").strip()


async def list_memories(request: web.Request) -> web.Response:
    access = await _access(request, "type", "limit")
    types = [each.strip() for each in request.query.get("type", ",".join(TYPES)).split(",")]
    if wrong := [each for each in types if each not in TYPES]:
        raise _Refused("INVALID_TYPE", f"type {wrong[0][:60]!r} is not one of {', '.join(TYPES)}")
    given = request.query.get("limit", str(LIMIT))
    if not (given.isdecimal() and len(given) <= 9) or not 1 <= int(given) <= MOST_LIMIT:
        raise _Refused("INVALID_LIMIT", f"limit {given[:60]!r} is not a whole number between 1 and {MOST_LIMIT}")
    facts = peer_records.visible(await peer_records.list_facts(access))
    listed = [fact for fact in facts if ("procedural" if fact.kind == "procedural" else "semantic") in types]
    changed = await peer_records.changes(access, listed)
    found = [_describe(fact, access, changed.get(fact.id, "")) for fact in listed]
    if "episodic" in types:
        found += [_describe(each, access) for each in (await access.call(ListEpisodes(limit=MOST_EPISODES))).episodes]
    found.sort(key=lambda memory: str(memory["created_at"]), reverse=True)
    return web.json_response({"memories": found[: int(given)], "total": len(found), "limit": int(given)})


async def _find(request: web.Request) -> tuple[Access, Fact | Episode]:
    """The memory whose id is in the path.  Raises: _Refused, NotFound."""
    access, record_id = await _access(request), _check("the id", request.match_info["id"], "INVALID_ID")
    try:
        return access, await peer_records.get_fact(access, record_id)
    except NotFound:
        if episodes := (await access.call(GetEpisode(id=record_id))).episodes:
            return access, episodes[0]
        raise


async def get_memory(request: web.Request) -> web.Response:
    access, record = await _find(request)
    changed = await peer_records.changes(access, [record]) if isinstance(record, Fact) else {}
    return web.json_response(_describe(record, access, changed.get(record.id, "")))


async def delete_memory(request: web.Request) -> web.Response:
    access, record = await _find(request)
    ids = await peer_records.with_sources(access, [record]) if isinstance(record, Fact) else [record.id]
    return _reply_deleted(await erase(access, "record", ids=ids), "Memory deleted successfully")


def _reply_deleted(erasure: Erasure, message: str) -> web.Response:
    """202 while the erasure is running."""
    if erasure.receipt:
        return web.json_response({"success": True, "message": message, "receipt": dict(erasure.receipt)})
    where = f"/v1/receipts/{erasure.job_id}"
    running = {"success": True, "message": f"The deletion is running: GET {where} will have its receipt", "receipt": {}}
    return web.json_response(running, status=202, headers={"Location": where})


async def refuse_empty_id(request: web.Request) -> web.Response:
    raise _Refused("INVALID_ID", "the id is empty, and nothing was deleted: DELETE /v1/memory deletes all memories")


async def delete_memories(request: web.Request) -> web.Response:
    access = await _access(request)
    if "project_id" in request.query or named_collection(request):
        erasure = await erase(access, "collection")
    elif access.principal.collections:
        raise NotPermitted("this key may use some collections only: name one in project_id, and nothing was deleted")
    else:
        erasure = await erase(access, "user")
    return _reply_deleted(erasure, "Memories deleted successfully")


def _describe(record: Fact | Episode, access: Access, changed_at: str = "") -> dict[str, Any]:
    if isinstance(record, Episode):
        kind, created_at, uses = "episodic", record.timestamp, 0
        content = f"{record.goal}: {record.outcome}" if record.outcome else record.goal
    else:
        kind = "procedural" if record.kind == "procedural" else "semantic"
        created_at, uses, content = record.created_at or record.timestamp, record.uses, record.content
    return {
        "id": record.id,
        "type": kind,
        "content": content,
        "user_id": access.user,
        "project_id": access.collection,
        "source": record.source,
        "importance": record.importance,
        "access_count": uses,
        "created_at": created_at,
        "updated_at": changed_at or created_at,
    }
