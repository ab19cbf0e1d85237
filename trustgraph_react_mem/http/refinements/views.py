"""What is read of a session.  Texts of the current slot; the rest is in ``refine.tracking``."""

from ...errors import RefinementError
from ...memory.timefmt import format_time
from ...refine.records import Session, Slot
from ...refine.views import at_last_critique
from .answers import BaselineDraft, LatestCritique


def baseline_draft(session: Session) -> BaselineDraft:
    """Raises: RefinementError (no_draft)."""
    slot = _current(session)
    return BaselineDraft(
        session_id=session.id,
        slot_index=len(session.slots) - 1,
        query=slot.query,
        draft=slot.draft,
        variant=slot.variant,
        at=format_time(slot.events[0].at),
    )


def latest_critique(session: Session) -> LatestCritique:
    """Raises: RefinementError (no_draft, no_critique)."""
    slot = _current(session)
    if not slot.critique:
        raise RefinementError("the current draft has no critique yet: criticise it first", code="no_critique")
    event = next(each for each in reversed(slot.events) if each.phase == "critique")
    before = at_last_critique(session)
    return LatestCritique(
        session_id=session.id,
        slot_index=len(session.slots) - 1,
        index=len(slot.critique) - 1,
        critique=event.text,
        of_text=_name_standing(_current(before)),
        at=format_time(event.at),
    )


def _name_standing(slot: Slot) -> str:
    revisions = [event for event in slot.events if event.phase == "revise"]
    kept = [number for number, event in enumerate(revisions, start=1) if event.kept is not False]
    return f"revision {kept[-1]}" if kept else "draft"


def _current(session: Session) -> Slot:
    if session.slot is None:
        raise RefinementError("the session has no draft: write one first", code="no_draft")
    return session.slot
