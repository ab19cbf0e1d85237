"""The machine of refinement: what may happen next, and the session after an event.

The lengths of the arrays of a slot give the position:

- no draft: draft
- a draft only: criticise it
- one critique more than revisions: revise
- as many of both, and at least one: criticise again, or finish

Invariants: the draft never changes once there is a revision; ``len(revision) <= len(critique) <= len(revision) + 1``; at most
three pairs of history; an event of another session, conversation or companion changes nothing.

Source: the memory architecture of Recursive Agents MCP.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ..errors import RefinementError
from .records import CompanionType, Phase, RefinementEvent, Sampling, Session, Slot, check_words

SlotPhase = Literal["initial", "needs_draft", "balanced", "needs_revision"]
NextAction = Literal["draft", "critique", "critique_or_finalize", "revise"]

MOST_EVENTS = 500  # of a session


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a slot is.  ``iteration``: the number of the critique or revision that the slot has reached."""

    phase: SlotPhase
    next_action: NextAction
    iteration: int = 0
    can_critique: bool = False
    can_revise: bool = False


def position(slot: Slot | None) -> Position:
    """The position of a slot; None: the session has none yet."""
    if slot is None or not slot.draft:
        return Position(phase="initial" if slot is None else "needs_draft", next_action="draft")
    critiques, revisions = len(slot.critique), len(slot.revision)
    if critiques > revisions:
        return Position(phase="needs_revision", next_action="revise", iteration=critiques, can_revise=True)
    action: NextAction = "critique_or_finalize" if critiques else "critique"
    return Position(phase="balanced", next_action=action, iteration=revisions, can_critique=True)


def next_event(
    session: Session,
    phase: Phase,
    text: str,
    *,
    event_id: str,
    at: datetime,
    query: str = "",
    conversation_id: str = "",
    companion_type: CompanionType | None = None,
    variant: str = "",
    sampling: Sampling | None = None,
) -> RefinementEvent:
    """An event for the session.  What is not given is as in the session, or in its current slot.

    Another companion or conversation than that of the session is kept as given: ``apply`` refuses it.
    Raises: RefinementError (validation_error, invalid_session).
    """
    slot = session.slot
    query = query.strip()
    event = RefinementEvent(
        id=event_id,
        session_id=session.id,
        phase=phase,
        text=text,
        at=at,
        conversation_id=conversation_id or session.conversation_id,
        companion_type=companion_type or session.companion_type,
        query=slot.query if phase == "draft" and slot and not query else query,
        variant=variant or (slot.variant if slot else ""),
        sampling=sampling or (slot.sampling if slot else Sampling()),
    )
    return check_words(event)


def apply(session: Session, event: RefinementEvent, *, confirm: bool = False) -> Session:
    """The session after the event.  The given session does not change.

    ``confirm``: replace the draft of the current question, as long as it has no revision, or its last revision.  A repeated
    critique replaces the last one.

    Raises: RefinementError (no_draft, no_critique, pollution_detected, validation_error).
    """
    _check_belongs(session, event)
    if session.events >= MOST_EVENTS:
        raise RefinementError(f"the session has {MOST_EVENTS} events: begin another session", code="validation_error")
    match event.phase:
        case "draft":
            changed = _draft(session, event, confirm)
        case "critique":
            changed = _critique(session, event)
        case "revise":
            changed = _revise(session, event, confirm)
    return replace(
        changed,
        conversation_id=event.conversation_id,
        companion_type=event.companion_type,
        created_at=session.created_at or event.at,
        last_at=max(session.last_at or event.at, event.at),
        events=session.events + 1,
    )


def fold(session_id: str, events: Iterable[RefinementEvent]) -> Session:
    """The session of a log.  An event that no longer fits, because an earlier one was undone, only counts."""
    session = Session(id=session_id)
    for event in events:
        try:
            session = apply(session, event, confirm=True)  # the log has only what was confirmed
        except RefinementError:
            session = replace(session, events=session.events + 1)
    return session


def _check_belongs(session: Session, event: RefinementEvent) -> None:
    if event.session_id != session.id:
        raise RefinementError("the event is of another session: send it to its own", code="pollution_detected")
    if not session.slots:
        return
    if (event.companion_type, event.conversation_id) != (session.companion_type, session.conversation_id):
        raise RefinementError(
            f"the session is of companion_type {session.companion_type!r} and of its own conversation: "
            "use a session for each companion and conversation",
            code="pollution_detected",
        )


def _draft(session: Session, event: RefinementEvent, confirm: bool) -> Session:
    slot = session.slot
    query = event.query.strip() or (slot.query if slot else "")
    if not query:
        raise RefinementError("query is empty: say which question the draft answers", code="validation_error")
    new = Slot(query=query, events=(event,))
    if slot is None or (query, event.variant) != (slot.query, slot.variant):
        return replace(session, slots=(*session.slots, new))
    if slot.revision:
        raise RefinementError(
            "the question has a draft with revisions, which never changes: revise it, or word the question differently",
            code="validation_error",
        )
    if not confirm:
        raise RefinementError(
            "the question has a draft: confirm that the new one replaces it, or criticise it", code="validation_error"
        )
    return replace(session, slots=(*session.slots[:-1], new))


def _critique(session: Session, event: RefinementEvent) -> Session:
    slot = _current(session, event)
    return _with_event(session, slot, event, replaces=len(slot.critique) > len(slot.revision))


def _revise(session: Session, event: RefinementEvent, confirm: bool) -> Session:
    slot = _current(session, event)
    answers = len(slot.critique) > len(slot.revision)
    if not answers and not (slot.revision and confirm):
        again = ", or confirm that this revision replaces the last one" if slot.revision else ""
        raise RefinementError(
            f"there is no critique that the revision could answer: criticise the text first{again}", code="no_critique"
        )
    return _with_event(session, slot, event, replaces=not answers)


def _current(session: Session, event: RefinementEvent) -> Slot:
    slot = session.slot
    if slot is None:
        raise RefinementError(f"there is no draft yet: write one before the {event.phase}", code="no_draft")
    if event.query.strip() not in ("", slot.query):
        raise RefinementError(
            f"the {event.phase} is of another question than the current draft: leave query empty, or write a draft of it first",
            code="pollution_detected",
        )
    return slot


def _with_event(session: Session, slot: Slot, event: RefinementEvent, *, replaces: bool) -> Session:
    """``replaces``: the last event, which is of the same phase."""
    events = slot.events[:-1] if replaces else slot.events
    return replace(session, slots=(*session.slots[:-1], replace(slot, events=(*events, event))))
