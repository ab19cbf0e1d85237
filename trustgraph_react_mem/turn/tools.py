"""The agent's tools: those of TrustGraph's configuration, and the three memory tools.

Invariants: a broken tool, or one of an unknown type, is skipped with a warning that names it.  The others still work.  Groups
and states have the same meaning as for the stock agents.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..memory.ports import JsonValue
from ..memory.records import RECALL_EPISODES, RETRIEVE_FACTS, STORE_FACT

ConfiguredKind = Literal[
    "knowledge-query",
    "text-completion",
    "mcp-tool",
    "prompt",
    "structured-query",
    "row-embeddings-query",
    "tool-service",
]
ToolKind = Literal[ConfiguredKind, "memory"]


class _WithoutNulls(BaseModel):
    """Null counts as left out."""

    @model_validator(mode="before")
    @classmethod
    def drop_nulls(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given


class Argument(_WithoutNulls):
    model_config = ConfigDict(frozen=True)

    name: Annotated[str, Field(min_length=1)]
    type: str = "string"
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """``settings``: the configuration of the tool.  For a tool service, also its queues and configuration values.

    ``key``: its configuration key.
    """

    key: str = ""
    name: str
    description: str
    kind: ToolKind
    arguments: tuple[Argument, ...] = ()
    groups: tuple[str, ...] = ("default",)
    states: tuple[str, ...] = ("*",)
    next_state: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def available(self, groups: Sequence[str] | None, state: str) -> bool:
        """Whether the tool may be used.  No groups mean ``default``, no state means ``undefined``, and ``*`` means any."""
        wanted = ("default",) if groups is None else groups
        in_group = "*" in wanted or bool(set(self.groups) & set(wanted))
        return in_group and ("*" in self.states or (state or "undefined") in self.states)

    def state_after(self, state: str) -> str:
        """The state of the tools after this one ran."""
        return self.next_state or state or "undefined"

    def name_arguments(self, arguments: Mapping[str, JsonValue], bare: str) -> dict[str, JsonValue]:
        """The arguments, with a bare value assigned to the first argument that has none."""
        named = dict(arguments)
        free = [argument.name for argument in self.arguments if argument.name not in named]
        if bare and free:
            assigned = re.match(rf"(?P<name>{'|'.join(map(re.escape, free))})\s*[:=]\s*(?P<value>\S.*)", bare, re.DOTALL)
            name, value = (assigned["name"], assigned["value"]) if assigned else (free[0], bare)
            named[name] = value.strip("\"'") if assigned else value
        return named


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSet:
    tools: tuple[Tool, ...] = ()
    warnings: tuple[str, ...] = ()

    def available(self, groups: Sequence[str] | None, state: str) -> tuple[Tool, ...]:
        """The tools that may be used with these groups in this state."""
        return tuple(tool for tool in self.tools if tool.available(groups, state))


def _question_argument(description: str, name: str = "question") -> tuple[Argument, ...]:
    return (Argument(name=name, type="string", description=description),)


_FIXED: Mapping[str, tuple[Argument, ...]] = {
    "knowledge-query": _question_argument("What to find out from the stored knowledge"),
    "text-completion": _question_argument("What the language model should answer or write"),
    "structured-query": _question_argument("What to find out from tables and databases, in plain words"),
    "row-embeddings-query": _question_argument(
        "Words whose meaning the wanted values of the table should be close to", name="query"
    ),
}
_REQUIRED = {"mcp-tool": "mcp-tool", "prompt": "template", "row-embeddings-query": "schema-name", "tool-service": "service"}

MEMORY_TOOLS: tuple[Tool, ...] = (
    Tool(
        name=RETRIEVE_FACTS,
        description="Search long-term memory for facts from earlier conversations that are not shown above",
        kind="memory",
        arguments=_question_argument("What to look for", name="query"),
    ),
    Tool(
        name=RECALL_EPISODES,
        description="Search memory for similar tasks done before, with how they were done and what was learned",
        kind="memory",
        arguments=_question_argument("The task or problem", name="query"),
    ),
    Tool(
        name=STORE_FACT,
        description="Store a fact that the user told and wants to be remembered. Nothing else is kept of this message",
        kind="memory",
        arguments=_question_argument("The fact as one complete sentence", name="fact_content"),
    ),
)


def load_tools(tools: Mapping[str, str], services: Mapping[str, str]) -> ToolSet:
    """The tools of a workspace from its ``tool`` and ``tool-service`` configuration (key -> JSON text)."""
    loaded: dict[str, Tool] = {}  # if a name is configured twice, the last one wins, as in the stock agent
    warnings: list[str] = []
    for key, raw in tools.items():
        try:
            tool = _read_tool(key, raw, services)
        except ValueError as error:
            warnings.append(f"{error}; the tool is left out")
        else:
            loaded[tool.name] = tool
    return ToolSet(tools=tuple(loaded.values()), warnings=tuple(warnings))


def add_memory_tools(tools: Sequence[Tool], *, read: bool, store: bool) -> tuple[Tool, ...]:
    """Append the memory tools that are allowed.  A configured tool of the same name takes precedence.

    ``store``: single facts may be stored.  Of a turn that is recorded everything is stored anyway.
    """
    taken = {tool.name for tool in tools}
    offered = (tool for tool in MEMORY_TOOLS if (store if tool.name == STORE_FACT else read))
    return (*tools, *(tool for tool in offered if tool.name not in taken))


def find_tool(tools: Sequence[Tool], name: str) -> Tool | None:
    """The tool of that name.  Else the only one whose name differs just in case and punctuation, as small models write it."""
    exact = [tool for tool in tools if tool.name == name]
    near = [tool for tool in tools if _fold(tool.name) == _fold(name)]
    return exact[0] if exact else near[0] if len(near) == 1 else None


def _fold(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


class _Configured(_WithoutNulls):
    """A tool in TrustGraph's configuration."""

    model_config = ConfigDict(strict=True)

    name: str
    type: ConfiguredKind
    description: Annotated[str, Field(strict=False, coerce_numbers_to_str=True)] = ""
    arguments: list[Argument] = []
    group: list[str] = ["default"]
    states: list[str] = Field(["*"], alias="applicable-states")
    state: str = ""
    limit: Annotated[int, Field(strict=False)] = 10


