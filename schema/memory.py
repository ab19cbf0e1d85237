"""Memory records on the wire.  They hold no vectors, because a response is broadcast to all subscribers of its topic."""

from dataclasses import dataclass, field


@dataclass
class Fact:
    """One long-term memory.  Source: agentic memory specification, Fact Record, with validity times and scores."""

    id: str = ""
    content: str = ""
    source: str = ""  # conversation_id from which it was learned
    timestamp: str = ""  # when it was said (turns) or stored
    metadata: dict[str, str] = field(default_factory=dict)

    kind: str = "semantic"  # turn | semantic | procedural | reflective | topic
    status: str = "active"  # active | superseded | quarantined | undone
    trust: str = "user"  # user | assistant | tool | document | import
    speaker: str = ""
    entities: list[str] = field(default_factory=list)
    turn_ids: list[str] = field(default_factory=list)  # ids of the turns that it was derived from
    condition: str = ""  # procedural: when the rule applies
    action: str = ""  # procedural: the action of the rule
    importance: float = 0.5  # 0..1
    valid_from: str = ""
    valid_to: str = ""
    created_at: str = ""
    superseded_at: str = ""
    superseded_by: str = ""
    version: int = 1
    uses: int = 0  # times cited by the model
    former_since: str = ""  # the record in ``superseded_by`` has taken its place since then
    replacement: str = ""  # the text of that record, shortened

    # Set by a retrieval
    score: float = 0.0  # final score
    retrieval_score: float = 0.0  # score before the learned part
    similarity: float = 0.0  # calibrated cosine of query and record, 0..1
    probability: float = 0.0  # softmax over the candidates
    rank_before: int = -1  # rank before reranking, from 0
    why: dict[str, str] = field(default_factory=dict)  # feature name -> contribution


@dataclass
class Episode:
    """A past task with its steps, outcome and lessons.  Source: agentic memory specification, Episode Record."""

    id: str = ""
    goal: str = ""
    steps: list[str] = field(default_factory=list)
    outcome: str = ""
    lessons: str = ""
    timestamp: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    succeeded: bool = True
    source: str = ""  # conversation_id
    importance: float = 0.5
    status: str = "active"  # active | undone (by an undo, or replaced by a summary)
    score: float = 0.0
    similarity: float = 0.0


@dataclass
class Turn:
    """One utterance of a transcript, for imports."""

    id: str = ""  # id in the transcript, such as D1:3
    speaker: str = ""
    role: str = "user"  # user | assistant
    text: str = ""
    said_at: str = ""
    session: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    valid_to: str = ""  # ISO 8601: recalled until then; "" = without end
    former: list[str] = field(default_factory=list)  # earlier names of this turn: conversation id and turn id, joined by U+001F


@dataclass
class InvocationSummary:
    """One request and its answer.  Source: agentic memory specification, Conversation Record."""

    query: str = ""
    summary: str = ""
    result: str = ""
    timestamp: str = ""
    id: str = ""


@dataclass
class ConversationMemory:
    conversation_id: str = ""
    invocations: list[InvocationSummary] = field(default_factory=list)  # oldest first
    metadata: dict[str, str] = field(default_factory=dict)
    ended: bool = False


@dataclass
class RefinementEvent:
    """One step of a refinement: a draft, a critique or a revision."""

    id: str = ""
    session_id: str = ""  # UUID
    conversation_id: str = ""  # with which the session is forgotten; "" = none
    companion_type: str = "generic"  # generic | marketing | bug_triage | strategy
    phase: str = ""  # draft | critique | revise
    query: str = ""  # "" = that of the current draft
    text: str = ""
    variant: str = ""  # model that wrote the text
    sampling: str = ""  # JSON object
    timestamp: str = ""
    elapsed_ms: int = 0
    tokens: int = 0
    similarity: float | None = None  # cosine similarity of this text and the one before it
    kept: bool | None = None  # revise: whether the revision stands
    invocation_id: str = ""  # exchange that the step is part of; "" = none


@dataclass
class RefinementSession:
    """A refinement session in a list."""

    session_id: str = ""
    conversation_id: str = ""
    companion_type: str = "generic"
    created_at: str = ""
    last_at: str = ""
    events: int = 0  # number of its events, including undone ones


@dataclass
class WorkingMemoryItem:
    """One entry of the reasoning trace of the running invocation."""

    type: str = "thought"  # thought | action | observation | summary
    content: str = ""
    timestamp: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass
class HistoryEntry:
    """One change of a record.  Histories are sorted newest first."""

    record_id: str = ""
    version: int = 1
    change: str = ""  # created | updated | superseded | quarantined | released | undone | restored | forgotten
    at: str = ""
    by: str = ""  # job id or name of the caller
    trigger: str = ""
    content: str = ""
