"""`up`, which runs the stack in the foreground, and `doctor`, which checks the set-up."""

import asyncio
import os
import time
from typing import Annotated

import typer

from ..embedded import running_stack
from ..errors import BadRequest
from .application import app
from .connection import start_stack
from .console import escape
from .options import CHECK_FAILED, Session, command

_COLOURS = {"ok": "green", "configured": "green", "missing": "yellow", "unreachable": "red", "wrong": "red"}


@command(app, "up")
async def up(
    session: Session,
    attach: Annotated[str, typer.Option("--attach", help="Join the flows of the TrustGraph at this pulsar:// address.")] = "",
) -> int | None:
    """Run the stack (broker, stores, models, agent) until Ctrl-C. Other commands connect to it."""
    options = session.options
    running = running_stack(options.data_dir)
    if running is not None:
        raise BadRequest(f"a stack (process {running.pid}) already serves {options.data_dir}: stop it, or use another --data")
    began = time.monotonic()
    async with start_stack(session, options.model, attach=options.address(attach) if attach else None) as own:
        seconds = time.monotonic() - began
        for name, value in own.description.items():
            session.screen.say(f"{name:11} {escape(value)}")
        session.screen.say(
            f"[bold green]ready[/bold green] in {seconds:.1f} s. Run `react-mem chat` in another terminal; Ctrl-C stops."
        )
        session.screen.data(
            {"event": "ready", "pid": os.getpid(), "address": own.pulsar_url, "seconds": round(seconds, 3), **own.description}
        )
        await _until_stopped()
        session.screen.say("stopping")
    session.screen.say("stopped; all confirmed turns are on disk")
    session.screen.data({"event": "stopped"})
    return None


async def _until_stopped() -> None:
    """Ctrl-C and SIGTERM cancel this task.  The cancellation is caught so that the stack shuts down cleanly."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()


@command(app, "doctor")
async def doctor(
    session: Session,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every stored record and vector, and find damaged ones.")
    ] = False,
) -> int | None:
    """Check the set-up: what is configured, reachable or missing, and how to fix it."""
    from .doctor import diagnose, diagnose_stores  # imported late: it loads the model fetcher

    findings = await diagnose(session.options)
    if deep:
        findings += await diagnose_stores(session.options)
    for finding in findings:
        colour = _COLOURS.get(finding.state, "white")
        session.screen.say(
            f"[{colour}]{finding.state:11}[/{colour}] [bold]{escape(finding.name)}[/bold]: {escape(finding.detail)}"
        )
        if finding.remedy:
            session.screen.say(f"{'':11} → {escape(finding.remedy)}")
    bad = [finding for finding in findings if finding.state in ("missing", "unreachable", "wrong")]
    session.screen.data({"findings": findings, "ok": not bad})
    return CHECK_FAILED if bad else None
