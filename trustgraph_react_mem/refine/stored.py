"""How an event is stored: as an invocation of a conversation of its own (``memory.ports.RefinementGraph``).

The question and the text are in fields of their own, so that an erasure can replace them.  ``steps`` has two JSON objects: what
holds no text of users or models, and what does (``Redacted`` events have only the first).
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .. import schema
from ..errors import RefinementError
from ..memory.records import REFINEMENT, Conversation, Invocation, refinement_name
from ..memory.timefmt import format_time
from .records import RefinementEvent, check_session_id

FORGOTTEN = "[forgotten]"
_TEXTS = ("sampling", "variant")  # parts that may hold text, next to the question and the text
_OWN = ("query", "text", "at", *_TEXTS)


def to_invocation(event: RefinementEvent) -> Invocation:
    values = event.as_dict()
    plain = {name: value for name, value in values.items() if name not in _OWN}
    return Invocation(
        id=_stored_id(event.session_id, event.id),
        conversation_id=refinement_name(event.session_id),
        query=event.query,
        summary="",
        result=event.text,
        at=event.at,
        steps=(_pack(plain), _pack({name: values[name] for name in _TEXTS})),
    )


def to_event(stored: Invocation) -> RefinementEvent | None:
    """None: the invocation is not an event, because something else was stored under the name of a session."""
    try:
        parts: dict[str, Any] = {}
        for step in stored.steps:
            parts |= json.loads(step)
        return RefinementEvent.from_dict({**parts, "query": stored.query, "text": stored.result, "at": format_time(stored.at)})
    except (ValueError, TypeError, RefinementError):
        return None


def to_events(session: Conversation | None) -> list[RefinementEvent]:
    """The events of a stored session in their order."""
    return [event for each in (session.invocations if session else ()) if (event := to_event(each)) is not None]


def without_words(stored: Invocation) -> Invocation:
    """The stored event without any text of users or models.  Its place in the log stays."""
    return replace(stored, query=FORGOTTEN if stored.query else "", result=FORGOTTEN, steps=stored.steps[:1])


def metadata_of(stored: Invocation) -> dict[str, str]:
    """What a session keeps of its first stored event."""
    event = to_event(stored)
    return {"conversation_id": event.conversation_id, "companion_type": event.companion_type} if event else {}


def to_summary(stored: Conversation) -> schema.RefinementSession:
    return schema.RefinementSession(
        session_id=stored.id.removeprefix(REFINEMENT),
        conversation_id=stored.metadata.get("conversation_id", ""),
        companion_type=stored.metadata.get("companion_type", "generic"),
        created_at=format_time(stored.started_at),
        last_at=format_time(stored.last_at),
        events=stored.turns,
    )


def events_of_exchanges(sessions: Sequence[Conversation], invocation_ids: Sequence[str]) -> list[Invocation]:
    """The stored events that are part of these exchanges, and the steps without an exchange that followed them in a session.

    Who wrote those saw the texts before them, and may repeat them.
    """
    wanted = {*invocation_ids} - {""}
    found: list[Invocation] = []
    for session in sessions:
        follows = False
        for stored in session.invocations:
            if (event := to_event(stored)) is None:
                continue
            follows = event.invocation_id in wanted or (follows and not event.invocation_id)
            found += [stored] if follows else []
    return found


def _stored_id(session_id: str, event_id: str) -> str:
    return f"{refinement_name(check_session_id(session_id))}|{event_id}"


def _pack(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
