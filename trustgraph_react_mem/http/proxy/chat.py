"""``POST /v1/chat/completions``.

Source of the shapes: openai-python 3.54, ``types/chat/chat_completion.py`` and ``chat_completion_chunk.py``.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ...memory.tokens import count_tokens
from ...turn_trace import TurnTrace
from ..events.stream import encode_event
from ..guards import reads_body
from .agent import stream_answer, whole_answer
from .context import Call, count_answer, read_body, read_call
from .dialogue import read_messages
from .errors import error_body, in_openai_format
from .passing import ChatAnswer, insert, pass_through
from .upstream import chat_error

PATH = "/chat/completions"
DONE = b"data: [DONE]\n\n"


@reads_body
@in_openai_format
async def complete(request: web.Request) -> web.StreamResponse:
    body = await read_body(request)
    call = await read_call(request, body, read_messages(body.get("messages")))
    answer = (_stream_agent if call.streams else _answer_agent) if call.flow else _pass
    return await count_answer(call, "chat", answer(call))


# ------------------------------------------------------------------------------------------------------- the agent


async def _answer_agent(call: Call) -> web.StreamResponse:
    trace, headers = await whole_answer(call)
    message = {"role": "assistant", "content": trace.answer, "refusal": None}
    body = {
        **_envelope(call, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(call, trace),
        **memory_note(call, trace),
    }
    return web.json_response(body, headers=headers)


async def _stream_agent(call: Call) -> web.StreamResponse:
    chunks = _Chunks(call)

    async def encode(text: str, ended: TurnTrace | None) -> bytes:
        return chunks.end(ended) if ended else chunks.delta({"content": text})

    begin = chunks.delta({"role": "assistant", "content": ""})
    return await stream_answer(call, begin, encode, lambda error: chat_error(error_body(error)))


class _Chunks:
    """The chunks of one answer, which have the same id, time and model."""

    def __init__(self, call: Call) -> None:
        self._call = call
        options = call.body.get("stream_options")
        self._with_usage = isinstance(options, Mapping) and options.get("include_usage") is True
        self._envelope = _envelope(call, "chat.completion.chunk")

    def delta(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        return self._chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])

    def end(self, trace: TurnTrace) -> bytes:
        # Some clients need the content in every delta.
        last = self._chunk([{"index": 0, "delta": {"content": ""}, "logprobs": None, "finish_reason": "stop"}])
        note, counted = memory_note(self._call, trace), usage(self._call, trace)
        if self._with_usage:
            return last + self._chunk([], usage=counted, **note) + DONE
        return last + (self._chunk([], **note) if note else b"") + DONE

    def _chunk(self, choices: list[Any], **more: Any) -> bytes:
        return encode_event({**self._envelope, "choices": choices, **({"usage": None} if self._with_usage else {}), **more})


def _envelope(call: Call, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": call.model}


def usage(call: Call, trace: TurnTrace, into: str = "prompt", out: str = "completion") -> dict[str, Any]:
    """The tokens of all model calls of the turn; if the agent does not say, those of the question and the answer."""
    read = trace.in_tokens or sum(count_tokens(line.text) for line in call.dialogue.lines)
    written = trace.out_tokens or count_tokens(trace.answer)
    return {
        f"{into}_tokens": read,
        f"{out}_tokens": written,
        "total_tokens": read + written,
        f"{into}_tokens_details": {"cached_tokens": 0},
        f"{out}_tokens_details": {"reasoning_tokens": 0},
    }


def memory_note(call: Call, trace: TurnTrace) -> dict[str, Any]:
    """``memory``: which memories the answer cites, only if the request wants to know."""
    return {"memory": {"cited": trace.cited_ids}} if call.use.trace else {}


# ------------------------------------------------------------------------------------------------- another endpoint


async def _pass(call: Call) -> web.StreamResponse:
    return await pass_through(
        call, PATH, lambda text: {"messages": insert(call.body["messages"], text)}, ChatAnswer(), chat_error
    )
