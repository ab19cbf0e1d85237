"""The ``agent-mem`` configuration: what each key means, its default, and a clear error for anything else.

Stored in TrustGraph's configuration as type ``agent-mem`` with keys ``default`` and ``<flow-id>``; a flow's own entry
overlays the default one key by key.
"""

import difflib
import json
import zoneinfo
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .errors import ConfigurationError

MOST_DAYS = 36_500  # a hundred years
MOST_SECONDS = MOST_DAYS * 86_400

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


def _to_kebab(name: str) -> str:
    return name.replace("_", "-")


class AgentMemSettings(BaseModel):
    """One flow's settings.

    Sources: agentic memory specification, service configuration; RMM appendix A.1; semantic router memory, sections 9 and 10.
    """

    model_config = ConfigDict(alias_generator=_to_kebab, populate_by_name=True, extra="forbid", frozen=True, strict=True)

    # Operation
    enable_memory: bool = Field(
        True, description="Recall memories before each request and learn from it afterwards. A request can override this."
    )
    enable_recording: bool = Field(
        True, description="Store memories after each request. Off: recall, and what the model stores with store-fact."
    )
    agent_prompt: Literal["agent-react-mem", "agent-react"] = Field(
        "agent-react-mem",
        description="Prompt of the agent with memory on. `agent-react`: the workspace's prompt for TrustGraph's agents, with "
        "the memories before the question.",
    )
    additional_context: str = Field("", description="Text added to the agent's instructions")
    memory_note: str = Field(
        "",
        max_length=2000,
        description="Text at the end of the first answer of each conversation that is remembered. `auto`: says in English what "
        "is kept and for whom. `shared`: the same, only where several people share the memory; `react-mem install` sets it. "
        "Empty: none.",
    )
    memory_tools: bool = Field(
        True,
        description="Offer the model the tools retrieve-facts and recall-episodes, and store-fact where turns are not recorded",
    )
    small_model: bool = Field(
        False,
        description="For a model that cannot understand conversations, as those of a few billion parameters. Its prompt has "
        "examples and stricter rules. It does not read conversations to change memory: every turn is stored and recalled as it "
        "was said, and standing instructions are recognised without a model.",
    )
    personal: bool | list[str] = Field(
        False,
        description="Whether the memory without a user belongs to one person: `true`, or a list of collections. For clients "
        "that cannot send a user, such as TrustGraph's gateway.",
    )
    timezone: str = Field(
        "UTC",
        description="Time zone of the people who ask, as an IANA name such as Europe/Berlin. A request can override this.",
    )

    # Limits
    max_iterations: int = Field(
        10, ge=1, le=100, description="Maximum reasoning steps. After the last one, the best answer so far is returned."
    )
    turn_timeout_s: int = Field(
        540,
        ge=1,
        le=MOST_SECONDS,
        description="Maximum duration of a turn, in seconds. Then the best answer so far is returned, or an error. "
        "Clients wait 600 s by default, so a longer turn needs a client that waits longer.",
    )
    context_window: int = Field(
        8192, ge=512, description="Context window of the model, in tokens. All parts of the prompt are scaled to it."
    )
    working_memory_threshold: int = Field(
        2000, ge=200, description="Size of the reasoning trace, in tokens, above which older steps are summarized"
    )
    memory_budget: int = Field(
        800, ge=0, description="Maximum prompt tokens for recalled memories, and as many for the conversation"
    )
    recall_deadline_ms: int = Field(
        1500,
        ge=10,
        description="Time limit for each part of recall, in milliseconds. Parts that miss it are skipped and reported.",
    )
    daily_token_budget: int = Field(
        200_000, ge=0, description="Maximum tokens for background work per scope and day. 0: no limit."
    )
    fact_quota: int = Field(
        100_000,
        ge=0,
        description="Maximum number of active facts per scope, and of episodes a tenth. The least useful are removed first. "
        "0: no limit.",
    )

    # Recall
    fact_retrieval_top_k: int = Field(5, ge=0, le=100, description="Number of memories shown to the model (M in the RMM paper)")
    rmm_top_k: int = Field(20, ge=1, le=500, description="Number of candidates that are ranked (K in the RMM paper)")
    episode_retrieval_top_k: int = Field(3, ge=0, le=50, description="Maximum number of recalled episodes")
    conversation_window: int = Field(
        6, ge=0, le=100, description="Number of newest exchanges of the conversation shown to the model"
    )
    query_rewrite: Literal["off", "context", "model", "hyde"] = Field(
        "context", description="How to rewrite vague questions. `hyde` calls the model for every question."
    )
    similarity_threshold: Fraction = Field(
        0.0, description="Minimum calibrated similarity (0 to 1) for a memory to be recalled. 0: the embedding model's own."
    )
    rerank: Literal["off", "paper", "calibrated"] = Field(
        "calibrated",
        description="Learned reranking. `paper`: as in the RMM paper. `off`: keep the order of retrieval.",
    )
    rerank_sampling: bool = Field(
        False,
        description="Show a Gumbel sample of the ranked memories instead of the best ones. Explores, at a cost in recall.",
    )

    # Learning
    enable_auto_fact_extraction: bool = Field(
        True, description="Let the model read conversations as they go on, and keep what it understood"
    )
    extract_every_turns: int = Field(
        10,
        ge=0,
        description="Let the model read a conversation after every N turns, and when the topic changes after five. 0: at its "
        "end only. 1: one model call per turn.",
    )
    inactivity_timeout_s: int = Field(
        1800,
        ge=0,
        le=MOST_SECONDS,
        description="Seconds without a request after which a conversation ends. 0: never. A request without a conversation id "
        "continues the person's last one within this time (0: half an hour), if it has a user or a `personal` collection.",
    )
    enable_prospective_reflection: bool = Field(
        True,
        description="When a session ends, let the model read what was not read yet, sort it by topics, merge related facts "
        "after 20 new ones and look for patterns after ten new episodes",
    )
    rmm_learning_rate: float = Field(
        1.0,
        ge=0.0,
        le=100.0,
        description="Factor of the rate (eta) at which citations train the ranking. 1: the measured rate. 0: none.",
    )
    enable_episode_recording: bool = Field(
        True, description="Record an episode for each task with tools other than those of memory, several steps or a failure"
    )

    # Privacy
    personal_data: Literal["keep", "keep-shared", "redact", "hash", "drop"] = Field(
        "keep",
        description="How to handle personal data in memories. `keep` redacts it from what the agent learns in a memory that "
        "several people share (requests without a user, as TrustGraph's gateway sends them; not `personal` collections); "
        "`keep-shared` keeps it there, too.",
    )
    fact_ttl_days: int = Field(0, ge=0, le=MOST_DAYS, description="Days after which facts expire. 0: never.")
    episode_ttl_days: int = Field(0, ge=0, le=MOST_DAYS, description="Days after which episodes expire. 0: never.")
    export_facts_graph: str = Field(
        "",
        pattern=r"^$|^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+$",
        description="IRI of a graph in TrustGraph's knowledge store that receives shared facts. Empty: no export.",
    )

    @field_validator("timezone")
    @classmethod
    def _known_timezone(cls, name: str) -> str:
        try:
            zoneinfo.ZoneInfo(name)
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):  # OSError: a folder of names, such as "America"
            raise ValueError("unknown time zone: use an IANA name such as Europe/Berlin") from None
        return name


