"""What a worker of background jobs receives, runs and gives back.  The bus implements the protocols of this module.

A delivery is acknowledged only after what its job did is durable, or after the job itself lies in the ledger (deferred or
dead).  Whatever is interrupted before that comes again, and must come to the same result.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol

from ..memory.ports import Job, JobKind, JsonValue
from ..memory.records import derived_id
from ..memory.scope import Scope

LaneName = Literal["write", "model", "index"]

#: Kinds that call a language model; they have a lane of their own, so that recording never waits for one.
MODEL_KINDS: frozenset[JobKind] = frozenset({"extract", "episode", "reflect", "promote", "consolidate", "insight", "compact"})
#: Kinds that take long.  Embedding a scope anew waits for no language model, so it has a lane of its own, too.
LONG_KINDS: frozenset[JobKind] = MODEL_KINDS | {"reembed"}


#: Kinds that do nothing, by their lane: when one is through, all that was published before it is over.
BARRIERS: Mapping[LaneName, JobKind] = {"write": "noop", "model": "model-noop", "index": "index-noop"}
NO_WORK: frozenset[JobKind] = frozenset(BARRIERS.values())


def lane_of(kind: JobKind) -> LaneName:
    if kind in MODEL_KINDS or kind == BARRIERS["model"]:
        return "model"
    return "index" if kind in LONG_KINDS or kind == BARRIERS["index"] else "write"


def lane(job: Job) -> str:
    """Partition key: one scope's jobs of one lane are done in the order they were published."""
    return f"{job.scope.key}|{lane_of(job.kind)}"


class Delivery(Protocol):
    """One message of the job topic."""

    @property
    def head(self) -> Job:
        """The job without its payload, from the envelope."""
        ...

    @property
    def sealed(self) -> str:
        """The payload as it travelled, encrypted."""
        ...

    @property
    def key(self) -> str:
        """The partition key."""
        ...

    async def open(self) -> Job:
        """The job with its payload.

        Raises:
            ScopeErased: the scope's key is gone.
            BadRequest: the payload is not a JSON object.
        """
        ...

    async def ack(self) -> None:
        """Tell the broker that this delivery need not come again.  Raises EngineUnavailable."""
        ...


class JobSource(Protocol):
    async def receive(self) -> Delivery:
        """The next delivery; waits for it.  Raises EngineUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """What a job did: numbers for its status, and the jobs that follow from it (published before it is acknowledged)."""

    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""  # one word or JSON; never user text
    follow_ups: tuple[Job, ...] = ()

    @property
    def summary(self) -> str:
        """``facts=3 dropped=1``, with the note behind it."""
        parts = [f"{name}={number}" for name, number in self.counts.items()]
        return " ".join([*parts, self.note] if self.note else parts)


Handler = Callable[[Job], Awaitable[JobOutcome]]


async def no_operation(job: Job) -> JobOutcome:
    """What is done for a barrier."""
    return JobOutcome()


def follow_up(
    parent: Job, kind: JobKind, payload: Mapping[str, JsonValue], *, trigger: str, at: datetime, discriminator: str = ""
) -> Job:
    """A job derived from another: the same parent run twice derives the same id."""
    return Job(
        id=derived_id("job", parent.id, kind, discriminator),
        kind=kind,
        scope=parent.scope,
        payload=payload,
        created_at=at,
        trigger=trigger,
        parent=parent.id,
        traceparent=parent.traceparent,
    )


def without_payload(job: Job) -> Job:
    return replace(job, payload={})


def same_scope(scope: Scope | None, other: Scope) -> bool:
    """None stands for every scope."""
    return scope is None or scope == other
