"""A memory whose user is stored in two spellings: reachable before, one after `react-mem scopes merge`."""

import asyncio
import json
import os
import sys
import unicodedata
from typing import Any

import pytest

from tests.integration.stores.stores_support import fact
from trustgraph_react_mem.bootstrap import operator_key
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import NotPermitted
from trustgraph_react_mem.memory.requests import ListFacts, ListTwins, MergeTwins, StoreFact, WaitUntilIdle
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
async def test_twins_are_found_listed_and_merged(stack: EmbeddedStack, name: str) -> None:
    other = unicodedata.normalize("NFD", name)
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        for refused in (ListTwins(), MergeTwins(user=name)):
            with pytest.raises(NotPermitted):
                await bus.call(refused)
        bus.find_operator_key = lambda: operator_key(stack.settings)
        await store_as_before(stack, other, f"{name} keeps bees")
        for typed in (name, other):
            assert await contents(bus, typed) == {f"{name} keeps bees"}
        await store_as_before(stack, name, f"{name} sails")
        stack.memory.names.forget()  # type: ignore[union-attr]
        assert await contents(bus, other) == {f"{name} sails"}, "the composed form comes first"
        listed = json.loads((await bus.call(ListTwins())).data)
        assert {"user": name, "collection": "default", "twins": [{"user": other, "collection": "default"}]} in listed
        merged = await bus.call(MergeTwins(user=other))
        assert (merged.count, merged.stats["twins"]) == (1, "1")
        for typed in (name, other):
            assert await contents(bus, typed) == {f"{name} keeps bees", f"{name} sails"}
        await bus.call(StoreFact(user=other, content=f"{name} bakes"))
        assert len(await contents(bus, name)) == 3
        await bus.call(WaitUntilIdle(collection="_erasure", timeout_s=30))
        assert (await bus.call(MergeTwins(user=name))).count == 0


@pytest.mark.slow
async def test_the_command_lists_and_merges(stack: EmbeddedStack) -> None:
    name = "Noël"
    other = unicodedata.normalize("NFD", name)
    await store_as_before(stack, other, f"{name} sings")

    async def run(*arguments: str) -> dict[str, Any]:
        program = "from trustgraph_react_mem.cli import main; main()"
        common = ("--json", "--data", str(stack.home))
        keys = {"REACT_MEM_KEYS": str(stack.settings.keys)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, "scopes", "merge", *arguments, *common),
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | keys,
        )
        said, _ = await process.communicate()
        assert process.returncode == 0
        found: dict[str, Any] = json.loads(said)
        return found

    listed = await run("--dry-run")
    assert {"user": name, "collection": "default", "twins": [{"user": other, "collection": "default"}]} in listed["found"]
    assert listed["merged"] == []
    merged = await run()
    assert [each["new"] for each in merged["merged"] if each["user"] == name] == [1]
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        assert await contents(bus, name) == {f"{name} sings"}
