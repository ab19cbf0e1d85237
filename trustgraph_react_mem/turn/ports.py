"""Ports of the runner: the model, the tools, the memory, and the listener that is notified of progress."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import MemoryServiceError
from ..memory.ports import JsonValue
from ..recall.records import Recalled
from .decisions import RuleChanges
from .events import Reason, Usage
from .record import TurnRecord
from .request import TurnRequest
from .tools import Tool
from .working import Step

OnText = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``text`` is the complete text, even if it was streamed."""

    text: str
    usage: Usage = field(default_factory=Usage)


class PromptMissing(MemoryServiceError):
    """The prompt service has no template with that name."""

    wire_type = "prompt-missing"
    blame = "operator"


class ReactModel(Protocol):
    """The language model of the agent."""

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        """Call the model, and stream the text to ``on_text`` if given.

        Raises: ModelUnavailable, ModelAnswerError, PromptMissing.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """``explain_uri``: the last entity of the provenance trace that the tool sent itself.

    ``recalled``: the turn's memories with those that the tool found.  None: it found none.
    """

    text: str
    explain_uri: str = ""
    recalled: Recalled | None = None


class Toolbox(Protocol):
    """Runs the tools of the agent."""

    async def run(
        self,
        tool: Tool,
        arguments: Mapping[str, JsonValue],
        *,
        request: TurnRequest,
        number: int,
        recalled: Recalled | None,
    ) -> ToolResult:
        """Run a tool in step ``number``.  ``recalled``: the memories of the turn so far.

        An exception becomes the observation of the step.
        """
        ...


class TurnListener(Protocol):
    """Is notified of each event of a turn, in the order of the stock agent's messages."""

    async def started(self) -> None: ...
    async def recalled(self, recalled: Recalled) -> None: ...
    async def thought(self, number: int, text: str, *, last: bool) -> None: ...
    async def step(self, step: Step, *, tools: Sequence[Tool], duration_ms: int, usage: Usage) -> None: ...
    async def observed(self, step: Step, *, private: bool, duration_ms: int, explain_uri: str) -> None: ...
    async def answer(self, text: str) -> None:
        """A part of the answer, while streaming."""
        ...

    async def answer_withdrawn(self) -> None:
        """What was shown of the answer is none: end its message.  The complete answer follows."""
        ...

    async def notice(self, text: str) -> None: ...
    async def finished(
        self, number: int, answer: str, *, reason: Reason, streamed: bool, usage: Usage, cited: Mapping[str, JsonValue] | None
    ) -> None: ...
    async def failed(self, message: str) -> None: ...


Recall = Callable[[TurnRequest], Awaitable[Recalled]]
PublishTurn = Callable[
    [TurnRecord], Awaitable[str]
    # Returns the job id.  Raises: MemoryServiceError (the record could not be published).
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """The result of a turn.  ``timings_ms``: milliseconds by stage.  ``rules``: of the user, as far as the turn is recorded."""

    answer: str
    reason: Reason | None  # None: the model could not be reached
    iterations: int
    recorded: bool
    usage: Usage
    timings_ms: Mapping[str, float]
    rules: RuleChanges = field(default_factory=RuleChanges)
