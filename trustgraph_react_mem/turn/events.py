"""What happens to a turn (events) and what it wants done (effects): the words between the machine and its runner.

An event brings all that the effect before it produced, so that nothing has to be kept beside the turn's state.  Durations are
milliseconds.
"""

from dataclasses import dataclass, field
from typing import Literal

from ..recall.records import Recalled
from ..rerank.citations import Citations
from .parse import Decision, ToolCall
from .working import Step

Reason = Literal["final-answer", "max-iterations", "best-effort"]


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


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b


# ------------------------------------------------------------------------------------------------ events


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """``recall``: memory is on for this request; ``publish``: the turn is to be remembered."""

    recall: bool
    publish: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDone:
    """``recalled`` None: recall failed as a whole."""

    recalled: Recalled | None = None
    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDone:
    """``streamed`` is the part of the answer that the person has seen; ``citations`` None: none were looked for."""

    decision: Decision
    usage: Usage = field(default_factory=Usage)
    streamed: str = ""
    citations: Citations | None = None
    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAbsent:
    """The prompt service lacks this package's template: the stock one is used from here on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    """``tool_state``: the state of the tools that holds from here on; None: as before.  ``private``: of the memory's tools."""

    observation: str
    failed: bool = False
    private: bool = False
    explain_uri: str = ""
    tool_state: str | None = None
    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """``summary`` empty: the model did not manage, and the local form is used."""

    summary: str = ""
    usage: Usage = field(default_factory=Usage)
    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    job_id: str = ""
    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRefused:
    message: str
    spent_ms: float = 0.0


Event = Started | RecallDone | ModelDone | PromptAbsent | ModelFailed | ToolDone | Condensed | Published | PublishRefused


# ------------------------------------------------------------------------------------------------ effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRecalled:
    recalled: Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """``hint`` goes to the model beside the task; ``closing``: it gets no tools."""

    number: int
    hint: str = ""
    closing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SayThought:
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStep:
    """Explain what is about to be done.  ``duration_ms`` and ``usage`` are those of the call that decided it."""

    step: Step
    duration_ms: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTool:
    number: int
    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class SayObservation:
    step: Step
    private: bool = False
    duration_ms: int = 0
    explain_uri: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condense:
    """Summarise these oldest steps (and the former summary)."""

    steps: tuple[Step, ...]
    condensed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SayNotice:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Explain the end, say the answer, close the dialogue."""

    number: int
    answer: str
    reason: Reason
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    message: str


Effect = (
    Recall
    | ShowRecalled
    | CallModel
    | SayThought
    | ShowStep
    | RunTool
    | SayObservation
    | Condense
    | Publish
    | SayNotice
    | Finish
    | Fail
)
