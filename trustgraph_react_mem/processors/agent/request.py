"""Validates an ``AgentRequest`` before any model is called or anything is stored."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, asdict, fields, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from trustgraph.schema import AgentRequest as StockRequest

from ...errors import BadRequest
from ...memory.records import check_not_reserved, implicit_conversation_id
from ...memory.scope import MAX_NAME, Scope
from ...memory.text.printable import SEEN
from ...memory.timefmt import offset_of
from ...recall.request import MAX_QUESTION, MEMORY_TYPES
from ...schema import AgentRequest, InvocationSummary, MemoryOptions
from ...settings import AgentMemSettings, continue_within_s, is_personal, screen_shared
from ...turn.request import TurnRequest
from ...turn.working import Step
from ..configuration import WorkspaceConfiguration
from ..service import read_time, read_timezone

PATTERNS = ("plan-then-execute", "supervisor")
COMPLETION = "subagent-completion"
USER_ROLES, ASSISTANT_ROLES = ("user", "human"), ("assistant", "ai", "agent", "model")
MESSAGES_OF_AN_EXCHANGE = 2
_STRINGS = tuple(each.name for each in fields(AgentRequest) if each.type is str)
_BOOLEANS = ("streaming", "end_of_conversation")
_STOCK_TEXTS = tuple(each.name for each in fields(StockRequest) if each.type is str and each.name != "state")
NO_MEMORY = "no-memory"  # a tool group that switches memory off for one request: stock clients can send groups only
_NO = frozenset({"", "false", "no", "off", "0"})


def validate(message: AgentRequest, configuration: WorkspaceConfiguration, *, flow: str, now: datetime) -> TurnRequest:
    """Convert a message to a ``TurnRequest``.  Call ``normalize`` first.

    Raises:
        BadRequest: a field has the wrong type, is too long or out of range.
        MissingScope: user or collection is not a valid name.
    """
    settings = configuration.settings(flow)
    _check_types(message)
    _check_lengths(message)
    if not isinstance(message.history, list):
        raise BadRequest(f"history must be a list of steps, not {type(message.history).__name__}")
    session_id = message.session_id or str(uuid.uuid4())
    options = check_options(message.memory)
    subagent = bool(message.correlation_id)
    writes = not subagent and (options is None or options.auto_store is not False)
    timezone = message.timezone or offset_of(message.asked_at) or settings.timezone
    read_timezone(timezone)  # refuses an unknown one before anything is stored
    memory = settings.enable_memory if message.enable_memory is None else message.enable_memory
    scope = Scope(workspace=configuration.workspace, user=message.user, collection=message.collection or "default")
    settings = screen_shared(settings, scope.user, scope.collection)
    asked_at = read_time("asked_at", message.asked_at) or now
    named = bool(message.conversation_id or message.session_id or subagent)
    return TurnRequest(
        scope=scope,
        question=message.question,
        settings=settings,
        conversation_id=message.conversation_id,
        implicit_id="" if named or not memory else _implicit_id(scope, flow, asked_at, settings),
        chat=_read_chat(message.history, settings),
        asked_at=asked_at,
        timezone=timezone,
        options=options,
        session_id=session_id,
        invocation_id=message.invocation_id or (str(uuid.uuid4()) if message.session_id else session_id),
        speaker=message.speaker or "User",
        speaker_proof=message.speaker_proof,
        memory=memory,
        record=memory and writes and settings.enable_recording,
        stores=memory and writes and not settings.enable_recording,
        tools=configuration.tools,
        groups=_check_groups(message.group),
        state=message.state,
        streaming=message.streaming,
        framing=message.framing,
        flow=flow,
        history=_read_history(message.history),
        end_of_conversation=message.end_of_conversation,
        parent_session_id=message.parent_session_id,
        pattern=message.pattern if subagent else "",
        task_type=message.task_type,
        subagent=subagent,
    )


def _implicit_id(scope: Scope, flow: str, at: datetime, settings: AgentMemSettings) -> str:
    if not is_personal(settings, scope.user, scope.collection):
        return ""
    return implicit_conversation_id(scope, flow, at, within_s=continue_within_s(settings))


def normalize(message: AgentRequest) -> AgentRequest:
    """The request in this package's types.  The group ``no-memory`` becomes ``enable_memory`` false.

    TrustGraph's gateway checks no types, and sends null for every field that a client left out.  The fields of this package are
    not converted: a number is not a user.  ``validate`` refuses what has no plain meaning.
    """
    found: dict[str, Any] = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(message)
        if getattr(message, field.name) is None
    }
    found |= {name: _text(getattr(message, name)) for name in _STOCK_TEXTS if name not in found}
    # To the stock agents 0 and false are no id.  As a text, they would make the request one of a supervisor's sub-agents.
    found |= {name: "" for name in _STOCK_TEXTS if name != "question" and not getattr(message, name)}
    if "state" not in found:
        # The stock agents take any object for a state that no tool asks for.
        found["state"] = "" if isinstance(message.state, dict) else _text(message.state)
    if "streaming" not in found:
        found["streaming"] = _switch(message.streaming)
    history: Any = message.history
    if history == {}:
        found["history"] = []
    groups = _groups(message.group)
    if isinstance(groups, list) and NO_MEMORY in groups:
        groups = [name for name in groups if name != NO_MEMORY] or None  # None: the tools that are offered without a group
        found["enable_memory"] = False
    found["group"] = groups
    return replace(message, **found)


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _switch(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip().casefold() not in _NO
    return bool(value) if isinstance(value, int | float) else value


def _groups(value: Any) -> Any:
    if isinstance(value, str):
        return [value] if value else None
    if isinstance(value, list | dict):
        names: Iterable[Any] = value
        return [_text(name) for name in names]
    return value


def needs_orchestrator(message: AgentRequest) -> bool:
    """Whether TrustGraph's orchestrator must run the request instead of our own loop."""
    return message.pattern in PATTERNS or is_completion(message)


