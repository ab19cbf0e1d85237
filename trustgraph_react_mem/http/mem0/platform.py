"""The paths of mem0's platform, versions 1 to 3, with and without a slash at the end.

Paths under ``/v1/memories`` without the slash belong to the native interface, whose objects hold most of these fields too.
mem0's clients always send it.

Invariants: every answer has a body with JSON, because mem0's clients parse one from each 2xx; an error has both ``detail``
and ``error``, because they read either.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError, NotFound
from ...memory.requests import GetFactHistory
from ..access import Access, choose_collection
from ..application import principal_of
from ..forgetting import Erasure
from ..guards import Handler, deletes_from_body, errors_as
from ..limits import once
from ..peer_records import forget, get_fact, reach, reply
from ..principal import named_collection
from ..problems import headers_of, status_of
from ..request_body import flag_of, read_object
from . import adding, changing, reading
from .ids import ACCOUNT_FIELDS, read_id, read_ids
from .objects import history_objects, memory_objects
from .reading import LIST_FIELDS, SEARCH_FIELDS, read_filter, refuse_unknown

NATIVE = "/v1/memories/"  # without a slash at the end, these paths belong to the native interface
ENTITY_KINDS = ("user", "agent", "app", "run")
NOT_SUPPORTED = (
    *("/v2/profiles/{rest:.*}", "/v2/entities/user/{name}/profile/", "/api/v1/{rest:.*}", "/v1/profiles/{rest:.*}"),
    *("/v1/exports/{rest:.*}", "/v1/summary/"),
)


def routes() -> list[web.RouteDef]:
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/v1/ping/", ping),
        ("POST", "/v3/memories/add/", once(add)),
        ("POST", "/v1/memories/", once(add)),
        *(("POST", f"/{version}/memories/search/", search) for version in ("v1", "v2", "v3")),
        *(("POST", f"/{version}/memories/", list_page) for version in ("v2", "v3")),
        ("GET", "/v1/memories/", list_page),
        ("DELETE", "/v1/memories/", delete_scope),
        ("GET", "/v1/memories/{id}/", get),
        ("PUT", "/v1/memories/{id}/", update),
        ("PATCH", "/v1/memories/{id}/", update),
        ("DELETE", "/v1/memories/{id}/", delete),
        ("GET", "/v1/memories/{id}/history/", history),
        ("PUT", "/v1/batch/", batch_update),
        ("DELETE", "/v1/batch/", deletes_from_body(batch_delete)),
        ("GET", "/v1/entities/", list_entities),
        *(("DELETE", f"/{version}/entities/{{kind}}/{{name}}/", delete_entity) for version in ("v1", "v2")),
        ("GET", "/v1/event/{id}/", get_event),
        ("POST", "/v1/feedback/", feedback),
        *(("*", path, not_supported) for path in NOT_SUPPORTED),
    ]
    return [
        web.route(method, path, errors_as(failure)(handler))
        for method, with_slash, handler in table
        for path in _spellings(with_slash)
    ]


def _spellings(with_slash: str) -> Iterable[str]:
    return [with_slash] if with_slash.startswith(NATIVE) else dict.fromkeys([with_slash, with_slash.rstrip("/")])


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


async def access_for(request: web.Request, *users: str) -> Access:
    """The memory of the one user that a request names.  ``*`` names none.

    Raises: as ``access_of``; BadRequest (several users).
    """
    named, principal = set(users) - {"", "*"}, await principal_of(request)
    if len(named) > 1 and principal.kind != "user":
        raise BadRequest(f"the request names {len(named)} users: send one request for each")
    return await reach(request, user=min(named - {principal.user}, default=""))


def _names(body: Mapping[str, Any], known: Collection[str]) -> list[str]:
    return [name for name in body if name not in known]


async def ping(request: web.Request) -> web.Response:
    """Checks the key.  A client asks when it is made, before it names a user, which a service key does in each request."""
    collection = choose_collection(await principal_of(request), named_collection(request))
    return reply({"status": "ok", "org_id": "default", "project_id": collection, "user_email": None})


async def add(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    access, addition = await access_for(request, ids.get("user_id", "")), adding.read_addition(body, ids)
    if not flag_of(body, "infer", True):
        results = await adding.store_verbatim(access, addition)
        message = f"{len(results)} {'memory' if len(results) == 1 else 'memories'} stored"
        return reply({"status": "SUCCEEDED", "message": message, "results": results}, addition.ignored)
    event = await adding.store_and_learn(access, addition)
    message = "the messages are stored; what is learned from them follows"
    return reply({"event_id": event, "status": "PENDING", "message": message, "results": []}, addition.ignored)


async def search(request: web.Request) -> web.Response:
    body = await read_object(request)
    chosen = read_filter(body, read_ids(body))
    access = await access_for(request, *chosen.users)
    return reply({"results": await reading.search(access, body, chosen)}, _names(body, SEARCH_FIELDS))


async def list_page(request: web.Request) -> web.Response:
    """One page.  Numbers of pages are in the query, and with GET everything is."""
    refuse_unknown(request.query, LIST_FIELDS)
    given: dict[str, Any] = dict(request.query)
    given |= {name: changing.from_query(name, given[name]) for name in ("filters", "metadata") if name in given}
    given |= {"categories": given["categories"].split(",")} if "categories" in given else {}
    body = given | await read_object(request)
    chosen = read_filter(body, read_ids(body))
    access = await access_for(request, *chosen.users)
    count, page, size, results = await reading.list_page(access, body, chosen)
    answer = {
        "count": count,
        "next": str(request.url.update_query(page=page + 1, page_size=size)) if page * size < count else None,
        "previous": str(request.url.update_query(page=page - 1, page_size=size)) if page > 1 else None,
        "results": results,
    }
    return reply(answer, _names(body, LIST_FIELDS))


async def get(request: web.Request) -> web.Response:
    access = await access_for(request)
    fact = await get_fact(access, request.match_info["id"])
    return reply((await memory_objects(access, [fact]))[0])


async def update(request: web.Request) -> web.Response:
    body = await read_object(request)
    access = await access_for(request, read_ids(body).get("user_id", ""))
    memory = await changing.update(access, request.match_info["id"], body)
    return reply({**memory, "message": "Memory updated successfully!"}, _names(body, changing.UPDATE_FIELDS))


async def delete(request: web.Request) -> web.Response:
    refuse_unknown(request.query, ACCOUNT_FIELDS)
    access = await access_for(request)
    await forget(access, [await get_fact(access, request.match_info["id"])])
    return reply({"message": "Memory deleted successfully!"})


async def delete_scope(request: web.Request) -> web.Response:
    ids, chosen = changing.read_deletion(request.query)
    access, run = await access_for(request, ids.get("user_id", "")), ids.get("run_id", "*")
    if run != "*" and not {"agent_id", "app_id", "metadata"} & set(request.query):
        erasure = await changing.delete_entity(access, "run", run)
    else:
        erasure = await changing.delete_scope(access, chosen)
    return reply_deleted(erasure, "Memories deleted successfully!")


async def history(request: web.Request) -> web.Response:
    """Raises: NotFound, also once the memory is erased."""
    access, record_id = await access_for(request), request.match_info["id"].strip()
    memory = (await memory_objects(access, [await get_fact(access, record_id)]))[0]
    entries = (await access.call(GetFactHistory(id=record_id))).history
    return reply(history_objects(entries, access.user, memory["metadata"]))


async def batch_update(request: web.Request) -> web.Response:
    access, body = await _batch(request)
    return reply({"message": f"Successfully updated {await changing.update_all(access, body)} memories"})


async def batch_delete(request: web.Request) -> web.Response:
    access, body = await _batch(request)
    return reply({"message": f"Successfully deleted {await changing.delete_all_of(access, body)} memories"})


async def _batch(request: web.Request) -> tuple[Access, dict[str, Any]]:
    body = await read_object(request)
    users = [read_id("user_id", each.get("user_id")) for each in (body, *changing.batch(body))]
    return await access_for(request, *users), body


async def list_entities(request: web.Request) -> web.Response:
    found = await reading.entities(await access_for(request))
    return reply({"count": len(found), "next": None, "previous": None, "results": found})


async def delete_entity(request: web.Request) -> web.Response:
    refuse_unknown(request.query, ACCOUNT_FIELDS)
    kind, name = request.match_info["kind"], read_id("the name of the entity", request.match_info["name"])
    if kind not in ENTITY_KINDS:
        raise BadRequest(f"the entity's type {kind[:60]!r} is not one of {', '.join(ENTITY_KINDS)}")
    access = await access_for(request, name if kind == "user" else "")
    return reply_deleted(await changing.delete_entity(access, kind, name), "Entity deleted successfully!")


async def get_event(request: web.Request) -> web.Response:
    return reply(await adding.get_event(await access_for(request), request.match_info["id"]))


async def feedback(request: web.Request) -> web.Response:
    body = await read_object(request)
    access = await access_for(request, read_ids(body).get("user_id", ""))
    return reply({"message": "Feedback stored", **await changing.rate(access, body)})


async def not_supported(request: web.Request) -> web.Response:
    await access_for(request)
    raise NotFound(f"{request.path[:80]} is not part of this server: see the list of what is in its documentation")
