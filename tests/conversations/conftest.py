from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from bench.talk.client import TalkClient, talking
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

    async def play(self, conversation: Conversation) -> list[str]:
        self.script = Script(conversation)
        return await Player(self.client, self.script).play()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    def answer(request: ChatRequest) -> str:
        assert made.script is not None
        return made.script.answer(request)

    async with talking(tmp_path_factory.mktemp("talk"), ScriptedModel(rules=[Rule(answer=answer, chunks=PIECES)])) as client:
        made = Stage(client)
        yield made
