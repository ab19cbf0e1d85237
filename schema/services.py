"""Requests and responses of the memory services: one pair per service, with an ``operation`` field as in TrustGraph.

The workspace is not in a request: it comes from the topic, as in TrustGraph's own services.
"""

from dataclasses import dataclass, field

from trustgraph.schema import Error

from .jobs import JobStatus
from .memory import (
    ConversationMemory,
    Episode,
    Fact,
    HistoryEntry,
    RefinementEvent,
    RefinementSession,
)


@dataclass
class FactsResponse:
    error: Error | None = None
    facts: list[Fact] = field(default_factory=list)
    rules: list[Fact] = field(default_factory=list)
    history: list[HistoryEntry] = field(default_factory=list)
    fact_id: str = ""
    count: int = 0
    policy_version: int = 0  # version of the weights that ranked; 0 = none
    candidate_ids: list[str] = field(default_factory=list)  # ids of the K candidates in retrieval order, for replay
    feature_names: list[str] = field(default_factory=list)
    features: list[float] = field(default_factory=list)  # (K, F) row-major: features of the candidates, for replay
    stats: dict[str, str] = field(default_factory=dict)
    data: str = ""  # export: JSON Lines; learn-status, weights: JSON


@dataclass
class EpisodesResponse:
    error: Error | None = None
    episodes: list[Episode] = field(default_factory=list)
    episode_id: str = ""
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)


@dataclass
class ConversationsResponse:
    error: Error | None = None
    conversation: ConversationMemory | None = None
    conversations: list[ConversationMemory] = field(default_factory=list)
    success: bool = False
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)
    events: list[RefinementEvent] = field(default_factory=list)  # of one refinement session, oldest first
    refinements: list[RefinementSession] = field(default_factory=list)


@dataclass
class JobsResponse:
    error: Error | None = None
    jobs: list[JobStatus] = field(default_factory=list)
    job_id: str = ""
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)
    data: str = ""  # JSON: the receipt of an erasure


@dataclass
class MemoryChanged:
    """Broadcast after a write, so that caches of the scope are refreshed.  Empty ``ids`` mean the whole scope."""

    workspace: str = ""
    user: str = ""
    collection: str = ""
    store: str = "facts"  # facts | episodes | conversations | weights | switches
    ids: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
