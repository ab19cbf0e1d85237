"""What the runner works with: the model, the tools, who is told, and one checked request."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..errors import MemoryServiceError
from ..memory.ports import JsonValue
from ..settings import AgentMemSettings
from .machine import Reason
from .record import RecalledContext, TurnRecord
from .tools import Tool, ToolSet
from .working import Step

OnText = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call or of a whole turn; None where the model did not say."""

    in_tokens: int | None = None
    out_tokens: int | None = None
    model: str | None = None

    def plus(self, other: "Usage") -> "Usage":
        return Usage(
            in_tokens=_sum(self.in_tokens, other.in_tokens),
            out_tokens=_sum(self.out_tokens, other.out_tokens),
            model=other.model or self.model,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``text`` is the whole text, also when it was streamed."""

    text: str
    usage: Usage = field(default_factory=Usage)


class PromptMissing(MemoryServiceError):
    """The prompt service has no template of that name."""

    wire_type = "prompt-missing"
    blame = "operator"


class ReactModel(Protocol):
    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        """With ``on_text`` the text is streamed to it.  Raises ModelUnavailable, ModelAnswerError, PromptMissing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """``explain_uri``: the last entity of the trace that the tool itself explained."""

    text: str
    explain_uri: str = ""


class Toolbox(Protocol):
    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], *, number: int) -> ToolResult:
        """Anything raised becomes the observation."""
        ...


class TurnEvents(Protocol):
    """Who is told what happens, as it happens: the messages of the stock agent in its order."""

    async def started(self) -> None: ...
    async def recalled(self, recalled: RecalledContext) -> None: ...
    async def thought(self, number: int, text: str, *, last: bool) -> None: ...
    async def step(self, step: Step, *, tools: Sequence[Tool], duration_ms: int, usage: Usage) -> None: ...
    async def observed(self, step: Step, *, private: bool, duration_ms: int, explain_uri: str) -> None: ...
    async def answer(self, text: str) -> None:
        """A part of the answer, while streaming."""
        ...

    async def notice(self, text: str) -> None: ...
    async def finished(
        self, number: int, answer: str, *, reason: Reason, streamed: bool, usage: Usage, cited: Mapping[str, JsonValue] | None
    ) -> None: ...
    async def failed(self, message: str) -> None: ...


Recall = Callable[[], Awaitable[RecalledContext]]
PublishTurn = Callable[[TurnRecord], Awaitable[str]]  # the job's id; raises MemoryServiceError when the broker refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One request, checked.  ``memory`` off is the stock agent; ``record``: the turn is to be remembered."""

    question: str
    session_id: str
    invocation_id: str
    conversation_id: str
    asked_at: datetime
    settings: AgentMemSettings
    tools: ToolSet
    memory: bool
    record: bool
    streaming: bool = False
    groups: tuple[str, ...] | None = None
    state: str = ""
    framing: str = ""
    speaker: str = "User"
    flow: str = ""
    end_of_conversation: bool = False
    history: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    answer: str
    reason: Reason | None  # None: the model could not be reached
    iterations: int
    recorded: bool
    usage: Usage
    timings_ms: Mapping[str, float]


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b
