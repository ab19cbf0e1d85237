"""Single memories of a bank."""

from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from ...errors import BadRequest
from ...memory.requests import GetFactHistory, UpdateFact
from ...memory.timefmt import format_time
from ...schema import Fact
from ..access import Access
from ..client_metadata import CONTEXT, UPDATED
from ..forgetting import erase
from ..peer_records import forget, get_fact, list_facts, reply, visible
from ..request_body import number_of, text_of
from .objects import MATCHES, TYPES, has_tags, labels_of, list_item, type_of
from .replies import bank_and_body, bank_erased, bank_of, find_set, refuse_narrowing

MOST_PAGE = 1000
PARAMETERS = ("type", "q", "limit", "offset", "tags", "tags_match", "document_id", "state")
CHANGED = ("text", "context")


async def list_page(request: web.Request) -> web.Response:
    access, query = await bank_of(request), request.query
    if unknown := sorted(set(query) - set(PARAMETERS)):
        raise BadRequest(f"the query has an unknown parameter {unknown[0][:60]!r}: use one of {', '.join(PARAMETERS)}")
    limit = number_of(dict(query), "limit", 100, 1, MOST_PAGE)
    offset = number_of(dict(query), "offset", 0, 0, 10**9)
    chosen = await _choose(access, request)
    items = [list_item(fact, labels) for fact, labels in chosen[offset : offset + limit]]
    return reply({"items": items, "total": len(chosen), "limit": limit, "offset": offset})


async def _choose(access: Access, request: web.Request) -> list[tuple[Fact, dict[str, str]]]:
    """The memories that the query asks for, newest first."""
    query = request.query
    kind, state, match = query.get("type", ""), query.get("state", "valid"), query.get("tags_match", "any")
    for name, value, allowed in (
        ("type", kind, ("", *TYPES)),
        ("state", state, ("valid", "invalidated")),
        ("tags_match", match, MATCHES),
    ):
        if value not in allowed:
            raise BadRequest(f"{name} {value[:60]!r} is not one of {', '.join(filter(None, allowed))}")
    statuses = ("active",) if state == "valid" else ("superseded", "quarantined")
    facts = [fact for status in statuses for fact in visible(await list_facts(access, status=status))]
    words, document = query.get("q", "").casefold(), query.get("document_id", "")
    facts = [
        fact
        for fact in facts
        if (not kind or type_of(fact) == kind)
        and words in fact.content.casefold()
        and (not document or fact.source == document)
    ]
    pairs = zip(facts, await labels_of(access, facts), strict=True)
    return [(fact, labels) for fact, labels in pairs if has_tags(labels, query.getall("tags", []), match)]


async def _item(access: Access, fact: Fact) -> dict[str, Any]:
    return list_item(fact, (await labels_of(access, [fact]))[0])


async def get(request: web.Request) -> web.Response:
    access = await bank_of(request)
    return reply(await _item(access, await get_fact(access, request.match_info["id"])))


async def update(request: web.Request) -> web.Response:
    access, body = await bank_and_body(request)
    found = await get_fact(access, request.match_info["id"])
    text, context = text_of(body, "text"), text_of(body, "context")
    if not text and not context:
        raise BadRequest("the body changes nothing: send text or context")
    metadata = {UPDATED: format_time(datetime.now(UTC)), **({CONTEXT: context} if context else {})}
    stored = (await access.call(UpdateFact(id=found.id, content=text, metadata=metadata))).facts
    ignored = [name for name in find_set(body, body) if name not in (*CHANGED, "resolve_entities", "user_id")]
    return reply(await _item(access, stored[0] if stored else found), ignored)


async def delete(request: web.Request) -> web.Response:
    refuse_narrowing(request)
    access = await bank_of(request)
    count = await forget(access, [await get_fact(access, request.match_info["id"])])
    return reply({"success": True, "message": "memory erased", "deleted_count": count})


async def clear(request: web.Request) -> web.Response:
    """Erase all memories of a bank."""
    refuse_narrowing(request)
    access = await bank_of(request)
    return bank_erased(access, await erase(access, "collection"))


async def history(request: web.Request) -> web.Response:
    """The changes of a memory, newest first."""
    access = await bank_of(request)
    fact = await get_fact(access, request.match_info["id"])
    entries = (await access.call(GetFactHistory(id=fact.id))).history
    shown = [{"version": each.version, "change": each.change, "text": each.content, "changed_at": each.at} for each in entries]
    return reply(shown)
