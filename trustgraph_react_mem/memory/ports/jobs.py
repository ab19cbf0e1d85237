"""Ports for background jobs: the bus and the job store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from ..scope import Scope
from ..timefmt import sortable_time
from .base import JsonValue

JobKind = Literal[
    "record",
    "understand",
    "episode",
    "reward",
    "consolidate",
    "insight",
    "compact",
    "retain",
    "forget",
    "reembed",
    "noop",  # does nothing: a barrier after the jobs published before it, and a benchmark of the queue itself
    "model-noop",  # a barrier in the queue of jobs that call a language model
    "index-noop",  # a barrier in the queue of re-embedding jobs
    # Published by versions before 0.2:
    "extract",
    "reflect",
    "promote",
    "profile",
]
#: Scope and id of a job.  Two scopes may use the same id for different jobs.
JobRef = tuple[Scope, str]
#: Collection of the messages of the job topic that could not be decoded, per workspace.
UNDECODABLE = "_undecodable"
JobState = Literal["queued", "running", "done", "deferred", "dead", "cancelled"]
#: The states in which a job is not run any more, unless a person replays it.
ENDED = ("done", "dead", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A background job.  ``payload`` is plain text here, and encrypted with the scope's key on the bus and in the job store.

    ``traceparent``: the span that published it (W3C); "" if there was none.
    """

    id: str
    kind: JobKind
    scope: Scope
    payload: Mapping[str, JsonValue]
    created_at: datetime
    attempt: int = 1
    trigger: str = "invocation"
    parent: str = ""
    traceparent: str = field(default="", compare=False)

    @property
    def ref(self) -> JobRef:
        return self.scope, self.id

    @property
    def binding(self) -> bytes:
        """What its sealed payload is bound to."""
        return _binding(self.id, self.kind, self.created_at)

    @property
    def turn(self) -> str:
        """Id of the invocation whose words the payload holds; "" if it holds none."""
        named = self.payload.get("invocation_id")
        return named if isinstance(named, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEntry:
    """A job as recorded in the job store."""

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

    @property
    def ref(self) -> JobRef:
        return self.scope, self.job_id

    @property
    def binding(self) -> bytes:
        """As ``Job.binding``."""
        return _binding(self.job_id, self.kind, self.created_at)


def _binding(job_id: str, kind: JobKind, created_at: datetime) -> bytes:
    return json.dumps([job_id, kind, sortable_time(created_at)]).encode()


class JobPublisher(Protocol):
    async def publish(self, jobs: Sequence[Job]) -> None:
        """Publish in order per scope.  On return the broker has confirmed all jobs.  Raises EngineUnavailable."""
        ...


class JobStore(Protocol):
    """The state of each job.  It makes the effects of a job happen exactly once, and holds deferred and dead jobs."""

    async def save(self, entries: Sequence[JobEntry]) -> None:
        """Insert or replace by scope and job id, in one transaction."""
        ...

    async def get(self, refs: Sequence[JobRef]) -> list[JobEntry]: ...

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]: ...

    async def last_done(self, scope: Scope, kind: JobKind, *, without: Sequence[str]) -> JobEntry | None:
        """The job of this kind that was done last.

        ``without``: skip jobs whose summary contains one of these notes; not empty.
        """
        ...

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
        """Deferred jobs whose ``not_before`` has passed, or that were deferred by a clock ahead of ``now``.  Oldest first,
        by their creation: an older job of a partition holds up the younger ones, however early those are due.
        """
        ...

    async def prune(self, before: datetime, *, dead_before: datetime) -> None:
        """Remove done and cancelled jobs last changed before ``before``, and dead ones last changed before ``dead_before``.

        Also removes token counts of days before ``before``.
        """
        ...

    async def remove(self, refs: Sequence[JobRef]) -> int:
        """Remove these jobs.  Returns the number that existed."""
        ...

    async def forget_scope(self, scope: Scope) -> None:
        """Remove the jobs and token counts of a scope."""
        ...

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        """Add to the tokens that the scope spent on that day (ISO date), and return the sum.  0 only reads it."""
        ...
