"""Adding memories: messages stored word for word, or learned from by a job, which is mem0's event.

Who said a message decides what it counts as (docs/security.md): ``user`` is the verified user of the key, ``assistant`` and
``tool`` are not.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, BeforeValidator

from ...errors import BadRequest, NotFound, TooLarge
from ...learning.invocation import ASSISTANT
from ...memory.ports import ENDED
from ...memory.requests import ImportTurns, ListFacts, StoreFact
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What a request adds.  ``messages``: (role, text, name of the speaker).  ``source``: the conversation.

    Times are ISO 8601 or "".  ``ignored``: parts of the request without an effect.
    """

    messages: tuple[tuple[str, str, str], ...]
    source: str
    labels: Mapping[str, str]
    valid_to: str
    said_at: str
    ignored: tuple[str, ...]


def read_addition(body: Mapping[str, Any], ids: Ids) -> Addition:
    """Raises: BadRequest, TooLarge."""
    messages, ignored = _read_messages(body)
    labels = pack(body.get("metadata"))
    labels |= {name: ids[name] for name in (AGENT, APP) if name in ids}
    if categories := value_of(body, "categories", list[str], []):
        labels[CATEGORIES] = pack_value(categories)
    stamp = body.get("timestamp")
    return Addition(
        messages=tuple(messages),
        source=ids.get("run_id") or f"{OWN_RUN}{uuid.uuid4()}",
        labels=labels,
        valid_to=read_expiration(body.get("expiration_date")),
        said_at="" if stamp is None else format_time(read_moment("timestamp", stamp)),
        ignored=(*ignored, *(name for name in body if name not in KNOWN)),
    )


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


def _read_messages(body: Mapping[str, Any]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The messages that can be remembered, and what of them cannot."""
    messages = value_of(body, "messages", Messages, ...)
    if len(messages) > MOST_MESSAGES:
        raise TooLarge(f"messages has {len(messages)} entries: send at most {MOST_MESSAGES} at once")
    found: list[tuple[str, str, str]] = []
    ignored: list[str] = []
    for place, message in enumerate(messages):
        where, content = f"messages[{place}]", message.content
        given = [content] if isinstance(content, str) else content or []
        parts = [Part(text=each) if isinstance(each, str) else each for each in given]
        ignored += [f"{where}.{part.type}" for part in parts if part.text is None]
        text = "\n".join(part.text for part in parts if part.text is not None)
        if len(text) > MOST_CHARS:
            raise TooLarge(f"{where}.content has {len(text)} characters: use at most {MOST_CHARS}")
        if message.role in ("system", "developer"):  # instructions of the program, which no person said
            ignored.append(f"{where}.{message.role}")
        elif text.strip():
            found.append((message.role, text, message.name or "" if message.role == "user" else ""))
    if not found:
        raise BadRequest("messages has no text of a user, an assistant or a tool: send one that can be remembered")
    return found, ignored


@once
async def add(request: web.Request) -> web.Response:
    body = await read_object(request)
    ids = read_ids(body)
    access, addition = await access_for(request, ids.get("user_id", "")), read_addition(body, ids)
    note_ignored(request, addition.ignored)
    if value_of(body, "infer", bool, True):
        answer = {
            "event_id": await store_and_learn(access, addition),
            "status": "PENDING",
            "message": "the messages are stored; what is learned from them follows",
            "results": [],
        }
        return web.json_response(answer)
    stored = [await _store(access, addition, *message) for message in addition.messages]
    results = [_result(fact, event) | {"status": fact.status} for fact, event in stored]
    message = f"{len(results)} {'memory' if len(results) == 1 else 'memories'} stored"
    return web.json_response({"status": "SUCCEEDED", "message": message, "results": results})


def _result(fact: Fact, event: str) -> dict[str, Any]:
    return {"id": fact.id, "memory": fact.content, "event": event, "data": {"memory": fact.content}}


async def _store(access: Access, addition: Addition, role: str, text: str, name: str) -> tuple[Fact, str]:
    if role == "assistant":
        turn = _turn(addition, role, text, name, {**addition.labels, VERBATIM: "true"})
        await access.call(ImportTurns(source=addition.source, turns=[turn]))
        newest = await access.call(ListFacts(kinds=["turn"], source=addition.source, limit=10))
        found = next((fact for fact in newest.facts if fact.metadata.get("turn") == turn.id), None)
        return found or Fact(id="", content=text), "ADD"
    stored = await access.call(
        StoreFact(
            content=text,
            source=addition.source,
            trust="user" if role == "user" else "tool",
            metadata={**addition.labels, "role": role},
            valid_to=addition.valid_to,
            said_at=addition.said_at,
            speaker=name,
        )
    )
    return stored.facts[0] if stored.facts else Fact(id=stored.fact_id, content=text), event_of(stored)


async def store_and_learn(access: Access, addition: Addition) -> str:
    """Store the messages as a conversation and submit the job that learns from them.  Returns the id of the job.

    Results of tools are left out: a conversation holds what people and the assistant said.
    """
    event = str(uuid.uuid4())
    labels = {**addition.labels, EVENT: event}
    turns = [_turn(addition, *message, labels) for message in addition.messages if message[0] in ("user", "assistant")]
    if not turns:
        raise BadRequest("messages has only results of tools: send what a user or an assistant said, or infer=false")
    await import_and_learn(access, addition.source, turns, event)
    return event


def _turn(addition: Addition, role: str, text: str, name: str, labels: Mapping[str, str]) -> Turn:
    return Turn(
        id=str(uuid.uuid4()),
        speaker=ASSISTANT if role == "assistant" else name,
        role=role,
        text=text,
        said_at=addition.said_at or format_time(datetime.now(UTC)),
        metadata=dict(labels),
        valid_to=addition.valid_to,
    )


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
