"""Adding memories: messages stored word for word, or learned from by a job, which is mem0's event.

Who said a message decides what it counts as (docs/security.md): ``user`` is the verified user of the key, ``assistant`` and
``tool`` are not.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...errors import BadRequest, NotFound, TooLarge
from ...learning.invocation import ASSISTANT
from ...memory.ports import ENDED
from ...memory.requests import ImportTurns, ListFacts, StoreFact
from ...memory.timefmt import format_time
from ...schema import Fact, JobStatus, Turn
from ..access import Access
from ..client_metadata import AGENT, APP, CATEGORIES, EVENT, VERBATIM, pack, pack_value
from ..forgetting import memories_in
from ..peer_records import count_in, event_of, get_job, import_and_learn, list_facts, status_of, visible
from ..request_body import quote_value, texts_of
from .filters import read_moment
from .ids import ACCOUNT_FIELDS, ID_FIELDS, Ids
from .objects import OWN_RUN, read_expiration

ROLES = ("user", "assistant", "tool", "function", "system", "developer")
MOST_MESSAGES, MOST_CHARS = 500, 100_000
KNOWN = (*ID_FIELDS, *ACCOUNT_FIELDS, "messages", "filters", "metadata", "infer", "expiration_date", "timestamp", "categories")
STATUS: Mapping[str, str] = {"running": "RUNNING", "done": "SUCCEEDED", "dead": "FAILED", "cancelled": "FAILED"}
LEARNED = ("added", "updated", "superseded", "released", "quarantined", "known")
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
    messages, ignored = _messages(body.get("messages"))
    labels = pack(body.get("metadata"))
    labels |= {name: ids[name] for name in (AGENT, APP) if name in ids}
    if categories := texts_of(body, "categories"):
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


def _messages(given: object) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The messages that can be remembered, and what of them cannot."""
    if isinstance(given, str):
        given = {"role": "user", "content": given}
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list) or not given:
        raise BadRequest(
            f'messages {quote_value(given)} is not a list of messages: send [{{"role": "user", "content": "..."}}]'
        )
    if len(given) > MOST_MESSAGES:
        raise TooLarge(f"messages has {len(given)} entries: send at most {MOST_MESSAGES} at once")
    found: list[tuple[str, str, str]] = []
    ignored: list[str] = []
    for number, entry in enumerate(given):
        where = f"messages[{number}]"
        if not isinstance(entry, Mapping):
            raise BadRequest(f"{where} {quote_value(entry)} is not an object with role and content")
        role, name = entry.get("role", "user"), entry.get("name")
        if role not in ROLES:
            raise BadRequest(f"{where}.role {quote_value(role)} is not one of {', '.join(ROLES)}")
        text, dropped = _text(entry.get("content"), where)
        ignored += dropped
        if role in ("system", "developer"):  # instructions of the program, which no person said
            ignored.append(f"{where}.{role}")
        elif text.strip():
            found.append((role, text, name if isinstance(name, str) and role == "user" else ""))
    if not found:
        raise BadRequest("messages has no text of a user, an assistant or a tool: send one that can be remembered")
    return found, ignored


def _text(content: object, where: str) -> tuple[str, list[str]]:
    """The text of a message, and its parts that are none."""
    texts: list[str] = []
    dropped: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        inner = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(inner, str):
            texts.append(inner)
        elif isinstance(part, Mapping):
            dropped.append(f"{where}.{part.get('type', 'part')}")
        elif part is not None:
            raise BadRequest(f"{where}.content {quote_value(content)} is not a text: send a text, or a list of parts with text")
    text = "\n".join(texts)
    if len(text) > MOST_CHARS:
        raise TooLarge(f"{where}.content has {len(text)} characters: use at most {MOST_CHARS}")
    return text, dropped


async def store_verbatim(access: Access, addition: Addition) -> list[dict[str, Any]]:
    """Store each message as one memory.  What a client is told of each.  Raises: the errors of the services."""
    stored = [await _store(access, addition, *message) for message in addition.messages]
    return [
        {"id": fact.id, "memory": fact.content, "event": event, "status": fact.status, "data": {"memory": fact.content}}
        for fact, event in stored
    ]


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


async def get_event(access: Access, event_id: str) -> dict[str, Any]:
    """The job that learns from added messages, or that erases.  ``results`` once learning has ended.  Raises: NotFound."""
    job = await get_job(access, event_id.strip())
    if job.kind not in EVENT_TYPES:
        raise NotFound(f"there is no event {event_id[:80]!r}")
    results = await _results(access, job) if job.kind == "understand" and status_of(job) in ENDED else []
    return {
        "id": job.id,
        "event_id": job.id,
        "event_type": EVENT_TYPES[job.kind],
        "status": STATUS.get(status_of(job), "PENDING"),  # a job that waits for a busy model is still pending
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        **({"error": job.error} if job.error else {}),
        "results": results,
        "message": _message(job),
        "user_id": access.user,
    }


def _message(job: JobStatus) -> str:
    what = "learning from these messages" if job.kind == "understand" else "the deletion"
    match STATUS.get(status_of(job)):
        case "FAILED" if job.status == "deferred":
            return "nothing is learned from these messages until there is a language model"
        case "FAILED":
            return f"{what} failed"
        case "SUCCEEDED" if job.kind == "understand":
            learned = count_in(job.summary, *LEARNED)
            return f"{learned} memories were learned" if learned else "nothing was learned from these messages"
        case "SUCCEEDED":
            count = memories_in(json.loads(job.summary))
            return f"{count} {'memory was' if count == 1 else 'memories were'} deleted"
    return f"{what} continues"


async def _results(access: Access, job: JobStatus) -> list[dict[str, Any]]:
    """The memories that were learned, or if there are none the messages themselves.

    ``NONE``: the memory was known before and has one more source.
    """
    facts = await list_facts(access)
    said = {fact.id for fact in facts if fact.kind == "turn" and fact.metadata.get(EVENT) == job.id}
    learned = visible(fact for fact in facts if said & {fact.id, *fact.turn_ids})
    return [
        {
            "id": fact.id,
            "memory": fact.content,
            "event": "ADD" if fact.kind == "turn" or fact.created_at >= job.created_at else "NONE",
            "data": {"memory": fact.content},
        }
        for fact in learned
    ]
