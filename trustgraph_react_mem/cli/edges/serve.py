"""The HTTP listener: of `serve`, which runs it over a running stack, a deployment or an own stack; of `up`, and of `ui`."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import ConfigurationError
from ...stack_state import running_stack
from ..application import app
from ..connection import Served, open_bus, start_stack, wait_for_deployment
from ..console import configure_logs, escape
from ..options import Session, command, until_stopped

if TYPE_CHECKING:  # the other commands start faster without it
    from ...embedded import EmbeddedStack
    from ...http.server import HttpServer
    from ...http.settings import HttpSettings


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
    from ...http.settings import HttpSettings

    given = {name: value for name, value in (("host", host), ("port", port)) if value not in ("", None)}
    settings = HttpSettings.load(**given)
    async with served_stack(session) as served, run_listener(session, served, settings) as server:
        session.screen.say(f"[bold green]ready[/bold green] at {escape(server.url)}, over {escape(served.who)}; Ctrl-C stops.")
        session.screen.data({"event": "ready", "http": server.url})
        await until_stopped()
        session.screen.say("stopping: running requests are finished first")
    session.screen.say("stopped")
    session.screen.data({"event": "stopped"})


WARNING = (
    "the listener is reachable from other machines without encryption: put a proxy with TLS before it, or leave it on loopback"
)


@asynccontextmanager
async def served_stack(session: Session) -> AsyncIterator[Served]:
    """The broker of --bus or of the stack that runs here, or that of an own stack.  Raises: EngineUnavailable."""
    configure_logs()
    options = session.options
    found = await wait_for_deployment(session)
    if found is not None:
        async with open_bus(found.address, options) as bus:
            await bus.check()
        yield found
        return
    async with start_stack(session, options.model) as own:
        yield Served(address=own.address, who=f"a stack of its own in {options.data_dir}", lease=own.lease)
        session.screen.say("stopping: running turns are finished first")
        await own.drain(own.settings.shutdown_grace)


@asynccontextmanager
async def run_listener(session: Session, served: Served, settings: "HttpSettings") -> AsyncIterator["HttpServer"]:
    """The listener over a broker, with a warning if other machines reach it.  Raises: ConfigurationError."""
    from ...http.server import listen

    options = session.options
    started = running_stack(options.data_dir)

    def find_loss() -> str:
        if options.bus or served.lease or running_stack(options.data_dir) == started:
            return ""
        return "the stack ended, or was started again: start the listener again, too"

    listening = listen(served.address, options.data_dir, settings, flow=options.flow, find_loss=find_loss, lease=served.lease)
    async with listening as server:
        if not settings.is_loopback:
            session.screen.note(WARNING)
        yield server


async def start_beside(session: Session, own: "EmbeddedStack", exits: AsyncExitStack) -> str:
    """The listener of `react-mem up`: its URL, "" if it is switched off or cannot start, which does not stop the stack."""
    from ...http.settings import HttpSettings

    settings = HttpSettings.load()
    if not settings.enabled:
        return ""
    served = Served(address=own.address, who="this stack", lease=own.lease)
    try:
        return (await exits.enter_async_context(run_listener(session, served, settings))).url
    except ConfigurationError as error:
        session.screen.note(f"{error}; the stack runs without HTTP")
        return ""
