"""The ``agent-mem`` configuration: what each key means, its default, and a clear error for anything else.

Stored in TrustGraph's configuration as type ``agent-mem`` with keys ``default`` and ``<flow-id>``; a flow's own entry
overlays the default one key by key.
"""

import difflib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .errors import ConfigurationError
from .indexing.tokenizer import LANGUAGES, primary_language

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class AgentMemSettings(BaseModel):
    """One flow's settings.

    Sources: agentic memory specification, service configuration; RMM appendix A.1; semantic router memory, sections 9 and 10.
    """

    model_config = ConfigDict(alias_generator=_kebab, populate_by_name=True, extra="forbid", frozen=True, strict=True)

    enable_memory: bool = Field(True, description="Recall before and learn after each request; a request may say otherwise")
    enable_recording: bool = Field(True, description="Write memory after each request; off = recall only")

    # The loop
    max_iterations: int = Field(10, ge=1, le=100, description="Reasoning steps before the best answer so far is given")
    working_memory_threshold: int = Field(2000, ge=200, description="Tokens of the trace above which older steps are condensed")
    working_memory_keep: int = Field(3, ge=1, description="Newest steps that stay verbatim when the trace is condensed")
    context_window: int = Field(8192, ge=512, description="Tokens the model takes")
    memory_budget: int = Field(800, ge=0, description="Most tokens that recalled memories may take in the prompt")
    additional_context: str = Field("", description="Text added to the agent's instructions")
    memory_tools: bool = Field(True, description="Offer retrieve-facts, recall-episodes and store-fact to the loop")
    max_question_chars: int = Field(100_000, ge=1, description="A longer question is refused")

    # Recall
    fact_retrieval_top_k: int = Field(5, ge=0, le=100, description="Memories shown to the model (RMM's M)")
    rmm_top_k: int = Field(20, ge=1, le=500, description="Candidates that are ranked (RMM's K)")
    episode_retrieval_top_k: int = Field(3, ge=0, le=50)
    procedural_rules_top_k: int = Field(3, ge=0, le=50, description="Rules whose condition meets the task")
    conversation_window: int = Field(6, ge=0, le=100, description="Newest exchanges of this conversation shown")
    recall_deadline_ms: int = Field(1500, ge=10, description="Each part of recall that takes longer is left out and named")
    recall_gate: bool = Field(True, description="Skip recall for greetings and questions that memory cannot answer")
    query_rewrite: Literal["off", "context", "model", "hyde"] = Field(
        "context", description="For vague questions; hyde asks the model for every question"
    )
    similarity_threshold: Fraction = Field(0.0, description="Least calibrated similarity; nothing above it = no memories")

    # RMM
    enable_prospective_reflection: bool = Field(True, description="Topic memories at session end")
    enable_retrospective_reflection: bool = Field(True, description="Learn the ranking from citations")
    rerank: Literal["off", "paper", "calibrated"] = "calibrated"
    rerank_sampling: bool = Field(
        False,
        description="Show a Gumbel sample of the ranked memories instead of the best: explores, and costs recall",
    )
    rmm_ab_share: Fraction = Field(1.0, description="Share of scopes, by hash, in the learning arm")

    # After the turn
    enable_auto_fact_extraction: bool = True
    enable_episode_recording: bool = True
    extract_every_turns: int = Field(10, ge=0, description="Extract from a batch every N turns; 0 = off")
    extract_overlap: int = Field(5, ge=0, description="Turns a batch shares with the one before")
    extract_each_invocation: bool = Field(False, description="Extract after every turn (costs a model call each)")
    inactivity_timeout_s: int = Field(1800, ge=0, description="A conversation silent for longer has ended; 0 = never")
    drift_threshold: Fraction = Field(
        0.25, description="Calibrated similarity of neighbouring questions below which the topic changed; 0 = off"
    )
    promote_at_end: bool = True
    consolidate_after_facts: int = Field(
        20, ge=0, description="New facts after which related ones are merged at the end of a conversation; 0 = by hand only"
    )
    insight_after_episodes: int = Field(
        10, ge=0, description="New episodes after which patterns are looked for at the end of a conversation; 0 = by hand only"
    )
    near_duplicate_threshold: Fraction = Field(
        0.0, description="Cosine above which two facts are one; 0 = the embedding model's own value"
    )
    daily_token_budget: int = Field(200_000, ge=0, description="Tokens of background work per scope and day; 0 = no limit")

    # Keeping
    fact_quota: int = Field(100_000, ge=0, description="Active facts per scope; the least useful go first; 0 = no limit")
    episode_quota: int = Field(10_000, ge=0)
    fact_ttl_days: int = Field(0, ge=0, description="0 = for ever")
    episode_ttl_days: int = Field(0, ge=0)
    undone_ttl_days: int = Field(0, ge=0, description="What was taken back is erased after so many days; 0 = never")
    personal_data: Literal["keep", "redact", "hash", "drop"] = Field(
        "keep", description="What is done with personal data found in memories"
    )
    secrets: Literal["redact", "drop"] = Field("redact", description="What is done with passwords, keys and tokens")
    export_facts_graph: str = Field(
        "",
        pattern=r"^$|^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+$",
        description="IRI of a graph in TrustGraph's knowledge store that gets the facts of the shared memory; empty = none",
    )
    language: str = Field(
        "auto", description="BCP 47 code of the language of memories and questions, for stemming; auto = guessed per text"
    )

    @field_validator("language")
    @classmethod
    def _known_language(cls, code: str) -> str:
        if code != "auto" and primary_language(code) not in LANGUAGES:
            raise ValueError(f"no such language: use auto, or a BCP 47 code that begins with one of {', '.join(LANGUAGES)}")
        return code


def parse_agent_mem(raw: str | Mapping[str, Any], where: str = "agent-mem") -> AgentMemSettings:
    """Settings from one configuration value.

    Raises:
        ConfigurationError: names each wrong key, its value and what it should be.
    """
    return AgentMemSettings.model_validate(_checked(raw, where))


def overlay(default: str | None, flow: str | None) -> AgentMemSettings:
    """A flow's entry over the workspace's default one; both may be absent."""
    merged: dict[str, Any] = {}
    for where, raw in (("agent-mem/default", default), ("agent-mem/<flow>", flow)):
        if raw is not None:
            merged |= _checked(raw, where)
    return AgentMemSettings.model_validate(merged)


def _checked(raw: str | Mapping[str, Any], where: str) -> dict[str, Any]:
    if isinstance(raw, str):
        try:
            decoded = json.loads(raw)
        except json.JSONDecodeError as error:
            raise ConfigurationError(
                f"{where} is not JSON ({error.msg} at character {error.pos}): store a JSON object"
            ) from None
    else:
        decoded = dict(raw)
    if not isinstance(decoded, dict):
        raise ConfigurationError(
            f'{where} is a JSON {type(decoded).__name__}: store a JSON object such as {{"max-iterations": 10}}'
        )
    try:
        AgentMemSettings.model_validate(decoded)
    except ValidationError as error:
        raise ConfigurationError(f"{where}: " + "; ".join(_explain(item) for item in error.errors())) from None
    return decoded


def _explain(item: Any) -> str:
    key = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        known = [_kebab(name) for name in AgentMemSettings.model_fields]
        near = difflib.get_close_matches(key, known, n=1)
        return f"unknown key {key!r}" + (f" (did you mean {near[0]!r}?)" if near else f"; known keys: {', '.join(known)}")
    value = repr(item.get("input"))
    return f"{key} = {value[:80]}: {item['msg']}"
