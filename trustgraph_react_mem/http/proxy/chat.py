"""``POST /v1/chat/completions``.

Source of the shapes: openai-python 3.54, ``types/chat/chat_completion.py`` and ``chat_completion_chunk.py``.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ...memory.tokens import count_tokens
from ...models.server_events import Event
from ..events.event_stream import encode_event
from ..guards import reads_body
from ..native.routing import note_ignored
from .agent import Piece, stream_answer, whole_answer
from .context import Call, count_answer, read_body, read_call
from .errors import error_body, in_openai_format
from .learning import record
from .messages.answers import ChatAnswer, read_object
from .messages.conversion import as_chat
from .messages.dialogue import read_messages
from .passing import insert, prepare, without_own_keys
from .upstream import (
    Stream,
    chat_error,
    open_upstream,
    read_answer,
    relay,
    returned_headers,
    streams_events,
)

PATH = "/chat/completions"
DONE = b"data: [DONE]\n\n"


@reads_body
@in_openai_format
async def complete(request: web.Request) -> web.StreamResponse:
    body, left_out = as_chat(await read_body(request))
    note_ignored(request, left_out)
    call = await read_call(request, body, read_messages(body.get("messages")))
    answer = (_stream_agent if call.streams else _answer_agent) if call.flow else _pass
    return await count_answer(call, "chat", answer(call))


# ------------------------------------------------------------------------------------------------------- the agent


async def _answer_agent(call: Call) -> web.StreamResponse:
    text, last, headers = await whole_answer(call)
    message = {"role": "assistant", "content": text, "refusal": None}
    body = {
        **_envelope(call, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(call, text, last),
        **memory_note(call, last),
    }
    return web.json_response(body, headers=headers)


async def _stream_agent(call: Call) -> web.StreamResponse:
    chunks = _Chunks(call)

    async def encode(piece: Piece) -> bytes:
        said = chunks.delta({"content": piece.text}) if piece.text else b""
        return said + (chunks.end(piece) if piece.ended else b"")

    begin = chunks.delta({"role": "assistant", "content": ""})
    return await stream_answer(call, begin, encode, lambda error: chat_error(error_body(error)))


class _Chunks:
    """The chunks of one answer, which have the same id, time and model."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._text = ""
        options = call.body.get("stream_options")
        self._with_usage = isinstance(options, Mapping) and options.get("include_usage") is True
        self._envelope = _envelope(call, "chat.completion.chunk")

    def delta(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        self._text += delta.get("content") or ""
        return self._chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])

    def end(self, piece: Piece) -> bytes:
        # Some clients need the content in every delta.
        last = self._chunk([{"index": 0, "delta": {"content": ""}, "logprobs": None, "finish_reason": "stop"}])
        note, counted = memory_note(self._call, piece), usage(self._call, self._text, piece)
        if self._with_usage:
            return last + self._chunk([], usage=counted, **note) + DONE
        return last + (self._chunk([], **note) if note else b"") + DONE

    def _chunk(self, choices: list[Any], **more: Any) -> bytes:
        return encode_event({**self._envelope, "choices": choices, **({"usage": None} if self._with_usage else {}), **more})


def _envelope(call: Call, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": call.model}


def usage(call: Call, text: str, piece: Piece) -> dict[str, Any]:
    """The tokens of all model calls of the turn; if the agent does not say, those of the question and the answer."""
    into = piece.in_tokens or sum(count_tokens(line.text) for line in call.exchange.dialogue.lines)
    out = piece.out_tokens or count_tokens(text)
    return {
        "prompt_tokens": into,
        "completion_tokens": out,
        "total_tokens": into + out,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def memory_note(call: Call, last: Piece) -> dict[str, Any]:
    """``memory``: which memories the answer cites, only if the request wants to know."""
    return {"memory": {"cited": list(last.cited)}} if call.use.trace else {}


# ------------------------------------------------------------------------------------------------- another endpoint


async def _pass(call: Call) -> web.StreamResponse:
    prepared = await prepare(call)
    body = without_own_keys(call.body)
    body["messages"] = insert(body["messages"], prepared.text)
    said = ChatAnswer()
    async with open_upstream(call.proxy, call.request, PATH, body) as response:
        headers = prepared.headers | returned_headers(response.headers)
        if not streams_events(response):
            answer = await read_answer(call.proxy, response)
            if answer.status == 200:
                said.body(read_object(answer.body))
                if said.complete:
                    await record(prepared.exchange, said.text)
            return web.Response(status=answer.status, body=answer.body, headers=headers)
        stream, recorded = Stream(call.request, call.proxy, headers), False

        async def on_event(event: Event) -> None:
            nonlocal recorded
            said.event(event)
            if said.complete and not recorded:
                recorded = True
                await record(prepared.exchange, said.text)

        await relay(stream, response, on_event, chat_error)
        return await stream.end()
