"""A stack whose disk fills up: refuses new memories with "disk full", answers and recalls, and goes on by itself."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from trustgraph.schema import AgentResponse

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import DiskFull
from trustgraph_react_mem.memory.requests import ListFacts, RetrieveFacts, StoreFact, WaitUntilIdle
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import ScriptedModel

pytestmark = pytest.mark.later

MB = 2**20
ANN: dict[str, Any] = {"user": "ann", "collection": "default"}


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how many MB are free, for every measurement of this process.  Needs no rights."""
    now = [10_000]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**12, 0, now[0] * MB))

    def set_free(megabytes: int) -> None:
        now[0] = megabytes

    return set_free


def stack_of(home: Path) -> EmbeddedStack:
    settings = StoreSettings(home=home / "data", keys=home / "keys", min_free_mb=256)
    return EmbeddedStack(model=ScriptedModel(default="Final Answer: Noted."), embeddings=HashedEmbedder(), settings=settings)


async def ask(bus: MemoryBus, question: str) -> list[AgentResponse]:
    return [response async for response in bus.ask(AgentRequest(question=question, **ANN), 60.0)]


async def kept(bus: MemoryBus) -> list[str]:
    assert (await bus.call(WaitUntilIdle(timeout_s=60.0, **ANN))).count == 0
    facts = (await bus.call(ListFacts(limit=500, **ANN))).facts
    return sorted(fact.content for fact in facts if "number" in fact.content)


async def test_new_memories_are_refused_and_everything_goes_on_with_room(tmp_path: Path, free: Callable[[int], None]) -> None:
    async with stack_of(tmp_path) as stack, await MemoryBus.connect(stack.url) as bus:
        assert "disk full" not in str(await ask(bus, "My lucky number is 7."))
        assert len(await kept(bus)) == 1
        free(200)  # below the limit for new work, above that of the engines
        said = await ask(bus, "My second number is 8.")
        assert said[-1].end_of_dialog
        assert "Noted" in str(said), "the answer comes all the same"
        assert "disk full: 200 MB are free" in str(said)
        with pytest.raises(DiskFull, match="disk full"):
            await bus.call(StoreFact(content="My third number is 9.", **ANN))
        found = await bus.call(RetrieveFacts(query="What is my lucky number?", **ANN))
        assert "My lucky number is 7." in str(found.facts), "recall needs no room"
        free(100)  # the engines write no more either
        refused = asyncio.create_task(ask(bus, "My fourth number is 10."))
        assert "disk full" in str(await refused)
        free(10_000)
        assert "disk full" not in str(await ask(bus, "My fifth number is 11."))
        contents = await kept(bus)
        assert [each for each in contents if "lucky" in each or "fifth" in each] == contents
        assert len(contents) == 2


async def test_jobs_that_were_accepted_wait_for_room_and_are_done_once(tmp_path: Path, free: Callable[[int], None]) -> None:
    async with stack_of(tmp_path) as stack, await MemoryBus.connect(stack.url) as bus:
        publisher: Any = stack.memory.publisher  # type: ignore[union-attr]
        publish = publisher.publish

        async def publish_then_fill(jobs: Any) -> None:
            await publish(jobs)
            free(10)

        publisher.publish = publish_then_fill
        assert "disk full" not in str(await ask(bus, "My lucky number is 7."))
        publisher.publish = publish
        await asyncio.sleep(1.0)
        found = await bus.call(ListFacts(limit=10, **ANN))
        assert found.facts == []
        free(10_000)
        assert len(await kept(bus)) == 1
