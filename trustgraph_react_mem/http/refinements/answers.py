"""What steps and views of refinement answer.  The names are those of Recursive Agents MCP."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...refine.records import CompanionType, ExecutionMode, Phase


class Step(BaseModel):
    """The answer to a step.

    ``execution_mode: client``: the prompts for the client's own model, with the nonce that completes the step.
    ``server``: the text, which is stored.
    """

    session_id: str
    execution_mode: ExecutionMode
    system: str | None = Field(None, description="Client mode: the system prompt.")
    user: str | None = Field(None, description="Client mode: the prompt.")
    nonce: str | None = Field(None, description="Client mode: completes this step, and no other.")
    use_client_sampling: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    model: str | None = Field(None, description="Client mode: the model that was asked for.")
    metadata: dict[str, Any] | None = None
    history_length: int | None = Field(None, description="Client mode, draft: number of messages in the history.")
    draft: str | None = None
    critique: str | None = None
    revision: str | None = None
    model_used: str | None = Field(None, description="Server mode: the model that wrote the text.")
    not_applied: list[str] | None = Field(
        None, description="Server mode: sampling settings that the flow decides, so that they had no effect."
    )
    timestamp: str | None = None
    phase: dict[str, Any] | None = Field(None, description="Where the session is now, and what may follow.")
    phase_tracking: dict[str, Any] | None = Field(
        None, description="Server mode: the steps of the current slot with their times."
    )
    suggestions: dict[str, Any] | None = None
    convergence_signals: list[dict[str, Any]] | None = None


class Logged(BaseModel):
    """The client's text is stored."""

    status: Literal["logged"] = "logged"
    session_id: str


class BaselineDraft(BaseModel):
    session_id: str
    slot_index: int
    query: str
    draft: str
    variant: str
    at: str


class LatestCritique(BaseModel):
    """``of_text``: draft, or "revision n"."""

    session_id: str
    slot_index: int
    index: int
    critique: str
    of_text: str
    at: str


class TimelineEvent(BaseModel):
    phase: Phase
    index: int
    at: str
    elapsed_ms: int
    tokens: int
    similarity: float | None


class TimelineSlot(BaseModel):
    slot_index: int
    query: str
    events: list[TimelineEvent]


class IterationTimeline(BaseModel):
    session_id: str
    slots: list[TimelineSlot]


class Signal(BaseModel):
    type: str
    strength: str
    message: str


class ConvergenceAnalysis(BaseModel):
    """``slot_index``: null if the draft was undone."""

    session_id: str
    slot_index: int | None
    phase: str
    next_action: str
    similarity: list[float]
    signals: list[Signal]
    converged: bool
    reason: str


class SessionOut(BaseModel):
    """A session.

    ``run_log``: its slots, oldest first.  ``standing``: the text that stands now.  ``history``: at most three pairs.
    """

    id: str
    conversation_id: str
    companion_type: CompanionType
    created_at: str
    last_at: str
    run_log: list[dict[str, Any]]
    standing: str
    history: list[dict[str, str]]
    phase: dict[str, Any]
    phase_tracking: dict[str, Any]
    suggestions: dict[str, Any]
    convergence_signals: list[Signal]


class SessionListed(BaseModel):
    id: str
    conversation_id: str
    companion_type: str
    created_at: str
    last_at: str
    events: int


class Sessions(BaseModel):
    results: list[SessionListed]
    count: int
    next: str | None = None
