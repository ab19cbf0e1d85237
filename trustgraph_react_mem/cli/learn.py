"""How the ranking of a scope learns: seen, carried out and in, trained again, reset."""

import asyncio
import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, EngineUnavailable, MemoryServiceError, NotFound
from ..memory.requests import ExportWeights, GetJob, GetLearningStatus, ImportWeights, SubmitJob
from ..schema import JobStatus
from .application import app
from .connection import connected
from .console import counted, escape
from .options import Session, YesOption, command, confirm
from .views.learning import draw, show

JOB_TIMEOUT_S = 120.0
PAUSE_S = 0.1
ENDED = ("done", "dead", "cancelled")

learn_app = typer.Typer(help="How the ranking learns: status, pretrain, export, import, reset.", no_args_is_help=True)
app.add_typer(learn_app, name="learn")


@command(learn_app, "status")
async def status(
    session: Session,
    png: Annotated[Path | None, typer.Option("--png", help="Write the curves to this file (needs matplotlib).")] = None,
) -> None:
    """What is learned now, and reward, citation rate, recall and sizes over time."""
    async with connected(session) as bus:
        response = await bus.call(GetLearningStatus(**session.scope_fields))
    state: dict[str, Any] = json.loads(response.data or "{}")
    show(session.screen, state)
    if png is not None:
        draw(state.get("rows") or [], png)
        session.screen.say(f"written: {escape(str(png))}")
    session.screen.data(state)


@command(learn_app, "export")
async def export_weights(session: Session, file: Annotated[Path, typer.Argument(help="The file to write.")]) -> None:
    """The learned weights of a scope, as JSON."""
    async with connected(session) as bus:
        response = await bus.call(ExportWeights(**session.scope_fields))
    try:
        file.write_text(response.data + "\n", encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"{file} cannot be written ({error.strerror}): name a file in a folder that exists") from None
    session.screen.say(f"written: {escape(str(file))}")
    session.screen.data({"file": file})


@command(learn_app, "import")
async def import_weights(
    session: Session, file: Annotated[Path, typer.Argument(help="An export of learned weights.")], yes: YesOption = False
) -> None:
    """Take over learned weights of the same embedding model, in place of what is learned here."""
    if not file.is_file():
        raise BadRequest(f"there is no file {file}: check the path")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadRequest(f"{file} is not an export of learned weights: `react-mem learn export` writes one") from None
    async with connected(session) as bus:
        if await _learned(bus, session):
            confirm(session, yes, "What is learned here is replaced for good: go on?")
        response = await bus.call(ImportWeights(weights=text, **session.scope_fields))
        await _done(bus, session, response.stats["job"])
    session.screen.say("the weights are taken over")
    session.screen.data({"file": file})


@command(learn_app, "pretrain")
async def pretrain(
    session: Session,
    passes: Annotated[int, typer.Option(min=1, max=50, help="Most passes over the stored turns.")] = 5,
) -> None:
    """Train offline on the newest rewarded turns (at least 10 that cite something); kept only where it ranks better."""
    async with connected(session) as bus:
        job = await _submitted(bus, session, {"pretrain": {"passes": passes}})
    told, note = _told(job)
    if told.get("turns", 0) < 10:
        session.screen.say(f"nothing trained: {counted(told.get('turns', 0), 'stored turn')} with a citation, 10 are needed")
    elif not told.get("changed"):
        session.screen.say(
            f"nothing kept: no pass over {counted(told['turns'], 'turn')} ranked those that were held out better"
        )
    else:
        better = f"{note['before']:.3f} → {note['after']:.3f}"
        session.screen.say(
            f"passes kept: {told['passes']}, over {counted(told['turns'], 'turn')}: 1 / place of the first cited, {better}"
        )
    session.screen.data({**told, **note})


@command(learn_app, "reset")
async def reset(session: Session, yes: YesOption = False) -> None:
    """Forget what the ranking has learned; memories stay as they are."""
    confirm(session, yes, "Forget what the ranking has learned here, for good?")
    async with connected(session) as bus:
        job = await _submitted(bus, session, {"reset": True})
    told, _ = _told(job)
    session.screen.say("forgotten: retrieval's own order again" if told.get("reset") else "nothing was learned here")
    session.screen.data(told)


async def _learned(bus: MemoryBus, session: Session) -> bool:
    try:
        await bus.call(ExportWeights(**session.scope_fields))
    except NotFound:
        return False
    return True


async def _submitted(bus: MemoryBus, session: Session, payload: dict[str, Any]) -> JobStatus:
    request = SubmitJob(kind="reward", payload=json.dumps(payload), **session.scope_fields)
    return await _done(bus, session, (await bus.call(request)).job_id)


async def _done(bus: MemoryBus, session: Session, job_id: str) -> JobStatus:
    """Raises: EngineUnavailable when it does not end, MemoryServiceError when it failed."""
    until = time.monotonic() + JOB_TIMEOUT_S
    while time.monotonic() < until:
        try:
            found = (await bus.call(GetJob(id=job_id, **session.scope_fields))).jobs
        except NotFound:  # on its way
            found = []
        if found and found[0].status == "done":
            return found[0]
        if found and found[0].status in ENDED:
            raise MemoryServiceError(f"job {job_id} failed: {found[0].error or found[0].status}")
        await asyncio.sleep(PAUSE_S)
    raise EngineUnavailable(
        f"job {job_id} did not end in {JOB_TIMEOUT_S:g} s: `react-mem jobs show {job_id}` tells where it is"
    )


def _told(job: JobStatus) -> tuple[dict[str, int], dict[str, float]]:
    """The numbers of a job's summary, and the JSON behind them."""
    words, brace, rest = job.summary.partition("{")
    counts = {name: int(value) for name, _, value in (word.partition("=") for word in words.split())}
    return counts, json.loads(brace + rest) if brace else {}
