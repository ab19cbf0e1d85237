"""TrustGraph's gateway, started by ``react-mem-gateway``: people behind it have memories of their own."""

import base64
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.install.contents import contents
from trustgraph_react_mem.install.plan import apply, plan_install
from trustgraph_react_mem.memory.requests import ListFacts, WaitUntilIdle
from trustgraph_react_mem.schema import Fact
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .trustgraph import PATIENCE_S, STOCK, Message, StockTrustGraph, run

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="module")]

LAUNCHER = (sys.executable, "-m", "trustgraph_react_mem.http.trustgraph.launcher")
WITH_TRUSTGRAPHS_PYTHON = """
import sys
from trustgraph.api import Api
flow = Api(sys.argv[1], token=sys.argv[2]).socket().flow("mem")
for chunk in flow.agent(sys.argv[3], streaming=True):
    print(type(chunk).__name__, chunk.content)
"""


class Gateway:
    """``ann``, ``bob`` and ``hotline`` are users, the last one shared.  ``tokens``: an API key of each, by name."""

    def __init__(self, trustgraph: StockTrustGraph, bus: MemoryBus) -> None:
        self.trustgraph = trustgraph
        self.bus = bus
        self.handles: dict[str, str] = {}
        self.tokens: dict[str, str] = {"nobody": ""}
        self.session = aiohttp.ClientSession()

    async def iam(self, operation: str, **body: Any) -> Message:
        async with self.session.post(
            f"{self.trustgraph.gateway_url}api/v1/iam", json={"operation": operation, **body}
        ) as reply:
            assert reply.status == 200, await reply.text()
            found: Message = await reply.json()
            assert "error" not in found, found
            return found

    async def add(self, name: str, role: str, workspace: str = "default") -> None:
        user = {"username": name, "password": "p", "roles": [role]}
        self.handles[name] = (await self.iam("create-user", workspace=workspace, user=user))["user"]["id"]
        made = await self.iam("create-api-key", key={"user_id": self.handles[name], "name": "k"})
        self.tokens[name] = made["api_key_plaintext"]

    async def post(self, name: str, body: Message, flow: str = "mem") -> tuple[int, Message]:
        headers = {"Authorization": f"Bearer {self.tokens[name]}"} if self.tokens[name] else {}
        url = f"{self.trustgraph.gateway_url}api/v1/flow/{flow}/service/agent"
        async with self.session.post(url, json=body, headers=headers) as reply:
            return reply.status, await reply.json(content_type=None)

    async def talk(self, name: str, body: Message, *, then: str = "") -> list[Message]:
        """Over the socket.  ``then``: who authenticates on it as soon as the question is sent."""
        async with self.session.ws_connect(f"{self.trustgraph.gateway_url}api/v1/socket") as socket:
            await socket.send_json({"type": "auth", "token": self.tokens[name]})
            assert (await socket.receive_json(timeout=PATIENCE_S))["type"] == "auth-ok"
            await socket.send_json({"id": "1", "service": "agent", "flow": "mem", "workspace": "default", "request": body})
            if then:
                await socket.send_json({"type": "auth", "token": self.tokens[then]})
            messages: list[Message] = []
            while True:
                message = await socket.receive_json(timeout=PATIENCE_S)
                messages += [message] if "id" in message else []
                if message.get("complete"):
                    return messages

    async def memories(self, name: str) -> list[Fact]:
        user = "" if name == "nobody" else self.handles[name]
        await self.bus.call(WaitUntilIdle(user=user, kind="record", timeout_s=PATIENCE_S))
        found: list[Fact] = (await self.bus.call(ListFacts(user=user))).facts
        return found

    async def remembers(self, name: str, word: str) -> bool:
        return any(word in fact.content for fact in await self.memories(name))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gateway]:
    if not STOCK.exists():
        pytest.fail("stock TrustGraph is not installed: run make build/stock/.installed")
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REACT_MEM_MASTER_KEY", base64.b64encode(b"k" * 32).decode())
        environment.setenv("REACT_MEM_GATEWAY_SHARED_USERS", "anonymous, no-auth-user")
        async with StockTrustGraph(folder, gateway=LAUNCHER) as trustgraph:
            configuration = trustgraph.configuration()
            apply(configuration, plan_install(configuration, "plain", contents()))
            settings = StoreSettings(home=folder / "home", keys=folder / "keys")
            address = BusAddress(url=trustgraph.pulsar_url)
            async with EmbeddedStack(settings=settings, attach=address, embeddings=HashedEmbedder()):
                for flow, over in (("mem", "plain-mem"), ("stock", "plain")):
                    await trustgraph.start_flow(flow, over=over)
                    await trustgraph.answers(flow)
                async with await MemoryBus.connect(address, flow="mem") as bus:
                    gateway = Gateway(trustgraph, bus)
                    for name, role in (("ann", "reader"), ("bob", "writer"), ("root", "admin")):
                        await gateway.add(name, role)
                    yield gateway
                    await gateway.session.close()


