"""Ports of the graph for facts, episodes and conversations.

Calls that name ids ignore unknown ids unless their docstring says otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from ..records import Conversation, Episode, Fact, FactKind, FactStatus, Invocation, VersionEntry
from ..scope import Scope

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """Return the record, currently at ``version``, to the earlier state ``to``.  None: mark it as undone."""

    record_id: str
    version: int
    to: Fact | None


Place = tuple[str, int, str]  # (source, position, id): the sort key of an export


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWithHistory:
    """A fact, the circumstances of its creation, and all later changes, oldest first."""

    fact: Fact
    stored_at: datetime
    stored_by: str = ""
    stored_trigger: str = ""
    changes: tuple[VersionEntry, ...] = ()

    @property
    def place(self) -> Place:
        return self.fact.source, self.fact.position, self.fact.id


class RecordGraph(Protocol[Record]):
    """Records that are indexed: facts and episodes."""

    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None: ...

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Record]:
        """Records of any status, in the order of ``ids``."""
        ...

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> None:
        """Hide these records (None: all of the scope) from every call, until ``forget`` removes them."""
        ...

    async def list_tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
        """Tombstones that an interrupted erasure left in any scope, for the reconciler."""
        ...

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        """Remove records with all that belongs to them: history, edges, entities that nothing else names."""
        ...

    async def forget_scope(self, scope: Scope) -> None: ...

    async def count_by_scope(self) -> Mapping[Scope, int]:
        """Number of records that should have vectors, in every scope: all except undone and tombstoned ones."""
        ...

    async def not_indexed(self, scope: Scope | None = None, *, limit: int = 1000) -> list[Record]:
        """Records without vectors, for the reconciler.  ``None``: of all scopes."""
        ...


class UndoableGraph(Protocol[Record]):
    """Episodes and invocations, which an undo marks.  The cost of the lists grows with the scope."""

    async def list_changed_since(self, scope: Scope, at: datetime) -> list[Record]:
        """Records made or undone at or after ``at``, in any order."""
        ...

    async def list_marked_by(self, scope: Scope, operation: str) -> list[Record]:
        """Records that this undo or rollback was the last to mark or restore."""
        ...

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Mark as undone at that time, or restore (None).  Episodes are marked for indexing, too."""
        ...


