"""Changing, rating and deleting memories in mem0's terms."""

import asyncio
from collections.abc import Mapping
from typing import Any

from multidict import MultiMapping

from ...errors import BadRequest
from ...memory.requests import RateFacts, UpdateFact
from ...processors.operations.fact_writing import NEVER
from ..access import Access
from ..client_metadata import pack
from ..forgetting import Erasure, erase, erased_records
from ..peer_records import forget, get_fact, list_held
from ..request_body import parse_json, quote_value, text_of
from .filters import Filter, parse_filters
from .ids import ACCOUNT_FIELDS, ID_FIELDS, Ids, read_id
from .objects import memory_objects, read_expiration
from .reading import choose

RATINGS: Mapping[str, int] = {"POSITIVE": 1, "NEGATIVE": -1, "VERY_NEGATIVE": -1}
MOST_AT_ONCE = 1000
UPDATE_FIELDS = ("text", "data", "metadata", "expiration_date", *ACCOUNT_FIELDS)
DELETE_PARAMETERS = (*ID_FIELDS, "metadata", *ACCOUNT_FIELDS)


async def update(access: Access, record_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The changed memory.  Metadata is merged into the stored one."""
    text, metadata = text_of(body, "text") or text_of(body, "data"), pack(body.get("metadata"))
    if not text and not metadata and "expiration_date" not in body:
        raise BadRequest("the body changes nothing: send text, metadata or expiration_date")
    found = await get_fact(access, record_id)
    valid_to = read_expiration(body["expiration_date"]) or NEVER if "expiration_date" in body else ""
    changed = UpdateFact(id=found.id, content=text, metadata=metadata, valid_to=valid_to)
    stored = (await access.call(changed)).facts
    return (await memory_objects(access, stored or [found]))[0]


async def update_all(access: Access, body: Mapping[str, Any]) -> int:
    """All of them exist, or none is changed.  Raises: NotFound, BadRequest."""
    entries = batch(body)
    await asyncio.gather(*(get_fact(access, entry["memory_id"]) for entry in entries))
    for entry in entries:
        await update(access, entry["memory_id"], entry)
    return len(entries)


async def delete_all_of(access: Access, body: Mapping[str, Any]) -> int:
    """All of them exist, or none is erased.  Raises: NotFound, BadRequest."""
    found = await asyncio.gather(*(get_fact(access, entry["memory_id"]) for entry in batch(body)))
    return await forget(access, list({fact.id: fact for fact in found}.values()))


def batch(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries of a batch, each with its ``memory_id``.  Raises: BadRequest."""
    memories = body.get("memories")
    if not isinstance(memories, list) or not 1 <= len(memories) <= MOST_AT_ONCE:
        raise BadRequest(f"memories {quote_value(memories)} is not a list of 1 to {MOST_AT_ONCE} entries with memory_id")
    for number, entry in enumerate(memories):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("memory_id"), str):
            raise BadRequest(f"memories[{number}] {quote_value(entry)} has no memory_id: send its id as a text")
    return memories


def read_deletion(query: MultiMapping[str]) -> tuple[Ids, Filter]:
    """What a deletion without an id concerns.  Nothing in it is guessed, because a mistake erases everything.

    Raises: BadRequest (no parameter, one that is unknown or given twice, or an empty one).
    """
    if unknown := sorted(set(query) - set(DELETE_PARAMETERS)):
        raise BadRequest(
            f"the query has an unknown parameter {unknown[0][:60]!r}, and nothing was deleted: use {', '.join(ID_FIELDS)} or "
            "metadata (ids inside of filters cannot be read here)"
        )
    if repeated := {name for name in query if len(query.getall(name)) > 1}:
        raise BadRequest(f"{min(repeated)} is given twice, and nothing was deleted: give it once")
    ids = {name: read_id(name, query[name]) for name in ID_FIELDS if name in query}
    if empty := [name for name, value in ids.items() if not value]:
        raise BadRequest(f"{empty[0]} is empty, and nothing was deleted: give a name")
    if not ids and "metadata" not in query:
        raise BadRequest("a deletion without a scope would erase everything, and nothing was deleted: name the user_id")
    parts: list[dict[str, Any]] = [{name: value} for name, value in ids.items() if name != "user_id"]
    if "metadata" in query:
        parts.append({"metadata": from_query("metadata", query["metadata"])})
    return ids, parse_filters({"AND": parts} if parts else {})


def from_query(name: str, text: str) -> Any:
    """Raises: BadRequest."""
    try:
        return parse_json(text)
    except ValueError:
        raise BadRequest(f"{name} {quote_value(text)} is not JSON: send an object as JSON") from None


async def delete_scope(access: Access, chosen: Filter) -> Erasure:
    """Erase the user's memories that the filter lets through, whatever their status: all of them, not one page."""
    if chosen.trivial:
        return await erase(access, "collection")
    held = await list_held(access)
    facts = [fact for fact, _ in await choose(access, held, chosen, held)]
    return erased_records(facts=await forget(access, facts) if facts else 0)


async def delete_entity(access: Access, kind: str, name: str) -> Erasure:
    """Erase what belongs to an entity.  ``kind``: user | agent | app | run."""
    erasure = await delete_scope(access, parse_filters({} if kind == "user" else {f"{kind}_id": name}))
    if kind == "run":  # what was said to the agent in it, too
        conversation = await erase(access, "conversation", conversation_id=name)
        return erasure if conversation.receipt else conversation
    return erasure


async def rate(access: Access, body: Mapping[str, Any]) -> dict[str, Any]:
    """Raises: BadRequest, NotFound."""
    found = await get_fact(access, text_of(body, "memory_id", needed=True))
    feedback = body.get("feedback")
    if feedback is None:
        raise BadRequest("feedback null would withdraw a rating, which is not possible here: send the opposite rating")
    rating = RATINGS.get(feedback.upper()) if isinstance(feedback, str) else None
    if rating is None:
        raise BadRequest(f"feedback {quote_value(feedback)} is not one of {', '.join(RATINGS)}")
    done = await access.call(RateFacts(ids=[found.id], rating=rating))
    reason = {"feedback_reason": body["feedback_reason"]} if body.get("feedback_reason") else {}
    return {"id": done.stats.get("job", ""), "memory_id": found.id, "feedback": feedback.upper(), **reason}
