"""The three steps: draft, critique and revise, with a text of the client's, or one that the flow's model writes."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...errors import ModelAnswerError, RefinementError
from ...http.access import Access
from ...refine.machine import apply, next_event
from ...refine.records import CompanionType, Phase, RefinementEvent, Sampling, Session
from ...refine.tracking import convergence_signals, phase, phase_tracking, suggestions
from ...refine.views import at_last_critique, critique_view, draft_view, revise_view
from .prompts import fill_prompts
from .sessions import append, find_session, load_session

RESULT: Mapping[Phase, Literal["draft", "critique", "revision"]] = {
    "draft": "draft", "critique": "critique", "revise": "revision",
}  # fmt: skip


class Step(BaseModel):
    """The text of a step, which is stored, and where the session is now."""

    session_id: str
    draft: str | None = None
    critique: str | None = None
    revision: str | None = None
    model_used: str = Field(description="The model that wrote the text; empty if the text was given.")
    not_applied: list[str] = Field(description="Sampling settings that the flow decides, so that they had no effect.")
    phase: dict[str, Any] = Field(description="Where the session is, and what may follow.")
    phase_tracking: dict[str, Any] = Field(description="The steps of the current slot with their times.")
    suggestions: dict[str, Any]
    convergence_signals: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A step as a client asks for it.

    ``session_id``: "" begins a session.  ``text``: "" asks the flow's model.  ``companion_type``: None for that of the session.
    ``query``: "" for the current one.  ``sampling``: what is left out is as in the step before.  ``confirm``: replace the draft
    of the current question, or the last revision.
    """

    phase: Phase
    session_id: str = ""
    text: str = ""
    companion_type: CompanionType | None = None
    conversation_id: str = ""
    query: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    confirm: bool = False


async def take_step(access: Access, wanted: Wanted) -> Step:
    """Store a text as the next step of a session.  Raises: RefinementError, and the errors of the model and the services."""
    if wanted.phase == "draft":
        loaded = await load_session(access, wanted.session_id or str(uuid.uuid4()))
    else:
        loaded = await find_session(access, wanted.session_id)
    event, model = _plan(wanted, loaded.session), ""
    apply(loaded.session, event, confirm=wanted.confirm)  # what is refused asks no model
    if not wanted.text:
        event, model = await _write(access, loaded.session, event)
    after = await append(access, loaded, event, confirm=wanted.confirm)
    chosen = {} if wanted.text else event.sampling.as_dict()
    return Step(
        session_id=after.id,
        **{RESULT[event.phase]: event.text},
        model_used=model,
        not_applied=[name for name in ("model", "temperature", "max_tokens") if name in chosen],
        phase=phase(after),
        phase_tracking=phase_tracking(after, current_tool=event.phase),
        suggestions=suggestions(after),
        convergence_signals=convergence_signals(after),
    )


def _plan(wanted: Wanted, session: Session) -> RefinementEvent:
    """The event of the step, with a placeholder if its text is not known yet."""
    if "execution_mode" in wanted.sampling:
        raise RefinementError("execution_mode is no longer chosen: give text, or leave it out", code="validation_error")
    before = session.slot.sampling.as_dict() if session.slot else {}
    given = {name: value for name, value in wanted.sampling.items() if value is not None}
    sampling = Sampling.from_dict({**before, **given, "execution_mode": "client" if wanted.text else "server"})
    return next_event(
        session,
        wanted.phase,
        wanted.text or "planned",
        event_id=str(uuid.uuid4()),
        at=datetime.now(UTC),
        query=wanted.query,
        conversation_id=wanted.conversation_id,
        companion_type=wanted.companion_type,
        variant=sampling.model or (session.slot.variant if session.slot else f"{sampling.execution_mode}-default"),
        sampling=sampling,
    )


async def _write(access: Access, session: Session, planned: RefinementEvent) -> tuple[RefinementEvent, str]:
    """The event with the text of the flow's model, and the model."""
    match planned.phase:
        case "draft":
            seen = draft_view(session, planned.query)
        case "critique":
            seen = critique_view(session)
        case "revise":
            seen = revise_view(at_last_critique(session))
    system, user = await fill_prompts(access, planned, seen)
    started = time.monotonic()
    answer = await access.complete(system, user)
    text = _until_stop(answer.response or "", planned.sampling.stop_sequences).strip()
    if not text:
        raise ModelAnswerError(f"the model wrote no {RESULT[planned.phase]}: try again")
    elapsed_ms = int((time.monotonic() - started) * 1000)
    tokens = (answer.in_token or 0) + (answer.out_token or 0)
    return replace(planned, text=text, at=datetime.now(UTC), elapsed_ms=elapsed_ms, tokens=tokens), answer.model or ""


def _until_stop(text: str, stops: tuple[str, ...]) -> str:
    """The flow's model service takes no stop sequences."""
    return text[: min((at for stop in stops if stop and (at := text.find(stop)) >= 0), default=len(text))]