def _read_tool(key: str, raw: str, services: Mapping[str, str]) -> Tool:
    """Raises: ValueError."""
    data = dict(_read_object(raw, f"tool {key!r}"))
    try:
        read = _Configured.model_validate({**data, "name": data.get("name") or key})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise ValueError(
            f"tool {data.get('name') or key!r}: {wrong['loc'][0]} = {str(wrong['input'])[:40]!r}: {wrong['msg']}"
        ) from None
    needed = _REQUIRED.get(read.type)
    if needed and not data.get(needed):
        raise ValueError(f"tool {read.name!r} of type {read.type!r} needs {needed!r}")
    settings = data | ({"limit": read.limit} if read.type == "row-embeddings-query" else {})
    return Tool(
        key=key,
        name=read.name,
        description=read.description,
        kind=read.type,
        arguments=_FIXED.get(read.type, tuple(read.arguments)),
        groups=tuple(read.group),
        states=tuple(read.states),
        next_state=read.state,
        settings=settings | (_read_service(read.name, data, services) if read.type == "tool-service" else {}),
    )


def _read_object(raw: str, where: str) -> Mapping[str, Any]:
    try:
        data = json.loads(raw)
    except (TypeError, json.JSONDecodeError):
        raise ValueError(f"{where} is not JSON") from None
    if not isinstance(data, dict):
        raise ValueError(f"{where} is a JSON {type(data).__name__}, not an object")
    return data


def _read_service(name: str, data: Mapping[str, Any], services: Mapping[str, str]) -> dict[str, Any]:
    reference = data["service"]
    if not isinstance(reference, str) or reference not in services:
        raise ValueError(f"tool {name!r} names the tool-service {reference!r}, which is not configured")
    service = _read_object(services[reference], f"tool-service {reference!r}")
    queues = {key: service.get(key) for key in ("request-queue", "response-queue")}
    if not all(queues.values()):
        raise ValueError(f"tool-service {reference!r} needs 'request-queue' and 'response-queue'")
    values: dict[str, Any] = {}
    for parameter in service.get("config-params") or []:
        wanted: Any = parameter.get("name") if isinstance(parameter, dict) else parameter
        if wanted in data:
            values[str(wanted)] = data[wanted]
        elif isinstance(parameter, dict) and parameter.get("required"):
            raise ValueError(f"tool {name!r} lacks the configuration value {wanted!r} that its tool-service needs")
    return {**queues, "config-values": values}
