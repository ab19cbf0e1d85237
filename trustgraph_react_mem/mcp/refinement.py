"""Group ``refine``: draft, critique and revise.  A tool stores the text that it gets, or one that the flow's model writes.

The prompts of a step are those of the companion and of the phase.  A workspace may replace them
(``prompt/template.refine-...``).

Invariants:
- A session belongs to the user and collection of the ``Access``.  Another user's session is not found.
- A step that the session does not allow is refused before a model is asked.
"""

import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from ..errors import ModelAnswerError, RefinementError
from ..extras import PROMPTS, require
from ..http.access import Access
from ..memory.requests import AppendRefinement, GetRefinement, ListRefinements
from ..processors.operations.prompt_templates import WorkspacePrompts
from ..refine import tracking
from ..refine.machine import apply, next_event
from ..refine.records import CompanionType, Phase, RefinementEvent, Sampling, Session, check_session_id
from ..refine.views import View, at_last_critique, critique_view, draft_view, revise_view
from ..refine.wire import session_from_wire, to_wire

MOST_SESSIONS = 50  # that are counted in metrics
_TAG = re.compile(r"<(?=\s{0,4}/?\s{0,4}(?:question|drafts?|critique|human|ai)\b)", re.IGNORECASE)

RESULT: Mapping[Phase, Literal["draft", "critique", "revision"]] = {
    "draft": "draft", "critique": "critique", "revise": "revision",
}  # fmt: skip


async def load_session(access: Access, session_id: str, *, needed: bool = True) -> Session:
    """The session of this user and collection.  Not ``needed``: empty if there is none.

    Raises: RefinementError (invalid_session: there is none, the id is not a UUID, or reading is switched off).
    """
    check_session_id(session_id)
    response = await access.call(GetRefinement(session_id=session_id))
    if response.stats.get("read") == "off":
        raise RefinementError("reading memory is switched off, so no session is shown: switch it on", code="invalid_session")
    if needed and not response.success:
        raise RefinementError("there is no such session here: begin one with a draft", code="invalid_session")
    return session_from_wire(session_id, response.events)


async def list_sessions(access: Access) -> list[Session]:
    """The newest sessions."""
    listed = await access.call(ListRefinements(limit=MOST_SESSIONS))
    return [await load_session(access, each.session_id, needed=False) for each in listed.refinements]


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
    system, user = await _fill_prompts(access, planned, seen)
    started = time.monotonic()
    answer = await access.complete(system, user)
    text = _until_stop(answer.response or "", planned.sampling.stop_sequences).strip()
    if not text:
        raise ModelAnswerError(f"the model wrote no {RESULT[planned.phase]}: try again")
    elapsed_ms = int((time.monotonic() - started) * 1000)
    tokens = (answer.in_token or 0) + (answer.out_token or 0)
    return replace(planned, text=text, at=datetime.now(UTC), elapsed_ms=elapsed_ms, tokens=tokens), answer.model or ""


async def _fill_prompts(access: Access, planned: RefinementEvent, seen: View) -> tuple[str, str]:
    """The system prompt and the prompt of the planned step.

    Raises: MissingPackage, ConfigurationError (a template of the workspace is broken).
    """
    require("refinement", *PROMPTS)
    templates = WorkspacePrompts(await access.services.config_get("prompt"))
    protocol = templates.prompt("refine-protocol").render({})
    companion = templates.prompt(f"refine-companion-{planned.companion_type.replace('_', '-')}")
    terms: dict[str, Any] = {
        "query": _remove_tags(seen.query),
        "draft": _remove_tags(seen.text),
        "window": _remove_tags(seen.window),
        "critique": _remove_tags(seen.critique),
        "history": [{"role": each.role, "content": _remove_tags(each.content)} for each in seen.history],
    }
    return companion.render({"protocol": protocol}), templates.prompt(f"refine-{planned.phase}").render(terms)


def _remove_tags(text: str) -> str:
    """The text without the tags that mark data in the prompts."""
    return _TAG.sub("(", text)


def _until_stop(text: str, stops: tuple[str, ...]) -> str:
    """The flow's model service takes no stop sequences."""
    return text[: min((at for stop in stops if stop and (at := text.find(stop)) >= 0), default=len(text))]


