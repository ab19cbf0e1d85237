"""The interface between machine and runner: events (what happened to a turn) and effects (what the runner must do next).

An event holds everything that the preceding effect produced, so that no state is kept outside of the turn's state.  Durations
are milliseconds.
"""

from dataclasses import dataclass, field
from typing import Literal

from ..recall.records import Recalled
from ..rerank.citations import Citations
from .decisions import Decision, RuleChanges, ToolCall

Reason = Literal["final-answer", "max-iterations", "best-effort"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call or of a whole turn.  None: the model did not report them."""

    in_tokens: int | None = None
    out_tokens: int | None = None
    model: str | None = None

    def add(self, other: "Usage") -> "Usage":
        return Usage(
            in_tokens=_sum(self.in_tokens, other.in_tokens),
            out_tokens=_sum(self.out_tokens, other.out_tokens),
            model=other.model or self.model,
        )


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b


# ------------------------------------------------------------------------------------------------ events


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """An event of work that took time.  The runner measures it."""

    spent_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """``recall``: memory is on for this request.  ``publish``: the turn is recorded.

    ``stores``: the model may store single facts.
    """

    recall: bool
    publish: bool
    stores: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDone(Timed):
    """``recalled`` None: the whole recall failed."""

    recalled: Recalled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDone(Timed):
    """``streamed``: the part of the answer that the person has seen.  ``citations`` None: the text was not searched for any.

    ``rules``: the changes of rules that the output says, also beside a tool call.
    """

    decision: Decision
    rules: RuleChanges = field(default_factory=RuleChanges)
    usage: Usage = field(default_factory=Usage)
    streamed: str = ""
    citations: Citations | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAbsent:
    """The prompt service lacks this package's template.  The stock one is used for the rest of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeIsUp(Timed):
    """The turn reached its time limit while the model, a tool or the summary was awaited.

    ``streamed``: the part of the answer that the person has seen.  ``rules``: as in ``ModelDone``.
    """

    limit_s: int
    streamed: str = ""
    rules: RuleChanges = field(default_factory=RuleChanges)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone(Timed):
    """``tool_state``: the new state of the tools.  None: unchanged.  ``private``: a memory tool ran.

    ``recalled``: the turn's memories with those that the tool found.  None: unchanged.  ``about``: the tool's
    description.  None: there is no such tool.
    """

    observation: str
    failed: bool = False
    about: str | None = ""
    private: bool = False
    explain_uri: str = ""
    tool_state: str | None = None
    recalled: Recalled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed(Timed):
    """``summary`` empty: the model failed, and the steps are condensed locally."""

    summary: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(Timed):
    job_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRefused(Timed):
    """``unsure``: the bus did not answer, so the record may still arrive."""

    message: str
    unsure: bool = False


Event = (
    Started | RecallDone | ModelDone | PromptAbsent | ModelFailed | TimeIsUp | ToolDone | Condensed | Published | PublishRefused
)


# ------------------------------------------------------------------------------------------------ effects

#: What the state alone describes: ``call-model`` (with its hint; without tools if it is closing), ``condense`` the oldest steps
#: together with the previous summary, ``publish`` the record, ``finish``: explain the end, send the answer, close the dialogue.
PlainEffect = Literal["recall", "show-recalled", "call-model", "condense", "publish", "say-notice", "finish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SayThought:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStep:
    """Explain the pending step.  ``duration_ms`` and ``usage`` are those of the model call that chose it."""

    duration_ms: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTool:
    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class SayObservation:
    """Of the newest step."""

    private: bool = False
    duration_ms: int = 0
    explain_uri: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    message: str


Effect = PlainEffect | SayThought | ShowStep | RunTool | SayObservation | Fail
