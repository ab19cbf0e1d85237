"""A running embedded stack, its settings and its turns, for conversations played in this process."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trustgraph_react_mem.bootstrap import operator_key
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.memory.requests import ListJobs, WaitUntilIdle
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.embedding_model import EmbeddingModel
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.settings import parse_agent_mem
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.turn_trace import TurnTrace

BASE: Mapping[str, Any] = {
    # A slow machine recalls the same, and a turn that is dated in the past is not inactive.
    "recall-deadline-ms": 30_000,
    "inactivity-timeout-s": 0,
}
IDLE_S = 20.0
MOST_BACKGROUND_S = 600.0  # a slow model learns from a conversation for minutes
SETTLE_S = 10.0


@dataclass(slots=True)
class PlayedTurn:
    """``shown``: every text that the person got.  ``pieces``: parts that the answer was streamed in."""

    trace: TurnTrace
    shown: list[str] = field(default_factory=list)
    pieces: int = 0


class TalkClient:
    """The client of one stack, for one conversation at a time."""

    def __init__(self, stack: EmbeddedStack, bus: MemoryBus) -> None:
        self.stack = stack
        self.bus = bus
        self._settings: dict[str, Any] | None = None
        self._tools: dict[str, str] = {}

    async def configure(self, settings: Mapping[str, Any], tools: Mapping[str, str] | None = None) -> None:
        """Apply settings and tools, and wait until all processors use them.

        Raises: ConfigurationError (a key is unknown or a value is wrong), TimeoutError.
        """
        wanted = {**BASE, **settings}
        parsed = parse_agent_mem(wanted)
        if wanted != self._settings:
            await self.bus.config_put("agent-mem", {"default": json.dumps(wanted)})
            await _until(lambda: all(applied == parsed for applied in self._applied()))
            self._settings = wanted
        await self._offer(tools or {})

    def _applied(self) -> list[Any]:
        services = [each for each in self.stack.processors.values() if hasattr(each, "settings")]
        return [each.settings.for_flow("default", "default") for each in services if hasattr(each.settings, "for_flow")]

    async def _offer(self, tools: Mapping[str, str]) -> None:
        """Offer tools that are prompts to the language model, which a script answers: ``Use the tool NAME: INPUT``."""
        if dict(tools) == self._tools:
            return
        if self._tools:
            await self.bus.config_delete("tool", list(self._tools))
        self._tools = dict(tools)
        if tools:
            await self.bus.config_put("prompt", {f"template.tool-{name}": _tool_prompt(name) for name in tools})
            await self.bus.config_put("tool", {name: _tool(name, text) for name, text in tools.items()})
        agent = self.stack.processors["agent-manager-react-mem"]
        await _until(lambda: sorted(tool.key for tool in agent._tools["default"].tools) == sorted(tools))

    async def ask(self, request: AgentRequest) -> PlayedTurn:
        """Run one turn to its end."""
        turn = PlayedTurn(TurnTrace(question=request.question, conversation_id=request.conversation_id))
        async for message in self.bus.ask(request):
            turn.trace.feed(message)
            if message.message_type != "explain" and message.content:
                turn.shown.append(message.content)
                turn.pieces += message.message_type == "answer"
        return turn

    async def wait_idle(self, user: str, collection: str = "default", *, within_s: float = IDLE_S) -> list[str]:
        """Wait for all background work of the scope.  Returns the jobs that are still open afterwards; normally none."""
        left = await self.bus.call(WaitUntilIdle(user=user, collection=collection, timeout_s=within_s))
        if not left.count:
            return []
        jobs = await self.bus.call(ListJobs(user=user, collection=collection))
        open_ones = [f"{job.kind} {job.status} {job.error}" for job in jobs.jobs if job.status not in ("done", "cancelled")]
        return open_ones or [f"{left.count} jobs without an entry"]


@asynccontextmanager
async def talking(home: Path, model: ChatModel, *, embeddings: str | EmbeddingModel = "") -> AsyncIterator[TalkClient]:
    """An embedded stack in ``home`` with this language model and, by default, the default embedding model."""
    settings = StoreSettings(home=home / "data", keys=home / "keys")
    async with (
        EmbeddedStack(home / "data", model=model, embeddings=embeddings, settings=settings) as stack,
        await MemoryBus.connect(stack.url) as bus,
    ):
        bus.find_operator_key = lambda: operator_key(settings)
        yield TalkClient(stack, bus)


def _tool(name: str, text: str) -> str:
    arguments = [{"name": "question", "type": "string", "description": "what to look up"}]
    description = f"Looks things up: {name}"
    return json.dumps(
        {"name": name, "type": "prompt", "template": f"tool-{name}", "description": description, "arguments": arguments}
    )


def _tool_prompt(name: str) -> str:
    return json.dumps({"prompt": f"Use the tool {name}: {{{{question}}}}", "response-type": "text"})


async def _until(met: Callable[[], bool]) -> None:
    async with asyncio.timeout(SETTLE_S):
        while not met():  # noqa: ASYNC110 (processors announce nothing when they have read their configuration)
            await asyncio.sleep(0.01)
