"""`up`, which runs the stack in the foreground, and `doctor`, which checks the set-up."""

import os
import time
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from ..errors import BadRequest
from ..stack_state import running_stack
from .application import app
from .connection import open_bus, start_stack
from .console import configure_logs, escape
from .options import CHECK_FAILED, Session, command, until_stopped
from .serve import start_beside

_GOOD = {"ok": "green", "configured": "green", "limited": "yellow"}
_BAD = {"missing": "yellow", "unreachable": "red", "wrong": "red"}


@command(app, "up")
async def up(
    session: Session,
    attach: Annotated[
        str,
        typer.Option("--attach", help="Join the flows of the TrustGraph whose broker has this address (pulsar://, amqp://)."),
    ] = "",
) -> int | None:
    """Run the stack (stores, models, agent) until Ctrl-C. Other commands connect to it."""
    configure_logs()
    options = session.options
    running = running_stack(options.data_dir)
    if running is not None:
        raise BadRequest(f"a stack (process {running.pid}) already serves {options.data_dir}: stop it, or use another --data")
    began = time.monotonic()
    joined = options.address(attach) if attach else None
    if joined:
        async with open_bus(joined, options):
            pass  # the broker answers; otherwise the error names its address
    async with (
        start_stack(session, options.model, attach=joined) as own,
        AsyncExitStack() as listening,
    ):
        http = await start_beside(session, own, listening)
        seconds = time.monotonic() - began
        description = {**own.description, **({"http": http} if http else {})}
        for name, value in description.items():
            session.screen.say(f"{name:11} {escape(value)}")
        session.screen.say(
            f"[bold green]ready[/bold green] in {seconds:.1f} s. Run `react-mem chat` in another terminal; Ctrl-C stops."
        )
        session.screen.data(
            {"event": "ready", "pid": os.getpid(), "address": own.url, "seconds": round(seconds, 3), **description}
        )
        await until_stopped()
        session.screen.say("stopping: running turns are finished first")
        await listening.aclose()
        if late := await own.drain(own.settings.shutdown_grace):
            session.screen.problem(f"{late} turns were not finished in {own.settings.shutdown_grace:g} s and failed")
    session.screen.say("stopped; all confirmed turns are on disk")
    session.screen.data({"event": "stopped"})
    return None


@command(app, "doctor")
async def doctor(session: Session) -> int | None:
    """Check the set-up: what is configured, reachable or missing, and how to fix it."""
    from .doctor import diagnose  # imported late: it loads the model fetcher

    findings = await diagnose(session.options)
    for finding in findings:
        colour = (_GOOD | _BAD)[finding.state]
        session.screen.say(
            f"[{colour}]{finding.state:11}[/{colour}] [bold]{escape(finding.name)}[/bold]: {escape(finding.detail)}"
        )
        if finding.remedy:
            session.screen.say(f"{'':11} → {escape(finding.remedy)}")
    bad = [finding for finding in findings if finding.state in _BAD]
    session.screen.data({"findings": findings, "ok": not bad})
    return CHECK_FAILED if bad else None
