"""`react-mem ui`: its link signs one browser in, once, in time and under this host name; its listener may stop and return."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page

from tests.integration.http.served import Served
from trustgraph_react_mem.http.ui.address import FILE

from .conftest import WAIT_MS

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
MAIN = "from trustgraph_react_mem.cli import main; main()"


@dataclass
class Command:
    """`react-mem ui` in a process of its own."""

    process: asyncio.subprocess.Process
    link: str

    async def ended(self) -> int:
        """Its exit status, and nothing on the error output."""
        _, errors = await self.process.communicate()
        assert b"Traceback" not in errors, errors.decode()
        return int(self.process.returncode or 0)


@asynccontextmanager
async def command(home: Path, user: str) -> AsyncIterator[Command]:
    """The command over the running stack of ``home``, once it has printed its link."""
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("REACT_MEM_")},
        "REACT_MEM_HOME": str(home / "data"),
        "REACT_MEM_KEYS": str(home / "keys"),
        "REACT_MEM_HTTP_PORT": "0",
    }
    pipe = asyncio.subprocess.PIPE
    words = ("ui", "--no-browser", "--user", user, "--json")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", MAIN, *words, env=env, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(WAIT_MS / 1000):
            line = await process.stdout.readline()
        assert line, (await process.communicate())[1].decode()
        yield Command(process, json.loads(line)["url"])
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def browser_of_its_own(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context(locale="en-GB")
    context.set_default_timeout(WAIT_MS)
    yield await context.new_page()
    await context.close()


async def is_refused(page: Page) -> None:
    await page.get_by_role("heading", name="Sign in").wait_for()
    await page.get_by_role("alert").get_by_text("the key is not valid").wait_for()
    assert "token" not in page.url


async def test_the_link_opens_the_page_of_its_user_once(served: Served, chromium: Browser) -> None:
    async with command(served.home, "lea") as made:
        assert await made.ended() == 0, "a listener runs, so the command ends"
        assert urlsplit(made.link)[:3] == (*urlsplit(served.server.url)[:2], "/ui/")
        async with browser_of_its_own(chromium) as page, browser_of_its_own(chromium) as other:
            await page.goto(made.link)
            await page.get_by_text("lea", exact=True).wait_for()
            assert "token" not in page.url
            await page.reload()
            await page.get_by_text("lea", exact=True).wait_for()
            await other.goto(made.link)
            await is_refused(other)


async def test_the_command_serves_the_page_itself_until_it_is_stopped(served: Served, chromium: Browser) -> None:
    announcement = served.home / "data" / FILE
    kept = announcement.read_text("utf-8")
    announcement.unlink()
    try:
        async with command(served.home, "lea") as made, browser_of_its_own(chromium) as page:
            assert urlsplit(made.link).netloc != urlsplit(served.server.url).netloc
            assert json.loads(announcement.read_text("utf-8"))["pid"] == made.process.pid
            await page.goto(made.link)
            await page.get_by_label("Your question").fill("I tune harpsichords.")
            await page.keyboard.press("Enter")
            await page.locator("p.answer", has_text="I will remember that.").wait_for()
            made.process.send_signal(signal.SIGINT)
            assert await made.ended() == 0
            await page.get_by_text("The connection is lost.").wait_for()
            await page.get_by_role("link", name="Memories").click()
            await page.get_by_role("alert").get_by_text("start it with react-mem up").wait_for()
            assert not announcement.exists()
    finally:
        announcement.write_text(kept, "utf-8")
