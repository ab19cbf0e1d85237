"""What a worker of background jobs receives, runs and returns.  The bus implements the protocols of this module.

A delivery is acknowledged only after the effects of its job are durable, or after the job itself is in the job store (deferred
or dead).  A job that is interrupted before that is delivered again, and must have the same result.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from ..memory.ports import Job, JobKind, JsonValue
from ..memory.records import derived_id
from ..memory.scope import Scope


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
        """Tell the broker not to deliver this message again.  Raises EngineUnavailable."""
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
    )


def without_payload(job: Job) -> Job:
    return replace(job, payload={})


def same_scope(scope: Scope | None, other: Scope) -> bool:
    """None stands for every scope."""
    return scope is None or scope == other