def parse_agent_mem(raw: str | Mapping[str, Any], where: str = "agent-mem") -> AgentMemSettings:
    """Settings from one configuration value.

    Raises:
        ConfigurationError: names each wrong key, its value and what it should be.
    """
    try:
        return AgentMemSettings.model_validate(_decode(raw, where))
    except ValidationError as error:
        raise ConfigurationError(f"{where}: " + "; ".join(_explain(item) for item in error.errors())) from None


def flow_payload(flow: str, settings: AgentMemSettings) -> dict[str, Any]:
    """The payload keys of a job that runs for a flow under its settings (``parse_job_settings``)."""
    return {"flow": flow, "settings": settings.model_dump(by_alias=True, exclude_unset=True)}


def parse_job_settings(raw: Mapping[str, Any]) -> AgentMemSettings:
    """Settings that a job carries.  Another version may have published it: keys that this one does not know are ignored, and
    ``extract-each-invocation`` is read as ``extract-every-turns: 1``.

    Raises:
        ConfigurationError: a known key has an invalid value.
    """
    known = {_to_kebab(name) for name in AgentMemSettings.model_fields}
    kept = {key: value for key, value in raw.items() if key in known}
    if raw.get("extract-each-invocation") is True:
        kept["extract-every-turns"] = 1
    return parse_agent_mem(kept, "the job's settings")


def overlay(default: str | None, flow: str | None) -> AgentMemSettings:
    """A flow's entry over the workspace's default one; both may be absent."""
    merged: dict[str, Any] = {}
    for where, raw in (("agent-mem/default", default), ("agent-mem/<flow>", flow)):
        if raw is not None:
            merged |= parse_agent_mem(raw, where).model_dump(by_alias=True, exclude_unset=True)
    return AgentMemSettings.model_validate(merged)


