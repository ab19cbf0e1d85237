"""Questions to the agent of a flow.  Its thoughts and observations are not part of the answer."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from aiohttp import web

from ...bus.client_specs import raise_error
from ...errors import MemoryServiceError
from ...schema import AgentRequest, HistoryStep
from ...turn_trace import TracePiece, TurnTrace
from .context import Call
from .errors import ProxyError
from .upstream import Stream

MOST_HISTORY = 40  # messages of the client's history that the agent gets


def agent_request(call: Call) -> AgentRequest:
    """Raises: ProxyError (the question has no text)."""
    use, options, asked = call.use, call.use.options, call.dialogue.question
    if asked is not None and not asked.text.strip():
        raise ProxyError(
            "the last message of the user has no text: an agent reads no images, sound or files, so write the question"
        )
    if not use.read:  # a kind without rules and episodes, and none of it
        options = replace(options, memory_types=["topic"], retrieval_limit=0)
    if not call.learns:
        options = replace(options, auto_store=False)
    return AgentRequest(
        question=asked.text if asked else "",
        conversation_id=call.conversation,
        invocation_id=call.invocation,
        history=[HistoryStep(role=line.role, content=line.text) for line in call.dialogue.before[-MOST_HISTORY:]],
        framing=call.dialogue.system,
        streaming=call.streams,
        enable_memory=None if use.read or use.write else False,
        memory=options,
    )


async def ask_agent(call: Call, trace: TurnTrace) -> AsyncGenerator[TracePiece, None]:
    """The turn in pieces, and assembled in ``trace``.  Raises: the error that the agent reports, EngineUnavailable."""
    async with aclosing(call.access.ask(agent_request(call))) as messages:  # type: ignore[type-var]
        async for message in messages:
            raise_error(message.error)
            for piece in trace.feed(message):
                yield piece


async def whole_answer(call: Call) -> tuple[TurnTrace, dict[str, str]]:
    """The turn, and the headers of its answer.  Raises: as ``ask_agent``."""
    trace = TurnTrace(question=call.question)
    async with aclosing(ask_agent(call, trace)) as pieces:
        async for _ in pieces:
            pass
    return trace, call.headers() | _headers_of(trace)


async def stream_answer(
    call: Call,
    begin: bytes,
    encode: Callable[[str, TurnTrace | None], Awaitable[bytes]],
    fail: Callable[[MemoryServiceError], bytes],
) -> web.StreamResponse:
    """Stream an answer: ``begin``, then what ``encode`` makes of each text, and at the end of the turn.

    ``fail``: makes the last event of an answer that broke off.  Raises: as ``ask_agent``, before the stream has begun.
    """
    stream, trace = Stream(call.request, call.proxy, call.headers(), begin), TurnTrace(question=call.question)
    async with aclosing(ask_agent(call, trace)) as pieces:
        try:
            async for piece in stream.each(pieces):
                if piece.kind == "recalled" and not stream.begun:
                    stream.response.headers.update(_headers_of(trace))
                elif piece.kind == "end" or (piece.kind == "answer" and piece.text):
                    await stream.send(await encode(piece.text, trace if piece.kind == "end" else None))
        except MemoryServiceError as error:
            if not stream.begun:
                raise
            await stream.fail(fail(error), error.wire_type)
        return await stream.end()


def _headers_of(trace: TurnTrace) -> dict[str, str]:
    found = trace.recalled
    if not found:
        return {}
    ids = [*(each["id"] for each in trace.memories), *(found.get("rules") or ()), *(found.get("episodes") or ())]
    return recall_headers([str(each) for each in ids], [str(each["part"]) for each in found.get("missing") or ()])


def recall_headers(ids: Sequence[str], missing: Sequence[str], took_ms: float | None = None) -> dict[str, str]:
    """``X-Memory-...`` headers of an answer.  ``missing``: the parts of the recall that failed."""
    return {
        "X-Memory-Recalled": str(len(ids)),
        **({"X-Memory-Ids": ",".join(ids[:20])} if ids else {}),
        **({"X-Memory-Recall-Ms": f"{took_ms:.0f}"} if took_ms is not None else {}),
        **({"X-Memory-Warning": f"degraded={','.join(dict.fromkeys(missing))}"} if missing else {}),
    }
