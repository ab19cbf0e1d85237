"""An ``AgentRequest`` checked: what may be wrong with it is said here, before anything is asked or stored."""

import uuid
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime
from typing import Any

from ...errors import BadRequest
from ...memory.scope import MAX_NAME, Scope
from ...schema import AgentRequest, MemoryOptions
from ...settings import AgentMemSettings
from ...turn.working import Step
from ..service import checked_time

_STRINGS = (
    "question", "state", "collection", "session_id", "conversation_id", "pattern", "framing", "correlation_id",
    "parent_session_id", "subagent_goal", "user", "speaker", "asked_at",
)  # fmt: skip
_BOOLEANS = ("streaming", "end_of_conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRequest:
    """``session_id`` names the provenance of this run; a conversation without a name is one of its own.

    ``invocation_id`` is of this request alone: a client may send the same ``session_id`` twice, and so may two users.
    """

    question: str
    scope: Scope
    session_id: str
    invocation_id: str
    conversation_id: str
    asked_at: datetime
    speaker: str
    memory: bool
    store: bool
    options: MemoryOptions | None
    history: tuple[Step, ...]
    groups: tuple[str, ...] | None
    end_of_conversation: bool


def checked(request: AgentRequest, *, workspace: str, settings: AgentMemSettings, now: datetime) -> CheckedRequest:
    """``request`` is ``filled``.  Raises: BadRequest, MissingScope."""
    for name in _STRINGS:
        _expect(request, name, str, "a string")
    for name in _BOOLEANS:
        _expect(request, name, bool, "true or false")
    if request.enable_memory is not None:
        _expect(request, "enable_memory", bool, "true, false or absent")
    question = request.question
    if not question.strip():
        raise BadRequest("the question is empty: ask something")
    if len(question) > settings.max_question_chars:
        raise BadRequest(
            f"the question has {len(question)} characters: use at most {settings.max_question_chars} (max-question-chars)"
        )
    for name in ("session_id", "conversation_id"):
        if len(getattr(request, name)) > MAX_NAME:
            raise BadRequest(f"{name} has {len(getattr(request, name))} characters: use at most {MAX_NAME}")
    session_id = request.session_id or str(uuid.uuid4())
    options = _options(request.memory)
    return CheckedRequest(
        question=question,
        scope=Scope(workspace=workspace, user=request.user, collection=request.collection or "default"),
        session_id=session_id,
        invocation_id=str(uuid.uuid4()) if request.session_id else session_id,
        conversation_id=request.conversation_id or session_id,
        asked_at=checked_time("asked_at", request.asked_at) or now,
        speaker=request.speaker or "User",
        memory=settings.enable_memory if request.enable_memory is None else request.enable_memory,
        store=options is None or options.auto_store is not False,
        options=options,
        history=_history(request.history),
        groups=_groups(request.group),
        end_of_conversation=request.end_of_conversation,
    )


def filled(request: AgentRequest) -> AgentRequest:
    """A null is an absent field: TrustGraph's gateway sends one for whatever a client left out."""
    absent: dict[str, Any] = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(request)
        if getattr(request, field.name) is None
    }
    return replace(request, **absent)


def _expect(request: Any, name: str, kind: type, wanted: str) -> None:
    value = getattr(request, name)
    if not isinstance(value, kind):
        raise BadRequest(f"{name} must be {wanted}, not {type(value).__name__}")


def _groups(group: Any) -> tuple[str, ...] | None:
    if group is None:
        return None
    if not isinstance(group, list) or not all(isinstance(name, str) for name in group):
        raise BadRequest("group must be a list of strings or absent")
    return tuple(group)


def _options(options: Any) -> MemoryOptions | None:
    if options is None:
        return None
    if not isinstance(options, MemoryOptions):
        raise BadRequest(f"memory must be an object, not {type(options).__name__}")
    kinds = options.memory_types
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        raise BadRequest("memory.memory_types must be a list of strings")
    limit, threshold, store = options.retrieval_limit, options.similarity_threshold, options.auto_store
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= 100):
        raise BadRequest(f"memory.retrieval_limit = {limit!r}: use a whole number from 0 to 100")
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if threshold is not None and not (number and 0.0 <= threshold <= 1.0):
        raise BadRequest(f"memory.similarity_threshold = {threshold!r}: use a number from 0 to 1")
    if store is not None and not isinstance(store, bool):
        raise BadRequest(f"memory.auto_store = {store!r}: use true or false")
    return options


def _history(steps: Sequence[Any]) -> tuple[Step, ...]:
    """The steps a client continues from.  Entries that hold nothing (a chat history decodes to such) are not steps."""
    if not isinstance(steps, list):
        raise BadRequest(f"history must be a list of steps, not {type(steps).__name__}")
    told = [
        step
        for step in steps
        if getattr(step, "thought", "") or getattr(step, "action", "") or getattr(step, "observation", "")
    ]
    return tuple(
        Step(
            number=number,
            thought=str(step.thought),
            action=str(step.action),
            arguments=dict(step.arguments or {}),
            observation=str(step.observation),
        )
        for number, step in enumerate(told, start=1)
    )
