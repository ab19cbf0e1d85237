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
    InvocationSummary,
    RefinementEvent,
    RefinementSession,
    Turn,
)


@dataclass
class FactsRequest:
    """operation: retrieve | store | import | get | list | topics | update | forget | repeats | forget-scope | history | undo |
    rollback | stats | export | switch | feedback | learn-status."""

    operation: str = ""
    user: str = ""
    collection: str = "default"

    # retrieve: a text, its embedding, or both (the text is used for keyword search)
    query: str = ""
    embedding: list[float] = field(default_factory=list)
    top_k: int = 5  # number of memories to return (RMM's M)
    candidates: int = 20  # number of candidates to rank (RMM's K)
    rules: int = 0  # number of procedural rules to return in addition
    kinds: list[str] = field(default_factory=list)  # empty = all
    threshold: float = 0.0  # minimum calibrated similarity, 0..1; 0 = that of the embedding model
    rerank: str = ""  # off | paper | calibrated; "" = the flow's setting
    seed: int = 0  # seed of the sampling, for replay
    asked_at: str = ""  # ISO 8601: reference time for "last week" in the query
    timezone: str = ""  # of the asker, IANA name or offset (+09:00); "" = the flow's setting
    conversation_id: str = ""  # running conversation: its memory switches apply, and the rules that hold in it alone
    exclude: list[str] = field(default_factory=list)  # ids of records that the caller has already
    deadline_ms: int = 0  # how long the caller waits; without an embedding in time, keyword search only; 0 = no limit
    speaker: str = ""  # name of the person who asks: in "my train" that person is meant; store: who said it

    # store, update
    content: str = ""
    key: str = ""  # store: the content is the value of this key and supersedes the former value
    kind: str = "semantic"
    source: str = ""
    trust: str = "user"
    importance: float | None = None  # 0..1; null = 0.5 in store, unchanged in update
    condition: str = ""
    action: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    valid_to: str = ""  # ISO 8601: recalled until then; update: "never" removes the end
    said_at: str = ""  # store, ISO 8601: when it was said
    version: int = 0  # update: refused if the record has another version; 0 = any
    turns: list[Turn] = field(default_factory=list)  # import; store: what the person said in the running turn
    proof: str = ""  # made by the owner's command line.  update, import: releases from quarantine; store: of the name in turns

    # get, update, forget, repeats, history, undo, feedback
    id: str = ""
    ids: list[str] = field(default_factory=list)

    # list, rollback, forget-scope, switch; export: limit
    status: str = ""
    about: str = ""  # list: only facts about this person or thing
    limit: int = 100
    offset: int = 0
    at: str = ""  # rollback: the time to return to
    dry_run: bool = False  # rollback: only count what would change
    level: str = ""  # forget-scope: conversation | user | collection | workspace
    read: bool | None = None  # switch
    write: bool | None = None
    rating: int = 0  # feedback: +1 or -1
    data: str = ""  # import: lines of an export; export: stats["next"] of the previous page; weights: JSON to load
    operator: str = ""  # token, for what reaches beyond the own memory


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
class EpisodesRequest:
    """operation: retrieve | store | get | list | forget | stats."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    query: str = ""
    embedding: list[float] = field(default_factory=list)
    top_k: int = 3
    threshold: float = 0.0  # as in FactsRequest
    conversation_id: str = ""  # running conversation, whose memory switches apply too
    deadline_ms: int = 0  # as in FactsRequest
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
    status: str = ""  # list: active (default), or all: with undone and compacted ones.  store: active (default), or kept
    operator: str = ""  # token, for what reaches beyond the own memory


@dataclass
class EpisodesResponse:
    error: Error | None = None
    episodes: list[Episode] = field(default_factory=list)
    episode_id: str = ""
    count: int = 0
    stats: dict[str, str] = field(default_factory=dict)


@dataclass
class ConversationsRequest:
    """operation: get | current | update | list | end | forget | stats | refinement-append | refinement-get | refinement-list |
    refinement-forget."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    conversation_id: str = ""
    invocation: InvocationSummary | None = None
    limit: int = 10  # get, current: newest invocations; list: conversations
    offset: int = 0

    # current: the conversation of a request that names none
    flow: str = ""
    at: str = ""  # ISO 8601; "" = now
    within_s: int | None = None  # seconds after its last invocation in which a conversation is continued

    # refinement-append, refinement-get, refinement-forget
    session_id: str = ""
    event: RefinementEvent | None = None
    expected: int | None = None  # number of events that the session has without the new one; null = 0
    confirm: bool = False  # replace the current draft or the last revision
    operator: str = ""  # token, for what reaches beyond the own memory


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
class JobsRequest:
    """operation: submit | list | get | replay | drop | cancel | wait-idle | stats."""

    operation: str = ""
    user: str = ""
    collection: str = "default"
    kind: str = ""  # submit: a kind of job that clients may submit (jobs/registry.py)
    payload: str = ""  # submit: JSON object
    id: str = ""
    status: str = ""
    all_scopes: bool = False
    limit: int = 100
    timeout_s: float = 30.0
    operator: str = ""  # token, for what reaches beyond the own memory


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
