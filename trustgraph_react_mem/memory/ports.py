"""What the rules need from the outside: engines, models, clock, bus.  Implementations live in ``stores`` and ``bus``.

Every method that touches records takes a Scope and sees only that scope.  All raise ``EngineUnavailable`` when the engine
does not answer; that is not repeated at each method.  Conformance suites in ``tests/integration`` are written once per port
and run over every implementation.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .embedding import EmbeddingProfile
from .records import Conversation, Episode, Fact, FactKind, FactStatus, Invocation, Relation, VersionEntry
from .scope import Scope

Vector = NDArray[np.float32]  # (d,)
Matrix = NDArray[np.float32]  # (n, d)
JsonValue = str | int | float | bool | None | list[Any] | dict[str, Any]


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Embedder(Protocol):
    profile: EmbeddingProfile

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        """(n, d) float32 with rows of unit length; the model's prefix for the role is added here.

        Raises: ModelUnavailable.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    text: str = ""
    object: JsonValue = None  # of a prompt that answers JSON
    in_tokens: int = 0
    out_tokens: int = 0
    model: str = ""


class LanguageModel(Protocol):
    """The model for background work, through the prompt service."""

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Raises: ModelUnavailable, ModelAnswerError (JSON was asked for and did not come)."""
        ...


# ---------------------------------------------------------------------------------------------------- vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector:
    """Term ids and weights; inverse document frequency is the engine's (Qdrant's ``Modifier.IDF``)."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPoint:
    """A record's keys.  ``vectors``: "text" and optionally "context"; ``sparse``: "words" and optionally "words_context".

    The payload holds what an answer needs (content, speaker, times, ...), so that recall does not wait for the graph, and
    what is filtered by.  The index adds the scope itself.
    """

    id: str
    vectors: Mapping[str, Vector]
    sparse: Mapping[str, SparseVector] = field(default_factory=dict)
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    id: str
    score: float
    payload: Mapping[str, JsonValue]


