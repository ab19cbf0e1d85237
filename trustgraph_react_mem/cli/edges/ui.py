"""`ui`: opens the web page."""

import asyncio
import webbrowser
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from ...errors import BadRequest
from ..application import app
from ..connection import wait_for_deployment
from ..console import escape
from ..options import Session, command, until_stopped
from .serve import run_listener, served_stack

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
    from ...http.settings import HttpSettings
    from ...http.ui.address import find_listener
    from ...local_url import local_url

    options = session.options
    if not options.user:
        raise BadRequest("--user '' names the shared memory, and the page shows the memory of one user: name the user")
    async with AsyncExitStack() as exits:
        deployment = await wait_for_deployment(session)
        url = await find_listener(options.data_dir, deployment.address.url) if deployment else ""
        if url:
            await _open(session, url, browser)
            return
        served = await exits.enter_async_context(served_stack(session))
        server = await exits.enter_async_context(run_listener(session, served, HttpSettings.load()))
        await _open(session, local_url(server.url), browser)
        session.screen.say("the page works until Ctrl-C")
        await until_stopped()


async def _open(session: Session, url: str, browser: bool) -> None:
    from ...http.keys import KeyFile

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
