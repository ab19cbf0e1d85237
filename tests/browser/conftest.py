"""Every test opens the page of one running stack in the system's Chromium, with sessions of users of its own.

A missing browser is an error, and so is, in any test, a request to another host, a violation of the content policy, or an
error on the page.
"""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright

from tests.integration.http.served import Caller, Served, serve
from trustgraph_react_mem.errors import RequestRefused
from trustgraph_react_mem.http.application import LISTENER
from trustgraph_react_mem.http.events.feed import Rings
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OTHER_HOST = "memory.example"  # which the browser finds at 127.0.0.1
SCREENS = Path(__file__).parents[2] / "build" / "screens"
WAIT_MS = int(
    os.environ.get("BROWSER_WAIT_MS", "60000")
)  # for what the machine computes; a test waits for conditions, never for times
ANSWERS = {
    "allergic to": "Thought: A memory says it.\nFinal Answer: Miso is allergic to chicken. [0]",
    "Where do we stay": "Thought: A memory says it.\nFinal Answer: At the Pension Aurora in Lisbon. [0]",
}


def _move(request: ChatRequest) -> str:
    """Where somebody lives now, in place of the entry that says where they lived."""
    place = re.findall(r"I live in (\w+) now", request.prompt)[-1]
    old = re.findall(r"(?m)^(F\d+)\b.*lives in", request.prompt)
    item = {
        "op": "replace" if old else "add",
        "old": old,
        "kind": "state",
        "text": f"The person lives in {place}",
        "topic": "home",
    }
    return json.dumps({"items": [item | {"line": 0, "quote": f"I live in {place} now", "weight": 2}], "episode": None})


def _refuse(request: ChatRequest) -> str:
    raise RequestRefused("the model does not process this text, as its script says")


def script() -> ScriptedModel:
    """Answers with citations if the question is known, else says that it will remember.  It understands who moves."""
    known = [
        Rule(when=f"(?s)Form 1, to use a tool.*Question: [^\n]*{words}", answer=answer, piece_delay_s=0.02)
        for words, answer in ANSWERS.items()
    ]
    other = Rule(
        when="Form 1, to use a tool",
        answer="Thought: There is nothing to look up.\nFinal Answer: I will remember that. [NO_CITE]",
    )
    moved = Rule(when=r"(?s)\nLines [(].*I live in \w+ now", answer=_move)
    refused = Rule(when=r"(?s)\nLines [(].*the model refuses this", answer=_refuse)
    return ScriptedModel(rules=[*known, other, moved, refused], default="{}")


@dataclass
class Visit:
    """A signed-in browser of one user.  ``caller`` sends requests of the same user with a key."""

    user: str
    page: Page
    context: BrowserContext
    caller: Caller
    url: str
    link: str
    keys: KeyFile
    rings: Rings
    faults: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        """Open the page at a pane."""
        await self.page.goto(f"{self.url}/ui/{path}")
        await self.page.locator("h1").wait_for(state="attached")

    async def remember(self, *texts: str, **more: Any) -> list[str]:
        """Store memories as the user's words.  Returns their ids."""
        ids = []
        for text in texts:
            answer = await self.caller("POST", "/v1/memories", {"text": text, "infer": False, **more})
            assert answer.status == 200, answer.text
            ids += [each["id"] for each in answer.json["results"]]
        return ids

    async def ask(self, question: str) -> None:
        await self.page.get_by_label("Your question").fill(question)
        await self.page.keyboard.press("Enter")

    async def cut_connection(self) -> None:
        """End the stream of events, and refuse new ones until ``restore_connection``."""
        await self.page.route("**/v1/events", lambda route: route.abort())
        ring = self.rings.find(Scope(workspace="default", user=self.user, collection="default"))
        assert ring is not None
        ring.end()

    async def restore_connection(self) -> None:
        await self.page.unroute("**/v1/events")

    async def picture(self, name: str) -> None:
        """Kept in build/screens, to be looked at."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SCREENS / f"{name}.png")


async def answered(caller: Caller, path: str, wanted: Callable[[Any], bool], timeout_s: float = 60.0) -> Any:
    """The answer of a GET, once it is as wanted."""
    async with asyncio.timeout(timeout_s):
        found = (await caller("GET", path)).json
        while not wanted(found):
            await asyncio.sleep(0.2)
            found = (await caller("GET", path)).json
    return found


Open = Callable[..., Awaitable[Visit]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serve(tmp_path_factory.mktemp("browser"), script()) as made:
        yield made


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.fail("no browser: install Debian's chromium (apt-get install chromium)", pytrace=False)
    async with async_playwright() as playwright:
        options = ["--no-sandbox", f"--host-resolver-rules=MAP {OTHER_HOST} 127.0.0.1"]
        browser = await playwright.chromium.launch(executable_path=found, args=options)
        yield browser
        await browser.close()


@asynccontextmanager
async def visit(served: Served, chromium: Browser, user: str, **options: Any) -> AsyncIterator[Visit]:
    url = served.server.url
    chosen: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "locale": "en-GB", "timezone_id": "Europe/Berlin"}
    context = await chromium.new_context(**(chosen | options))
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    _, link = served.keys.create("user", user=user, collections=["default"], link_s=600)
    made = Visit(
        user, page, context, served.user(user), url, link, served.keys, served.server.runner.app[LISTENER].events.rings
    )

    def watch(request: Request) -> None:
        if request.url.startswith(("data:", "blob:")):
            return
        if urlsplit(request.url).netloc != urlsplit(url).netloc:
            made.faults.append(f"request to {request.url}")

    page.on("request", watch)
    page.on("pageerror", lambda error: made.faults.append(f"error on the page: {error}"))

    def read_console(text: str) -> None:
        if "Content Security Policy" in text:
            made.faults.append(f"policy: {text}")

    page.on("console", lambda message: read_console(message.text))
    await page.goto(f"{url}/ui/#token={link}")
    await page.locator("nav").wait_for(state="attached")
    try:
        yield made
    finally:
        await context.close()
    assert made.faults == []


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(served: Served, chromium: Browser, request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """``await open_page()``: a visit of a user with an empty memory; ``user=`` names another one."""
    async with AsyncExitStack() as exits:
        count = 0

        async def open_one(user: str = "", **options: Any) -> Visit:
            nonlocal count
            count += 1
            name = user or f"{request.node.name[:40]}-{count}"
            return await exits.enter_async_context(visit(served, chromium, name, **options))

        yield open_one
