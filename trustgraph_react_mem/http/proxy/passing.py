"""Passing a request through to the endpoint with memory: recalled memories are inserted, and the exchange is recorded.

What an answer says, its text and whether it is complete, is read from its events or from its whole body.  Once it is, the
exchange becomes a ``record`` job, as a turn of the agent does.  So the question counts as said by the user and the answer as
said by the assistant, memories that were inserted are not learned again, and rules are kept at once.

Invariants:
- The job is confirmed by the broker before the end of the answer is sent to the client.
- Its id depends on the conversation and on what was said, so a repeated request is recorded once.
- Failing to record never fails the answer.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from ...errors import MemoryServiceError
from ...memory.records import derived_id
from ...memory.requests import SubmitJob
from ...memory.text.reasoning import without_reasoning
from ...models.server_events import DONE, Event, read_object
from ...telemetry.metrics import exchanges
from ...turn.record import exchange_payload
from .agent import recall_headers
from .context import Call
from .dialogue import MOST_LEARNED, text_of, words_of_person
from .options import OWN_KEYS
from .recall import block, recall, recalled_ids
from .upstream import Stream, open_upstream, read_answer, relay, returned_headers, streams_events

logger = logging.getLogger(__name__)

RECORD_TIMEOUT_S = 10.0
OMITTED = object()  # in place of a value that the endpoint does not get
UNFINISHED = ("tool_calls", "function_call", "error")  # reasons after which the text is not what the person gets


@dataclass(slots=True)
class ChatAnswer:
    """The first choice of chat completions.

    ``ended``: all of it has come.  ``complete``: it ended with text, not with a call of a tool.
    """

    text: str = ""
    finish: str = ""
    called: bool = False

    @property
    def ended(self) -> bool:
        return bool(self.finish)

    @property
    def complete(self) -> bool:
        return self.finish not in UNFINISHED and not self.called and bool(self.text.strip())

    def event(self, event: Mapping[str, Any]) -> None:
        self._add(event, "delta")

    def body(self, body: Mapping[str, Any]) -> None:
        self._add(body, "message")

    def _add(self, body: Mapping[str, Any], name: str) -> None:
        for choice in _list(body.get("choices")):
            if choice.get("index", 0) == 0:
                part = choice.get(name)
                if isinstance(part, Mapping):
                    content = part.get("content")
                    self.text += text_of(content) if isinstance(content, str | list) else ""
                    self.called = self.called or bool(part.get("tool_calls") or part.get("function_call"))
                self.finish = str(choice.get("finish_reason") or "") or self.finish
                return


@dataclass(slots=True)
class ResponsesAnswer:
    """An answer of the Responses API.  ``response``: the whole object, once it has come."""

    response: dict[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        return bool(self.response)

    def event(self, event: Mapping[str, Any]) -> None:
        if event.get("type") in ("response.completed", "response.incomplete") and isinstance(event.get("response"), dict):
            self.response = event["response"]

    def body(self, body: dict[str, Any]) -> None:
        self.response = body

    @property
    def text(self) -> str:
        messages = [item for item in _list(self.response.get("output")) if item.get("type") == "message"]
        parts = [part for item in messages for part in _list(item.get("content")) if part.get("type") == "output_text"]
        return "\n".join(str(part.get("text") or "") for part in parts)

    @property
    def complete(self) -> bool:
        called = any(
            str(item.get("type")).endswith("_call") and "call_id" in item for item in _list(self.response.get("output"))
        )
        return self.response.get("status") in ("completed", "incomplete") and not called and bool(self.text.strip())


def _list(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


async def _recall(call: Call) -> tuple[str, dict[str, str], Call]:
    """Recall for a request, if it may: the text to insert ("" = nothing), the headers of the answer, the call.

    Never raises for a part of recall that fails.
    """
    if not (call.use.read and call.state.settings.enable_memory and call.dialogue.question):
        return "", call.headers(), call
    started = time.perf_counter()
    found = await recall(call)
    ids, took_ms = recalled_ids(found), (time.perf_counter() - started) * 1000
    headers = call.headers() | recall_headers(ids, [part.part for part in found.missing], took_ms)
    learns = call.learns and (found.switches is None or found.switches.write)
    return block(found), headers, replace(call, recalled=ids, learns=learns)


async def pass_through(
    call: Call,
    path: str,
    change: Callable[[str], Mapping[str, Any]],
    answer: ChatAnswer | ResponsesAnswer,
    describe: Callable[[Mapping[str, Any]], bytes],
    keep: Callable[[bool], Awaitable[None]] | None = None,
) -> web.StreamResponse:
    """The answer of the endpoint, read into ``answer``.

    ``change``: makes fields of the body that the endpoint gets from the recalled text.  ``keep``: is called with whether the
    exchange was recorded, once the answer has ended and before its end is sent.  ``describe``: makes the last event of a stream
    that broke off from an error object.
    """
    text, headers, call = await _recall(call)
    body = {name: value for name, value in {**without_own_keys(call.body), **change(text)}.items() if value is not OMITTED}

    async def finish() -> None:
        learned = answer.complete and await _record(call, answer.text)
        if keep:
            await keep(learned)

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
            if (answer.ended or event.data.strip() == DONE) and not finished:
                finished = True
                await finish()

        await relay(stream, response, on_event, describe)
        return await stream.end()


async def _record(call: Call, answer: str) -> bool:
    """Record the exchange if it may be learned from.  Returns whether it was."""
    question, answer = (call.question, words_of_person(without_reasoning(answer))) if call.learns else ("", "")
    if not (question and answer):
        exchanges.labels("skipped").inc()
        return False
    access = call.access
    payload = exchange_payload(
        conversation_id=call.conversation,
        invocation_id=call.invocation,
        speaker=access.user,
        speaker_proof=access.prove_speaker(access.user, question),
        asked_at=call.asked_at,
        answered_at=datetime.now(UTC),
        recalled=call.recalled,
    )
    job = SubmitJob(
        kind="record",
        id=derived_id("record", access.scope.key, call.invocation),
        payload=json.dumps({**payload, "question": question, "answer": answer[:MOST_LEARNED]}),
        timeout_s=0.0,
    )
    try:
        async with asyncio.timeout(RECORD_TIMEOUT_S):
            await access.call(job)
    except (MemoryServiceError, TimeoutError) as error:
        logger.warning("an exchange was not recorded: %s: %s", type(error).__name__, error)
        exchanges.labels("failed").inc()
        return False
    exchanges.labels("recorded").inc()
    return True


def insert(messages: Sequence[Any], text: str, *, part: str = "text") -> list[Any]:
    """The messages with the recalled text in the last one of the user: a chat template may not take a second one."""
    if not text:
        return list(messages)
    roles = [each.get("role") if isinstance(each, Mapping) else None for each in messages]
    place = len(roles) - 1 - roles[::-1].index("user")
    said = messages[place].get("content") or ""
    content = f"{text}\n\n{said}" if isinstance(said, str) else [{"type": part, "text": text}, *said]
    return [*messages[:place], {**messages[place], "content": content}, *messages[place + 1 :]]


def without_own_keys(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as the endpoint knows it."""
    passed = {key: value for key, value in body.items() if key not in OWN_KEYS}
    if isinstance(passed.get("user"), Mapping):
        passed["user"] = str(passed["user"].get("id") or "")
    return passed
