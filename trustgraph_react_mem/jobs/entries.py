"""Conversion between jobs and entries of the job store."""

from datetime import datetime

from ..memory.ports import Job, JobEntry, JobState

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
