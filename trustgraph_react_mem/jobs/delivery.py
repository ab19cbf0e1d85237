"""Interfaces of the job worker: what it receives, what a handler returns.  The bus implements the protocols.

A delivery is acknowledged only after the effects of its job are durable, or after the job itself is in the job store (deferred
or dead).  A job that is interrupted earlier is delivered again, and the repeated run must have the same result.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from ..errors import BadRequest
from ..memory.ports import Job, JobKind, JsonValue
from ..memory.records import derived_id
from ..memory.timefmt import parse_time


class Delivery(Protocol):
    """One message of the job topic."""

    @property
    def head(self) -> Job:
        """The job without its payload, from the envelope."""
        ...

    @property
    def sealed(self) -> str:
        """The encrypted payload, as it was in the message."""
        ...

    @property
    def key(self) -> str:
        """The partition key."""
        ...

    async def open(self) -> Job:
        """Decrypt the payload and return the whole job.

        Raises:
            ScopeErased: the scope's key was destroyed.
            BadRequest: the payload is not a JSON object.
        """
        ...

    async def ack(self) -> None:
        """Acknowledge the message, so that the broker does not deliver it again.  Raises EngineUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDelivery:
    """A delivery of a deferred job, with the payload from the job store: an erasure may have removed words from it."""

    delivered: Delivery
    sealed: str
    unseal: Callable[[], Awaitable[Job]]

    @property
    def head(self) -> Job:
        return self.delivered.head

    @property
    def key(self) -> str:
        return self.delivered.key

    async def open(self) -> Job:
        return replace(await self.unseal(), traceparent=self.head.traceparent)

    async def ack(self) -> None:
        await self.delivered.ack()


class JobSource(Protocol):
    async def receive(self) -> Delivery:
        """Wait for the next delivery and return it.  Raises EngineUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """Result of a handler: counters for the job's status, and follow-up jobs (published before the job is acknowledged)."""

    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""  # one word or JSON, never user text
    follow_ups: tuple[Job, ...] = ()

    @property
    def summary(self) -> str:
        """Counts and note as text, for example ``facts=3 dropped=1 not-due``."""
        parts = [f"{name}={number}" for name, number in self.counts.items()]
        return " ".join([*parts, self.note] if self.note else parts)


Handler = Callable[[Job], Awaitable[JobOutcome]]


def follow_up(
    parent: Job, kind: JobKind, payload: Mapping[str, JsonValue], *, trigger: str, at: datetime, discriminator: str = ""
) -> Job:
    """Create a job that follows from ``parent``.

    Its id is derived from the parent's id, ``kind`` and ``discriminator``, so a repeated parent creates the same job again.
    """
    return Job(
        id=derived_id("job", parent.id, kind, discriminator),
        kind=kind,
        scope=parent.scope,
        payload=payload,
        created_at=at,
        trigger=trigger,
        parent=parent.id,
    )


# -- the payload of a job: a wrong type is a BadRequest, because such a job can never succeed --------------------------------


def read_flow(job: Job) -> str:
    return str(job.payload.get("flow") or "default")


def read_text(job: Job, key: str, *, needed: bool = False) -> str:
    """A string of the payload, "" if it is missing.  Raises BadRequest: not a string, or missing although ``needed``."""
    value = job.payload.get(key)
    if value is None or value == "":
        if needed:
            raise BadRequest(f"a job of kind {job.kind!r} needs {key!r} in its payload")
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a string, not {type(value).__name__}")
    return value


def read_int(job: Job, key: str, default: int) -> int:
    """A whole number of the payload.  Raises BadRequest: not a whole number."""
    value = job.payload.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a whole number, not {type(value).__name__}")
    return value


def read_time(job: Job, key: str) -> datetime:
    """A time of the payload; the job's creation time if it is missing or not a valid time."""
    return parse_time(job.payload.get(key)) or job.created_at


def inherit_payload(job: Job) -> dict[str, JsonValue]:
    """The payload keys that are copied to every follow-up job."""
    return {key: job.payload[key] for key in ("flow", "settings") if key in job.payload}
