"""Background jobs on the bus and in the job store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from ..scope import Scope
from .base import JsonValue

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
    "model-noop",  # a barrier in the queue of jobs that call a language model
    "index-noop",  # a barrier in the queue of re-embedding
]
JobState = Literal["queued", "running", "done", "deferred", "dead", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """``payload`` is plain here; it is encrypted with the scope's key on the bus and in the job store."""

    id: str
    kind: JobKind
    scope: Scope
    payload: Mapping[str, JsonValue]
    created_at: datetime
    attempt: int = 1
    trigger: str = "invocation"
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEntry:
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


class JobStore(Protocol):
    """What became of each job.  The record that makes a job's effects happen once, and where deferred and dead ones wait."""

    async def save(self, entries: Sequence[JobEntry]) -> None:
        """Insert or replace by job id, in one transaction."""
        ...

    async def get(self, job_ids: Sequence[str]) -> list[JobEntry]: ...

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]: ...

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
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
