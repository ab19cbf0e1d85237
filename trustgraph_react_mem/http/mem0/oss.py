"""The paths of mem0's open-source server: no version, no slash at the end, and additions that wait for what is learned."""

import re

from aiohttp import web

from ...errors import BadRequest, NotFound, NotPermitted
from ..application import principal_of
from ..guards import Handler, errors_as
from ..limits import once
from ..peer_records import reply
from ..request_body import flag_of, number_of, read_object
from . import changing, platform, reading
from .adding import read_addition, store_and_learn, store_verbatim
from .events import wait_for_event
from .filters import parse_filters
from .ids import Ids, read_ids
from .reading import SEARCH_FIELDS, list_memories, read_filter, read_question
from .replies import access_for, failure, reply_deleted

WAIT_S, LONGEST_WAIT_S = 60.0, 240.0
NOT_SUPPORTED = ("/configure", "/configure/{rest:.*}", "/generate-instructions", "/requests", "/auth/{rest:.*}", "/api-keys")


def routes() -> list[web.RouteDef]:
    table: list[tuple[str, str, Handler]] = [
        ("POST", "/memories", once(add)),
        ("GET", "/memories", list_all),
        ("DELETE", "/memories", platform.delete_scope),
        ("GET", "/memories/{id}", platform.get),
        ("PUT", "/memories/{id}", platform.update),
        ("DELETE", "/memories/{id}", platform.delete),
        ("GET", "/memories/{id}/history", platform.history),
        ("POST", "/search", search),
        ("POST", "/reset", reset),
        ("GET", "/entities", list_entities),
        ("DELETE", "/entities/{kind}/{name}", platform.delete_entity),
        *(("*", path, not_supported) for path in NOT_SUPPORTED),
    ]
    return [web.route(method, path, errors_as(failure)(handler)) for method, path, handler in table]


async def add(request: web.Request) -> web.Response:
    """Waits up to ``Prefer: wait=SECONDS`` for what is learned.  If that takes longer, the answer says PENDING."""
    body = await read_object(request)
    ids = read_ids(body)
    access, addition = await access_for(request, ids), read_addition(body, ids)
    if not addition.infer:
        return reply({"results": await store_verbatim(access, addition)}, addition.ignored)
    event = await wait_for_event(access, await store_and_learn(access, addition), _patience_s(request))
    results = [{name: result[name] for name in ("id", "memory", "event")} for result in event["results"]]
    told = {name: event[name] for name in ("event_id", "status", "message")}
    return reply({"results": results, **told}, addition.ignored)


def _patience_s(request: web.Request) -> float:
    wait = re.search(r"\bwait=(\d{1,6})\b", request.headers.get("Prefer", ""))
    return min(float(wait[1]), LONGEST_WAIT_S) if wait else WAIT_S


async def list_all(request: web.Request) -> web.Response:
    query = platform.read_listing(request.query)
    ids = read_ids(query)
    chosen = read_filter(query, ids)
    found = await list_memories(
        await access_for(request, ids, chosen), chosen, show_expired=flag_of(query, "show_expired", False)
    )
    shown_here = found[: number_of(query, "top_k", reading.PAGE_SIZE, 1, reading.MOST_RESULTS)]
    return reply({"results": shown_here}, [name for name in ("page", "page_size", "limit", "fields") if name in query])


async def search(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    question = read_question(body, ids)
    found = await reading.search(await access_for(request, ids, question.chosen), question)
    if flag_of(body, "explain", False):
        found = [{**memory, "score_details": memory["score_breakdown"]} for memory in found]
    return reply({"results": found}, [name for name in body if name not in SEARCH_FIELDS])


async def reset(request: web.Request) -> web.Response:
    """Erase the memory of the key's own user.  No key erases the memories of all users here.

    Raises: NotPermitted, BadRequest (something that is meant to narrow it).
    """
    if (await principal_of(request)).kind != "user":
        raise NotPermitted("this key has no user of its own, and nothing was erased: delete each user with /entities/user/NAME")
    if named := [*request.query, *await read_object(request)]:
        raise BadRequest(f"{named[0][:60]!r} cannot narrow a reset, and nothing was erased: leave it out")
    return reply_deleted(await changing.delete_scope(await access_for(request, Ids()), parse_filters({})), "All memories reset")


async def list_entities(request: web.Request) -> web.Response:
    access = await access_for(request, Ids())
    return reply(changing.entities(access.user, await list_memories(access, parse_filters({}), show_expired=True)))


async def not_supported(request: web.Request) -> web.Response:
    await access_for(request, Ids())
    raise NotFound(f"{request.path[:80]} is not part of this server: it is configured by its own commands and variables")
