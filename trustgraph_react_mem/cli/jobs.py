"""`jobs`: list, show, replay, drop, cancel, submit and wait for background jobs."""

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from ..bus.external_client import MemoryBus
from ..memory.requests import CancelJob, DropJob, GetJob, GetJobStats, ListJobs, ReplayJob, SubmitJob, WaitUntilIdle
from ..memory.requests.fields import Limit
from ..schema import JobStatus
from .application import app
from .connection import call, connect, send
from .console import count_of, escape
from .options import CHECK_FAILED, Session, command, option

FILES_EVERY_S = 0.5  # how often the receipt of an erasure is read while its files are rewritten
MOST_LISTED = 10_000
STATES = ("queued", "running", "done", "deferred", "dead", "cancelled")

jobs_app = typer.Typer(help="Background jobs: list, show, replay, drop, cancel, submit, wait.", no_args_is_help=True)
app.add_typer(jobs_app, name="jobs")

JobArgument = Annotated[str, typer.Argument(help="Job id; see `react-mem jobs list`.")]


@command(jobs_app, "list")
async def list_(
    session: Session,
    status: Annotated[str, typer.Option(help=f"Only jobs in this state: {', '.join(STATES)}.")] = "",
    everyone: Annotated[bool, typer.Option("--all", help="Include all users and collections.")] = False,
    limit: Annotated[int, option(Limit)] = 50,
) -> None:
    """List recent and waiting jobs, last changed first."""
    async with connect(session) as bus:
        response = await call(session, bus, ListJobs(status=status, all_scopes=everyone, limit=limit))
        stats = (await call(session, bus, GetJobStats())).stats
    rows = [
        [
            job.id,
            *([job.user, job.collection] if everyone else []),
            *[job.kind, job.status, str(job.attempt), job.trigger, job.updated_at[:19], job.error or describe_summary(job)],
        ]
        for job in response.jobs
    ]
    owner = ["user", "collection"] if everyone else []
    session.screen.table("jobs", ["id", *owner, "kind", "status", "attempt", "trigger", "updated", "result"], rows)
    if progress := describe_migration(stats):
        session.screen.say(f"embedding model: {escape(progress)}")
    session.screen.data({"jobs": response.jobs, "stats": stats})


@command(jobs_app, "show")
async def show(session: Session, job_id: JobArgument) -> None:
    """Show one job: state, error, result."""
    response = await send(session, GetJob(id=job_id))
    [job] = response.jobs
    for name, value in {**vars(job), "summary": describe_summary(job)}.items():
        if value:
            session.screen.say(f"[bold]{name:12}[/bold] {escape(str(value))}")
    session.screen.data({"job": job, "data": json.loads(response.data) if response.data else None})


@command(jobs_app, "replay")
async def replay(session: Session, job_id: JobArgument) -> None:
    """Run a dead or deferred job again."""
    await _manage(session, ReplayJob, job_id, "replayed")


@command(jobs_app, "drop")
async def drop(session: Session, job_id: JobArgument) -> None:
    """Delete a dead or deferred job and its payload."""
    await _manage(session, DropJob, job_id, "dropped")


@command(jobs_app, "cancel")
async def cancel(session: Session, job_id: JobArgument) -> None:
    """Cancel an unfinished job."""
    await _manage(session, CancelJob, job_id, "cancelled")


@command(jobs_app, "submit")
async def submit(
    session: Session,
    kind: Annotated[str, typer.Argument(help="Kind, such as understand. For an unknown kind, the error lists all.")],
    payload: Annotated[str, typer.Option(help='Payload: a JSON object such as {"conversation_id": "..."}.')] = "{}",
) -> None:
    """Submit a job now."""
    response = await send(session, SubmitJob(kind=kind, payload=payload), model=True)
    _report(session, "submitted", response.job_id)


@command(jobs_app, "wait")
async def wait(
    session: Session,
    kind: Annotated[Literal["record"] | None, typer.Option(help="'record': do not wait for jobs that call a model.")] = None,
    timeout: Annotated[float, typer.Option(min=0.0, help="Timeout in seconds.")] = 60.0,
) -> int | None:
    """Wait until all jobs of the scope are finished."""
    response = await send(session, WaitUntilIdle(kind=kind or "", timeout_s=timeout), model=True)
    session.screen.say("idle" if not response.count else f"{count_of(response.count, 'job')} unfinished after {timeout:g} s")
    session.screen.data({"waiting": response.count})
    return CHECK_FAILED if response.count else None


async def _manage(session: Session, operation: type[ReplayJob | DropJob | CancelJob], job_id: str, done: str) -> None:
    await send(session, operation(id=job_id), model=operation is ReplayJob)
    _report(session, done, job_id)


def _report(session: Session, what: str, job_id: str) -> None:
    session.screen.say(f"{what}: {escape(job_id)}")
    session.screen.data({what: job_id})


def describe_summary(job: JobStatus) -> str:
    """The result of a job; the receipt of an erasure as a sentence.

    >>> describe_summary(JobStatus(kind="extract", summary="facts=3"))
    'facts=3'
    >>> places = {"graph.facts": {"found": 2, "removed": 2, "left": 0}, "jobs": {"found": 1, "removed": 1, "left": 0}}
    >>> describe_summary(JobStatus(kind="forget", summary=json.dumps({"level": "record", "complete": True, "places": places})))
    'record: 3 found, 3 removed (graph.facts 2, jobs 1); complete'
    """
    if job.kind != "forget" or not job.summary.startswith("{"):
        return job.summary
    receipt = json.loads(job.summary)
    places: dict[str, dict[str, int]] = receipt.get("places", {})
    found, removed, left = (sum(int(each.get(name, 0)) for each in places.values()) for name in ("found", "removed", "left"))
    where = ", ".join(f"{place} {each['found']}" for place, each in places.items() if each.get("found"))
    done = "complete" if receipt.get("complete", not left) else f"{left} left"
    return f"{receipt.get('level', '')}: {found} found, {removed} removed{f' ({where})' if where else ''}; {done}"


def describe_migration(stats: Mapping[str, str]) -> str:
    """Progress of an embedding migration, or "" if none is running.

    >>> describe_migration({"former_embedding": "a", "embedding": "b", "scopes_to_embed": "2", "records_to_embed": "70"})
    'changing from a to b: 2 scopes with 70 records remain; until then they are searched as before'
    """
    if not stats.get("former_embedding"):
        return ""
    how = "by keyword only" if stats.get("former_by_words") == "true" else "as before"
    return (
        f"changing from {stats['former_embedding']} to {stats['embedding']}: {stats['scopes_to_embed']} scopes with "
        f"{stats['records_to_embed']} records remain; until then they are searched {how}"
    )


async def wait_for_files(bus: MemoryBus, session: Session, job_id: str, receipt: dict[str, Any]) -> dict[str, Any]:
    """The receipt once the files of the engines have been rewritten.  Shows the progress."""
    shown = ""
    while (receipt.get("files") or {}).get("state") == "pending":
        await asyncio.sleep(FILES_EVERY_S)
        stats = (await call(session, bus, GetJobStats())).stats
        if stats.get("files", "") not in ("", shown):
            shown = stats["files"]
            session.screen.note(shown)
        receipt = json.loads((await call(session, bus, GetJob(id=job_id))).data)
    return receipt
