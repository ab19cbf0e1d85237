"""``POST /v1/responses``, and the kept answers.

Kept answers belong to the key that made them.  A model of another endpoint never keeps them: it gets ``store: false`` and the
items of the earlier answers, so the endpoint needs no memory of its own and recalled memories do not pile up there.

Source of the shapes: openai-python 3.54, ``types/responses/response.py`` and ``response_stream_event.py``.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from ...errors import MemoryServiceError
from ...turn_trace import TurnTrace
from ..events.stream import encode_event
from ..guards import reads_body
from .agent import stream_answer, whole_answer
from .chat import memory_note, usage
from .context import Call, count_answer, read_body, read_call
from .dialogue import read_items
from .errors import ProxyError, error_body, in_openai_format
from .kept import Kept
from .passing import OMITTED, ResponsesAnswer, insert, pass_through
from .stored import Chain, as_items, read_chain

PATH = "/responses"
ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": None,
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "max_output_tokens": None,
    "previous_response_id": None,
    "truncation": "disabled",
}


@reads_body
@in_openai_format
async def create(request: web.Request) -> web.StreamResponse:
    body = await read_body(request)
    if body.get("background"):
        raise ProxyError("background is not supported: leave it out and wait for the answer", param="background")
    chain = await read_chain(request, body)
    items = as_items(body.get("input"))
    dialogue = read_items([*chain.items, *items], instructions=body.get("instructions"))
    call = await read_call(request, body, dialogue, chain.conversation)
    answer = _Answer(call=call, chain=chain, items=items)
    answering = (_stream_agent if call.streams else _answer_agent) if call.flow else _pass
    return await count_answer(call, "responses", answering(answer))


@dataclass(slots=True, kw_only=True)
class _Answer:
    """One answer in the making.  ``items``: the input items of the request."""

    call: Call
    chain: Chain
    items: list[Any]
    id: str = field(default_factory=lambda: f"resp_{uuid.uuid4().hex}")
    message_id: str = field(default_factory=lambda: f"msg_{uuid.uuid4().hex}")
    created: float = field(default_factory=time.time)

    def object(self, status: str, output: list[Any], **more: Any) -> dict[str, Any]:
        body, conversation = self.call.body, self.call.body.get("conversation")
        return {
            "id": self.id,
            "object": "response",
            "created_at": int(self.created),
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": self.call.model,
            "output": output,
            "usage": None,
            **{name: default if body.get(name) is None else body[name] for name, default in ECHOED.items()},
            "conversation": {"id": self.call.conversation} if conversation else None,
            "store": body.get("store") is not False,
            **more,
        }

    def message(self, text: str, status: str = "completed") -> dict[str, Any]:
        content = [_part(text)] if status == "completed" else []
        return {"id": self.message_id, "type": "message", "role": "assistant", "status": status, "content": content}

    async def complete(self, trace: TurnTrace) -> dict[str, Any]:
        """The whole answer of an agent, which is kept."""
        counted = usage(self.call, trace, "input", "output")
        body = self.object("completed", [self.message(trace.answer)], usage=counted, **memory_note(self.call, trace))
        await self.keep(body, learned=self.call.learns)
        return body

    async def keep(self, body: dict[str, Any], *, learned: bool) -> None:
        """Keep the answer, unless the request says that it is not to be stored."""
        call = self.call
        if call.body.get("store") is False or not isinstance(body.get("id"), str):
            return
        kept = Kept(
            id=body["id"],
            key_id=call.access.principal.key_id,
            scope=call.access.scope,
            conversation=call.conversation,
            invocation=call.invocation,
            learned=learned,
            previous=self.chain.previous,
            created=self.created,
            body={**body, "previous_response_id": self.chain.previous or None, "store": True},
            items=self.items,
        )
        await call.proxy.kept.put(kept)


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


# ------------------------------------------------------------------------------------------------------- the agent


async def _answer_agent(answer: _Answer) -> web.StreamResponse:
    trace, headers = await whole_answer(answer.call)
    return web.json_response(await answer.complete(trace), headers=headers)


async def _stream_agent(answer: _Answer) -> web.StreamResponse:
    events = _Events(answer)

    async def encode(text: str, ended: TurnTrace | None) -> bytes:
        return events.end(ended.answer, await answer.complete(ended)) if ended else events.delta(text)

    return await stream_answer(answer.call, events.begin(), encode, events.fail)


class _Events:
    """The events of one answer with one message, with their numbers."""

    def __init__(self, answer: _Answer) -> None:
        self._answer, self._number = answer, -1
        self._place = {"item_id": answer.message_id, "output_index": 0, "content_index": 0}

    def begin(self) -> bytes:
        begun = self._answer.object("in_progress", [])
        item = self._answer.message("", "in_progress")
        return (
            self._event("response.created", response=begun)
            + self._event("response.in_progress", response=begun)
            + self._event("response.output_item.added", output_index=0, item=item)
            + self._event("response.content_part.added", **self._place, part=_part(""))
        )

    def delta(self, text: str) -> bytes:
        return self._event("response.output_text.delta", **self._place, delta=text, logprobs=[])

    def end(self, text: str, body: Mapping[str, Any]) -> bytes:
        return (
            self._event("response.output_text.done", **self._place, text=text, logprobs=[])
            + self._event("response.content_part.done", **self._place, part=_part(text))
            + self._event("response.output_item.done", output_index=0, item=self._answer.message(text))
            + self._event("response.completed", response=body)
        )

    def fail(self, error: MemoryServiceError) -> bytes:
        said = error_body(error)
        reason = {"code": "server_error", "message": said["message"]}
        return self._event("error", code=said["code"], message=said["message"], param=said["param"]) + self._event(
            "response.failed", response=self._answer.object("failed", [], error=reason)
        )

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return encode_event({"type": kind, "sequence_number": self._number, **fields}, kind)


# ------------------------------------------------------------------------------------------------- another endpoint


async def _pass(answer: _Answer) -> web.StreamResponse:
    given, asked = ResponsesAnswer(), answer.call.body["input"]

    def change(text: str) -> dict[str, Any]:
        whole = insert([*answer.chain.items, *answer.items], text, part="input_text")
        plain = isinstance(asked, str) and not (text or answer.chain.items)
        return {"store": False, "input": asked if plain else whole, "previous_response_id": OMITTED, "conversation": OMITTED}

    async def keep(learned: bool) -> None:
        if given.response.get("object") == "response":
            await answer.keep(given.response, learned=learned)

    return await pass_through(answer.call, PATH, change, given, _encode_break, keep)


def _encode_break(error: Mapping[str, Any]) -> bytes:
    fields = {"code": error["code"], "message": error["message"], "param": None, "sequence_number": 0}
    return encode_event({"type": "error", **fields}, "error")
