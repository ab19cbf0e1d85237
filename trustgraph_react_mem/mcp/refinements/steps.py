"""The three steps: draft, critique and revise, with a text of the client's, or one that the flow's model writes."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...errors import ModelAnswerError, RefinementError
from ...http.access import Access
from ...refine import tracking
from ...refine.machine import apply, next_event
from ...refine.records import Phase, RefinementEvent, Sampling, Session
from ...refine.views import at_last_critique, critique_view, draft_view, revise_view
from .prompts import fill_prompts
from .sessions import append, load_session

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


async def take_step(
    access: Access,
    phase: Phase,
    session_id: str = "",
    text: str = "",
    sampling: Mapping[str, Any] | None = None,
    confirm: bool = False,
    **fields: Any,
) -> Step:
    """Store a text as the next step of a session.

    Arguments:
        session_id: "" begins a session with a draft.
        text: "" asks the flow's model.
        sampling: what is left out is as in the step before.
        confirm: replace the draft of the current question, or the last revision.
        fields: of the event: ``query``, ``companion_type``, ``conversation_id``.

    Raises: RefinementError, and the errors of the model and the services.
    """
    begins = phase == "draft"
    session = await load_session(access, session_id or (str(uuid.uuid4()) if begins else ""), needed=not begins)
    event, model = _plan(session, phase, text, sampling or {}, fields), ""
    apply(session, event, confirm=confirm)  # what is refused asks no model
    if not text:
        event, model = await _write(access, session, event)
    after = await append(access, session, event, confirm=confirm)
    chosen = {} if text else event.sampling.as_dict()
    return Step(
        session_id=after.id,
        **{RESULT[phase]: event.text},
        model_used=model,
        not_applied=[name for name in ("model", "temperature", "max_tokens") if name in chosen],
        phase=tracking.phase(after),
        phase_tracking=tracking.phase_tracking(after, current_tool=phase),
        suggestions=tracking.suggestions(after),
        convergence_signals=tracking.convergence_signals(after),
    )


def _plan(session: Session, phase: Phase, text: str, sampling: Mapping[str, Any], fields: Mapping[str, Any]) -> RefinementEvent:
    """The event of the step, with a placeholder if its text is not known yet."""
    if "execution_mode" in sampling:
        raise RefinementError("execution_mode is no longer chosen: give text, or leave it out", code="validation_error")
    before = session.slot.sampling.as_dict() if session.slot else {}
    given = {name: value for name, value in sampling.items() if value is not None}
    chosen = Sampling.from_dict({**before, **given, "execution_mode": "client" if text else "server"})
    variant = chosen.model or (session.slot.variant if session.slot else f"{chosen.execution_mode}-default")
    made: dict[str, Any] = {"event_id": str(uuid.uuid4()), "at": datetime.now(UTC), "variant": variant, "sampling": chosen}
    return next_event(session, phase, text or "planned", **made, **fields)


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
