"""The six steps: draft, critique and revise, and their completions with a text of the client's model."""

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
from ...refine.records import CompanionType, ExecutionMode, Phase, RefinementEvent, Sampling, Session
from ...refine.tracking import convergence_signals, phase, phase_tracking, suggestions
from ...refine.views import View, at_last_critique, critique_view, draft_view, revise_view
from .nonces import Nonce, Stage, make_nonce, mismatch
from .prompts import fill_prompts
from .sessions import Loaded, append, find_session, load_session

RESULT: Mapping[Phase, Literal["draft", "critique", "revision"]] = {
    "draft": "draft", "critique": "critique", "revise": "revision",
}  # fmt: skip


class Step(BaseModel):
    """The answer to a step.

    ``execution_mode: client``: the prompts for the client's own model, with the nonce that completes the step.
    ``server``: the text, which is stored.
    """

    session_id: str
    execution_mode: ExecutionMode
    phase: dict[str, Any] = Field(description="Where the session is now, and what may follow.")
    system: str | None = Field(None, description="Client mode: the system prompt.")
    user: str | None = Field(None, description="Client mode: the prompt.")
    nonce: str | None = Field(None, description="Client mode: completes this step, and no other.")
    draft: str | None = None
    critique: str | None = None
    revision: str | None = None
    model_used: str | None = Field(None, description="Server mode: the model that wrote the text.")
    not_applied: list[str] | None = Field(
        None, description="Server mode: sampling settings that the flow decides, so that they had no effect."
    )
    phase_tracking: dict[str, Any] | None = Field(None, description="The steps of the current slot with their times.")
    suggestions: dict[str, Any] | None = None
    convergence_signals: list[dict[str, Any]] | None = None


class Logged(BaseModel):
    """The client's text is stored."""

    status: Literal["logged"] = "logged"
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A step as a client asks for it.

    ``session_id``: "" begins a session.  ``companion_type``: None for that of the session.  ``query``: "" for the current one.
    ``sampling``: what is left out is as in the step before.  ``confirm``: replace the draft of the current question, or the
    last revision.
    """

    phase: Phase
    session_id: str = ""
    companion_type: CompanionType | None = None
    conversation_id: str = ""
    query: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    confirm: bool = False


async def begin(access: Access, wanted: Wanted) -> Step:
    """The text of a step, or the prompts for it.  Raises: RefinementError, and the errors of the model and the services."""
    loaded = await _load(access, wanted)
    planned = _plan(wanted, loaded.session)
    apply(loaded.session, planned, confirm=wanted.confirm)  # what is refused asks no model
    seen = _see(loaded.session, planned)
    system, user = await fill_prompts(access, planned, seen)
    if planned.sampling.execution_mode == "server":
        return await _produce(access, loaded, planned, system, user, confirm=wanted.confirm)
    return Step(
        session_id=loaded.session.id,
        execution_mode="client",
        phase=phase(loaded.session),
        system=system,
        user=user,
        nonce=make_nonce(_stage(access, loaded.session, planned, seen), confirm=wanted.confirm),
    )


async def complete(access: Access, wanted: Wanted, text: str, nonce: str) -> Logged:
    """Store the text of the client's model.  The same text with the same nonce again changes nothing.

    Raises: RefinementError (nonce_mismatch: the nonce is not of the next step of this session; pollution_detected: the text
    holds the nonce), and as ``begin``.
    """
    given, text = Nonce(nonce), text.strip()
    loaded = await _load(access, wanted)
    planned = _plan(replace(wanted, sampling={**wanted.sampling, "execution_mode": "client"}), loaded.session)
    event_id = given.event_id(access.scope.key, planned.session_id, planned.phase, text)
    logged = Logged(session_id=planned.session_id)
    if any(stored.id == event_id for stored in loaded.events):  # even if the session has moved on since
        return logged
    if nonce in text:
        raise RefinementError("the text holds the nonce: send the text alone", code="pollution_detected")
    if not given.belongs_to(_stage(access, loaded.session, planned, _see(loaded.session, planned))):
        raise mismatch()
    event = replace(planned, id=event_id, text=text, elapsed_ms=given.elapsed_ms)
    await append(access, loaded, event, confirm=given.confirm)
    return logged


async def _load(access: Access, wanted: Wanted) -> Loaded:
    if wanted.phase == "draft":
        return await load_session(access, wanted.session_id or str(uuid.uuid4()))
    return await find_session(access, wanted.session_id)


def _plan(wanted: Wanted, session: Session) -> RefinementEvent:
    """The event of the step, before its text is known."""
    before = session.slot.sampling if session.slot else Sampling()
    sampling = Sampling.from_dict({**before.as_dict(), **{k: v for k, v in wanted.sampling.items() if v is not None}})
    return next_event(
        session,
        wanted.phase,
        "planned",
        event_id="planned",
        at=datetime.now(UTC),
        query=wanted.query,
        conversation_id=wanted.conversation_id,
        companion_type=wanted.companion_type,
        variant=sampling.model or f"{sampling.execution_mode}-default",
        sampling=sampling,
    )


def _see(session: Session, planned: RefinementEvent) -> View:
    """Raises: RefinementError (no_draft, no_critique)."""
    match planned.phase:
        case "draft":
            return draft_view(session, planned.query)
        case "critique":
            return critique_view(session)
        case "revise":
            return revise_view(at_last_critique(session))


def _stage(access: Access, session: Session, planned: RefinementEvent, seen: View) -> Stage:
    return Stage(
        scope=access.scope.key,
        session_id=session.id,
        conversation_id=planned.conversation_id,
        companion_type=planned.companion_type,
        phase=planned.phase,
        state=session.events,
        about=seen.critique or seen.text or planned.query,
    )


async def _produce(access: Access, loaded: Loaded, planned: RefinementEvent, system: str, user: str, *, confirm: bool) -> Step:
    started = time.monotonic()
    answer = await access.complete(system, user)
    text = _until_stop(answer.response or "", planned.sampling.stop_sequences).strip()
    if not text:
        raise ModelAnswerError(f"the model wrote no {RESULT[planned.phase]}: try again")
    event = replace(
        planned,
        id=str(uuid.uuid4()),
        text=text,
        at=datetime.now(UTC),
        elapsed_ms=int((time.monotonic() - started) * 1000),
        tokens=(answer.in_token or 0) + (answer.out_token or 0),
    )
    after = await append(access, loaded, event, confirm=confirm)
    chosen = planned.sampling.as_dict()
    return Step(
        session_id=after.id,
        execution_mode="server",
        phase=phase(after),
        **{RESULT[event.phase]: text},
        model_used=answer.model or "",
        not_applied=[name for name in ("model", "temperature", "max_tokens") if name in chosen],
        phase_tracking=phase_tracking(after, current_tool=event.phase),
        suggestions=suggestions(after),
        convergence_signals=convergence_signals(after),
    )


def _until_stop(text: str, stops: tuple[str, ...]) -> str:
    """The flow's model service takes no stop sequences."""
    return text[: min((at for stop in stops if stop and (at := text.find(stop)) >= 0), default=len(text))]
