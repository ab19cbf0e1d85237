"""Requests and responses of the memory services: one pair a service, with an ``operation`` (TrustGraph's idiom).

The workspace is never in the body: it comes from the topic, as TrustGraph's own services take it.
"""

from dataclasses import dataclass, field

from trustgraph.schema import Error

from .jobs import JobStatus
from .memory import ConversationMemory, Episode, Fact, HistoryEntry, InvocationSummary, Turn


@dataclass
class FactsRequest:
    """operation: retrieve | store | import | get | list | update | forget | forget-scope | history | undo | rollback |
    stats | export | switch | feedback | learn-status | weights."""

    operation: str = ""
    user: str = ""
    collection: str = "default"

    # retrieve: either text or an embedding of it, or both (the text feeds full-text search)
    query: str = ""
    embedding: list[float] = field(default_factory=list)
    top_k: int = 5  # memories wanted (RMM's M)
    candidates: int = 20  # candidates ranked (RMM's K)
    rules: int = 0  # procedural rules wanted beside them
    kinds: list[str] = field(default_factory=list)  # empty = all
    threshold: float = 0.0  # least calibrated similarity; below it the answer is empty
    rerank: str = ""  # off | paper | calibrated; "" = the flow's setting
    seed: int = 0  # of the sampling, for replay
    asked_at: str = ""  # what "last week" in the query is relative to
    conversation_id: str = ""  # history of this conversation, for records that must not be recalled twice
    exclude: list[str] = field(default_factory=list)
    deadline_ms: int = 0  # so long the caller waits; most of it an embedding is waited for, then words decide; 0 = not said

    # store, update
    content: str = ""
    kind: str = "semantic"
    source: str = ""
    trust: str = "user"
    importance: float | None = None  # 0..1; null = 0.5 in store, as it was in update
    condition: str = ""
    action: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)  # import

    # get, update, forget, history, undo, feedback
    id: str = ""
    ids: list[str] = field(default_factory=list)

    # list, rollback, forget-scope, switch; export: limit
    status: str = ""
    limit: int = 100
    offset: int = 0
    at: str = ""  # rollback: the time to return to
    level: str = ""  # forget-scope: conversation | user | collection | workspace
    read: bool | None = None  # switch
    write: bool | None = None
    rating: int = 0  # feedback: +1 or -1
    data: str = ""  # import: lines of an export; export: stats["next"] of the page before; weights: JSON to load


@dataclass
class FactsResponse:
    error: Error | None = None
    facts: list[Fact] = field(default_factory=list)
    rules: list[Fact] = field(default_factory=list)
    history: list[HistoryEntry] = field(default_factory=list)
    fact_id: str = ""
    count: int = 0
    policy_version: int = 0  # of the weights that ranked; 0 = none
    candidate_ids: list[str] = field(default_factory=list)  # the K ranked, in retrieval order, for replay
    feature_names: list[str] = field(default_factory=list)
    features: list[float] = field(default_factory=list)  # (K, F) row-major: what the policy saw, for replay
    stats: dict[str, str] = field(default_factory=dict)
    data: str = ""  # export: JSON Lines; learn-status, weights: JSON


@dataclass
class EpisodesRequest:
    """operation: retrieve | store | get | list | forget | stats."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    query: str = ""
    embedding: list[float] = field(default_factory=list)
    top_k: int = 3
    threshold: float = 0.0
    conversation_id: str = ""  # in which is asked: its lasting switch holds, too
    deadline_ms: int = 0  # as of FactsRequest
    goal: str = ""
    steps: list[str] = field(default_factory=list)
    outcome: str = ""
    lessons: str = ""
    succeeded: bool = True
    source: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    id: str = ""
    limit: int = 100
    offset: int = 0


@dataclass
class EpisodesResponse:
    error: Error | None = None
    episodes: list[Episode] = field(default_factory=list)
    episode_id: str = ""
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)


@dataclass
class ConversationsRequest:
    """operation: get | update | list | end | forget | stats."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    conversation_id: str = ""
    invocation: InvocationSummary | None = None
    limit: int = 10  # get: newest invocations; list: conversations
    offset: int = 0


@dataclass
class ConversationsResponse:
    error: Error | None = None
    conversation: ConversationMemory | None = None
    conversations: list[ConversationMemory] = field(default_factory=list)
    success: bool = False
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)


@dataclass
class JobsRequest:
    """operation: submit | list | get | replay | drop | cancel | wait-idle | stats."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    kind: str = ""  # submit: episode, consolidate, insight, compact, retain, forget, reembed, promote, extract
    payload: str = ""  # submit: JSON object
    id: str = ""
    status: str = ""
    all_scopes: bool = False
    limit: int = 100
    timeout_s: float = 30.0


@dataclass
class JobsResponse:
    error: Error | None = None
    jobs: list[JobStatus] = field(default_factory=list)
    job_id: str = ""
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)
    data: str = ""  # JSON: an erasure's receipt


@dataclass
class MemoryChanged:
    """Broadcast after a write, so that caches of the scope refresh.  ``ids`` empty = everything of the scope."""

    workspace: str = ""
    user: str = ""
    collection: str = ""
    store: str = "facts"  # facts | episodes | conversations | weights | switches
    ids: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
