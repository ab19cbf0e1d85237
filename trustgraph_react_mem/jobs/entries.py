"""Entries of the job store, made from jobs, and jobs made from them."""

from datetime import datetime

from ..memory.ports import Job, JobEntry, JobState

LONGEST_ERROR = 300


def entry_of(
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
    """``sealed``: the encrypted payload, kept only while the job may run again."""
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
        error=error[:LONGEST_ERROR],
        summary=summary,
        sealed_payload=sealed,
    )


def job_of(entry: JobEntry) -> Job:
    """Without its payload."""
    return Job(
        id=entry.job_id,
        kind=entry.kind,
        scope=entry.scope,
        payload={},
        created_at=entry.created_at,
        attempt=entry.attempt,
        trigger=entry.trigger,
    )
