"""What the steps of refinement take and answer.  The names are those of Recursive Agents MCP."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...refine.records import ExecutionMode, Sampling

MOST_QUERY, MOST_TEXT = 8_000, 32_000  # characters


class SamplingFields(BaseModel):
    """How the texts are produced.  What is left out is as in the step before, or the default."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    execution_mode: ExecutionMode | None = Field(
        None, description="server: the flow's model writes the text. client: your model does. Default: server."
    )
    model: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="Names the variant. A new name begins a new slot. In server mode the flow's model answers."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=128_000)] | None = None
    similarity_threshold: Annotated[float, Field(ge=0.90, le=0.99)] | None = Field(
        None, description="Similarity of two successive texts from which on they count as equal. Default: 0.98."
    )
    max_loops: Annotated[int, Field(ge=1, le=10)] | None = Field(None, description="Default: 3.")
    stop_sequences: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=16)] | None = None
    model_preferences: Annotated[dict[str, Any], Field(max_length=32)] | None = None
    metadata: Annotated[dict[str, Any], Field(max_length=32)] | None = None

    def over(self, before: Sampling) -> Sampling:
        """The settings of the step before, with those that are given here.  Raises: RefinementError (validation_error)."""
        given = self.model_dump(exclude_none=True)
        return Sampling.from_dict({**before.as_dict(), **given}) if given else before


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
