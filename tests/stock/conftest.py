"""One stock TrustGraph for all these tests, with our processors joined to it and our blueprint installed."""

import json
import re
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from packaging.version import Version

from tests.servers.deployment import Addresses
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.install.contents import contents
from trustgraph_react_mem.install.plan import apply, plan_install
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .trustgraph import STOCK, Message, StockTrustGraph

SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
AGENT = "agent-manager-react-mem"


def needs_trustgraph(oldest: str, reason: str) -> pytest.MarkDecorator:
    """Skip beside an older TrustGraph, and never beside the newest."""
    return pytest.mark.skipif(Version(version("trustgraph-base")) < Version(oldest), reason=f"before {oldest} {reason}")


class Pair:
    """One TrustGraph with the flows ``stock`` and ``patterns``, of its own agents, and ``mem`` with ours.

    Workspace ``other`` has a flow ``mem`` too, and workspace ``third`` none yet.
    """

    def __init__(self, trustgraph: StockTrustGraph, stack: EmbeddedStack) -> None:
        self.trustgraph = trustgraph
        self.stack = stack

    async def settings(self, *, workspace: str = "default", **values: Any) -> None:
        """Store as ``agent-mem/default``, and return when our processors have heard it."""
        text = json.dumps({name.replace("_", "-"): value for name, value in values.items()})
        await self.configure([("agent-mem", "default", text)], workspace=workspace)

    async def configure(self, values: list[tuple[str, str, str]], *, workspace: str = "default") -> None:
        before = {name: processor.config_version for name, processor in self.stack.processors.items()}
        self.trustgraph.configuration(workspace).put(values)

        async def heard() -> bool:
            return all(processor.config_version > before[name] for name, processor in self.stack.processors.items())

        await self.trustgraph.until(heard, "the configuration change")

    async def both(self, request: Message, *, stock: str = "stock") -> tuple[list[Message], list[Message]]:
        """What the stock agent and ours say, made comparable."""
        theirs = normalised(await self.trustgraph.ask(stock, request))
        return theirs, normalised(await self.trustgraph.ask("mem", request))

    async def last_prompt(self) -> str:
        """What the model was last asked by an agent, not by background work."""
        return [prompt for prompt in await self.trustgraph.prompts() if "Final Answer:" in prompt][-1]

    async def offered(self, flow: str, request: Message, *, workspace: str = "default") -> list[str]:
        """The tools in the prompt that the model gets for a request."""
        await self.trustgraph.ask(flow, request, workspace=workspace)
        prompt = (await self.last_prompt()).rpartition("End of the example.")[2]
        return sorted(re.findall(r"^- ([a-z-]+): ", prompt, re.MULTILINE))


def normalised(messages: list[Message]) -> list[Message]:
    """Session ids replaced, chunks of one message joined (where a text is cut is nobody's contract)."""
    sessions: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return sessions.setdefault(match.group(0), f"session{len(sessions)}")

    result: list[Message] = []
    for message in messages:
        plain: Message = {
            key: SESSION.sub(rename, message[key]) if isinstance(message[key], str) else message[key]
            for key in ("message_type", "content", "end_of_message", "end_of_dialog", "message_id", "explain_id", "error")
            if key in message
        }
        if "error" in plain:
            plain = {"error": True}
        last = result[-1] if result else {}
        joins = not last.get("end_of_message", True) and last.get("message_type") == plain.get("message_type") != "explain"
        if joins and last.get("message_id") == plain.get("message_id"):
            last["content"] = last.get("content", "") + plain.get("content", "")
            last["end_of_message"], last["end_of_dialog"] = plain["end_of_message"], plain["end_of_dialog"]
        else:
            result.append(plain)
    for message in result:
        if "content" in message:
            message["content"] = "".join(message["content"].split())
    return result


def error_of(message: Message) -> str:
    """The text that clients show: before 2.10.6 the gateway sends the error in place of the answer with its text."""
    if "error" in message:
        return "Error: " + str(message["error"]["message"])
    return str(message["content"])


def answer_of(messages: list[Message]) -> str:
    return "".join(message.get("content", "") for message in messages if message.get("message_type") == "answer")


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=["embedded"])
async def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    """Over the embedded broker and stores; ``test_drop_in`` also runs over a real Pulsar and Neo4j (``make test-servers``)."""
    if not STOCK.exists():
        pytest.fail("stock TrustGraph is not installed: run make build/stock/.installed")
    folder: Path = tmp_path_factory.mktemp("trustgraph")
    servers = Addresses.named() if request.param == "servers" else None
    stores: dict[str, Any] = {"graph_url": servers.graph, "vector_url": servers.vectors} if servers else {}
    broker = {"pulsar_url": servers.pulsar, "admin_url": servers.admin} if servers else {}
    async with StockTrustGraph(folder, **broker) as trustgraph:
        for workspace in ("default", "other"):
            configuration = trustgraph.configuration(workspace)
            apply(configuration, plan_install(configuration, "plain", contents()))
        settings = StoreSettings(home=folder / "home", keys=folder / "keys", **stores)
        async with EmbeddedStack(
            settings=settings, attach=BusAddress(url=trustgraph.pulsar_url), embeddings=HashedEmbedder()
        ) as stack:
            await trustgraph.start_flow("stock", over="plain")
            await trustgraph.start_flow("patterns", over="orchestrated")
            await trustgraph.start_flow("mem", over="plain-mem")
            await trustgraph.start_flow("mem", over="plain-mem", workspace="other")
            for flow in ("stock", "patterns", "mem"):
                await trustgraph.answers(flow, with_tools=True)
            await trustgraph.answers("mem", workspace="other", with_tools=True)
            yield Pair(trustgraph, stack)
