"""Searching and listing memories in mem0's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from aiohttp import web
from pydantic import Field, StringConstraints

from ...errors import BadRequest
from ...memory.requests import GetFactHistory, RetrieveFacts
from ...memory.timefmt import format_time
from ...schema import Fact
from ..access import Access
from ..peer_records import get_fact, list_facts, visible
from ..request_body import note_ignored, parse_json, quote, read_object, value_of
from .filters import ACCOUNT_FIELDS, ID_FIELDS, Filter, access_for, parse_filters, read_ids, read_moment, refuse_unknown
from .objects import dated_object, history_objects, is_expired, memory_objects, scores, with_changes

MOST_RANKED = 500  # of one retrieval
ANY_SIMILARITY = 1e-9  # 0 means the floor of the embedding model
Count = Annotated[int, Field(ge=1, le=1000)]
Page = Annotated[int, Field(ge=1, le=10**6)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
#: ``latest_only`` and ``keyword_search`` need no code: what they ask for is what is always done.
COMMON = (
    *ID_FIELDS, *ACCOUNT_FIELDS, "filters", "metadata", "categories", "start_date", "end_date", "keywords", "latest_only",
    "keyword_search", "top_k", "limit", "fields",
)  # fmt: skip
SEARCH_FIELDS = (*COMMON, "query", "threshold", "rerank", "reference_date", "explain")
LIST_FIELDS = (*COMMON, "page", "page_size", "show_expired")

Found = tuple[Fact, dict[str, Any]]  # a memory and its object, perhaps without the time of its last change


def read_filter(body: Mapping[str, Any]) -> Filter:
    """All that narrows a request: its filters, its ids at the top, metadata, categories and dates.  Raises: BadRequest."""
    parts = [body["filters"]] if body.get("filters") is not None else []
    parts += [{name: value} for name, value in read_ids(body).items()]
    if body.get("metadata") is not None:
        parts.append({"metadata": body["metadata"]})
    if categories := value_of(body, "categories", list[str], []):
        parts.append({"categories": {"in": categories}})
    if keywords := value_of(body, "keywords", Text, ""):
        parts.append({"keywords": keywords})
    for name, operator in (("start_date", "gte"), ("end_date", "lte")):
        if body.get(name) is not None:
            parts.append({"created_at": {operator: format_time(read_moment(name, body[name]))}})
    return parse_filters({"AND": parts} if parts else {})


async def search(request: web.Request) -> web.Response:
    body = await read_object(request)
    chosen = read_filter(body)
    access = await access_for(request, *chosen.users)
    note_ignored(request, [name for name in body if name not in SEARCH_FIELDS])
    return web.json_response({"results": await _search(access, body, chosen)})


async def _search(access: Access, body: Mapping[str, Any], chosen: Filter) -> list[dict[str, Any]]:
    """Memory objects with scores, best first.  Raises: BadRequest."""
    top_k = value_of(body, "top_k", Count, value_of(body, "limit", Count, 10))
    threshold = value_of(body, "threshold", Annotated[float, Field(ge=0, le=1)], 0.1)
    moment, fields = body.get("reference_date"), value_of(body, "fields", list[str], [])
    wanted = min(top_k, MOST_RANKED) if chosen.trivial else MOST_RANKED
    request = RetrieveFacts(
        query=value_of(body, "query", Text, ...),
        top_k=wanted,
        candidates=max(20, wanted),
        threshold=max(threshold, ANY_SIMILARITY),
        rerank="" if value_of(body, "rerank", bool, False) else "off",
        asked_at="" if moment is None else format_time(read_moment("reference_date", moment)),
    )

    async def rank(without: Sequence[str] = ()) -> tuple[int, list[Found]]:
        facts = (await access.call(replace(request, exclude=without))).facts
        scored = dict(zip((fact.id for fact in facts), scores(facts), strict=True))
        found = [(fact, memory | scored[fact.id]) for fact, memory in await choose(access, facts, chosen)]
        return len(facts), [each for each in found if each[1]["score"] >= threshold]

    count, found = await rank()
    if len(found) < top_k and count == MOST_RANKED and not chosen.trivial:
        # The best memories of all do not suffice: rank only those that the filter lets through.
        everything = await list_facts(access)
        kept = {fact.id for fact, _ in await choose(access, everything, chosen, everything)}
        _, found = await rank([fact.id for fact in everything if fact.id not in kept])
    return await _show(access, found[:top_k], fields)


async def list_page(request: web.Request) -> web.Response:
    """One page.  Numbers of pages are in the query, and with GET everything is."""
    refuse_unknown(request, LIST_FIELDS)
    given: dict[str, Any] = dict(request.query)
    given |= {name: parse_parameter(name, given[name]) for name in ("filters", "metadata") if name in given}
    given |= {name: given[name].split(",") for name in ("categories", "fields") if given.get(name)}
    body = given | await read_object(request)
    chosen = read_filter(body)
    access = await access_for(request, *chosen.users)
    size, page = value_of(body, "page_size", Count, value_of(body, "limit", Count, 100)), value_of(body, "page", Page, 1)
    fields, show_expired = value_of(body, "fields", list[str], []), value_of(body, "show_expired", bool, False)
    everything, now = await list_facts(access), datetime.now(UTC)
    facts = [fact for fact in visible(everything) if show_expired or not is_expired(fact, now)]
    found = await choose(access, facts, chosen, everything)
    first, last = (page - 1) * size, page * size
    answer = {
        "count": len(found),
        "next": str(request.url.update_query(page=page + 1, page_size=size)) if last < len(found) else None,
        "previous": str(request.url.update_query(page=page - 1, page_size=size)) if page > 1 else None,
        "results": await _show(access, found[first:last], fields),
    }
    note_ignored(request, [name for name in body if name not in LIST_FIELDS])
    return web.json_response(answer)


def parse_parameter(name: str, text: str) -> Any:
    """Raises: BadRequest."""
    try:
        return parse_json(text)
    except ValueError:
        raise BadRequest(f"{name} = {quote(text)} is not JSON: send an object as JSON") from None


async def choose(access: Access, facts: Sequence[Fact], chosen: Filter, known: Sequence[Fact] = ()) -> list[Found]:
    """The facts that the filter lets through.  ``known``: as in ``memory_objects``."""
    objects = await memory_objects(access, facts, known)
    if chosen.dated:
        objects = await with_changes(access, facts, objects)
    return [(fact, memory) for fact, memory in zip(facts, objects, strict=True) if chosen(memory)]


async def _show(access: Access, found: Sequence[Found], fields: Sequence[str]) -> list[dict[str, Any]]:
    """The objects as an answer has them: all ``fields``, or only these and the id."""
    objects = await with_changes(access, [fact for fact, _ in found], [memory for _, memory in found])
    return [{name: each[name] for name in each if name in ("id", *fields)} if fields else each for each in objects]


async def get(request: web.Request) -> web.Response:
    access = await access_for(request)
    return web.json_response(await dated_object(access, await get_fact(access, request.match_info["id"])))


async def history(request: web.Request) -> web.Response:
    """Raises: NotFound, also once the memory is erased."""
    access, record_id = await access_for(request), request.match_info["id"].strip()
    (memory,) = await memory_objects(access, [await get_fact(access, record_id)])
    entries = (await access.call(GetFactHistory(id=record_id))).history
    return web.json_response(history_objects(entries, access.user, memory["metadata"]))


async def list_entities(request: web.Request) -> web.Response:
    """The user and the agents, apps and runs of the memories.  The user is last, because deleting it deletes the others."""
    access = await access_for(request)
    everything = await list_facts(access)
    memories = await memory_objects(access, visible(everything), everything)
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for kind in ("run", "agent", "app"):
        for memory in memories:
            if name := memory[f"{kind}_id"]:
                found.setdefault((kind, name), []).append(memory)
    found["user", access.user] = memories
    results: list[dict[str, Any]] = [
        {
            "id": f"{kind}:{name}",
            "name": name,
            "type": kind,
            "owner": access.user,
            "created_at": min((memory["created_at"] for memory in of), default=None),
            "updated_at": max((memory["created_at"] for memory in of), default=None),
            "total_memories": len(of),
            "metadata": {},
        }
        for (kind, name), of in found.items()
    ]
    return web.json_response({"count": len(results), "next": None, "previous": None, "results": results})