class VectorIndex(Protocol):
    """One collection of points (facts, or episodes) of one embedding model.

    Opening an index whose stored profile differs raises ConfigurationError naming both models and the remedy (re-embed).
    """

    profile: EmbeddingProfile

    async def upsert(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        """Durable on return (survives kill -9).  Raises ConfigurationError for a vector of another dimension."""
        ...

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        """Number of points of this scope that were there and are gone."""
        ...

    async def delete_scope(self, scope: Scope) -> int: ...

    async def delete_workspace(self, workspace: str) -> int: ...

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        """Those of ``ids`` that are in the scope, in any order."""
        ...

    def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        """All points of the scope."""
        ...

    async def count(self, scope: Scope) -> int: ...

    async def search_dense(
        self, scope: Scope, name: str, query: Vector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        """Nearest by cosine under the named key, best first.  ``match``: payload field -> allowed values."""
        ...

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]: ...

    async def scopes(self) -> Mapping[Scope, int]:
        """Scopes that have points here, with their number: for moving to another embedding model, it crosses scopes."""
        ...

    async def maintain(self) -> None:
        """Optimise in the background; may take minutes; never on a request's path."""
        ...

    async def drop(self) -> None:
        """Remove the index with all it holds, and close it; one that is gone already is no fault.

        In another process every call then raises IndexGone.
        """
        ...

    async def close(self) -> None: ...


class EmbeddingMarks(Protocol):
    """By which embedding model's vectors a scope is read, once it was moved from one to another."""

    async def marked(self, scope: Scope, models: Sequence[str]) -> str:
        """That of ``models`` which the scope is marked with; "" for none."""
        ...

    async def mark(self, scope: Scope, model: str, *, others: Sequence[str]) -> None:
        """With ``model`` and no longer with ``others``, in one transaction."""
        ...

    async def forget_scope(self, scope: Scope) -> int:
        """The number of marks it had."""
        ...


# ---------------------------------------------------------------------------------------------------- graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """A record of that version becomes ``to`` again, an earlier state of it; None = it is taken back."""

    record_id: str
    version: int
    to: Fact | None


Place = tuple[str, int, str]  # source, position, id: the order in which facts are exported


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFact:
    """A fact with how it was first stored and what changed since, oldest first."""

    fact: Fact
    stored_at: datetime
    stored_by: str = ""
    stored_trigger: str = ""
    changes: tuple[VersionEntry, ...] = ()

    @property
    def place(self) -> Place:
        return self.fact.source, self.fact.position, self.fact.id


class FactGraph(Protocol):
    """Truth about facts, with their history.  Writes are durable on return."""

    async def put(self, facts: Sequence[Fact], *, change: str = "created", by: str = "", trigger: str = "") -> None:
        """Insert or replace by id, each with a history entry.  All or nothing.  Same ids and contents twice: one effect."""
        ...

    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None: ...

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Fact]: ...

    async def by_digest(self, scope: Scope, content: str, kind: FactKind, speaker: str = "") -> Fact | None:
        """The active fact whose normalised content is the same, unless it is of another speaker and both are named."""
        ...

    async def by_digests(
        self, scope: Scope, contents: Sequence[tuple[str, FactKind]], speakers: Sequence[str] = ()
    ) -> list[Fact | None]:
        """The same for many at once, in the order asked; ``speakers``: one for each content, or none at all."""
        ...

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        """The turns of one conversation whose position lies in first..last, in order."""
        ...

    async def condemn(self, scope: Scope, ids: Sequence[str] | None) -> int:
        """Tombstone: from now on no call returns these (None: any of the scope); ``forget`` removes them.  Their number."""
        ...

    async def condemned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        """Tombstones of all scopes whose forgetting was interrupted, for the reconciler."""
        ...

    async def listing(
        self,
        scope: Scope,
        *,
        kinds: Sequence[FactKind] = (),
        statuses: Sequence[FactStatus] = ("active",),
        source: str = "",
        limit: int = 100,
        offset: int = 0,
    ) -> list[Fact]:
        """Newest first.  No statuses: all but what was taken back."""
        ...

    async def supersede(self, scope: Scope, old_ids: Sequence[str], new: Fact, *, at: datetime, by: str, trigger: str) -> None:
        """``new`` replaces the old ones: they get superseded_at/by and valid_to, and an edge says so.  One transaction."""
        ...

    async def set_status(
        self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str, trigger: str = ""
    ) -> None: ...

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count a use."""
        ...

    async def neighbours(self, scope: Scope, entities: Sequence[str], *, hops: int = 1, limit: int = 100) -> list[str]:
        """Ids of active facts about these entities or entities related to them."""
        ...

    async def relate(self, scope: Scope, relations: Sequence[Relation]) -> None: ...

    async def relations(self, scope: Scope) -> list[Relation]:
        """All of the scope, in an order that stays; for an export, it may read much."""
        ...

    async def history(self, scope: Scope, record_id: str) -> list[VersionEntry]:
        """Newest first."""
        ...

    async def changes_since(self, scope: Scope, at: datetime) -> list[VersionEntry]:
        """Newest first; what a rollback has to take back."""
        ...

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        """Newest first; what an undo or a rollback of that name did."""
        ...

    async def revert(self, scope: Scope, reversals: Sequence["Reversal"], *, at: datetime, by: str, trigger: str) -> None:
        """Put each record back as it was, or mark it as taken back: a change like any other.  All or nothing.

        Raises: Conflict (one of them has been changed since that was decided, or is gone).
        """
        ...

    async def forget(self, scope: Scope, ids: Sequence[str]) -> int:
        """Remove records, their history, derived edges and orphaned entities."""
        ...

    async def forget_scope(self, scope: Scope) -> Mapping[str, int]:
        """Remove all of the scope's facts, history, entities and edges; counts per kind of node."""
        ...

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Fact]:
        """Facts that the reconciler must index.  The only call that may cross scopes; it returns scoped records."""
        ...

    async def count(self, scope: Scope) -> Mapping[str, int]:
        """Active facts by kind."""
        ...


class FactArchive(Protocol):
    """The facts of a scope with all that is kept of them, as an export takes them and an import puts them back."""

    async def kept(self, scope: Scope, *, after: Place, limit: int = 100) -> list[KeptFact]:
        """Facts of every status with all that is kept of them, by place; those behind ``after``.  For an export.

        ``("", -1, "")`` is before all of them.
        """
        ...

    async def adopt(self, scope: Scope, kept: Sequence[KeptFact]) -> int:
        """Insert those that are not there as they are, versions, times and histories too; they wait to be indexed.

        The number of facts that were new.
        """
        ...

    async def adopt_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        """Add to the histories of facts that are there what they lack of their own versions; the number added."""
        ...

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        """Ids of what replaced and of what was replaced, in an order that stays; for an export, it may read much."""
        ...

    async def adopt_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        """Note that the first of each pair replaced the second, where both are there; the number that was new."""
        ...