class FactGraph(RecordGraph[Fact], Protocol):
    """Facts and their history.  The graph is the system of record.  Writes are durable on return."""

    async def put(
        self, facts: Sequence[Fact], *, change: str = "created", by: str = "", trigger: str = "", version: int = 0
    ) -> None:
        """Insert or replace by id in one transaction, with a history entry for each.  Idempotent.

        Raises: PreconditionFailed (a stored one has another version than ``version``; 0 = any).
        """
        ...

    async def by_digests(
        self, scope: Scope, contents: Sequence[tuple[str, FactKind]], speakers: Sequence[str] = ()
    ) -> list[Fact | None]:
        """For each (content, kind), in order, the active fact with the same normalised content, or None.  Turns are not found.

        ``speakers``: one per content, or empty.  A fact of a different named speaker does not match.
        """
        ...

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        """Active turns of one conversation with positions from ``first`` to ``last``, both included, in order."""
        ...

    async def dependents_of(self, scope: Scope, ids: Sequence[str], *, tombstoned: bool = False) -> list[Fact]:
        """Facts of any status that depend on these records, directly or transitively (``records.dependency_ids``).

        The records themselves are not included and need not exist any more.  ``tombstoned``: include facts whose erasure was
        interrupted.  The cost is proportional to the number of facts found, not to the size of the scope.
        """
        ...

    async def turns_of(self, scope: Scope, invocation_ids: Sequence[str]) -> list[Fact]:
        """Verbatim turns of these invocations, of any status, in conversation order."""
        ...

    async def listing(
        self,
        scope: Scope,
        *,
        kinds: Sequence[FactKind] = (),
        statuses: Sequence[FactStatus] = ("active",),
        at: datetime | None = None,
        source: str = "",
        about: str = "",
        before: datetime | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Fact]:
        """Newest first.  Empty ``statuses``: all except undone.

        ``at``: the statuses are those at this time (``memory.former.status_at``); None: as stored.  ``about``: only facts about
        this entity.  ``before``: only facts created before then.
        """
        ...

    async def supersede(
        self,
        scope: Scope,
        old_ids: Sequence[str],
        new: Fact,
        *,
        kept: Sequence[Fact] = (),
        planned: Mapping[str, datetime] | None = None,
        until: datetime | None = None,
        at: datetime,
        by: str,
        trigger: str,
    ) -> None:
        """Store ``new`` and mark the old facts as superseded by it (superseded_at/by, valid_to, an edge).  One transaction.

        ``kept``, ``planned``, ``until``: see ``FactMemory.supersede``.  ``at``: the time of the change.
        """
        ...

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str) -> None: ...

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count a use of each fact last used before ``at``, and mark it for indexing.  The same use counts once."""
        ...

    async def history(self, scope: Scope, record_id: str) -> list[VersionEntry]:
        """Newest first."""
        ...

    async def changes_since(self, scope: Scope, at: datetime) -> list[VersionEntry]:
        """Changes at or after ``at``, newest first: what a rollback must undo."""
        ...

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        """Changes made by the undo or rollback of that name, newest first."""
        ...

    async def revert(self, scope: Scope, reversals: Sequence["Reversal"], *, at: datetime, by: str, trigger: str) -> None:
        """Return each record to an earlier state, or mark it as undone, in one transaction.  Recorded in the history.

        Raises: Conflict (a record has another version than its reversal names, or no longer exists).
        """
        ...

    async def count(self, scope: Scope, *, at: datetime | None = None) -> Mapping[str, int]:
        """Active facts by kind.  ``at``: those that are active at this time; None: as stored."""
        ...

    # -- complete exports and imports: every status, with versions and history

    async def export_page(self, scope: Scope, *, after: Place, limit: int = 100) -> list[FactWithHistory]:
        """Facts of every status with their history, ordered by place, starting after ``after``.

        ``("", -1, "")`` sorts before every fact.
        """
        ...

    async def restore(self, scope: Scope, facts: Sequence[FactWithHistory]) -> int:
        """Insert facts that do not exist yet, with their versions, times and histories, marked for indexing.

        Returns the number inserted.
        """
        ...

    async def restore_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        """Add missing history entries, up to the current version, to facts that exist.  Returns the number added."""
        ...

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        """Pairs (new id, old id) of supersessions, in a stable order.  For exports: the cost grows with the scope."""
        ...

    async def restore_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        """Add supersession edges for the pairs (new id, old id) whose facts both exist.  Returns the number added."""
        ...


class EpisodeGraph(RecordGraph[Episode], UndoableGraph[Episode], Protocol):
    """Episodes.  ``get`` also returns undone episodes.  ``count`` and, by default, ``listing`` do not."""

    async def put(self, episodes: Sequence[Episode]) -> None:
        """Insert or replace by id, in one transaction."""
        ...

    async def listing(
        self, scope: Scope, *, undone: bool = False, before: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Episode]:
        """Newest first.  ``undone``: include undone episodes.  ``before``: only episodes created before then."""
        ...

    async def by_source(
        self, scope: Scope, *, invocation_ids: Sequence[str] = (), conversation_ids: Sequence[str] = ()
    ) -> list[Episode]:
        """Episodes made from these invocations or conversations, including undone ones."""
        ...

    async def count(self, scope: Scope) -> int: ...


class ConversationGraph(UndoableGraph[Invocation], Protocol):
    """Conversations and their invocations."""

    async def append(self, scope: Scope, invocation: Invocation) -> bool:
        """Append to its conversation, which is created if needed.  False: an invocation with this id exists.

        The invocation gets the next position of the conversation; ``invocation.position`` is ignored.
        """
        ...

    async def append_many(self, scope: Scope, invocations: Sequence[Invocation]) -> int:
        """As ``append`` for several of one conversation, in the order given.  Returns the number appended."""
        ...

    async def get(self, scope: Scope, conversation_id: str, *, limit: int = 0, undone: bool = False) -> Conversation | None:
        """The conversation with its newest ``limit`` invocations (0 = all), oldest first.  ``undone``: include undone ones."""
        ...

    async def invocations(self, scope: Scope, ids: Sequence[str]) -> list[Invocation]:
        """Invocations of any conversation, including undone ones."""
        ...

    async def rewrite(self, scope: Scope, invocations: Sequence[Invocation]) -> None:
        """Replace the stored texts of these invocations."""
        ...

    async def listing(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[Conversation]:
        """Newest first, without invocations."""
        ...

    async def list_within(
        self, scope: Scope, prefix: str, after: datetime, until: datetime, *, limit: int
    ) -> list[Conversation]:
        """Those whose id begins with ``prefix`` and whose last invocation is within this time.  As ``listing``."""
        ...

    async def end(self, scope: Scope, conversation_id: str, *, at: datetime) -> bool:
        """End the conversation.  False: it does not exist, or has ended and got no invocation since."""
        ...

    async def set_metadata(self, scope: Scope, conversation_id: str, values: Mapping[str, str]) -> None:
        """Merge ``values`` into the metadata of the conversation.

        An empty value removes the key of one exchange (``why:ID``, ``summary:ID``), so that the metadata does not grow with the
        conversation.
        """
        ...

    async def idle_since(self, before: datetime, *, limit: int = 100) -> list[Conversation]:
        """Open conversations of all scopes whose last invocation is before ``before``, for the inactivity trigger."""
        ...

    async def forget(self, scope: Scope, conversation_id: str) -> None: ...
    async def forget_scope(self, scope: Scope) -> None: ...
    async def count(self, scope: Scope) -> Mapping[str, int]:
        """Numbers of ``conversations`` and ``invocations``."""
        ...


class RefinementGraph(Protocol):
    """Logs of refinement sessions.  Each is stored as a conversation named ``records.refinement_name``, with an invocation for
    each event, so what ``ConversationGraph`` does with named conversations and invocations applies to them, too.

    Its ``listing``, ``idle_since`` and ``count`` leave them out.  Its ``forget`` also removes the sessions of a conversation,
    and its ``forget_scope`` all of the scope.
    """

    async def append(
        self, scope: Scope, events: Sequence[Invocation], *, of: str, metadata: Mapping[str, str], expected: int | None = None
    ) -> int:
        """Append events of one session, which is created if needed.  Returns the number that were not stored already.

        Arguments:
            of: the conversation that the session belongs to; "" = none.
            metadata: of the session, stored when it is created.
            expected: number of events that the session must have, undone ones included; None: any.

        Raises: Conflict (``expected`` is not its number of events, or another writer came first).
        """
        ...

    async def listing(self, scope: Scope, *, of: str = "", limit: int = 100, offset: int = 0) -> list[Conversation]:
        """The sessions, newest first, without their events.  ``of``: only those of this conversation."""
        ...

    async def silent_since(self, scope: Scope, before: datetime, *, limit: int = 100) -> list[Conversation]:
        """Sessions whose newest event is from before ``before``."""
        ...

    async def count(self, scope: Scope, *, of: str = "") -> int: ...
