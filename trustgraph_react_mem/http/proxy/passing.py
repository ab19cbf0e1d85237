"""Passing a request through to the endpoint with memory: recalled memories are inserted, and the exchange is recorded."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web

from ...models.server_events import Event, read_object
from .agent import recall_headers
from .context import Call
from .learning import Exchange
from .messages.answers import ReadAnswer
from .options import OWN_KEYS
from .recall import block, recall, recalled_ids
from .upstream import Stream, open_upstream, read_answer, relay, returned_headers, streams_events


async def prepare(call: Call) -> tuple[str, dict[str, str], Exchange]:
    """Recall for a request, if it may: the text to insert ("" = nothing), the headers of the answer, and what to record.

    Never raises for a part of recall that fails.
    """
    exchange = call.exchange
    if not (call.use.read and call.state.settings.enable_memory and exchange.dialogue.question):
        return "", call.headers(), exchange
    started = time.perf_counter()
    found = await recall(call.access, exchange.dialogue, exchange.conversation, call.use.options, call.state.settings)
    ids, took_ms = recalled_ids(found), (time.perf_counter() - started) * 1000
    headers = call.headers() | recall_headers(ids, [part.part for part in found.missing], took_ms)
    learns = exchange.learns and (found.switches is None or found.switches.write)
    return block(found), headers, replace(exchange, recalled=ids, learns=learns)


async def pass_through(
    call: Call,
    path: str,
    body: Mapping[str, Any],
    headers: Mapping[str, str],
    answer: ReadAnswer,
    finish: Callable[[], Awaitable[None]],
    describe: Callable[[Mapping[str, Any]], bytes],
) -> web.StreamResponse:
    """The answer of the endpoint, read into ``answer``.  ``finish`` is called once it has ended, before its end is sent.

    ``describe``: makes the last event of a stream that broke off from an error object.
    """
    async with open_upstream(call.proxy, call.request, path, body) as response:
        returned = {**headers, **returned_headers(response.headers)}
        if not streams_events(response):
            whole = await read_answer(call.proxy, response)
            if response.status == 200:
                answer.body(read_object(whole) or {})
                await finish()
            return web.Response(status=response.status, body=whole, headers=returned)
        stream, finished = Stream(call.request, call.proxy, returned), False

        async def on_event(event: Event) -> None:
            nonlocal finished
            answer.event(event.object())
            if answer.ended and not finished:
                finished = True
                await finish()

        await relay(stream, response, on_event, describe)
        return await stream.end()


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
