"""Questions to the agent of a flow.  Its thoughts and observations are not part of the answer."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from aiohttp import web
from trustgraph.schema import AgentResponse

from ...bus.client_specs import raise_error
from ...errors import MemoryServiceError
from ...schema import AgentRequest, HistoryStep
from ...schema.agent import CITED, RECALLED
from .context import Call
from .errors import ProxyError
from .upstream import Stream

MOST_HISTORY = 40  # messages of the client's history that the agent gets


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of an answer: text, the headers that name its recall, or (``ended``) its end with the tokens used."""

    text: str = ""
    recall: Mapping[str, str] | None = None
    cited: tuple[str, ...] = ()
    ended: bool = False
    in_tokens: int = 0
    out_tokens: int = 0


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


async def ask_agent(call: Call) -> AsyncGenerator[Piece, None]:
    """The answer in pieces.  Raises: the error that the agent reports, EngineUnavailable."""
    cited: tuple[str, ...] = ()
    async with aclosing(call.access.ask(agent_request(call))) as messages:  # type: ignore[type-var]
        async for message in messages:
            raise_error(message.error)
            if message.message_type == "explain":
                notes = _notes(message)
                if RECALLED in notes:
                    note = notes[RECALLED]
                    ids = [str(each["id"]) for each in note.get("memories") or ()]
                    ids += [*map(str, note.get("rules") or ()), *map(str, note.get("episodes") or ())]
                    yield Piece(recall=recall_headers(ids, [str(each["part"]) for each in note.get("missing") or ()]))
                if CITED in notes:
                    cited = tuple(map(str, notes[CITED].get("ids") or ()))
            elif message.message_type == "answer":
                if message.content:
                    yield Piece(text=message.content)
                if message.end_of_dialog:
                    yield Piece(ended=True, cited=cited, in_tokens=message.in_token or 0, out_tokens=message.out_token or 0)


async def whole_answer(call: Call) -> tuple[str, Piece, dict[str, str]]:
    """The text of an answer, its last piece, and its headers.  Raises: as ``ask_agent``."""
    text, last, headers = "", Piece(), call.headers()
    async with aclosing(ask_agent(call)) as pieces:
        async for last in pieces:
            text += last.text
            headers |= last.recall or {}
    return text, last, headers


async def stream_answer(
    call: Call, begin: bytes, encode: Callable[[Piece], Awaitable[bytes]], fail: Callable[[MemoryServiceError], bytes]
) -> web.StreamResponse:
    """Stream an answer: ``begin``, then what ``encode`` makes of each piece.

    ``fail``: makes the last event of an answer that broke off.  Raises: as ``ask_agent``, before the stream has begun.
    """
    stream = Stream(call.request, call.proxy, call.headers(), begin)
    async with aclosing(ask_agent(call)) as pieces:
        try:
            async for piece in stream.each(pieces):
                if piece.recall and not stream.begun:
                    stream.response.headers.update(piece.recall)
                if piece.text or piece.ended:
                    await stream.send(await encode(piece))
        except MemoryServiceError as error:
            if not stream.begun:
                raise
            await stream.fail(fail(error), error.wire_type)
        return await stream.end()


def _notes(message: AgentResponse) -> dict[str, Mapping[str, Any]]:
    """The notes of the memory among the triples, by predicate."""
    found = dict[str, Mapping[str, Any]]()
    for triple in message.explain_triples or ():
        if triple.p is not None and triple.p.iri in (RECALLED, CITED) and triple.o is not None:
            note = json.loads(triple.o.value)
            found[triple.p.iri] = note if isinstance(note, dict) else {}
    return found


def recall_headers(ids: Sequence[str], missing: Sequence[str], took_ms: float | None = None) -> dict[str, str]:
    """``X-Memory-...`` headers of an answer.  ``missing``: the parts of the recall that failed."""
    return {
        "X-Memory-Recalled": str(len(ids)),
        **({"X-Memory-Ids": ",".join(ids[:20])} if ids else {}),
        **({"X-Memory-Recall-Ms": f"{took_ms:.0f}"} if took_ms is not None else {}),
        **({"X-Memory-Warning": f"degraded={','.join(dict.fromkeys(missing))}"} if missing else {}),
    }
