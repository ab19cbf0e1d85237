"""Facts, episodes and conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..records import Conversation, Episode, Fact, FactKind, FactStatus, Invocation, Relation, VersionEntry
from ..scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """A record of that version becomes ``to`` again, an earlier state of it; None = it is undone."""

    record_id: str
    version: int
    to: Fact | None


Place = tuple[str, int, str]  # source, position, id: the order in which facts are exported


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWithHistory:
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

    async def by_digests(
        self, scope: Scope, contents: Sequence[tuple[str, FactKind]], speakers: Sequence[str] = ()
    ) -> list[Fact | None]:
        """For each text of a kind, in the order asked, the active fact whose normalised content is the same.

        Not one of another speaker, when both are named.  ``speakers``: one for each content, or none at all.
        """
        ...

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        """The turns of one conversation whose position lies in first..last, in order."""
        ...

    async def dependents_of(self, scope: Scope, ids: Sequence[str], *, tombstoned: bool = False) -> list[Fact]:
        """What depends on these records (``records.depends_on``), directly or through others, of any status; not these.

        They need not be there any more.  ``tombstoned``: with those whose forgetting was interrupted.  The cost follows from
        the number found.
        """
        ...

    async def turns_of(self, scope: Scope, invocation_ids: Sequence[str]) -> list[Fact]:
        """The verbatim turns of these requests, of any status, in the order of their conversation."""
        ...

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> int:
        """Tombstone: from now on no call returns these (None: any of the scope); ``forget`` removes them.  Their number."""
        ...

    async def tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]:
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
        """Newest first.  No statuses: all but what was undone."""
        ...

    async def supersede(self, scope: Scope, old_ids: Sequence[str], new: Fact, *, at: datetime, by: str, trigger: str) -> None:
        """``new`` replaces the old ones: they get superseded_at/by and valid_to, and an edge says so.  One transaction."""
        ...

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, at: datetime, by: str) -> None: ...

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count a use of each that was last used before ``at``, so that the same use counts once; they wait to be indexed."""
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
        """Newest first; what a rollback has to undo."""
        ...

    async def changes_by(self, scope: Scope, trigger: str) -> list[VersionEntry]:
        """Newest first; what an undo or a rollback of that name did."""
        ...

    async def revert(self, scope: Scope, reversals: Sequence["Reversal"], *, at: datetime, by: str, trigger: str) -> None:
        """Put each record back as it was, or mark it as undone: a change like any other.  All or nothing.

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

    async def export_page(self, scope: Scope, *, after: Place, limit: int = 100) -> list[FactWithHistory]:
        """Facts of every status with all that is kept of them, by place; those behind ``after``.  For an export.

        ``("", -1, "")`` is before all of them.
        """
        ...

    async def restore(self, scope: Scope, export_page: Sequence[FactWithHistory]) -> int:
        """Insert those that are not there as they are, versions, times and histories too; they wait to be indexed.

        The number of facts that were new.
        """
        ...

    async def restore_changes(self, scope: Scope, entries: Sequence[VersionEntry]) -> int:
        """Add to the histories of facts that are there what they lack of their own versions; the number added."""
        ...

    async def replacements(self, scope: Scope) -> list[tuple[str, str]]:
        """Ids of what replaced and of what was replaced, in an order that stays; for an export, it may read much."""
        ...

    async def restore_replacements(self, scope: Scope, pairs: Sequence[tuple[str, str]]) -> int:
        """Note that the first of each pair replaced the second, where both are there; the number that was new."""
        ...


class EpisodeGraph(Protocol):
    """``get`` knows those that were undone; ``count`` and, unless asked for, ``listing`` leave them out."""

    async def put(self, episodes: Sequence[Episode]) -> None: ...
    async def mark_indexed(self, scope: Scope, ids: Sequence[str], indexed: bool) -> None: ...
    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Episode]: ...
    async def listing(self, scope: Scope, *, undone: bool = False, limit: int = 100, offset: int = 0) -> list[Episode]:
        """Newest first; ``undone``: those that were undone too."""
        ...

    async def telling_of(
        self, scope: Scope, *, invocation_ids: Sequence[str] = (), conversation_ids: Sequence[str] = ()
    ) -> list[Episode]:
        """Episodes of these requests, and all of these conversations; undone ones too."""
        ...

    async def marked_by(self, scope: Scope, operation: str) -> list[Episode]:
        """Those whose state that undo or rollback set last."""
        ...

    async def changed_since(self, scope: Scope, at: datetime) -> list[Episode]:
        """Those made since then, and those undone since then."""
        ...

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Undone at that time, or (None) restored; they wait to be indexed again."""
        ...

    async def tombstone(self, scope: Scope, ids: Sequence[str] | None) -> int: ...
    async def tombstoned(self, *, limit: int = 1000) -> list[tuple[Scope, str]]: ...
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
        """With its newest ``limit`` invocations, oldest first; 0 = all.  ``undone``: those that were undone too."""
        ...

    async def invocations(self, scope: Scope, ids: Sequence[str]) -> list[Invocation]:
        """Those that are there, of any conversation, also when they were undone."""
        ...

    async def rewrite(self, scope: Scope, invocations: Sequence[Invocation]) -> None:
        """Put the texts of these in the place of what is stored under their ids; what is not there is left so."""
        ...

    async def changed_since(self, scope: Scope, at: datetime) -> list[Invocation]:
        """Invocations of since then, and those undone since then, in any order.  May read much."""
        ...

    async def marked_by(self, scope: Scope, operation: str) -> list[Invocation]:
        """Those whose state that undo or rollback set last.  May read much."""
        ...

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Undone at that time, or (None) restored."""
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
