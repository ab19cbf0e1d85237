"""Adding memories: messages stored word for word, or learned from by a job.

Who said a message decides what it counts as (docs/security.md): ``user`` is the verified user of the key, ``assistant`` and
``tool`` are not.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...errors import BadRequest, TooLarge
from ...learning.invocation import ASSISTANT
from ...memory.requests import ImportTurns, ListFacts, StoreFact
from ...memory.timefmt import format_time
from ...schema import Fact, Turn
from ..access import Access
from ..client_metadata import AGENT, APP, CATEGORIES, EVENT, VERBATIM, pack, pack_value
from ..peer_records import event_of, import_and_learn
from ..request_body import flag_of, quote_value, texts_of
from .filters import read_moment
from .ids import ACCOUNT_FIELDS, ID_FIELDS, Ids
from .objects import OWN_RUN, read_expiration

ROLES = ("user", "assistant", "tool", "function", "system", "developer")
MOST_MESSAGES, MOST_CHARS = 500, 100_000
KNOWN = (*ID_FIELDS, *ACCOUNT_FIELDS, "messages", "filters", "metadata", "infer", "expiration_date", "timestamp", "categories")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: str
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What a request adds.  ``source``: the conversation; times: ISO 8601 or ""; ``ignored``: parts of the request."""

    messages: tuple[Message, ...]
    source: str
    labels: Mapping[str, str]
    infer: bool
    valid_to: str
    said_at: str
    ignored: tuple[str, ...]


def read_addition(body: Mapping[str, Any], ids: Ids) -> Addition:
    """Raises: BadRequest, TooLarge."""
    messages, ignored = _messages(body.get("messages"))
    ignored += [name for name in body if name not in KNOWN]
    infer = flag_of(dict(body), "infer", True)
    labels = pack(body.get("metadata"))
    labels |= {name: value for name, value in ((AGENT, ids.agent_id), (APP, ids.app_id)) if value}
    if categories := texts_of(dict(body), "categories"):
        labels[CATEGORIES] = pack_value(categories)
    stamp = body.get("timestamp")
    return Addition(
        messages=tuple(messages),
        source=ids.run_id or f"{OWN_RUN}{uuid.uuid4()}",
        labels=labels,
        infer=infer,
        valid_to=read_expiration(body.get("expiration_date")),
        said_at="" if stamp is None else format_time(read_moment("timestamp", stamp)),
        ignored=tuple(ignored),
    )


def _messages(given: object) -> tuple[list[Message], list[str]]:
    """The messages that can be remembered, and what of them cannot."""
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list) or not given:
        raise BadRequest(
            f'messages {quote_value(given)} is not a list of messages: send [{{"role": "user", "content": "..."}}]'
        )
    if len(given) > MOST_MESSAGES:
        raise TooLarge(f"messages has {len(given)} entries: send at most {MOST_MESSAGES} at once")
    found: list[Message] = []
    ignored: list[str] = []
    for number, entry in enumerate(given):
        where = f"messages[{number}]"
        if not isinstance(entry, Mapping):
            raise BadRequest(f"{where} {quote_value(entry)} is not an object with role and content")
        role = entry.get("role", "user")
        if role not in ROLES:
            raise BadRequest(f"{where}.role {quote_value(role)} is not one of {', '.join(ROLES)}")
        text, dropped = _text(entry.get("content"), where)
        ignored += dropped
        if role in ("system", "developer"):  # instructions of the program, which no person said
            ignored.append(f"{where}.{role}")
        elif text.strip():
            name = entry.get("name")
            found.append(Message(role=role, text=text, name=name if isinstance(name, str) and role == "user" else ""))
    if not found:
        raise BadRequest("messages has no text of a user, an assistant or a tool: send one that can be remembered")
    return found, ignored


def _text(content: object, where: str) -> tuple[str, list[str]]:
    """The text of a message, and its parts that are none."""
    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    dropped: list[str] = []
    for part in parts:
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
    stored = [await _store(access, addition, message) for message in addition.messages]
    return [{"id": fact.id, "memory": fact.content, "event": event, "status": fact.status} for fact, event in stored]


async def _store(access: Access, addition: Addition, message: Message) -> tuple[Fact, str]:
    if message.role == "assistant":
        turn = _turn(addition, message, {**addition.labels, VERBATIM: "true"})
        await access.call(ImportTurns(source=addition.source, turns=[turn]))
        newest = await access.call(ListFacts(kinds=["turn"], source=addition.source, limit=10))
        found = next((fact for fact in newest.facts if fact.metadata.get("turn") == turn.id), None)
        return found or Fact(id="", content=message.text), "ADD"
    stored = await access.call(
        StoreFact(
            content=message.text,
            source=addition.source,
            trust="user" if message.role == "user" else "tool",
            metadata={**addition.labels, "role": message.role},
            valid_to=addition.valid_to,
            said_at=addition.said_at,
            speaker=message.name,
        )
    )
    return stored.facts[0] if stored.facts else Fact(id=stored.fact_id, content=message.text), event_of(stored)


async def store_and_learn(access: Access, addition: Addition) -> str:
    """Store the messages as a conversation and submit the job that learns from them.  Returns the id of the job.

    Results of tools are left out: a conversation holds what people and the assistant said.
    """
    event = str(uuid.uuid4())
    labels = {**addition.labels, EVENT: event}
    turns = [_turn(addition, message, labels) for message in addition.messages if message.role in ("user", "assistant")]
    if not turns:
        raise BadRequest("messages has only results of tools: send what a user or an assistant said, or infer=false")
    await import_and_learn(access, addition.source, turns, event)
    return event


def _turn(addition: Addition, message: Message, labels: Mapping[str, str]) -> Turn:
    return Turn(
        id=str(uuid.uuid4()),
        speaker=ASSISTANT if message.role == "assistant" else message.name,
        role=message.role,
        text=message.text,
        said_at=addition.said_at or format_time(datetime.now(UTC)),
        metadata=dict(labels),
        valid_to=addition.valid_to,
    )