class EpisodeGraph(Protocol):
    """``get`` knows those that were taken back; ``count`` and, unless asked for, ``listing`` leave them out."""

    async def put(self, episodes: Sequence[Episode]) -> None: ...
    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None: ...
    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Episode]: ...
    async def listing(self, scope: Scope, *, undone: bool = False, limit: int = 100, offset: int = 0) -> list[Episode]:
        """Newest first; ``undone``: those that were taken back too."""
        ...

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Taken back at that time, or (None) brought back; they wait to be indexed anew."""
        ...

    async def condemn(self, scope: Scope, ids: Sequence[str] | None) -> int: ...
    async def condemned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]: ...
    async def forget(self, scope: Scope, ids: Sequence[str]) -> int: ...
    async def forget_scope(self, scope: Scope) -> int: ...
    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Episode]: ...
    async def count(self, scope: Scope) -> int: ...


class ConversationGraph(Protocol):
    async def append(self, scope: Scope, invocation: Invocation) -> bool:
        """Add to its conversation (created when new); False when that invocation id is there already.

        Its position is the next one of the conversation, whatever ``invocation.position`` says.
        """
        ...

    async def append_many(self, scope: Scope, invocations: Sequence[Invocation]) -> int:
        """The same for many, in the order given, in few transactions; the number that was new."""
        ...

    async def get(self, scope: Scope, conversation_id: str, *, limit: int = 0, undone: bool = False) -> Conversation | None:
        """With its newest ``limit`` invocations, oldest first; 0 = all.  ``undone``: those that were taken back too."""
        ...

    async def invocations(self, scope: Scope, ids: Sequence[str]) -> list[Invocation]:
        """Those that are there, of any conversation, also when they were taken back."""
        ...

    async def rewrite(self, scope: Scope, invocations: Sequence[Invocation]) -> None:
        """Put the texts of these in the place of what is stored under their ids; what is not there is left so."""
        ...

    async def changed_since(self, scope: Scope, at: datetime) -> list[Invocation]:
        """Invocations of since then, and those taken back since then, in any order.  May read much."""
        ...

    async def marked_by(self, scope: Scope, operation: str) -> list[Invocation]:
        """Those whose state that undo or rollback set last.  May read much."""
        ...

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Taken back at that time, or (None) brought back."""
        ...

    async def listing(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[Conversation]:
        """Newest first, without invocations."""
        ...

    async def end(self, scope: Scope, conversation_id: str, *, at: datetime) -> bool:
        """False when it had ended already (and nothing was said since)."""
        ...

    async def set_metadata(self, scope: Scope, conversation_id: str, values: Mapping[str, str]) -> None: ...

    async def idle_since(self, before: datetime, *, limit: int = 100) -> list[Conversation]:
        """Open conversations of all scopes whose last invocation is older: for the inactivity trigger."""
        ...

    async def forget(self, scope: Scope, conversation_id: str) -> int: ...
    async def forget_scope(self, scope: Scope) -> Mapping[str, int]: ...
    async def count(self, scope: Scope) -> Mapping[str, int]:
        """``conversations`` and ``invocations``."""
        ...


# ---------------------------------------------------------------------------------------------------- jobs

JobKind = Literal[
    "record",
    "extract",
    "episode",
    "reflect",
    "promote",
    "reward",
    "consolidate",
    "insight",
    "compact",
    "retain",
    "forget",
    "reembed",
    "noop",  # does nothing: a barrier behind what was published before it, and what a benchmark measures
    "model-noop",  # a barrier in the lane of jobs that call a language model
    "index-noop",  # and in the lane of re-embedding
]
JobState = Literal["queued", "running", "done", "deferred", "dead", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """``payload`` is plain here; it is encrypted with the scope's key on the bus and in the ledger."""

    id: str
    kind: JobKind
    scope: Scope
    payload: Mapping[str, JsonValue]
    created_at: datetime
    attempt: int = 1
    trigger: str = "invocation"
    parent: str = ""
    traceparent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    job_id: str
    kind: JobKind
    scope: Scope
    state: JobState
    attempt: int
    trigger: str
    created_at: datetime
    updated_at: datetime
    not_before: datetime | None = None
    error: str = ""
    summary: str = ""
    sealed_payload: str = ""  # kept while deferred or dead, encrypted


class JobPublisher(Protocol):
    async def publish(self, jobs: Sequence[Job]) -> None:
        """On return the broker has confirmed all of them, in order per scope.  Raises EngineUnavailable otherwise."""
        ...


class JobLedger(Protocol):
    """What became of each job.  The record that makes a job's effects happen once, and where deferred and dead ones wait."""

    async def save(self, entries: Sequence[LedgerEntry]) -> None:
        """Insert or replace by job id, in one transaction."""
        ...

    async def get(self, job_ids: Sequence[str]) -> list[LedgerEntry]: ...

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[LedgerEntry]: ...

    async def due(self, now: datetime, *, limit: int = 100) -> list[LedgerEntry]:
        """Deferred ones whose time has come, oldest first."""
        ...

    async def prune(self, before: datetime) -> int:
        """Forget done and cancelled ones."""
        ...

    async def forget_scope(self, scope: Scope, *, before: datetime | None = None) -> int:
        """``before``: only jobs made before then, and not what was spent."""
        ...

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        """Add to the scope's tokens of that day (ISO date) and return the sum; 0 tokens reads it."""
        ...


# ---------------------------------------------------------------------------------------------------- keys, switches, weights


class KeyRing(Protocol):
    """One symmetric key a scope.  Destroying it makes unreadable whatever was sealed with it."""

    async def seal(self, scope: Scope, plain: bytes) -> str:
        """Creates the scope's key when there is none.  Base64.

        Raises ScopeChanged under a claim of the scope that is good no longer: what follows from a job must not be sealed with
        the key that was made after the scope's erasure.
        """
        ...

    async def open(self, scope: Scope, sealed: str) -> bytes:
        """Raises ScopeErased when the key is gone or another."""
        ...

    async def destroy(self, scope: Scope) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """``number`` rises with each forgetting in a scope, ``erasures`` with each of the whole scope."""

    number: int
    erasures: int


@dataclass(slots=True)
class Claim:
    """A scope's epoch when a writer began, and the event loop's time in seconds when it was last found good.

    See ``memory.epochs``.
    """

    scope: Scope
    number: int
    erasures: int
    good_at: float


class Epochs(Protocol):
    """Keeps writers of all processes from writing after a forgetting what they read before it.

    ``shared``: other processes may write, too.
    """

    @property
    def shared(self) -> bool: ...

    async def claim(self, scope: Scope) -> Claim:
        """Raises ScopeClosed while something of the scope is being forgotten."""
        ...

    async def check(self, claim: Claim) -> None:
        """Raises ScopeChanged when the claim is good no longer."""
        ...

    async def close(self, scope: Scope, *, erasing: bool) -> Epoch:
        """No claim is given until ``reopen``, and none that was given is good any longer.  ``erasing``: the whole scope."""
        ...

    async def reopen(self, scope: Scope) -> None: ...

    async def erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        """Scopes of all workspaces whose erasure began since then, with that time."""
        ...

    async def forget_names(self, before: datetime) -> None:
        """Scopes erased before then are no longer told by ``erased_since``; their numbers stay."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """A person's lasting choice; for a whole user when ``conversation_id`` is empty."""

    read: bool = True
    write: bool = True


class SwitchStore(Protocol):
    async def get(self, scope: Scope, conversation_id: str = "") -> Switches:
        """Both what holds for the user and for the conversation must allow."""
        ...

    async def set(self, scope: Scope, switches: Switches, conversation_id: str = "") -> None: ...

    async def listing(self, scope: Scope) -> Mapping[str, Switches]:
        """What was chosen, each by itself, by conversation; "" is the user's."""
        ...

    async def forget_scope(self, scope: Scope) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWeights:
    version: int
    profile: str
    dimension: int
    blob: bytes
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReward:
    job_id: str
    at: datetime
    row: Mapping[str, float]


class WeightStore(Protocol):
    """Reranker weights of a scope: one writer, versioned."""

    async def load(self, scope: Scope) -> StoredWeights | None: ...

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        """Raises Conflict when the stored version is another (0 = none stored)."""
        ...

    async def log_reward(self, scope: Scope, at: datetime, row: Mapping[str, float], job_id: str) -> None:
        """One row per rewarded turn: reward, citation_rate, weight_norm, bank_size.  Once per job id."""
        ...

    async def reward_log(self, scope: Scope) -> list[LoggedReward]:
        """All of them, oldest first; for an export."""
        ...

    async def rewards(self, scope: Scope, *, limit: int = 1000) -> list[Mapping[str, float]]:
        """Oldest first."""
        ...

    async def forget_scope(self, scope: Scope) -> int: ...


class ChangeNotifier(Protocol):
    """Tells caches in this and other processes that records of a scope changed."""

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None: ...