def is_completion(message: AgentRequest) -> bool:
    """Whether the request is a sub-agent's report to its supervisor."""
    return bool(message.correlation_id) and any(step.step_type == COMPLETION for step in message.history)


def _check_types(message: AgentRequest) -> None:
    for name in _STRINGS:
        _expect(message, name, str, "a string")
    for name in _BOOLEANS:
        _expect(message, name, bool, "true or false")
    if message.enable_memory is not None:
        _expect(message, "enable_memory", bool, "true, false or absent")


def _check_lengths(message: AgentRequest) -> None:
    question = message.question
    if not SEEN.search(question):
        raise BadRequest("the question is empty: ask something")
    if len(question) > MAX_QUESTION:
        raise BadRequest(f"the question has {len(question)} characters: use at most {MAX_QUESTION}")
    for name in ("session_id", "conversation_id", "invocation_id"):
        if len(getattr(message, name)) > MAX_NAME:
            raise BadRequest(f"{name} has {len(getattr(message, name))} characters: use at most {MAX_NAME}")
        check_not_reserved(name, getattr(message, name))


def _expect(message: Any, name: str, kind: type, wanted: str) -> None:
    value = getattr(message, name)
    if not isinstance(value, kind):
        raise BadRequest(f"{name} must be {wanted}, not {type(value).__name__}")


def _check_groups(group: Any) -> tuple[str, ...] | None:
    if group is None:
        return None
    if not isinstance(group, list) or not all(isinstance(name, str) for name in group):
        raise BadRequest("group must be a list of strings or absent")
    return tuple(group)


class _Options(BaseModel):
    """What ``MemoryOptions`` may hold."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    memory_types: list[Literal[MEMORY_TYPES]]  # type: ignore[valid-type]  # a constant
    retrieval_limit: Annotated[int, Field(ge=0, le=100)] | None
    similarity_threshold: Annotated[float, Field(ge=0.0, le=1.0)] | None
    auto_store: bool | None


def check_options(options: Any) -> MemoryOptions | None:
    if options is None:
        return None
    if not isinstance(options, MemoryOptions):
        raise BadRequest(f"memory must be an object, not {type(options).__name__}")
    try:
        _Options.model_validate(asdict(options))
    except ValidationError as error:
        wrong = error.errors()[0]
        raise BadRequest(f"memory.{wrong['loc'][0]} = {wrong['input']!r:.40}: {wrong['msg']}") from None
    return options


def steps_of(history: Sequence[Any]) -> list[Any]:
    """The entries of a history that are steps of the loop, not messages of a chat."""
    return [step for step in history if not getattr(step, "role", "")]


def _read_chat(history: Sequence[Any], settings: AgentMemSettings) -> tuple[InvocationSummary, ...]:
    """The exchanges of a chat history, oldest first: each message of the user with the answers that follow it."""
    found: list[InvocationSummary] = []
    messages = [step for step in history if getattr(step, "role", "")]
    for message in messages[-MESSAGES_OF_AN_EXCHANGE * (settings.conversation_window + 1) :]:
        text = _message_text(message.content)[:MAX_QUESTION].strip()
        role = str(message.role).casefold()
        if not text:
            continue
        if role in USER_ROLES:
            found.append(InvocationSummary(query=text))
        elif role in ASSISTANT_ROLES:
            if not found:
                found.append(InvocationSummary())
            found[-1].result = f"{found[-1].result}\n{text}".strip()
    return tuple(found)


def _message_text(content: Any) -> str:
    """The text of a message, which may be a list of parts as in OpenAI's interface."""
    if isinstance(content, list):
        return " ".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _read_history(steps: Sequence[Any]) -> tuple[Step, ...]:
    """The steps that the client continues from.  Empty entries are skipped."""
    taken = [step for step in steps if any(getattr(step, name, "") for name in ("thought", "action", "observation"))]
    return tuple(
        Step(
            number=number,
            thought=str(step.thought),
            action=str(step.action),
            arguments=dict(step.arguments or {}),
            observation=str(step.observation),
        )
        for number, step in enumerate(taken, start=1)
    )
