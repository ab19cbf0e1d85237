"""The records of memory.  They are immutable: a change creates a new version.

Times are aware datetimes in UTC.  Records are bi-temporal: ``valid_from`` and ``valid_to`` are times in the world,
``created_at`` and ``superseded_at`` are times in the store.  Records written by a job have deterministic ids
(``derived_id``), so that a job that runs twice writes once.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args

from ..errors import BadRequest, PreconditionFailed
from .scope import Scope

FactKind = Literal["turn", "semantic", "procedural", "reflective", "topic"]
FactStatus = Literal["active", "superseded", "quarantined", "undone"]
Trust = Literal["user", "assistant", "tool", "document", "import"]
Change = Literal["created", "updated", "superseded", "quarantined", "released", "undone", "restored", "forgotten"]

FACT_KINDS: tuple[FactKind, ...] = ("turn", "semantic", "procedural", "reflective", "topic")
FACT_STATUSES: tuple[FactStatus, ...] = get_args(FactStatus)
HELD_STATUSES: tuple[FactStatus, ...] = ("active", "superseded", "quarantined")  # facts with vectors; undone ones have none

LANGUAGE = "language"  # key of a record's metadata
_NAMESPACE = uuid.UUID("5f2f0f5a-6a0e-5c39-9f3e-2f6f5b9a7c11")


def derived_id(*parts: str | int) -> str:
    """UUID version 5 of the parts.  Equal parts give equal ids."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts)))


#: Metadata keys of a rule that a person gave: its subject, and the only conversation in which it holds.
INSTRUCTION, ONLY_IN = "instruction", "only_in"
#: Metadata key of a named value, which a framework's store keeps: its namespace and key as a JSON list.
ITEM = "item"
#: Metadata keys of a lesson that a version before 0.2 kept as a rule.
LESSON, CALLS, HELPFUL, HARMFUL, COUNTED = "lesson", "calls", "helpful", "harmful", "counted"
#: Metadata keys of what a model understood: state, event or plan, and what it is about in a few words.
FORM, TOPIC = "form", "topic"
#: Metadata keys of a fact that says what of a replaced one still holds: the ids of that one, and of the one that replaced it.
KEPT_FROM, KEPT_BY = "kept_from", "kept_by"
OWN_END = "own_end"  # key of a fact's metadata: its own end, while a plan is to end it on another day
OUTCOME = "outcome"  # trigger of a change by which such a version counted an outcome
SPEAKER = "speaker"  # key of an episode's metadata: who asked for the task, in a memory of several people
#: Names of the agent's memory tools.
RETRIEVE_FACTS, RECALL_EPISODES, STORE_FACT = "retrieve-facts", "recall-episodes", "store-fact"
TURN_PARTS = ("question", "answer")  # of an invocation: each is a verbatim record


def turn_id(scope: Scope, conversation_id: str, invocation_id: str, part: str) -> str:
    return derived_id("turn", scope.key, conversation_id, invocation_id, part)


REFINEMENT = "refinement|"


def refinement_name(session_id: str) -> str:
    """The name under which the events of a refinement session are stored: the conversation id of its invocations."""
    return f"{REFINEMENT}{session_id}"


def check_not_reserved(what: str, name: str) -> None:
    """Raises: BadRequest (the name is one of those under which refinement sessions are stored)."""
    if name.startswith(REFINEMENT):
        raise BadRequest(f"{what} begins with {REFINEMENT!r}, which is reserved: choose another id")


def implicit_conversation_prefix(flow: str) -> str:
    """The beginning of the ids of a flow's conversations that no client named."""
    return f"thread-{derived_id('flow', flow)[:8]}-"


