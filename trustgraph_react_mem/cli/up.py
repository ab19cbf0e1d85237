"""`up`, which runs the stack in the foreground, `doctor`, which checks the set-up, and `repair`, which mends the bus."""

import asyncio
import os
import time
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from ..embedded import BUS_DIRECTORY
from ..errors import BadRequest, EngineUnavailable
from ..stack_state import lock_directory, running_stack
from .application import app
from .connection import open_bus as reach
from .connection import start_stack
from .console import configure_logs, escape
from .edges.serve import start_beside
from .options import CHECK_FAILED, Session, command, until_stopped

_GOOD = {"ok": "green", "configured": "green", "limited": "yellow"}
_BAD = {"missing": "yellow", "unreachable": "red", "wrong": "red"}


@command(app, "up")
async def up(
    session: Session,
    attach: Annotated[str, typer.Option("--attach", help="Join the flows of the TrustGraph at this pulsar:// address.")] = "",
    open_bus: Annotated[
        bool,
        typer.Option(
            "--open-bus",
            help="Serve every account of this machine. TrustGraph's own tools need it: they do not know the stack's secret.",
        ),
    ] = False,
) -> int | None:
    """Run the stack (broker, stores, models, agent) until Ctrl-C. Other commands connect to it."""
    configure_logs()
    options = session.options
    running = running_stack(options.data_dir)
    if running is not None:
        raise BadRequest(f"a stack (process {running.pid}) already serves {options.data_dir}: stop it, or use another --data")
    began = time.monotonic()
    joined = options.address(attach) if attach else None
    if joined:
        async with reach(joined, options):
            pass  # the broker answers; otherwise the error names its address
    async with (
        start_stack(session, options.model, attach=joined, every_account=open_bus) as own,
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
            {"event": "ready", "pid": os.getpid(), "address": own.pulsar_url, "seconds": round(seconds, 3), **description}
        )
        if open_bus and not attach:
            session.screen.say(
                "[bold red]WARNING: the bus is open.[/bold red] Every account and program of this machine can read, change and "
                "erase these memories while this runs. Without --open-bus only this account can."
            )
        await until_stopped()
        session.screen.say("stopping: running turns are finished first")
        await listening.aclose()
        if late := await own.drain(own.settings.shutdown_grace):
            session.screen.problem(f"{late} turns were not finished in {own.settings.shutdown_grace:g} s and failed")
    session.screen.say("stopped; all confirmed turns are on disk")
    session.screen.data({"event": "stopped"})
    return None


@command(app, "repair")
async def repair(
    session: Session, what: Annotated[str, typer.Argument(help="What to repair: `bus`, the embedded message broker.")]
) -> int | None:
    """Replace the store of a broker that does not start or deliver, and move its unfinished jobs."""
    options = session.options
    if what != "bus":
        raise BadRequest(f"{what!r} cannot be repaired: use `react-mem repair bus`")
    running = running_stack(options.data_dir)
    if running is not None:
        raise BadRequest(f"a stack (process {running.pid}) serves {options.data_dir}: stop it first")
    from ..bus.storage.retirement import retire

    with lock_directory(options.data_dir):
        try:
            await asyncio.to_thread(retire, options.data_dir / BUS_DIRECTORY, None)
        except OSError as error:
            raise EngineUnavailable(f"moving the broker's store aside failed: {error}: check space and permissions") from error
    async with start_stack(session, "none") as own:
        moved = own.salvaged
    if moved is None:
        raise BadRequest(f"{options.data_dir} has no embedded broker")
    session.screen.say(
        f"the {what} has a fresh store: {moved.moved} jobs moved, {moved.doubtful} doubtful ones kept as dead letters "
        f"(react-mem jobs list --status dead), {moved.unreadable} places could not be read"
    )
    session.screen.data({"moved": moved.moved, "doubtful": moved.doubtful, "unreadable": moved.unreadable})
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
