from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from bench.talk.client import TalkClient, talking
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing import Rule, ScriptedModel

from .conversation import Conversation
from .player import Player, Script

PIECES = 40  # an answer is streamed in


@dataclass(slots=True)
class Stage:
    """One stack for all conversations, played one after the other: they differ in users and collections."""

    client: TalkClient
    script: Script | None = None
    ahead: timedelta = timedelta()  # of the system's clock

    async def play(self, conversation: Conversation) -> list[str]:
        self.script = Script(conversation)
        try:
            return await Player(self.client, self.script, self.set_clock).play()
        finally:
            self.ahead = timedelta()

    def set_clock(self, now: datetime) -> None:
        self.ahead = now - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest_asyncio.fixture(scope="module", loop_scope="session")  # it replaces the clock: not for what follows
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    def answer(request: ChatRequest) -> str:
        assert made.script is not None
        return made.script.answer(request)

    async with talking(tmp_path_factory.mktemp("talk"), ScriptedModel(rules=[Rule(answer=answer, chunks=PIECES)])) as client:
        made = Stage(client)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SystemClock, "now", lambda _: made.now())
            yield made
