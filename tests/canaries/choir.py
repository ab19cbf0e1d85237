"""Canaries of one owner: sentences with a word that nothing else has."""

import itertools
from typing import Any

from tests.integration.http.served import Caller
from tests.integration.mcp.conftest import MODES, over_http
from tests.integration.mcp.test_tools import use

from .interface import Interface, Owner

_number = itertools.count(1)


class Choir:
    """Canaries of one owner, each written through one interface.

    ``words``: the writer of each word.  ``newest``: the word of the latest sentence.
    """

    def __init__(self, interfaces: dict[str, Interface]) -> None:
        self.interfaces = interfaces
        self.owner = Owner(user=f"ann{next(_number)}")
        self.words: dict[str, str] = {}
        self.newest = ""

    def text(self) -> str:
        """A new canary's sentence."""
        self.newest = f"zyxq{next(_number)}w"
        return f"The canary {self.newest} sings at the harbour."

    async def write(self, writer: str) -> str:
        """Returns the sentence."""
        text = self.text()
        await self.interfaces[writer].write(self.owner, text)
        self.words[text.split()[2]] = writer
        return text

    def expected(self, reader: str) -> set[str]:
        return {word for word, writer in self.words.items() if self.interfaces[reader].shows_all or writer == reader}

    async def heard(self, reader: str, owner: Owner | None = None) -> set[str]:
        """The words that the owner is shown.  The question has none of them, because an interface may repeat it."""
        question = f"Which canary sings at the harbour? ({next(_number)})"
        shown = await self.interfaces[reader].read(owner or self.owner, question)
        return {word for word in self.words if word in shown}


async def refine(caller: Caller, text: str, **more: Any) -> str:
    """Store the text as a draft, a critique and a revision.  Returns the id of the session."""
    query = f"How is canary {next(_number)}?"
    async with over_http(caller.url, caller.key, MODES["legacy"]) as client:
        session: str = (await use(client, "draft", query=query, text=f"{text} (draft)", **more))["session_id"]
        for step in ("critique", "revise"):
            await use(client, step, session_id=session, text=f"{text} ({step})")
    return session
