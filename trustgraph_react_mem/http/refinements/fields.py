"""What the steps of refinement take."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...refine.records import ExecutionMode, Sampling

MOST_QUERY, MOST_TEXT = 8_000, 32_000  # characters

Query = Annotated[str, Field(max_length=MOST_QUERY)]
ProducedText = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]


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
