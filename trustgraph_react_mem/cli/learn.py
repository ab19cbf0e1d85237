"""`learn`: show, pretrain and reset what the ranking of a scope has learned."""

import asyncio
import json
import time
from typing import Annotated, Any

import typer

from ..bus.external_client import MemoryBus
from ..errors import EngineUnavailable, MemoryServiceError, NotFound
from ..memory.ports import ENDED
from ..memory.requests import GetJob, GetLearningStatus, SubmitJob
from ..schema import JobStatus
from .application import app
from .connection import connect
from .console import count_of
from .options import Session, YesOption, command, confirm
from .views.learning import show

JOB_TIMEOUT_S = 120.0
PAUSE_S = 0.1

learn_app = typer.Typer(help="What the ranking has learned: status, pretrain, reset.", no_args_is_help=True)
app.add_typer(learn_app, name="learn")


@command(learn_app, "status")
async def status(session: Session) -> None:
    """Show what the ranking has learned, and its reward, citation rate and recall over time."""
    async with connect(session) as bus:
        response = await bus.call(GetLearningStatus(**session.scope_fields))
    state: dict[str, Any] = json.loads(response.data or "{}")
    show(session.screen, state)
    session.screen.data(state)


@command(learn_app, "pretrain")
async def pretrain(
    session: Session,
    passes: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of passes over the stored turns.")] = 5,
) -> None:
    """Train offline on the newest rewarded turns (at least 10 with citations). The result is kept only if it ranks better."""
    async with connect(session) as bus:
        job = await _submit(bus, session, {"pretrain": {"passes": passes}})
    summary, scores = _parse_summary(job)
    if summary.get("turns", 0) < 10:
        session.screen.say(f"nothing trained: {count_of(summary.get('turns', 0), 'stored turn')} with citations, 10 needed")
    elif not summary.get("changed"):
        session.screen.say(
            f"nothing kept: no pass over {count_of(summary['turns'], 'turn')} improved the ranking of the held-out turns"
        )
    else:
        better = f"{scores['before']:.3f} → {scores['after']:.3f}"
        session.screen.say(
            f"passes kept: {summary['passes']}, over {count_of(summary['turns'], 'turn')}; "
            f"mean reciprocal rank of the first cited memory {better}"
        )
    session.screen.data({**summary, **scores})


@command(learn_app, "reset")
async def reset(session: Session, yes: YesOption = False) -> None:
    """Delete what the ranking has learned. Memories are not changed."""
    confirm(session, yes, "Delete what the ranking has learned in this scope for good?")
    async with connect(session) as bus:
        job = await _submit(bus, session, {"reset": True})
    summary, _ = _parse_summary(job)
    session.screen.say("reset to the order of retrieval" if summary.get("reset") else "nothing was learned in this scope")
    session.screen.data(summary)


async def _submit(bus: MemoryBus, session: Session, payload: dict[str, Any]) -> JobStatus:
    request = SubmitJob(kind="reward", payload=json.dumps(payload), **session.scope_fields)
    return await _wait_for_job(bus, session, (await bus.call(request)).job_id)


async def _wait_for_job(bus: MemoryBus, session: Session, job_id: str) -> JobStatus:
    """Raises: EngineUnavailable (timeout), MemoryServiceError (the job failed)."""
    until = time.monotonic() + JOB_TIMEOUT_S
    while time.monotonic() < until:
        try:
            found = (await bus.call(GetJob(id=job_id, **session.scope_fields))).jobs
        except NotFound:  # not stored yet
            found = []
        if found and found[0].status == "done":
            return found[0]
        if found and found[0].status in ENDED:
            raise MemoryServiceError(f"job {job_id} failed: {found[0].error or found[0].status}")
        await asyncio.sleep(PAUSE_S)
    raise EngineUnavailable(
        f"timeout: job {job_id} did not finish within {JOB_TIMEOUT_S:g} s; check it with `react-mem jobs show {job_id}`"
    )


def _parse_summary(job: JobStatus) -> tuple[dict[str, int], dict[str, float]]:
    """The numbers of a job's summary, and the JSON behind them."""
    words, brace, rest = job.summary.partition("{")
    counts = {name: int(value) for name, _, value in (word.partition("=") for word in words.split())}
    return counts, json.loads(brace + rest) if brace else {}
