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
        asked = await use(client, "draft", query=query, sampling={"execution_mode": "client"}, **more)
        session: str = asked["session_id"]
        for step, name in (("draft", "draft"), ("critique", "critique"), ("revise", "revision")):
            if step != "draft":
                asked = await use(client, step, session_id=session)
            more = {"query": query, **more} if step == "draft" else {}
            done = {"session_id": session, "nonce": asked["nonce"], name: f"{text} ({step})"}
            await use(client, f"{step}_complete", **done, **more)
    return session
