"""The named values of LangGraph's store, beside memory and erased with it, here and through a stack."""

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.frameworks.items import Items, StoredItem, check_item
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.manager.scoped import scope_of, send
from trustgraph_react_mem.memory.requests import ListFacts, SubmitJob, SwitchMemory, UpdateFact
from trustgraph_react_mem.memory.scope import documents_of
from trustgraph_react_mem.testing import HashedEmbedder

pytestmark = pytest.mark.later

NAME = ("notes", "1")
FACT, DOCUMENT = {"content": "Miso the dog eats fish."}, {"text": "Miso the dog eats rice."}


@pytest.fixture(params=["stores", "stack"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path, keys_apart: None) -> AsyncIterator[MemoryManager]:
    """On the stores of a directory, and through the stack that serves them."""
    if request.param == "stores":
        async with MemoryManager.open(tmp_path / "data", user="ann", embedder=HashedEmbedder(64), model="none") as opened:
            yield opened
        return
    async with plain_stack(tmp_path), MemoryManager.open(tmp_path / "data", user="ann") as opened:
        yield opened


def item(items: Items, value: dict[str, str]) -> StoredItem:
    now: datetime = items.now()
    return check_item(StoredItem(name=NAME, value=value, created=now, updated=now, text="Miso"))


async def forget(memory: MemoryManager, level: str, **more: str) -> dict[str, dict[str, int]]:
    """Returns the counts of the receipt, by place."""
    payload = json.dumps({"level": level, **more})
    done = await send(memory, SubmitJob(kind="forget", payload=payload, timeout_s=120))
    places: dict[str, dict[str, int]] = json.loads(done.data)["places"]
    return places


async def test_forgetting_a_memory_erases_the_documents_that_repeat_it(memory: MemoryManager) -> None:
    items = Items(memory)
    [turn, other] = (await memory.add(["Miso the dog eats rice.", "Rex sleeps."])).ids
    await items.put([item(items, DOCUMENT)])
    beside = memory.shared(collection=documents_of(scope_of(memory)).collection)
    [document] = (await send(beside, ListFacts(kinds=["semantic"]))).facts
    await send(beside, UpdateFact(id=document.id, metadata={"sources": turn}))  # as histories of former versions name it
    assert await memory.delete(other)
    assert await items.get([NAME])
    places = await forget(memory, "record", ids=[turn])  # type: ignore[arg-type]
    assert places["documents"] == {"found": 1, "removed": 1, "left": 0}
    assert await items.get([NAME]) == {}
    assert await items.all() == []


@pytest.mark.parametrize("level", ["collection", "user"])
async def test_forgetting_a_scope_erases_its_values(memory: MemoryManager, level: str) -> None:
    items = Items(memory)
    for value in (FACT, DOCUMENT):
        await items.put([item(items, value)])
        await forget(memory, level)
        assert await items.all() == []


async def test_while_reading_is_off_a_value_can_be_replaced_and_memory_recalls_nothing(memory: MemoryManager) -> None:
    items = Items(memory)
    await items.put([item(items, FACT)])
    await send(memory, SwitchMemory(read=False))
    assert await items.get([NAME]) == {}
    assert await memory.retrieve("What does Miso the dog eat?") == []
    await items.put([item(items, {"content": "Miso the dog eats beef."})])
    await send(memory, SwitchMemory(read=True))
    assert (await items.get([NAME]))[NAME].value == {"content": "Miso the dog eats beef."}
    assert [each.content for each in await memory.retrieve("What does Miso the dog eat?")] == ["Miso the dog eats beef."]
