"""Retain: contents are stored word for word, and a job learns from them."""

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from ...errors import BadRequest, TooLarge
from ...memory.records import derived_id
from ...memory.scope_names import check_name
from ...memory.timefmt import format_time, parse_time
from ...schema import Turn
from ..access import Access
from ..client_metadata import CONTEXT, DOCUMENT, EVENT, TAGS, pack, pack_value
from ..peer_records import forget, import_and_learn, list_facts, reply, wait_for_job
from ..request_body import flag_of, quote_value, text_of, texts_of
from .replies import bank_and_body, find_set

MOST_ITEMS, MOST_CHARS = 500, 100_000
WAIT_S = 60.0
WITHOUT_EFFECT = ("entities", "observation_scopes", "strategy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """``source``: the conversation that it is stored in."""

    turn: Turn
    source: str
    replaces: bool


async def retain(request: web.Request) -> web.Response:
    """Waits for what is learned, unless ``async`` is true; the contents can be recalled in either case."""
    access, body = await bank_and_body(request)
    operation = text_of(body, "operation_id") or str(uuid.uuid4())
    items, ignored = _items(body, operation)
    in_background = flag_of(body, "async", False)
    sources = list(dict.fromkeys(item.source for item in items))
    operations = [await _store(access, source, items, operation) for source in sources]
    if not in_background:
        await asyncio.gather(*(wait_for_job(access, job, WAIT_S) for job in operations))
    answer = {
        "success": True,
        "bank_id": access.collection,
        "items_count": len(items),
        "async": in_background,
        **({"operation_id": operations[0], "operation_ids": operations} if in_background else {}),
        "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
    }
    return reply(answer, ignored)


async def _store(access: Access, source: str, items: list[Item], operation: str) -> str:
    """Store the items of one conversation and submit the job that learns from them.  Returns its id.

    A document that is retained again replaces its former contents.
    """
    mine = [item for item in items if item.source == source]
    if any(item.replaces for item in mine):
        kept = {item.turn.id for item in mine}
        before = await list_facts(access, kinds=["turn"], source=source)
        former = [fact for fact in before if fact.metadata.get("turn") not in kept]
        learned = {turn.id for turn in former}
        derived = [fact for fact in await list_facts(access, source=source) if learned & set(fact.turn_ids)]
        if former:
            await forget(access, [*former, *derived])
    job = operation if len({item.source for item in items}) == 1 else str(uuid.uuid5(uuid.NAMESPACE_URL, operation + source))
    await import_and_learn(access, source, [item.turn for item in mine], job)
    return job


def _items(body: Mapping[str, Any], operation: str) -> tuple[list[Item], list[str]]:
    """The items, and the fields that have no effect.  Raises: BadRequest, TooLarge."""
    items = body.get("items")
    if not isinstance(items, list) or not items:
        raise BadRequest(f'items {quote_value(items)} is not a list of items: send [{{"content": "..."}}]')
    if len(items) > MOST_ITEMS:
        raise TooLarge(f"items has {len(items)} entries: send at most {MOST_ITEMS} at once")
    tags = texts_of(dict(body), "document_tags")
    ignored: list[str] = []
    found: list[Item] = []
    for number, item in enumerate(items):
        if not isinstance(item, dict):
            raise BadRequest(f"items[{number}] {quote_value(item)} is not an object with content")
        found.append(_item(item, number, tags, operation))
        ignored += [f"items[{number}].{name}" for name in find_set(item, WITHOUT_EFFECT)]
    return found, ignored


def _item(item: dict[str, Any], number: int, tags: list[str], operation: str) -> Item:
    where = f"items[{number}]"
    document, context = text_of(item, "document_id"), text_of(item, "context")
    check_name("document_id", document)
    mode = item.get("update_mode") or "replace"
    if mode not in ("replace", "append"):
        raise BadRequest(f"{where}.update_mode {quote_value(mode)} is neither replace nor append")
    labels = pack(item.get("metadata"), f"{where}.metadata") | {EVENT: operation}
    labels |= {name: value for name, value in ((CONTEXT, context), (DOCUMENT, document)) if value}
    if all_tags := list(dict.fromkeys([*tags, *texts_of(item, "tags")])):
        labels[TAGS] = pack_value(all_tags)
    text = _content(item.get("content"), where)
    turn = Turn(id=derived_id("retain", text), role="user", text=text, said_at=_moment(item, where), metadata=labels)
    source = document or f"hindsight-{operation}"
    return Item(turn=turn, source=source, replaces=bool(document) and mode == "replace")


def _content(content: object, where: str) -> str:
    """Raises: BadRequest (no text, or an image), TooLarge."""
    if isinstance(content, list):
        texts = [block.get("text") if isinstance(block, Mapping) else None for block in content]
        if not all(isinstance(text, str) for text in texts):
            raise BadRequest(f"{where}.content has a block that is not text: send text, because images are not read here")
        content = "\n".join(str(text) for text in texts)
    if not isinstance(content, str) or not content.strip():
        raise BadRequest(f"{where}.content {quote_value(content)} is not a text: send what is to be remembered")
    if len(content) > MOST_CHARS:
        raise TooLarge(f"{where}.content has {len(content)} characters: send at most {MOST_CHARS} in one item")
    return content


def _moment(item: dict[str, Any], where: str) -> str:
    stamp = text_of(item, "timestamp")
    if stamp == "unset":
        return ""
    at = parse_time(stamp) if stamp else datetime.now(UTC)
    if at is None:
        raise BadRequest(f"{where}.timestamp {quote_value(stamp)} is not an ISO 8601 time: correct it, or send 'unset'")
    return format_time(at)
