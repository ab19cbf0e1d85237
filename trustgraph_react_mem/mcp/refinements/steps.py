"""The six steps: draft, critique and revise, and their completions with a text of the client's model."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ...errors import ModelAnswerError, RefinementError
from ...http.access import Access
from ...memory.timefmt import format_time
from ...refine.machine import apply, next_event
from ...refine.records import CompanionType, Phase, RefinementEvent, Sampling, Session
from ...refine.tracking import convergence_signals, phase, phase_tracking, suggestions
from ...refine.views import at_last_critique, critique_view, revise_view
from .fields import Logged, SamplingFields, Step
from .nonces import Stage, make_nonce, mismatch, read_nonce
from .prompts import Prompts, fill_prompts
from .sessions import Loaded, append, find_session, load_session

RESULT: Mapping[Phase, str] = {"draft": "draft", "critique": "critique", "revise": "revision"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A step as a client asks for it.

    ``session_id``: "" begins a session.  ``companion_type``: None for that of the session.  ``query``: "" for the current one.
    ``confirm``: replace the draft of the current question, or the last revision.
    """

    phase: Phase
    session_id: str = ""
    companion_type: CompanionType | None = None
    conversation_id: str = ""
    query: str = ""
    sampling: SamplingFields | None = None
    confirm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(Wanted):
    """The text of the client's model.

    ``about``: the draft and the critique that the client says it is about.  Each must be the current one, or empty.
    ``metadata``: of the client's model.  Its ``variant`` or ``model`` names the variant.
    """

    text: str
    nonce: str
    about: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


async def begin(access: Access, wanted: Wanted) -> Step:
    """The text of a step, or the prompts for it.  Raises: RefinementError, and the errors of the model and the services."""
    loaded = await _load(access, wanted)
    planned = _plan(wanted, loaded.session, _sampling(wanted, loaded.session))
    apply(loaded.session, planned, confirm=wanted.confirm)  # what is refused asks no model
    prompts = await fill_prompts(access, loaded.session, planned)
    if planned.sampling.execution_mode == "server":
        return await _produce(access, loaded, planned, prompts, confirm=wanted.confirm)
    nonce = make_nonce(_stage(access, loaded.session, planned), confirm=wanted.confirm)
    return _make_prompt_step(loaded.session, planned, prompts, nonce)


async def complete(access: Access, done: Completed) -> Logged:
    """Store the text of the client's model.  The same text with the same nonce again changes nothing.

    Raises: RefinementError (nonce_mismatch: the nonce is not of the next step of this session; pollution_detected: the text is
    about something else, or holds the nonce), and as ``begin``.
    """
    nonce = read_nonce(done.nonce)
    loaded = await _load(access, done)
    event = _plan(done, loaded.session, _client_sampling(done, loaded.session))
    text = done.text.strip()
    event_id = nonce.event_id(access.scope, event.session_id, event.phase, text)
    event = replace(event, id=event_id, text=text, elapsed_ms=nonce.elapsed_ms())
    if any(stored.id == event.id for stored in loaded.events):  # even if the session has moved on since
        return Logged(session_id=event.session_id)
    stage = _stage(access, loaded.session, event)
    _check_about(done, loaded.session)
    if not nonce.belongs_to(stage):
        raise mismatch()
    await append(access, loaded, event, confirm=nonce.confirm)
    return Logged(session_id=event.session_id)


async def _load(access: Access, wanted: Wanted) -> Loaded:
    if wanted.phase == "draft":
        return await load_session(access, wanted.session_id or str(uuid.uuid4()))
    if not wanted.session_id:
        raise RefinementError("session_id is empty: use the one that the draft returned", code="invalid_session")
    return await find_session(access, wanted.session_id)


def _sampling(wanted: Wanted, session: Session) -> Sampling:
    before = session.slot.sampling if session.slot else Sampling()
    return wanted.sampling.over(before) if wanted.sampling else before


def _client_sampling(done: Completed, session: Session) -> Sampling:
    sampling = _sampling(done, session)
    named = str(done.metadata.get("variant") or done.metadata.get("model") or sampling.model)
    given = {"execution_mode": "client", "model": named[:200], "metadata": {**sampling.metadata, **done.metadata}}
    return Sampling.from_dict({**sampling.as_dict(), **given})


def _plan(wanted: Wanted, session: Session, sampling: Sampling) -> RefinementEvent:
    """The event of the step, before its text is known."""
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


def _stage(access: Access, session: Session, planned: RefinementEvent) -> Stage:
    """Raises: RefinementError (no_draft, no_critique)."""
    match planned.phase:
        case "draft":
            about = planned.query
        case "critique":
            about = critique_view(session).text
        case "revise":
            about = revise_view(at_last_critique(session)).critique
    return Stage(
        scope=access.scope,
        session_id=session.id,
        conversation_id=planned.conversation_id,
        companion_type=planned.companion_type,
        phase=planned.phase,
        state=session.events,
        about=about,
    )


def _check_about(done: Completed, session: Session) -> None:
    """Raises: RefinementError (pollution_detected)."""
    if done.nonce in done.text:
        raise RefinementError("the text holds the nonce: send the text alone", code="pollution_detected")
    given = {name: text for name, text in done.about.items() if text.strip()}
    if not given:
        return
    if done.phase == "critique":
        current = {"draft": critique_view(session).text}
    else:
        seen = revise_view(at_last_critique(session))
        current = {"draft": seen.text, "critique": seen.critique}
    for name, text in given.items():
        if text.strip() != current[name].strip():
            raise RefinementError(f"{name} is not the current one of this session: leave it out", code="pollution_detected")


async def _produce(access: Access, loaded: Loaded, planned: RefinementEvent, prompts: Prompts, *, confirm: bool) -> Step:
    started = time.monotonic()
    answer = await access.complete(prompts.system, prompts.user)
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
    return _make_result_step(after, event, answer.model or "")


def _until_stop(text: str, stops: tuple[str, ...]) -> str:
    """The flow's model service takes no stop sequences."""
    return text[: min((at for stop in stops if stop and (at := text.find(stop)) >= 0), default=len(text))]


def _make_prompt_step(session: Session, planned: RefinementEvent, prompts: Prompts, nonce: str) -> Step:
    sampling = planned.sampling
    return Step(
        session_id=session.id,
        execution_mode="client",
        system=prompts.system,
        user=prompts.user,
        nonce=nonce,
        use_client_sampling=True,
        temperature=sampling.temperature,
        max_tokens=sampling.max_tokens,
        model=sampling.model or None,
        metadata={"execution_mode": "client", "model_preferences": dict(sampling.model_preferences), **sampling.metadata},
        history_length=len(session.history),
        phase=phase(session),
    )


def _make_result_step(after: Session, event: RefinementEvent, model: str) -> Step:
    chosen = {"model": event.sampling.model, "temperature": event.sampling.temperature, "max_tokens": event.sampling.max_tokens}
    return Step(
        session_id=after.id,
        execution_mode="server",
        **{RESULT[event.phase]: event.text},
        model_used=model,
        not_applied=[name for name, value in chosen.items() if value not in ("", None)],
        timestamp=format_time(event.at),
        phase=phase(after),
        phase_tracking=phase_tracking(after, current_tool=event.phase),
        suggestions=suggestions(after),
        convergence_signals=convergence_signals(after),
    )
