"""Reads the forms of a request that TrustGraph's stock agents take: nulls, text in place of a list, scalars in place of text.

Invariants: fields that only this package has are not converted, so that nobody is mistaken for another user.  What has no plain
meaning stays as it is, and ``request.validate`` refuses it.
"""

from collections.abc import Iterable
from dataclasses import MISSING, fields, replace
from typing import Any

from ...schema import AgentRequest

NO_MEMORY = "no-memory"  # a tool group that switches memory off for one request: stock clients can send groups only
_TEXTS = (
    "question", "collection", "session_id", "conversation_id", "pattern", "task_type", "framing", "correlation_id",
    "parent_session_id", "subagent_goal",
)  # fmt: skip
_NO = frozenset({"", "false", "no", "off", "0"})


def normalize(message: AgentRequest) -> AgentRequest:
    """The request in this package's types.  The group ``no-memory`` becomes ``enable_memory`` false.

    TrustGraph's gateway checks no types, and sends null for every field that a client left out.
    """
    found: dict[str, Any] = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(message)
        if getattr(message, field.name) is None
    }
    found |= {name: _text(getattr(message, name)) for name in _TEXTS if name not in found}
    if "state" not in found:
        # The stock agents take any object for a state that no tool asks for.
        found["state"] = "" if isinstance(message.state, dict) else _text(message.state)
    if "streaming" not in found:
        found["streaming"] = _switch(message.streaming)
    if message.history == {}:
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