def implicit_conversation_id(scope: Scope, flow: str, at: datetime, *, within_s: int, after: str = "") -> str:
    """Id of the conversation that a request without a conversation id begins at ``at``.

    It is derived from the time in units of ``within_s`` seconds, so that replicas which begin it at once agree.  A conversation
    that is not continued any more is at least one unit old, so ids are not reused.  ``after``: a conversation that was ended
    within the same unit.
    """
    unit = int(at.timestamp() // max(1, within_s))
    return implicit_conversation_prefix(flow) + derived_id("conversation", scope.key, flow, unit, after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One long-term memory.  ``kind='turn'`` is a verbatim utterance; other kinds refer to turns by ``turn_ids``.

    ``superseded_at``: when the fact was superseded, or undone.  ``importance``: 0 to 1.
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
    indexed: bool = False  # False until the vectors are written
    metadata: Mapping[str, str] = field(default_factory=dict)


def is_by_assistant(trust: str, metadata: Mapping[str, object]) -> bool:
    """Whether an assistant said what a record holds, to the agent or in a transcript that was imported."""
    return trust == "assistant" or (trust == "import" and metadata.get("role") == "assistant")


def sources_of(fact: Fact) -> list[str]:
    """Ids of the memories that the fact was made from."""
    return [part for part in fact.metadata.get("sources", "").split(",") if part]


def is_instruction(fact: Fact) -> bool:
    """Whether the fact is a rule that a person gave."""
    return fact.kind == "procedural" and INSTRUCTION in fact.metadata


def provenance_ids(fact: Fact) -> list[str]:
    """Ids of the turns and memories that the fact was derived from."""
    return [*fact.turn_ids, *sources_of(fact), *filter(None, [fact.metadata.get(KEPT_BY)])]


def dependency_ids(fact: Fact) -> list[str]:
    """Ids of the records whose removal affects the fact: what it was derived from, and what superseded it."""
    return list(dict.fromkeys([*provenance_ids(fact), *([fact.superseded_by] if fact.superseded_by else [])]))


def check_version(stored: Fact, version: int) -> None:
    """Raises: PreconditionFailed (the stored fact has another version than the caller read; 0: any will do)."""
    if version and stored.version != version:
        raise PreconditionFailed(f"the record is of version {stored.version}, not {version}: read it again")


def _next_version(fact: Fact, **changes: Any) -> Fact:
    return replace(fact, version=fact.version + 1, indexed=False, **changes)


def overwrite_fact(stored: Fact, fact: Fact) -> Fact | None:
    """The next version of a stored fact when ``fact`` is stored under its id; None if nothing else would change.

    The time of creation and the count of uses are kept.
    """
    kept = replace(fact, created_at=stored.created_at, uses=stored.uses, last_used_at=stored.last_used_at)
    same = replace(kept, version=stored.version, indexed=stored.indexed) == stored
    return None if same else replace(kept, version=stored.version + 1)


def revert_fact(now: Fact, to: Fact | None, at: datetime) -> Fact:
    """The next version of a fact: the earlier state ``to``, or (None) undone.  The count of uses is kept."""
    if to is None:
        return _next_version(now, status="undone", superseded_at=at)
    return replace(to, version=now.version + 1, uses=now.uses, last_used_at=now.last_used_at, indexed=False)


def supersession(
    old: Fact, new: Fact, at: datetime, *, until: datetime | None, planned: datetime | None
) -> tuple[Literal["superseded", "updated"], Fact]:
    """The change of ``old`` when ``new`` supersedes it, and its next version; ``old`` itself if that was done before.

    ``until``: when it ceased to hold, if known.  ``planned``: the day on which ``new`` takes its place, if it lies in the
    future; it holds until then.
    """
    if planned is not None:
        if old.superseded_by == new.id and old.valid_to == planned:
            return "updated", old
        own = {OWN_END: old.valid_to.isoformat()} if old.valid_to is not None and not old.superseded_by else {}
        return "updated", _next_version(old, superseded_by=new.id, valid_to=planned, metadata={**old.metadata, **own})
    if old.superseded_by == new.id and old.status == "superseded":
        return "superseded", old
    merged = old.id in sources_of(new)  # into the new one, so it still holds and has no end
    end = old.valid_to if merged else min(old.valid_to or until or new.valid_from or at, at)
    return "superseded", _next_version(old, status="superseded", superseded_at=at, superseded_by=new.id, valid_to=end)


def free_from_plan(fact: Fact) -> Fact:
    """The fact without the plan that was to end it, with its own end."""
    own = fact.metadata.get(OWN_END)
    metadata = {key: value for key, value in fact.metadata.items() if key != OWN_END}
    return replace(fact, superseded_by="", valid_to=datetime.fromisoformat(own) if own else None, metadata=metadata)


def change_status(fact: Fact, status: FactStatus, at: datetime) -> Fact:
    """The next version of the fact, with that status."""
    ended = at if status in ("superseded", "undone") else None
    by = "" if status == "active" else fact.superseded_by  # it holds again: nothing has taken its place
    return _next_version(fact, status=status, superseded_at=ended, superseded_by=by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A task with its steps, outcome and lessons.  ``source``: conversation id; ``importance``: 0 to 1."""

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
    undone_at: datetime | None = None  # None = not undone
    operation: str = ""  # the undo or rollback that last changed ``undone_at``
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One request to the agent and its answer."""

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
    undone_at: datetime | None = None  # None = not undone
    operation: str = ""  # the undo or rollback that last changed ``undone_at``


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Consecutive turns with the same conversation id.  ``turns``: number of all invocations, including undone ones."""

    id: str
    scope: Scope
    invocations: tuple[Invocation, ...] = ()
    started_at: datetime | None = None
    last_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """One change of one record, for the history and for undo.

    ``trigger``: what caused the change; for an undo or a rollback, the name of that operation.
    """

    record_id: str
    version: int
    change: Change
    at: datetime
    by: str
    trigger: str
    content: str
    before: Fact | None = None  # None = the change created the record


def version_entry(before: Fact, after: Fact, change: Change | str, *, at: datetime, by: str, trigger: str) -> VersionEntry:
    """The history entry of a change from ``before`` to ``after``."""
    return VersionEntry(
        record_id=after.id,
        version=after.version,
        change=change,  # type: ignore[arg-type]  # the port accepts any string
        at=at,
        by=by,
        trigger=trigger,
        content=after.content,
        before=before,
    )
