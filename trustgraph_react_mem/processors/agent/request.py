"""Validates an ``AgentRequest`` before any model is called or anything is stored."""

import contextlib
import uuid
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from trustgraph.schema import AgentRequest as StockRequest
from trustgraph.schema import AgentStep

from ...errors import BadRequest
from ...memory.records import check_not_reserved, derived_id, implicit_conversation_id
from ...memory.requests.wire_values import check_values
from ...memory.scope import MAX_NAME, Scope
from ...memory.text.printable import SEEN
from ...memory.timefmt import offset_of, read_time, read_timezone
from ...recall.request import MAX_QUESTION, MEMORY_TYPES
from ...schema import AgentRequest, InvocationSummary, MemoryOptions
from ...settings import AgentMemSettings, continue_within_s, is_personal, screen_shared
from ...turn.request import TurnRequest
from ...turn.tools import ToolSet
from ...turn.working import Step

PATTERNS = ("plan-then-execute", "supervisor")
COMPLETION = "subagent-completion"
USER_ROLES, ASSISTANT_ROLES = ("user", "human"), ("assistant", "ai", "agent", "model")
MESSAGES_OF_AN_EXCHANGE = 2
_STOCK_TEXTS = tuple(each.name for each in fields(StockRequest) if each.type is str and each.name != "state")
NO_MEMORY = "no-memory"  # a tool group that switches memory off for one request: stock clients can send groups only
_NO = frozenset({"", "false", "no", "off", "0"})


def validate(
    message: AgentRequest, settings: AgentMemSettings, tools: ToolSet, *, workspace: str, flow: str, now: datetime
) -> TurnRequest:
    """Convert a message to a ``TurnRequest``.  Call ``normalize`` first.

    ``settings``: of the flow.  ``tools``: of the workspace.

    Raises:
        BadRequest: a field is too long or out of range.
        MissingScope: user or collection is not a valid name.
    """
    _check_lengths(message)
    session_id = message.session_id or message.invocation_id or str(uuid.uuid4())
    options = check_options(message.memory) if message.memory else None
    subagent = bool(message.correlation_id)
    writes = not subagent and (options is None or options.auto_store is not False)
    timezone = message.timezone or offset_of(message.asked_at) or settings.timezone
    read_timezone(timezone)  # refuses an unknown one before anything is stored
    memory = settings.enable_memory if message.enable_memory is None else message.enable_memory
    scope = Scope(workspace=workspace, user=message.user, collection=message.collection or "default")
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
        tools=tools,
        groups=None if message.group is None else tuple(message.group),
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
    not converted: a number is not a user.

    Raises: BadRequest (a field has the wrong type).
    """
    found: dict[str, Any] = {}
    for name in _STOCK_TEXTS:
        value = getattr(message, name)
        # To the stock agents 0 and false are no id.  As a text, they would make the request one of a supervisor's sub-agents.
        found[name] = _text(value) if value or name == "question" else ""
    # The stock agents take any object for a state that no tool asks for.
    found["state"] = "" if isinstance(message.state, dict) else _text(message.state)
    streaming: Any = message.streaming
    if isinstance(streaming, str):
        found["streaming"] = streaming.strip().casefold() not in _NO
    elif isinstance(streaming, int | float):
        found["streaming"] = bool(streaming)
    groups: Any = message.group
    if isinstance(groups, str):
        groups = [groups] if groups else None
    elif isinstance(groups, list | dict):
        groups = [_text(name) for name in groups]
    if isinstance(groups, list) and NO_MEMORY in groups:
        groups = [name for name in groups if name != NO_MEMORY] or None  # None: the tools that are offered without a group
        found["enable_memory"] = False
    found["group"] = groups
    history: Any = message.history
    if history and not isinstance(history, list):
        raise BadRequest(f"history must be a list of steps, not {type(history).__name__}")
    # The entries of the history have any form: ``validate`` takes what it can read.
    checked: AgentRequest = check_values(replace(message, **found, history=[]))
    return replace(checked, history=history or [])


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def invocation_of(message: AgentRequest, request_id: str) -> str:
    """The same for a request that a bus delivers twice, so that both are one recorded turn.  "": unknown."""
    with contextlib.suppress(ValueError):  # of a client that numbers its requests, and uses an id twice
        return str(message.invocation_id or derived_id("invocation", str(uuid.UUID(request_id)), message.question))
    return message.invocation_id


def needs_orchestrator(message: AgentRequest) -> bool:
    """Whether TrustGraph's orchestrator must run the request instead of our own loop."""
    return message.pattern in PATTERNS or is_completion(message)


def is_completion(message: AgentRequest) -> bool:
    """Whether the request is a sub-agent's report to its supervisor."""
    return bool(message.correlation_id) and any(step.step_type == COMPLETION for step in message.history)


def report_completion(request: AgentRequest, session_id: str, answer: str) -> AgentRequest:
    """The request with which a sub-agent reports its answer to its supervisor."""
    step = AgentStep(thought="Subagent completed", action="complete", observation=answer, step_type=COMPLETION)
    report: dict[str, Any] = {"state": "", "pattern": "", "streaming": False, "session_id": session_id, "history": [step]}
    return replace(request, **report)


def _check_lengths(message: AgentRequest) -> None:
    question = message.question
    if not SEEN.search(question):
        raise BadRequest("the question is empty: ask something")
    if len(question) > MAX_QUESTION:
        raise BadRequest(f"the question has {len(question)} characters: use at most {MAX_QUESTION}")
    for name in ("session_id", "conversation_id", "invocation_id"):
        value = getattr(message, name)
        if len(value) > MAX_NAME:
            raise BadRequest(f"{name} has {len(value)} characters: use at most {MAX_NAME}")
        check_not_reserved(name, value)


def check_options(options: MemoryOptions) -> MemoryOptions:
    """The options, with defaults for null.  Raises: BadRequest (a value of the wrong type or out of range)."""
    options = check_values(options, "memory.")
    if unknown := set(options.memory_types).difference(MEMORY_TYPES):
        raise BadRequest(f"memory.memory_types {min(unknown)[:40]!r} is unknown: use some of {', '.join(MEMORY_TYPES)}")
    for name, most in (("retrieval_limit", 100), ("similarity_threshold", 1)):
        value = getattr(options, name)
        if value is not None and not 0 <= value <= most:
            raise BadRequest(f"memory.{name} {value} must be between 0 and {most}")
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
