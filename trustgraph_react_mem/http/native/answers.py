"""What the native routes answer."""

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from ...memory.former import until_note
from ...schema import Episode, Fact, HistoryEntry, JobStatus
from ..access import Access
from ..client_metadata import AGENT, APP, CATEGORIES, readable, unpack_list
from ..peer_records import status_of

Made = TypeVar("Made", bound=BaseModel)
Item = TypeVar("Item")

RANKED, REASONS = ("score", "similarity"), ("rank_before", "probability", "why")  # what only a search knows
STATES = {"queued": "pending", "deferred": "pending", "done": "succeeded", "dead": "failed"}  # others keep their names


def copy(model: type[Made], record: object, **given: Any) -> Made:
    """An answer with the values of the record's fields of the same names, and those that are ``given``."""
    own = {name: getattr(record, name) for name in model.model_fields if name not in given and hasattr(record, name)}
    return model(**own, **given)


class Results(BaseModel, Generic[Item]):
    results: list[Item]


class Page(Results[Item], Generic[Item]):
    count: int | None = Field(None, description="Number of all that there are, on all pages.")
    next: str | None = Field(None, description="Cursor of the next page; null on the last one.")


class Memory(BaseModel):
    """A superset of mem0's memory object."""

    id: str
    memory: str
    user_id: str
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = Field(None, description="The conversation that it comes from.")
    collection: str
    kind: str
    status: str
    trust: str
    speaker: str = ""
    condition: str = ""
    action: str = ""
    importance: float
    metadata: dict[str, Any] = {}
    categories: list[str] = []
    created_at: str
    said_at: str = ""
    valid_from: str = ""
    valid_to: str = ""
    superseded_by: str = ""
    until: str = Field("", description="Of a former memory: since when, and what took its place.")
    derived_from: list[str] = Field([], description="Ids of the memories that it was derived from.")
    version: int
    uses: int
    score: float | None = None
    similarity: float | None = None
    rank_before: int | None = None
    probability: float | None = None
    why: dict[str, str] | None = None

    @classmethod
    def of(cls, fact: Fact, access: Access, zone: tzinfo = UTC, found_by: Sequence[str] = ()) -> "Memory":
        """``found_by``: those of ``RANKED`` and ``REASONS`` that are told of a memory that a search found."""
        return copy(
            cls,
            fact,
            memory=fact.content,
            user_id=access.user,
            agent_id=fact.metadata.get(AGENT) or None,
            app_id=fact.metadata.get(APP) or None,
            run_id=fact.source or None,
            collection=access.collection,
            metadata=readable(fact.metadata),
            categories=unpack_list(fact.metadata, CATEGORIES),
            said_at=fact.timestamp,
            until=until_note(fact, zone=zone),
            derived_from=list(fact.turn_ids),
            **{name: getattr(fact, name) if name in found_by else None for name in RANKED + REASONS},
        )


class EpisodeOut(BaseModel):
    id: str
    goal: str
    steps: list[str]
    outcome: str
    lessons: str
    succeeded: bool
    created_at: str
    run_id: str | None = None
    status: str
    importance: float
    metadata: dict[str, Any] = {}
    score: float | None = None

    @classmethod
    def of(cls, episode: Episode) -> "EpisodeOut":
        return copy(
            cls,
            episode,
            created_at=episode.timestamp,
            run_id=episode.source or None,
            metadata=readable(episode.metadata),
            score=episode.score or None,
        )


class Found(Results[Memory]):
    episodes: list[EpisodeOut] = []


CandidateState = Literal["shown", "cut", "folded", "dissimilar"]


class Candidate(Memory):
    """A memory that a question reaches.

    ``state``: ``shown`` in the prompt; ``cut``, because better ones fill it; ``folded``, because another one says the same
    (``folded_into``, if they have a source in common); ``dissimilar``: below the similarity floor of the embedding model.
    """

    state: CandidateState
    retrieval_score: float | None = Field(None, description="Score before the learned part.")
    folded_into: str = ""


class Explained(BaseModel):
    results: list[Candidate] = Field(description="In the order of their scores; those without a score last.")
    rules: list[Memory]
    policy_version: int = Field(description="Version of the learned weights; 0 = none.")
    abstained: bool = Field(description="There are memories, but none is similar enough to the question.")
    unranked: str = Field("", description="Why the learned weights were not used.")
    timings_ms: dict[str, float]


class Dependents(BaseModel):
    """What an erasure of a memory concerns beside it."""

    derived: int = Field(description="Number of memories that were derived from it, and are erased with it.")
    repeats: list[Memory] = Field(description="Answers of the assistant that repeat it. They are erased only by themselves.")


class Stored(BaseModel):
    id: str
    memory: str
    event: str = Field(
        "ADD", description="`UPDATE` if the same text was stored already and got other metadata, `NONE` if nothing changed."
    )
    status: str = Field("active", description="`quarantined` if it was held back.")


class Accepted(BaseModel):
    event_id: str
    status: str = "pending"
    conversation_id: str


class Change(BaseModel):
    version: int
    change: str
    at: str
    by: str
    trigger: str
    memory: str

    @classmethod
    def of(cls, entry: HistoryEntry) -> "Change":
        return copy(cls, entry, memory=entry.content)


class Undone(BaseModel):
    operation: str = Field(description="Undo this name to revert what was done now.")
    changed: int
    results: list[Memory]


class Receipt(BaseModel):
    """What an erasure found, removed and left, by place, and its limits."""

    operation_id: str
    receipt: dict[str, Any]


class Operation(BaseModel):
    id: str
    kind: str
    status: str
    attempt: int
    created_at: str
    updated_at: str
    not_before: str = ""
    error: str = ""
    summary: str = ""

    @classmethod
    def of(cls, job: JobStatus) -> "Operation":
        state = status_of(job)
        return copy(cls, job, status=STATES.get(state, state), summary="" if job.kind == "forget" else job.summary)


class Exchange(BaseModel):
    id: str
    query: str
    result: str
    summary: str
    at: str


class ConversationOut(BaseModel):
    id: str
    ended: bool
    metadata: dict[str, str]
    exchanges: list[Exchange] | None = None


class Done(BaseModel):
    operation_id: str | None = None


class SwitchState(BaseModel):
    read: str
    write: str


class Stats(BaseModel):
    memories: dict[str, str]
    episodes: dict[str, str]
    conversations: dict[str, str]
    operations: dict[str, str]


class Learning(BaseModel):
    status: dict[str, Any]


class Imported(BaseModel):
    records: int
    stored: int = Field(description="Number that did not exist before.")


class Health(BaseModel):
    status: str
    parts: dict[str, str] = Field({}, description="Part -> ok, or the kind of its error.")


class Version(BaseModel):
    version: str
    api: str = "v1"


class Problem(BaseModel):
    """An error as in RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
