"""What passing a request through does with memory: insert what is recalled, and record the exchange."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .agent import recall_headers
from .context import Call
from .learning import Exchange
from .options import OWN_KEYS
from .recall import block, missing_parts, recall, recalled_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """``text``: to insert, "" = nothing.  ``headers``: of the answer."""

    text: str
    headers: dict[str, str]
    exchange: Exchange


async def prepare(call: Call) -> Prepared:
    """Recall for a request, if it may.  Never raises for a part of recall that fails."""
    if not (call.use.read and call.state.settings.enable_memory and call.exchange.dialogue.question):
        return Prepared(text="", headers=call.headers(), exchange=call.exchange)
    started = time.perf_counter()
    exchange = call.exchange
    found = await recall(call.access, exchange.dialogue, exchange.conversation, call.use.options, call.state.settings)
    ids = recalled_ids(found)
    took_ms = (time.perf_counter() - started) * 1000
    headers = call.headers() | recall_headers(tuple(ids), missing_parts(found), took_ms)
    learns = exchange.learns and (found.switches is None or found.switches.write)
    return Prepared(text=block(found), headers=headers, exchange=replace(exchange, recalled=ids, learns=learns))


def insert(messages: Sequence[Any], text: str, *, part: str = "") -> list[Any]:
    """The messages with the recalled text before the last one of the user.  ``part``: type of its content, "" = plain text."""
    if not text:
        return list(messages)
    roles = [each.get("role") if isinstance(each, Mapping) else None for each in messages]
    place = len(roles) - 1 - roles[::-1].index("user")
    content = [{"type": part, "text": text}] if part else text
    return [*messages[:place], {"role": "user", "content": content}, *messages[place:]]


def without_own_keys(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as the endpoint knows it."""
    passed = {key: value for key, value in body.items() if key not in OWN_KEYS}
    if isinstance(passed.get("user"), Mapping):
        passed["user"] = str(passed["user"].get("id") or "")
    return passed
