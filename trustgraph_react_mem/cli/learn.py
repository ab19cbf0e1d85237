"""`learn`: show, pretrain and reset what the ranking of a scope has learned."""

import asyncio
import json
from typing import Annotated, Any

import typer

from ..errors import EngineUnavailable, MemoryServiceError, NotFound
from ..memory.ports import ENDED
from ..memory.requests import GetJob, GetLearningStatus, SubmitJob
from .application import app
from .connection import call, connect, send
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
    response = await send(session, GetLearningStatus())
    state: dict[str, Any] = json.loads(response.data or "{}")
    show(session.screen, state)
    session.screen.data(state)


@command(learn_app, "pretrain")
async def pretrain(
    session: Session,
    passes: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of passes over the stored turns.")] = 5,
) -> None:
    """Train offline on the newest rewarded turns (at least 10 with citations). The result is kept only if it ranks better."""
    result = await _run_job(session, {"pretrain": {"passes": passes}})
    if result.get("turns", 0) < 10:
        session.screen.say(f"nothing trained: {count_of(result.get('turns', 0), 'stored turn')} with citations, 10 needed")
    elif not result.get("changed"):
        session.screen.say(
            f"nothing kept: no pass over {count_of(result['turns'], 'turn')} improved the ranking of the held-out turns"
        )
    else:
        session.screen.say(
            f"passes kept: {result['passes']}, over {count_of(result['turns'], 'turn')}; mean reciprocal rank of the first "
            f"cited memory {result['before']:.3f} → {result['after']:.3f}"
        )
    session.screen.data(result)


@command(learn_app, "reset")
async def reset(session: Session, yes: YesOption = False) -> None:
    """Delete what the ranking has learned. Memories are not changed."""
    confirm(session, yes, "Delete what the ranking has learned in this scope for good?")
    result = await _run_job(session, {"reset": True})
    session.screen.say("reset to the order of retrieval" if result.get("reset") else "nothing was learned in this scope")
    session.screen.data(result)


async def _run_job(session: Session, payload: dict[str, Any]) -> dict[str, Any]:
    """The numbers of the job's summary: ``turns=12 changed=1 {"before": ...}``.

    Raises: EngineUnavailable (timeout), MemoryServiceError (the job failed).
    """
    async with connect(session) as bus:
        job_id = (await call(session, bus, SubmitJob(kind="reward", payload=json.dumps(payload)))).job_id
        for _ in range(int(JOB_TIMEOUT_S / PAUSE_S)):
            try:
                [job] = (await call(session, bus, GetJob(id=job_id))).jobs
            except NotFound:  # not stored yet
                job = None
            if job is not None and job.status == "done":
                words, brace, rest = job.summary.partition("{")
                counts = {name: int(value) for name, _, value in (word.partition("=") for word in words.split())}
                return {**counts, **(json.loads(brace + rest) if brace else {})}
            if job is not None and job.status in ENDED:
                raise MemoryServiceError(f"job {job_id} failed: {job.error or job.status}")
            await asyncio.sleep(PAUSE_S)
    raise EngineUnavailable(f"timeout: `react-mem jobs show {job_id}` shows whether the job has finished")