SessionId = Annotated[str, Field(description="Id of the session (UUID), as draft returned it.", max_length=36)]
OldSession = Annotated[str, Field(description="To continue a session. Empty: a new one.", max_length=36)]
Text = Annotated[str, Field(description="What you wrote. Empty: the flow's model writes it.", max_length=32_000)]
Companion = Annotated[
    CompanionType | None, Field(description="Who answers: generic, marketing, bug_triage or strategy. Default: generic.")
]
SamplingSettings = Annotated[
    dict[str, Any] | None,
    Field(
        description="model, temperature, max_tokens, similarity_threshold (0.90 to 0.99), max_loops (1 to 10), stop_sequences, "
        "model_preferences, metadata. What is left out is as in the step before. Another model begins a new slot."
    ),
]
Question = Annotated[str, Field(max_length=8_000, description="The question. Empty: the current one of the session.")]
Confirm = Annotated[bool, Field(description="True: replace what this step wrote last, if no later step depends on it.")]
Conversation = Annotated[
    str, Field(max_length=200, description="Of a new session: the conversation that it is forgotten with. Empty: none.")
]
StepAnswer = Annotated[CallToolResult, Step]


async def draft(
    access: Access,
    query: Question = "",
    text: Text = "",
    companion_type: Companion = None,
    session_id: OldSession = "",
    sampling: SamplingSettings = None,
    confirm: Confirm = False,
    conversation_id: Conversation = "",
) -> StepAnswer:
    """The first draft of an answer that will be criticised and revised. Use it for questions where a careful answer
    matters more than a fast one. A session keeps its drafts, critiques and revisions."""
    more = {"query": query, "companion_type": companion_type, "conversation_id": conversation_id}
    return await _step(access, "draft", session_id, text, sampling, confirm, **more)


async def critique(
    access: Access,
    session_id: SessionId,
    text: Text = "",
    companion_type: Companion = None,
    query: Question = "",
    sampling: SamplingSettings = None,
) -> StepAnswer:
    """A critique of the newest text of a session: its draft, or its last revision. Use it after `draft`, or after `revise`."""
    return await _step(access, "critique", session_id, text, sampling, False, query=query, companion_type=companion_type)


async def revise(
    access: Access,
    session_id: SessionId,
    text: Text = "",
    companion_type: Companion = None,
    query: Question = "",
    sampling: SamplingSettings = None,
    confirm: Confirm = False,
) -> StepAnswer:
    """A revision of the newest text of a session by its last critique. Use it after `critique`."""
    return await _step(access, "revise", session_id, text, sampling, confirm, query=query, companion_type=companion_type)


async def _step(
    access: Access, phase: Phase, session_id: str, text: str, sampling: Mapping[str, Any] | None, confirm: bool, **fields: Any
) -> CallToolResult:
    """Store a text, "" = one that the flow's model writes, as the next step of a session, "" = a new one.

    ``fields``: of the event: ``query``, ``companion_type``, ``conversation_id``.

    Raises: RefinementError, Conflict (the session has changed since), and the errors of the model and the services.
    """
    begins = phase == "draft"
    session = await load_session(access, session_id or (str(uuid.uuid4()) if begins else ""), needed=not begins)
    event, model = _plan(session, phase, text, sampling or {}, fields), ""
    apply(session, event, confirm=confirm)  # what is refused asks no model
    if not text:
        event, model = await _write(access, session, event)
        apply(session, event, confirm=confirm)
    request = AppendRefinement(event=to_wire(event), expected=session.events, confirm=confirm)
    after = session_from_wire(session.id, (await access.call(request)).events)
    chosen = {} if text else event.sampling.as_dict()
    step = Step(
        session_id=after.id,
        **{RESULT[phase]: event.text},
        model_used=model,
        not_applied=[name for name in ("model", "temperature", "max_tokens") if name in chosen],
        phase=tracking.phase(after),
        phase_tracking=tracking.phase_tracking(after, current_tool=phase),
        suggestions=tracking.suggestions(after),
        convergence_signals=tracking.convergence_signals(after),
    )
    shown = TextContent(type="text", text=f"{event.text}\n\nsession_id: {after.id}")
    return CallToolResult(content=[shown], structured_content=step.model_dump(mode="json", exclude_unset=True))
