"""The kept answers of the Responses API: chains of them, and ``/v1/responses/{id}``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from ..access import Access
from .context import find_access, read_model
from .errors import ProxyError, in_openai_format
from .kept import Kept
from .options import named_conversation
from .resources import PROXY

MOST_CHAINED = 200  # answers of a chain that are followed
TRANSIENT = ("reasoning", "item_reference")  # items that mean something only where they were made


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """What was said before a request.  ``previous``: id of the answer that it continues; "" = none."""

    previous: str = ""
    conversation: str = ""
    items: list[Any] = field(default_factory=list)


async def read_chain(request: web.Request, body: Mapping[str, Any]) -> Chain:
    """The chain that ``previous_response_id`` or ``conversation`` continues.

    Raises: ProxyError (no answer with this id of this key is kept).
    """
    previous = body.get("previous_response_id")
    conversation = named_conversation(request, body) if body.get("conversation") else ""
    if not previous and not conversation:
        return Chain()
    if previous and not isinstance(previous, str):
        raise ProxyError("previous_response_id must be a text", param="previous_response_id")
    read_model(body)
    access, kept = await find_access(request, body), request.app[PROXY].kept
    key_id = access.principal.key_id
    if previous:
        found = await kept.get(previous, key_id, access.scope)
        if found is None:
            raise ProxyError(
                f"there is no response {previous[:100]!r} to continue: it was not stored, has expired, or was erased",
                code="previous_response_not_found",
                param="previous_response_id",
            )
    else:
        found = await kept.latest(conversation, key_id, access.scope)
        if found is not None and _is_retry(request, body, found):  # continue the answer before the one that it asks for again
            found = await kept.get(found.previous, key_id, access.scope) if found.previous else None
        if found is None:
            return Chain(conversation=conversation)
    return Chain(previous=found.id, conversation=found.conversation, items=await _items(request, access, found))


def _is_retry(request: web.Request, body: Mapping[str, Any], newest: Kept) -> bool:
    """Whether a client sends a request again whose answer it did not get.  Source: openai-python, ``_base_client.py``."""
    return request.headers.get("x-stainless-retry-count", "0") != "0" and newest.items == as_items(body.get("input"))


async def _items(request: web.Request, access: Access, newest: Kept) -> list[Any]:
    """The items of a chain of answers, oldest first."""
    chain, kept = [newest], request.app[PROXY].kept
    while chain[-1].previous and len(chain) < MOST_CHAINED:
        before = await kept.get(chain[-1].previous, access.principal.key_id, access.scope)
        if before is None:
            break
        chain.append(before)
    items = list[Any]()
    for one in reversed(chain):
        items += one.items
        items += [_as_input(item) for item in one.body.get("output") or ()]
    return [
        item
        for item in items
        if not (isinstance(item, Mapping) and item.get("type") in TRANSIENT and not item.get("encrypted_content"))
    ]


def _as_input(item: Any) -> Any:
    """An output item as an input item: its id means nothing to an endpoint that has not stored it."""
    if not isinstance(item, Mapping):
        return item
    plain = {key: value for key, value in item.items() if key not in ("id", "status")}
    if plain.get("type") == "message":
        texts = [
            {"type": "output_text", "text": part["text"]} if isinstance(part, Mapping) and "text" in part else part
            for part in plain.get("content") or ()
        ]
        return {**plain, "content": texts}
    return plain


def as_items(given: object) -> list[Any]:
    """Raises: ProxyError."""
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise ProxyError("input must be a text or a list of at least one item", param="input")
    return given


# ------------------------------------------------------------------------------------------------------- routes


@in_openai_format
async def get(request: web.Request) -> web.StreamResponse:
    if request.query.get("stream", "false").lower() != "false":
        raise ProxyError("a kept response is not sent as a stream: leave stream out", param="stream")
    return web.json_response((await _find(request)).body)


@in_openai_format
async def delete(request: web.Request) -> web.StreamResponse:
    """Delete the kept answer.  What was learned from it stays: memories are forgotten in the memory."""
    found = await _find(request)
    await request.app[PROXY].kept.delete([found])
    return web.json_response({"id": found.id, "object": "response", "deleted": True})


async def _find(request: web.Request) -> Kept:
    """Raises: ProxyError (404: there is none, or it belongs to another key)."""
    access, name = await find_access(request, {}), request.match_info["id"]
    found = await request.app[PROXY].kept.get(name, access.principal.key_id, access.scope)
    if found is None:
        raise ProxyError(f"there is no response {name[:100]!r}", status=404, code="not_found")
    return found
