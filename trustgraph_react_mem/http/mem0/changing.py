"""Changing and deleting memories in mem0's terms."""

from typing import Any

from aiohttp import web

from ...errors import BadRequest
from ...memory.requests import UpdateFact
from ...processors.operations.fact_writing import NEVER
from ..access import Access
from ..client_metadata import pack
from ..peer_records import Erasure, erase, forget, get_fact, list_held
from ..request_body import note_ignored, read_object, value_of
from .filters import ACCOUNT_FIELDS, ID_FIELDS, Filter, access_for, parse_filters, read_id, read_ids, refuse_unknown
from .objects import dated_object, read_expiration
from .reading import Text, choose, parse_parameter

UPDATE_FIELDS = ("text", "data", "metadata", "expiration_date", *ACCOUNT_FIELDS)
ENTITY_KINDS = ("user", "agent", "app", "run")
UNTOUCHED = ", and nothing was deleted"


async def update(request: web.Request) -> web.Response:
    """Metadata is merged into the stored one.  Raises: BadRequest, NotFound."""
    body = await read_object(request)
    access = await access_for(request, read_ids(body).get("user_id", ""))
    text, metadata = value_of(body, "text", Text, "") or value_of(body, "data", Text, ""), pack(body.get("metadata"))
    if not text and not metadata and "expiration_date" not in body:
        raise BadRequest("the body changes nothing: send text, metadata or expiration_date")
    found = await get_fact(access, request.match_info["id"])
    valid_to = read_expiration(body["expiration_date"]) or NEVER if "expiration_date" in body else ""
    stored = (await access.call(UpdateFact(id=found.id, content=text, metadata=metadata, valid_to=valid_to))).facts
    memory = await dated_object(access, (stored or [found])[0])
    note_ignored(request, [name for name in body if name not in UPDATE_FIELDS])
    return web.json_response({**memory, "message": "Memory updated successfully!"})


async def delete(request: web.Request) -> web.Response:
    refuse_unknown(request, ACCOUNT_FIELDS)
    access = await access_for(request)
    await forget(access, [await get_fact(access, request.match_info["id"])])
    return web.json_response({"message": "Memory deleted successfully!"})


async def delete_scope(request: web.Request) -> web.Response:
    """Nothing in what it concerns is guessed, because a mistake erases everything.

    Raises: BadRequest (no parameter, one that is unknown or given twice, or an empty one).
    """
    query = request.query
    refuse_unknown(request, (*ID_FIELDS, "metadata", *ACCOUNT_FIELDS), UNTOUCHED)
    ids = {name: read_id(name, query[name]) for name in ID_FIELDS if name in query}
    if empty := [name for name, value in ids.items() if not value]:
        raise BadRequest(f"{empty[0]} is empty{UNTOUCHED}: give a name")
    if not ids and "metadata" not in query:
        raise BadRequest(f"a deletion without a scope would erase everything{UNTOUCHED}: name the user_id")
    parts: list[dict[str, Any]] = [{name: value} for name, value in ids.items() if name != "user_id"]
    if "metadata" in query:
        parts.append({"metadata": parse_parameter("metadata", query["metadata"])})
    chosen = parse_filters({"AND": parts} if parts else {})
    access, run = await access_for(request, ids.get("user_id", "")), ids.get("run_id", "*")
    of_run = run != "*" and len(parts) == 1
    erased = await (_delete_entity(access, "run", run) if of_run else _delete(access, chosen))
    return _reply_deleted(erased, "Memories deleted successfully!")


async def delete_entity(request: web.Request) -> web.Response:
    refuse_unknown(request, ACCOUNT_FIELDS)
    kind, name = request.match_info["kind"], read_id("the name of the entity", request.match_info["name"])
    if kind not in ENTITY_KINDS:
        raise BadRequest(f"the entity's type {kind[:60]!r} is not one of {', '.join(ENTITY_KINDS)}")
    access = await access_for(request, name if kind == "user" else "")
    return _reply_deleted(await _delete_entity(access, kind, name), "Entity deleted successfully!")


async def _delete_entity(access: Access, kind: str, name: str) -> Erasure | int:
    """Erase what belongs to an entity.  ``kind``: user | agent | app | run."""
    erased = await _delete(access, parse_filters({} if kind == "user" else {f"{kind}_id": name}))
    if kind == "run":  # what was said to the agent in it, too
        conversation = await erase(access, "conversation", conversation_id=name)
        return erased if conversation.receipt else conversation
    return erased


async def _delete(access: Access, chosen: Filter) -> Erasure | int:
    """Erase the user's memories that the filter lets through, whatever their status: all of them, not one page.

    Returns how many they were, or for the whole collection the erasure.
    """
    if chosen.trivial:
        return await erase(access, "collection")
    held = await list_held(access)
    facts = [fact for fact, _ in await choose(access, held, chosen, held)]
    return await forget(access, facts) if facts else 0


def _reply_deleted(erased: Erasure | int, message: str) -> web.Response:
    """How many memories were deleted; 202 and the event that will say it, while the erasure is running."""
    if isinstance(erased, int) or erased.receipt:
        count = erased if isinstance(erased, int) else erased.found.get("graph.facts", 0)
        return web.json_response({"message": message, "count": count})
    where = f"/v1/event/{erased.job_id}/"
    running = {"message": f"The deletion is running: GET {where} says when it is done", "event_id": erased.job_id}
    return web.json_response({**running, "status": "PENDING"}, status=202, headers={"Location": where})