def _decode(raw: str | Mapping[str, Any], where: str) -> dict[str, Any]:
    try:
        decoded = json.loads(raw) if isinstance(raw, str) else dict(raw)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{where} is not JSON ({error.msg} at character {error.pos}): store a JSON object") from None
    if not isinstance(decoded, dict):
        raise ConfigurationError(
            f'{where} is a JSON {type(decoded).__name__}: store a JSON object such as {{"max-iterations": 10}}'
        )
    return decoded


REFINE = "the agent does not revise its own answers: use a refinement session, over MCP or in Python"
#: Settings of earlier versions, and what to do instead.
REMOVED: Mapping[str, str] = {
    "promote-at-end": "the end of a conversation is read once: use enable-prospective-reflection",
    "extract-overlap": "each batch is shown the lines before it: leave it out",
    "rmm-ab-share": "every scope learns: use rmm-learning-rate: 0, in a flow of its own if some must not",
    "enable-profile": "there is no profile any more: list the memories by topic instead",
    "extract-each-invocation": "use extract-every-turns: 1",
    "working-memory-keep": "the newest three steps are never summarized: leave it out",
    "refine": REFINE,
    "refine-max-loops": REFINE,
    "refine-budget-tokens": REFINE,
    "procedural-rules-top-k": "three rules whose condition matches are shown: leave it out",
    "recall-gate": "greetings are never searched for: leave it out",
    "near-duplicate-threshold": "the embedding model has its own: leave it out",
    "implicit-conversation-s": "use inactivity-timeout-s",
    "lessons-per-episode": "an episode has at most three: use enable-episode-recording",
    "share-lessons": "lessons are not shown in a memory of several people: leave it out",
    "drift-threshold": "use extract-every-turns: 0 if only the end of a conversation is to be read",
    "insight-after-episodes": "ten new episodes start it: use enable-prospective-reflection: false to start it by hand only",
    "consolidate-after-facts": "20 new facts start it: use enable-prospective-reflection: false to start it by hand only",
    "enable-retrospective-reflection": "use rerank: off, or rmm-learning-rate: 0 to keep the ranking as it is",
    "shared-personal-data": "use personal-data: keep-shared for personal data in a memory of several people",
    "secrets": "secrets are always redacted: leave it out",
    "understanding": "use small-model: true for a model that must not change memory",
    "language": "the language of each text is detected: leave it out",
    "max-question-chars": "questions have at most 100,000 characters: leave it out",
    "episode-quota": "it is a tenth of fact-quota: leave it out",
    "undone-ttl-days": "undone records expire by fact-ttl-days and episode-ttl-days, or use forget",
}


def without_removed(raw: str) -> tuple[str, list[str]]:
    """A stored configuration value without the settings of earlier versions, and what to do instead of each.

    What an earlier version stored must not make its other settings lapse, and learning that was off stays off.
    """
    try:
        stored = json.loads(raw)
    except json.JSONDecodeError:
        return raw, []
    gone = [name for name in stored if name in REMOVED] if isinstance(stored, dict) else []
    if gone and stored.get("enable-retrospective-reflection") is False:
        stored.setdefault("rmm-learning-rate", 0.0)
        stored["rerank"] = "off"
    for name in gone:
        del stored[name]
    return (json.dumps(stored), [f"{name!r} is no longer a setting: {REMOVED[name]}" for name in gone]) if gone else (raw, [])


def _explain(item: Any) -> str:
    key = ".".join(str(part) for part in item["loc"])
    if key in REMOVED:
        return f"{key!r} is no longer a setting: {REMOVED[key]}"
    if item["type"] == "extra_forbidden":
        known = [_to_kebab(name) for name in AgentMemSettings.model_fields]
        near = difflib.get_close_matches(key, known, n=1)
        return f"unknown key {key!r}" + (f" (did you mean {near[0]!r}?)" if near else f"; known keys: {', '.join(known)}")
    value = repr(item.get("input"))
    return f"{key} = {value[:80]}: {item['msg']}"


def screen_shared(settings: AgentMemSettings, user: str, collection: str) -> AgentMemSettings:
    """The settings of a turn: in a memory that several people share, personal data is redacted unless the operator keeps it."""
    if settings.personal_data != "keep" or is_personal(settings, user, collection):
        return settings
    return settings.model_copy(update={"personal_data": "redact"})


def continue_within_s(settings: AgentMemSettings) -> int:
    """For how long a request without a conversation id continues the person's last conversation."""
    return settings.inactivity_timeout_s or 1800


def is_personal(settings: AgentMemSettings, user: str, collection: str) -> bool:
    """Whether the memory of a user ("" if none is named) in a collection belongs to one person."""
    personal = settings.personal
    return bool(user) or personal is True or (isinstance(personal, list) and collection in personal)
