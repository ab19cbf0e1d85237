"""What each phase sees of a session.

Source: the phase-specific memory of Recursive Agents MCP.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..errors import RefinementError
from ..memory.timefmt import format_time
from .machine import position
from .records import HistoryMessage, RefinementEvent, Session, Slot
from .stopping import similarity

JsonObject = dict[str, Any]

WINDOW = 3  # texts that a critique sees: the draft and the newest revisions


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one phase sees.

    ``text``: what is criticised or revised.  ``window``, of a critique: the draft, always, and the newest revisions, each under
    its label.  ``critique``, of a revision: what it answers.  ``history``, of a draft: what came before.
    """

    query: str
    text: str = ""
    window: str = ""
    critique: str = ""
    history: tuple[HistoryMessage, ...] = ()


def draft_view(session: Session, query: str) -> View:
    """Raises: RefinementError (validation_error: no query, and no slot that it could continue)."""
    slot = session.slot
    asked = query.strip() or (slot.query if slot else "")
    if not asked:
        raise RefinementError("query is empty: say which question the draft answers", code="validation_error")
    return View(query=asked, history=session.history)


def critique_view(session: Session) -> View:
    """The draft and the newest revisions, ``WINDOW`` texts in all.  Raises: RefinementError (no_draft)."""
    slot = _require_slot(session)
    first = max(0, len(slot.revision) - (WINDOW - 1))
    parts = [("ORIGINAL BASELINE", slot.draft)]
    parts += [(f"ITERATION {number}", text) for number, text in enumerate(slot.revision[first:], start=first + 1)]
    return View(query=slot.query, window="\n\n".join(f"[{label}]\n{text}" for label, text in parts), text=slot.standing)


def revise_view(session: Session) -> View:
    """The text that stands, the newest critique and the question.  Raises: RefinementError (no_draft, no_critique)."""
    slot = _require_slot(session)
    if not position(slot).can_revise:
        raise RefinementError("there is no critique that a revision could answer: criticise the text first", code="no_critique")
    return View(query=slot.query, text=slot.standing, critique=slot.critique[-1])


def baseline_draft(session: Session) -> JsonObject:
    """The draft of the current slot.  Raises: RefinementError (no_draft)."""
    slot = _require_slot(session)
    return {
        "session_id": session.id,
        "slot_index": len(session.slots) - 1,
        "query": slot.query,
        "draft": slot.draft,
        "variant": slot.variant,
        "at": format_time(slot.events[0].at),
    }


def latest_critique(session: Session) -> JsonObject:
    """The newest critique of the current slot.  ``of_text``: draft, or "revision n".

    Raises: RefinementError (no_draft, no_critique).
    """
    slot = _require_slot(session)
    if not slot.critique:
        raise RefinementError("the current draft has no critique yet: criticise it first", code="no_critique")
    event = next(each for each in reversed(slot.events) if each.phase == "critique")
    before = at_last_critique(session).slot
    revisions = [each for each in before.events if each.phase == "revise"] if before else []
    kept = [number for number, each in enumerate(revisions, start=1) if each.kept is not False]
    return {
        "session_id": session.id,
        "slot_index": len(session.slots) - 1,
        "index": len(slot.critique) - 1,
        "critique": event.text,
        "of_text": f"revision {kept[-1]}" if kept else "draft",
        "at": format_time(event.at),
    }


def at_last_critique(session: Session) -> Session:
    """The session without the revision that answers its last critique already."""
    slot = session.slot
    if slot is None or not slot.critique or position(slot).can_revise:
        return session
    return replace(session, slots=(*session.slots[:-1], replace(slot, events=slot.events[:-1])))


def add_similarity(session: Session, event: RefinementEvent) -> RefinementEvent:
    """A revision with its similarity to the text that it revises, if it has none yet.  The session must allow the event."""
    if event.phase != "revise" or event.similarity is not None:
        return event
    return replace(event, similarity=similarity(revise_view(at_last_critique(session)).text, event.text))


def _require_slot(session: Session) -> Slot:
    if session.slot is None:
        raise RefinementError("there is no draft yet: write one first", code="no_draft")
    return session.slot
