"""Adding memories: messages stored word for word, or learned from by a job, which is mem0's event.

Who said a message decides what it counts as (docs/security.md): ``user`` is the verified user of the key, ``assistant`` and
``tool`` are not.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, BeforeValidator

from ...errors import BadRequest, NotFound, TooLarge
from ...learning.invocation import ASSISTANT
from ...memory.ports import ENDED
from ...memory.records import derived_id
from ...memory.requests import GetFacts, ImportTurns, StoreFact
from ...memory.timefmt import format_time
from ...schema import Fact, JobStatus, Turn
from ..access import Access
from ..client_metadata import AGENT, APP, CATEGORIES, EVENT, VERBATIM, pack, pack_value
from ..limits import once
from ..peer_records import event_of, get_job, import_and_learn, list_facts, status_of, visible
from ..request_body import note_ignored, read_object, value_of
from .filters import ACCOUNT_FIELDS, ID_FIELDS, Ids, access_for, read_ids, read_moment
from .objects import OWN_RUN, read_expiration

MOST_MESSAGES, MOST_CHARS = 500, 100_000
KNOWN = (*ID_FIELDS, *ACCOUNT_FIELDS, "messages", "filters", "metadata", "infer", "expiration_date", "timestamp", "categories")
STATUS: Mapping[str, str] = {"running": "RUNNING", "done": "SUCCEEDED", "dead": "FAILED", "cancelled": "FAILED"}
EVENT_TYPES: Mapping[str, str] = {"understand": "ADD", "forget": "DELETE"}  # by kind of job


def _as_list(given: object) -> object:
    """A text or one message counts as a list of one."""
    if isinstance(given, str):
        return [{"content": given}]
    return [given] if isinstance(given, Mapping) else given


class Part(BaseModel):
    type: str = "part"
    text: str | None = None


class Message(BaseModel):
    role: Literal["user", "assistant", "tool", "function", "system", "developer"] = "user"
    content: str | list[str | Part] | None = None
    name: str | None = None


Messages = Annotated[list[Message], BeforeValidator(_as_list)]


def _read_turns(body: Mapping[str, Any], ids: Ids) -> tuple[list[Turn], list[str]]:
    """The messages that can be remembered, with the labels of the request, and what of it has no effect.

    A turn of a tool has the role ``tool``.  Without a time of the request, ``said_at`` is "".

    Raises: BadRequest, TooLarge.
    """
    messages = value_of(body, "messages", Messages, ...)
    if len(messages) > MOST_MESSAGES:
        raise TooLarge(f"messages has {len(messages)} entries: send at most {MOST_MESSAGES} at once")
    labels = pack(body.get("metadata")) | {name: ids[name] for name in (AGENT, APP) if name in ids}
    if categories := value_of(body, "categories", list[str], []):
        labels[CATEGORIES] = pack_value(categories)
    stamp, valid_to = body.get("timestamp"), read_expiration(body.get("expiration_date"))
    said_at = "" if stamp is None else format_time(read_moment("timestamp", stamp))
    turns: list[Turn] = []
    ignored: list[str] = []
    for place, message in enumerate(messages):
        where, role, content = f"messages[{place}]", message.role, message.content
        given = [content] if isinstance(content, str) else content or []
        parts = [Part(text=each) if isinstance(each, str) else each for each in given]
        ignored += [f"{where}.{part.type}" for part in parts if part.text is None]
        text = "\n".join(part.text for part in parts if part.text is not None)
        if len(text) > MOST_CHARS:
            raise TooLarge(f"{where}.content has {len(text)} characters: use at most {MOST_CHARS}")
        if role in ("system", "developer"):  # instructions of the program, which no person said
            ignored.append(f"{where}.{role}")
        elif text.strip():
            speaker = {"user": message.name or "", "assistant": ASSISTANT}.get(role, "")
            turn = Turn(id=str(uuid.uuid4()), speaker=speaker, role=role, text=text, metadata=labels)
            turns.append(replace(turn, said_at=said_at, valid_to=valid_to))
    if not turns:
        raise BadRequest("messages has no text of a user, an assistant or a tool: send one that can be remembered")
    return turns, [*ignored, *(name for name in body if name not in KNOWN)]


@once
async def add(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    access, (turns, ignored) = await access_for(request, ids.get("user_id", "")), _read_turns(body, ids)
    source = ids.get("run_id") or f"{OWN_RUN}{uuid.uuid4()}"
    note_ignored(request, ignored)
    if value_of(body, "infer", bool, True):
        answer = {
            "event_id": await _store_and_learn(access, source, turns),
            "status": "PENDING",
            "message": "the messages are stored; what is learned from them follows",
            "results": [],
        }
        return web.json_response(answer)
    stored = [await _store(access, source, turn) for turn in turns]
    results = [_result(fact, event) | {"status": fact.status} for fact, event in stored]
    message = f"{len(results)} {'memory' if len(results) == 1 else 'memories'} stored"
    return web.json_response({"status": "SUCCEEDED", "message": message, "results": results})


def _result(fact: Fact, event: str) -> dict[str, Any]:
    return {"id": fact.id, "memory": fact.content, "event": event, "data": {"memory": fact.content}}


async def _store(access: Access, source: str, turn: Turn) -> tuple[Fact, str]:
    if turn.role == "assistant":
        await access.call(ImportTurns(source=source, turns=[_import_form(turn, VERBATIM, "true")]))
        record = derived_id("turn", access.scope.key, source, turn.id)
        found = (await access.call(GetFacts(ids=[record]))).facts
        return found[0] if found else Fact(id=record, content=turn.text), "ADD"
    request = StoreFact(
        content=turn.text,
        source=source,
        trust="user" if turn.role == "user" else "tool",
        metadata=turn.metadata | {"role": turn.role},
        valid_to=turn.valid_to,
        said_at=turn.said_at,
        speaker=turn.speaker,
    )
    stored = await access.call(request)
    return stored.facts[0] if stored.facts else Fact(id=stored.fact_id, content=turn.text), event_of(stored)


async def _store_and_learn(access: Access, source: str, turns: Sequence[Turn]) -> str:
    """Store the messages as a conversation and submit the job that learns from them.  Returns the id of the job.

    Results of tools are left out: a conversation holds what people and the assistant said.
    """
    event = str(uuid.uuid4())
    said = [_import_form(turn, EVENT, event) for turn in turns if turn.role in ("user", "assistant")]
    if not said:
        raise BadRequest("messages has only results of tools: send what a user or an assistant said, or infer=false")
    await import_and_learn(access, source, said, event)
    return event


def _import_form(turn: Turn, label: str, value: str) -> Turn:
    said_at = turn.said_at or format_time(datetime.now(UTC))
    return replace(turn, said_at=said_at, metadata=turn.metadata | {label: value})


async def get_event(request: web.Request) -> web.Response:
    """The job that learns from added messages, or that erases.  ``results`` once learning has ended.  Raises: NotFound."""
    access, event_id = await access_for(request), request.match_info["id"].strip()
    job = await get_job(access, event_id)
    if job.kind not in EVENT_TYPES:
        raise NotFound(f"there is no event {event_id[:80]!r}")
    status = status_of(job)
    answer = {
        "id": job.id,
        "event_id": job.id,
        "event_type": EVENT_TYPES[job.kind],
        "status": STATUS.get(status, "PENDING"),  # a job that waits for a busy model is still pending
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        **({"error": job.error} if job.error else {}),
        "results": await _results(access, job) if job.kind == "understand" and status in ENDED else [],
        "user_id": access.user,
    }
    return web.json_response(answer)


async def _results(access: Access, job: JobStatus) -> list[dict[str, Any]]:
    """The memories that were learned, or if there are none the messages themselves.

    ``NONE``: the memory was known before and has one more source.
    """
    facts = await list_facts(access)
    said = {fact.id for fact in facts if fact.kind == "turn" and fact.metadata.get(EVENT) == job.id}
    learned = visible(fact for fact in facts if said & {fact.id, *fact.turn_ids})
    return [_result(fact, "ADD" if fact.kind == "turn" or fact.created_at >= job.created_at else "NONE") for fact in learned]
