"""`serve`: the HTTP listener over a running stack, a deployment, or an own stack."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated

import typer

from ...bus.address import BusAddress
from ...bus.pulsar_driver import DirectBackend
from ...embedded import EmbeddedStack
from ...errors import ConfigurationError
from ...stack_state import running_stack
from ..application import app
from ..connection import find_deployment, open_bus, start_stack
from ..console import escape
from ..options import Options, Session, command, until_stopped

Lease = Callable[[], DirectBackend] | None


@command(app, "serve")
async def serve(
    session: Session,
    host: Annotated[
        str, typer.Option("--host", show_default=False, help="Address to bind. Default: REACT_MEM_HTTP_HOST.")
    ] = "",
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, show_default=False, help="Port. Default: REACT_MEM_HTTP_PORT.")
    ] = None,
) -> None:
    """Serve the HTTP interface until Ctrl-C: over --bus, the stack that runs here, or a stack of its own.

    `react-mem up` serves it too. `react-mem keys create` makes the key that each client needs.
    """
    from ...http.server import listen  # here: the other commands start faster without it
    from ...http.settings import HttpSettings

    given = {name: value for name, value in (("host", host), ("port", port)) if value not in ("", None)}
    settings = HttpSettings.load(**given)
    options = session.options
    async with served_stack(session) as (address, who, lease):
        async with open_bus(address, options) as bus:
            await bus.check()
        found = listen(
            address,
            options.data_dir,
            settings,
            flow=options.flow,
            find_loss=lambda: _loss(options, address),
            lease=lease,
        )
        async with found as server:
            session.screen.say(f"[bold green]ready[/bold green] at {escape(server.url)}, over {escape(who)}; Ctrl-C stops.")
            session.screen.data({"event": "ready", "http": server.url})
            if not settings.is_loopback:
                session.screen.note(WARNING)
            await until_stopped()
            session.screen.say("stopping: running requests are finished first")
    session.screen.say("stopped")
    session.screen.data({"event": "stopped"})


WARNING = (
    "the listener is reachable from other machines without encryption: put a proxy with TLS before it, or leave it on loopback"
)


@asynccontextmanager
async def served_stack(session: Session) -> AsyncIterator[tuple[BusAddress, str, Lease]]:
    """The broker behind the listener, a description, and the connection of a stack in this process."""
    options = session.options
    found = find_deployment(options)
    if found is not None:
        yield *found, None
        return
    async with start_stack(session, options.model) as own:
        yield own.address, f"a stack of its own in {options.data_dir}", own.lease
        session.screen.say("stopping: running turns are finished first")
        await own.drain(own.settings.shutdown_grace)


def _loss(options: Options, address: BusAddress) -> str:
    """Why no answer can come any more: the stack that served this directory ended."""
    running = None if options.bus else running_stack(options.data_dir)
    if options.bus or (running is not None and running.address.secret == address.secret):
        return ""
    return "the stack ended, or was started again: start react-mem serve again, too"


async def start_beside(session: Session, own: EmbeddedStack, exits: AsyncExitStack) -> str:
    """The listener of `react-mem up`: its URL, "" if it is switched off or cannot start, which does not stop the stack."""
    from ...http.server import listen
    from ...http.settings import HttpSettings

    settings = HttpSettings.load()
    if not settings.enabled:
        return ""
    try:
        server = await exits.enter_async_context(
            listen(own.address, own.home, settings, flow=session.options.flow, lease=own.lease)
        )
    except ConfigurationError as error:
        session.screen.note(f"{error}; the stack runs without HTTP")
        return ""
    if not settings.is_loopback:
        session.screen.note(WARNING)
    return server.url
