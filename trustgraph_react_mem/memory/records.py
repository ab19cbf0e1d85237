"""Records as the rules and stores hold them.  Frozen: a change is a new record (see ``versions`` in the stores).

Times are aware datetimes in UTC.  ``valid_*`` is time in the world, ``created_at``/``superseded_at`` time in the store
(bi-temporal).  Ids are deterministic where a job writes them (``derived_id``), so that a job run twice writes once.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar, get_args

from .scope import Scope

FactKind = Literal["turn", "semantic", "procedural", "reflective", "topic"]
FactStatus = Literal["active", "superseded", "quarantined", "undone"]
Trust = Literal["user", "assistant", "tool", "document", "import"]
Change = Literal["created", "updated", "superseded", "quarantined", "released", "undone", "restored", "forgotten"]

FACT_KINDS: tuple[FactKind, ...] = ("turn", "semantic", "procedural", "reflective", "topic")
FACT_STATUSES: tuple[FactStatus, ...] = get_args(FactStatus)
HELD_STATUSES: tuple[FactStatus, ...] = ("active", "superseded", "quarantined")  # of what has vectors; "undone" was taken back

LANGUAGE = "language"  # key of a record's metadata
_NAMESPACE = uuid.UUID("5f2f0f5a-6a0e-5c39-9f3e-2f6f5b9a7c11")


def derived_id(*parts: str | int) -> str:
    """UUID version 5 of the parts: equal parts, equal id."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts)))


TURN_PARTS = ("question", "answer")  # of an invocation: each is a verbatim record


def turn_id(scope: Scope, conversation_id: str, invocation_id: str, part: str) -> str:
    return derived_id("turn", scope.key, conversation_id, invocation_id, part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One long-term memory; ``kind='turn'`` is a verbatim utterance, the others point to turns by ``turn_ids``.

    ``superseded_at`` is also the time at which an undone one was taken back.
    """

    id: str
    scope: Scope
    kind: FactKind
    content: str
    created_at: datetime
    status: FactStatus = "active"
    trust: Trust = "user"
    speaker: str = ""
    source: str = ""  # conversation id
    invocation_id: str = ""
    position: int = 0  # place within the conversation, for neighbours of turns
    said_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_at: datetime | None = None
    superseded_by: str = ""
    importance: float = 0.5
    entities: tuple[str, ...] = ()
    turn_ids: tuple[str, ...] = ()
    condition: str = ""
    action: str = ""
    job_id: str = ""
    trigger: str = ""
    version: int = 1
    uses: int = 0
    last_used_at: datetime | None = None
    indexed: bool = False  # False between the graph's write and the vector's
    metadata: Mapping[str, str] = field(default_factory=dict)


def sources_of(fact: Fact) -> list[str]:
    """Ids of the memories that it was made from."""
    return [part for part in fact.metadata.get("sources", "").split(",") if part]


Recorded = TypeVar("Recorded", "Fact", "Episode")


def in_language(record: Recorded, code: str) -> Recorded:
    """With the flow's language (BCP 47) in its metadata, where every later indexing finds it; "auto": as it is."""
    if code == "auto" or record.metadata.get(LANGUAGE):
        return record
    return replace(record, metadata={**record.metadata, LANGUAGE: code})


def rests_on(fact: Fact) -> list[str]:
    """Ids of the turns and memories that it was drawn from."""
    return [*fact.turn_ids, *sources_of(fact)]


def depends_on(fact: Fact) -> list[str]:
    """Ids of the records that change it when they go: what it was drawn from, and what replaced it."""
    return list(dict.fromkeys([*rests_on(fact), *([fact.superseded_by] if fact.superseded_by else [])]))


def reverted(now: Fact, to: Fact | None, at: datetime) -> Fact:
    """The next version of a fact: as it was in ``to``, or taken back.  What was used stays counted."""
    if to is None:
        return replace(now, status="undone", superseded_at=at, version=now.version + 1, indexed=False)
    return replace(to, version=now.version + 1, uses=now.uses, last_used_at=now.last_used_at, indexed=False)


def end_validity(old: Fact, new: Fact, at: datetime) -> Fact:
    """The next version of ``old`` when ``new`` replaces it."""
    return replace(
        old,
        status="superseded",
        superseded_at=at,
        superseded_by=new.id,
        valid_to=old.valid_to or new.valid_from or at,
        version=old.version + 1,
        indexed=False,
    )


def change_status(fact: Fact, status: FactStatus, at: datetime) -> Fact:
    """Its next version, in that status."""
    ended = at if status in ("superseded", "undone") else None
    return replace(fact, status=status, version=fact.version + 1, indexed=False, superseded_at=ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    id: str
    scope: Scope
    goal: str
    steps: tuple[str, ...]
    outcome: str
    lessons: str
    created_at: datetime
    succeeded: bool = True
    source: str = ""
    importance: float = 0.5
    job_id: str = ""
    indexed: bool = False
    undone_at: datetime | None = None  # when it was taken back; None = it holds
    operation: str = ""  # the undo or rollback that set that last
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One request to the agent and what became of it."""

    id: str
    conversation_id: str
    query: str
    summary: str
    result: str
    at: datetime
    position: int = 0
    speaker: str = ""
    succeeded: bool = True
    steps: tuple[str, ...] = ()
    recalled_ids: tuple[str, ...] = ()
    undone_at: datetime | None = None  # when it was taken back; None = it holds
    operation: str = ""  # the undo or rollback that set that last


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    id: str
    scope: Scope
    invocations: tuple[Invocation, ...] = ()
    started_at: datetime | None = None
    last_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """An edge between two entities of one scope."""

    subject: str
    predicate: str
    object: str
    fact_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """One change of one record, as history shows it and undo needs it.

    ``trigger`` of what an undo or a rollback did is that operation's name.
    """

    record_id: str
    version: int
    change: Change
    at: datetime
    by: str
    trigger: str
    content: str
    before: Fact | None = None  # the record before the change; None = it did not exist


def version_entry(before: Fact, after: Fact, change: Change | str, *, at: datetime, by: str, trigger: str) -> VersionEntry:
    """The entry in its history when a record becomes ``after``."""
    return VersionEntry(
        record_id=after.id,
        version=after.version,
        change=change,  # type: ignore[arg-type]  # the port takes any word
        at=at,
        by=by,
        trigger=trigger,
        content=after.content,
        before=before,
    )
