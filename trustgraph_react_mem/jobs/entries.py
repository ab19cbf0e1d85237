"""Conversion between jobs and entries of the job store."""

from datetime import datetime

from ..memory.clock import TOLERANCE
from ..memory.ports import Job, JobEntry, JobState, JobStore

MAX_ERROR_CHARS = 300


def entry_from_job(
    job: Job,
    state: JobState,
    *,
    at: datetime,
    attempt: int = 1,
    not_before: datetime | None = None,
    error: str = "",
    summary: str = "",
    sealed: str = "",
) -> JobEntry:
    """The entry of a job in a given state.

    ``at``: time of the change.  ``sealed``: the encrypted payload, only for jobs that may run again.  ``error`` is cut to
    300 characters.
    """
    return JobEntry(
        job_id=job.id,
        kind=job.kind,
        scope=job.scope,
        state=state,
        attempt=attempt,
        trigger=job.trigger,
        created_at=job.created_at,
        updated_at=at,
        not_before=not_before,
        error=error[:MAX_ERROR_CHARS],
        summary=summary,
        sealed_payload=sealed,
    )


async def load_entry(job_store: JobStore, job: Job, *, at: datetime) -> JobEntry:
    """The stored entry of a running job, or a new one.  Raises: EngineUnavailable."""
    found = await job_store.get([job.ref])
    return found[0] if found else entry_from_job(job, "running", at=at)


def is_from_future(entry: JobEntry, now: datetime) -> bool:
    """Whether the clock has been set back since the entry was changed.  Its ``not_before`` says nothing then."""
    return entry.updated_at > now + TOLERANCE


def is_waiting(entry: JobEntry, now: datetime) -> bool:
    """Whether a deferred job is not due yet."""
    return entry.not_before is not None and entry.not_before > now and not is_from_future(entry, now)


def job_from_entry(entry: JobEntry) -> Job:
    """The job of an entry, without its payload."""
    return Job(
        id=entry.job_id,
        kind=entry.kind,
        scope=entry.scope,
        payload={},
        created_at=entry.created_at,
        attempt=entry.attempt,
        trigger=entry.trigger,
    )
