"""A memory whose user is stored in another spelling than the composed one."""

import unicodedata

import pytest

from tests.integration.stores.stores_support import fact
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.memory.requests import ListFacts, StoreFact
from trustgraph_react_mem.memory.scope import Scope

pytestmark = pytest.mark.asyncio(loop_scope="module")
NAMES = ("한국어", *(pytest.param(name, marks=pytest.mark.later) for name in ("Zoë", "Renée", "Ångström")))


async def contents(bus: MemoryBus, user: str) -> set[str]:
    return {each.content for each in (await bus.call(ListFacts(user=user))).facts}


async def store_as_before(stack: EmbeddedStack, user: str, content: str) -> None:
    """What an older version stored under a name as it was typed."""
    assert stack.memory is not None
    scope = Scope(workspace="default", user=user, collection="default")
    await stack.memory.facts.store(scope, [fact(f"old {content}", content, scope=scope)])


@pytest.mark.parametrize("name", NAMES)
async def test_a_scope_of_an_older_spelling_is_found_until_there_is_a_composed_one(stack: EmbeddedStack, name: str) -> None:
    other = unicodedata.normalize("NFD", name)
    async with await MemoryBus.connect(stack.url) as bus:
        await store_as_before(stack, other, f"{name} keeps bees")
        for typed in (name, other):
            assert await contents(bus, typed) == {f"{name} keeps bees"}
        await store_as_before(stack, name, f"{name} sails")
    async with await MemoryBus.connect(stack.url) as bus:
        assert stack.memory is not None
        stack.memory.names._known.clear()  # as after a restart
        for typed in (name, other):
            assert await contents(bus, typed) == {f"{name} sails"}, "the composed form comes first"
        await bus.call(StoreFact(user=other, content=f"{name} bakes"))
        assert len(await contents(bus, name)) == 2
