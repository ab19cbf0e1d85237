"""The HTTP listener: of `serve`, which runs it over a running stack, a deployment or an own stack; of `up`, and of `ui`, which
opens its web page."""

import asyncio
import webbrowser
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadRequest, ConfigurationError
from ..stack_state import running_stack
from .application import app
from .connection import Served, open_bus, start_stack, wait_for_deployment
from .console import configure_logs, escape
from .options import Session, command, until_stopped

if TYPE_CHECKING:  # the other commands start faster without it
    from ..embedded import EmbeddedStack
    from ..http.server import HttpServer
    from ..http.settings import HttpSettings


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
    from ..http.settings import HttpSettings

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
    from ..http.server import listen

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
    from ..http.settings import HttpSettings

    settings = HttpSettings.load()
    if not settings.enabled:
        return ""
    served = Served(address=own.address, who="this stack", lease=own.lease)
    try:
        return (await exits.enter_async_context(run_listener(session, served, settings))).url
    except ConfigurationError as error:
        session.screen.note(f"{error}; the stack runs without HTTP")
        return ""


LINK_S = 600


@command(app, "ui")
async def ui(
    session: Session,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser, or only print its link.")
    ] = True,
) -> None:
    """Open the web page: ask, see what is remembered and why, correct it, erase it.

    The page belongs to the listener of `react-mem up` or `react-mem serve`; without one, this command starts it and runs until
    Ctrl-C. The link signs one browser in, once, within 10 minutes.
    """
    from ..http.settings import HttpSettings
    from ..http.ui.address import find_listener
    from ..local_url import local_url

    options = session.options
    if not options.user:
        raise BadRequest("--user '' names the shared memory, and the page shows the memory of one user: name the user")
    async with AsyncExitStack() as exits:
        deployment = await wait_for_deployment(session)
        url = await find_listener(options.data_dir, deployment.address.url) if deployment else ""
        if url:
            await _open_page(session, url, browser)
            return
        served = await exits.enter_async_context(served_stack(session))
        server = await exits.enter_async_context(run_listener(session, served, HttpSettings.load()))
        await _open_page(session, local_url(server.url), browser)
        session.screen.say("the page works until Ctrl-C")
        await until_stopped()


async def _open_page(session: Session, url: str, browser: bool) -> None:
    from ..http.keys import KeyFile

    options = session.options
    link, secret = await asyncio.to_thread(
        KeyFile(options.data_dir).create,
        "user",
        workspace=options.workspace,
        user=options.user,
        collections=[options.collection],
        label="link to the web page",
        link_s=LINK_S,
    )
    page = f"{url}/ui/#token={secret}"
    opened = browser and not options.json_output and await asyncio.to_thread(webbrowser.open, page)
    if opened:
        session.screen.say(f"opened {escape(url)}/ui/ in the browser")
    else:
        session.screen.say(f"open this link within {LINK_S // 60} minutes; it signs one browser in:")
        session.screen.say(escape(page))
    session.screen.data({"url": page, "user": options.user, "collection": options.collection, "until": link.link_until})
