"""The paths of mem0's platform, versions 1 to 3, with and without a slash at the end.

Paths under ``/v1/memories`` without the slash belong to the native interface, whose objects hold most of these fields too.
mem0's clients always send it.
"""

from collections.abc import Iterable
from typing import Any

from aiohttp import web
from multidict import MultiMapping

from ...errors import BadRequest, NotFound
from ...memory.requests import GetFactHistory
from ..access import choose_collection
from ..application import principal_of
from ..guards import Handler, deletes_from_body, errors_as
from ..limits import once
from ..peer_records import forget, get_fact, reply
from ..principal import named_collection
from ..request_body import flag_of, number_of, parse_json, quote_value, read_object, texts_of
from . import changing, events, reading
from .adding import read_addition, store_and_learn, store_verbatim
from .filters import parse_filters
from .ids import ACCOUNT_FIELDS, Ids, read_id, read_ids
from .objects import history_objects, memory_objects
from .reading import LIST_FIELDS, SEARCH_FIELDS, list_memories, read_filter, read_question, refuse_unknown, show
from .replies import access_for, failure, reply_deleted

NATIVE = "/v1/memories/"  # without a slash at the end, these paths belong to the native interface
ENTITY_KINDS = ("user", "agent", "app", "run")
MOST_PAGE = 1000
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


async def ping(request: web.Request) -> web.Response:
    """Checks the key.  A client asks when it is made, before it names a user, which a service key does in each request."""
    collection = choose_collection(await principal_of(request), named_collection(request))
    return reply({"status": "ok", "org_id": "default", "project_id": collection, "user_email": None})


async def add(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    access, addition = await access_for(request, ids), read_addition(body, ids)
    if not addition.infer:
        results = [{**each, "data": {"memory": each["memory"]}} for each in await store_verbatim(access, addition)]
        return reply(
            {
                "status": "SUCCEEDED",
                "message": f"{len(results)} {'memory' if len(results) == 1 else 'memories'} stored",
                "results": results,
            },
            addition.ignored,
        )
    event = await store_and_learn(access, addition)
    message = "the messages are stored; what is learned from them follows"
    return reply({"event_id": event, "status": "PENDING", "message": message, "results": []}, addition.ignored)


async def search(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    question = read_question(body, ids)
    found = await reading.search(await access_for(request, ids, question.chosen), question)
    return reply({"results": found}, [name for name in body if name not in SEARCH_FIELDS])


async def list_page(request: web.Request) -> web.Response:
    """One page.  Numbers of pages are in the query, and with GET everything is."""
    body = read_listing(request.query) | await read_object(request)
    ids = read_ids(body)
    chosen = read_filter(body, ids)
    size = number_of(body, "page_size", number_of(body, "limit", reading.PAGE_SIZE, 1, MOST_PAGE), 1, MOST_PAGE)
    page, fields = number_of(body, "page", 1, 1, 10**6), _fields(body)
    access = await access_for(request, ids, chosen)
    found = await list_memories(access, chosen, show_expired=flag_of(body, "show_expired", False))
    answer = {
        "count": len(found),
        "next": str(request.url.update_query(page=page + 1, page_size=size)) if page * size < len(found) else None,
        "previous": str(request.url.update_query(page=page - 1, page_size=size)) if page > 1 else None,
        "results": await show(access, found[(page - 1) * size : page * size], fields, dated=chosen.dated),
    }
    return reply(answer, [name for name in body if name not in LIST_FIELDS])


def read_listing(query: MultiMapping[str]) -> dict[str, Any]:
    """The fields of a listing that its query names.  Raises: BadRequest."""
    refuse_unknown(query, LIST_FIELDS)
    given: dict[str, Any] = dict(query)
    for name in ("filters", "metadata"):
        if name in given:
            given[name] = _from_query(name, given[name])
    if "categories" in given:
        given["categories"] = given["categories"].split(",")
    return given


def _fields(body: dict[str, Any]) -> list[str]:
    given = body.get("fields")
    return given.split(",") if isinstance(given, str) and given else texts_of(body, "fields") if given else []


def _from_query(name: str, text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        raise BadRequest(f"{name} {quote_value(text)} is not JSON: send an object as JSON") from None


async def get(request: web.Request) -> web.Response:
    access = await access_for(request, Ids())
    fact = await get_fact(access, request.match_info["id"])
    return reply((await memory_objects(access, [fact]))[0])


async def update(request: web.Request) -> web.Response:
    body = await read_object(request)
    memory, ignored = await changing.update(await access_for(request, read_ids(body)), request.match_info["id"], body)
    return reply({**memory, "message": "Memory updated successfully!"}, ignored)


async def delete(request: web.Request) -> web.Response:
    refuse_unknown(request.query, ACCOUNT_FIELDS)
    access = await access_for(request, Ids())
    await forget(access, [await get_fact(access, request.match_info["id"])])
    return reply({"message": "Memory deleted successfully!"})


async def delete_scope(request: web.Request) -> web.Response:
    ids, chosen = changing.read_deletion(request.query)
    access, named = await access_for(request, ids), ids.narrow()
    if set(named) == {"run_id"} and named["run_id"] != "*" and "metadata" not in request.query:
        erasure = await changing.delete_entity(access, "run", ids.run_id)
    else:
        erasure = await changing.delete_scope(access, chosen)
    return reply_deleted(erasure, "Memories deleted successfully!")


async def history(request: web.Request) -> web.Response:
    """Raises: NotFound, also once the memory is erased."""
    access, record_id = await access_for(request, Ids()), request.match_info["id"].strip()
    memory = (await memory_objects(access, [await get_fact(access, record_id)]))[0]
    entries = (await access.call(GetFactHistory(id=record_id))).history
    return reply(history_objects(entries, access.user, memory["metadata"]))


async def batch_update(request: web.Request) -> web.Response:
    body = await read_object(request)
    count = await changing.update_all(await access_for(request, read_ids(body), users=changing.named_users(body)), body)
    return reply({"message": f"Successfully updated {count} memories"})


async def batch_delete(request: web.Request) -> web.Response:
    body = await read_object(request)
    count = await changing.delete_all_of(await access_for(request, read_ids(body), users=changing.named_users(body)), body)
    return reply({"message": f"Successfully deleted {count} memories"})


async def list_entities(request: web.Request) -> web.Response:
    access = await access_for(request, Ids())
    listed = await list_memories(access, parse_filters({}), show_expired=True)
    found = changing.entities(access.user, [memory for _, memory in listed])
    return reply({"count": len(found), "next": None, "previous": None, "results": found})


async def delete_entity(request: web.Request) -> web.Response:
    refuse_unknown(request.query, ACCOUNT_FIELDS)
    kind, name = request.match_info["kind"], read_id("the name of the entity", request.match_info["name"])
    if kind not in ENTITY_KINDS:
        raise BadRequest(f"the entity's type {kind[:60]!r} is not one of {', '.join(ENTITY_KINDS)}")
    access = await access_for(request, Ids(user_id=name) if kind == "user" else Ids())
    return reply_deleted(await changing.delete_entity(access, kind, name), "Entity deleted successfully!")


async def get_event(request: web.Request) -> web.Response:
    return reply(await events.get_event(await access_for(request, Ids()), request.match_info["id"]))


async def feedback(request: web.Request) -> web.Response:
    body = await read_object(request)
    return reply({"message": "Feedback stored", **await changing.rate(await access_for(request, read_ids(body)), body)})


async def not_supported(request: web.Request) -> web.Response:
    await access_for(request, Ids())
    raise NotFound(f"{request.path[:80]} is not part of this server: see the list of what is in its documentation")