async def test_each_user_has_a_memory_of_their_own_over_rest_and_sockets(gateway: Gateway) -> None:
    status, answer = await gateway.post("ann", {"question": "My boat Gudrun lies in Bergen."})
    assert (status, answer["end_of_dialog"]) == (200, True)
    await gateway.talk("ann", {"question": "My goat Heidi likes thistles.", "streaming": True})
    await gateway.talk("bob", {"question": "My cat is called Miso."})
    for word in ("Gudrun", "Heidi"):
        assert await gateway.remembers("ann", word)
        assert not await gateway.remembers("bob", word)
        assert not await gateway.remembers("nobody", word)
    asked = "Where does the boat Gudrun lie?"
    for name, known in (("ann", True), ("bob", False)):
        await gateway.talk(name, {"question": asked})
        prompt = [prompt for prompt in await gateway.trustgraph.prompts() if asked in prompt and "Final Answer:" in prompt][-1]
        assert ("Bergen" in prompt.rpartition("End of the example.")[2]) is known


async def test_trustgraphs_python_client_works_unchanged(gateway: Gateway) -> None:
    command = [sys.executable, "-c", WITH_TRUSTGRAPHS_PYTHON, gateway.trustgraph.gateway_url, gateway.tokens["bob"]]
    code, said = await run(*command, "I keep quails.", timeout_s=2 * PATIENCE_S)
    assert code == 0, said
    assert "AgentAnswer" in said
    assert await gateway.remembers("bob", "quails")


@pytest.mark.parametrize("name", ["user", "user_id", "user-context", "speaker", "identity", "workspace-user"])
async def test_what_a_body_says_about_the_user_is_ignored(gateway: Gateway, name: str) -> None:
    word = f"Zebra{uuid.uuid4().hex[:6]}"
    value: Any = {"user_id": gateway.handles["ann"]} if name == "user-context" else gateway.handles["ann"]
    await gateway.post("bob", {"question": f"My {word} sings.", name: value, "speaker_proof": "1.0"})
    await gateway.talk("bob", {"question": f"My {word} dances.", name: value})
    assert sum(word in fact.content and "My" in fact.content for fact in await gateway.memories("bob")) >= 2
    assert not await gateway.remembers("ann", word)
    assert not await gateway.remembers("nobody", word)


async def test_callers_without_an_identity_share_the_memory_of_the_workspace(gateway: Gateway) -> None:
    await gateway.talk("nobody", {"question": "The office plant is called Fern."})
    assert await gateway.remembers("nobody", "Fern")
    assert not await gateway.remembers("ann", "Fern")


async def test_a_question_belongs_to_who_was_authenticated_when_it_was_sent(gateway: Gateway) -> None:
    await gateway.talk("ann", {"question": "I collect barometers."}, then="bob")
    assert await gateway.remembers("ann", "barometers")
    assert not await gateway.remembers("bob", "barometers")


async def test_wrong_credentials_and_other_workspaces_are_refused(gateway: Gateway) -> None:
    gateway.tokens["wrong"] = "tg_wrong"
    assert (await gateway.post("wrong", {"question": "x"}))[0] == 401
    assert (await gateway.post("ann", {"question": "x", "workspace": "other"}))[0] == 403
