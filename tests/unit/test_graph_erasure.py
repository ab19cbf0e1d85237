"""Facts and keys of a scope between the steps of its erasure, on the real graph engine and in key files."""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stores.stores_support import ANN, BOB, CLOCK, episode, fact, turn
from trustgraph_react_mem.errors import ScopeChanged
from trustgraph_react_mem.memory.fencing import close_scope, with_token
from trustgraph_react_mem.memory.ports import FencingToken
from trustgraph_react_mem.memory.records import FACT_STATUSES
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.graph.engine import Row, Statement
from trustgraph_react_mem.stores.graph.facts import CypherFactGraph
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.keys import SCOPE_KEY
from trustgraph_react_mem.stores.keys.files import FileKeyStore
from trustgraph_react_mem.stores.opening import GraphStores

MASTER_KEY = bytes(range(32))


@pytest.fixture
async def graph() -> AsyncIterator[LadybugGraph]:
    engine = await LadybugGraph.open(":memory:")
    yield engine
    await engine.close()


async def test_a_fact_is_not_listed_once_its_scope_is_marked_for_erasure(graph: LadybugGraph) -> None:
    """As after a crash between the mark and the removal."""
    stores = GraphStores.over(graph, CLOCK, MASTER_KEY)
    await stores.facts.put([fact("a", "tea"), turn("t", 1), fact("b", scope=BOB)])
    await stores.episodes.put([episode("e"), episode("b", scope=BOB)])
    assert await stores.facts.tombstone(ANN, None) == 2
    await stores.episodes.tombstone(ANN, None)
    assert await stores.facts.listing(ANN, statuses=FACT_STATUSES) == []
    assert await stores.facts.get(ANN, ["a", "t"]) == []
    assert sorted(await stores.facts.list_tombstoned()) == [(ANN, "a"), (ANN, "t")]
    assert await stores.episodes.listing(ANN, undone=True) == []
    assert [each.id for each in await stores.facts.listing(BOB)] == ["b"]
    assert [each.id for each in await stores.episodes.listing(BOB)] == ["b"]


async def test_a_relation_that_version_0_1_stored_is_erased_with_its_fact(graph: LadybugGraph) -> None:
    stores = GraphStores.over(graph, CLOCK, MASTER_KEY)
    await stores.facts.put([fact("a", "tea", entities=("tea",)), fact("n", entities=("Assam",))])
    stated = (
        "MATCH (f:Fact {id: 'a'}) MATCH (s:Entity {name: 'tea'}) MATCH (o:Entity {name: 'Assam'}) "
        "CREATE (f)-[:STATES]->(s) CREATE (s)-[:RELATES {predicate: 'from', fact_id: 'a'}]->(o)"
    )
    await graph.write([Statement(stated)])
    assert await stores.facts.forget(ANN, ["a"]) == 1
    assert await graph.read("MATCH ()-[r:RELATES]->() RETURN r.predicate AS predicate", {}) == []
    assert await graph.read("MATCH (e:Entity) RETURN e.name AS name", {}) == [{"name": "Assam"}]


class Overtaken:
    """An engine whose first write is overtaken by another writer's."""

    shared, remains = False, ""

    def __init__(self, engine: LadybugGraph, other: Callable[[], Awaitable[None]]) -> None:
        self._engine, self._others = engine, [other]

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        return await self._engine.read(cypher, parameters)

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        if self._others:
            await self._others.pop()()
        return await self._engine.write(statements)

    async def rewrite(self) -> None: ...

    async def close(self) -> None: ...


async def test_a_writer_that_was_overtaken_replaces_the_newer_version(graph: LadybugGraph) -> None:
    facts = CypherFactGraph(graph, CLOCK)
    await facts.put([fact("a", "tea")])
    overtaken = Overtaken(graph, lambda: facts.put([fact("a", "coffee")], change="updated", by="other"))
    await CypherFactGraph(overtaken, CLOCK).put([fact("a", "cocoa")], change="updated", by="late")
    history = await facts.history(ANN, "a")
    assert [(each.version, each.content, each.by) for each in history] == [
        (3, "cocoa", "late"),
        (2, "coffee", "other"),
        (1, "tea", ""),
    ]


class ErasedMeanwhile(FileKeyStore):
    """The scope is erased just before a key of it is created."""

    erase: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def create(self, scope: Scope, name: str, value: bytes, admit: Callable[[], Awaitable[None]]) -> bytes:
        if self.erase is not None:
            # In a context of its own: another process erases, without the token of this task.
            await asyncio.create_task(self.erase(), context=contextvars.Context())
        return await super().create(scope, name, value, admit)


async def erased(stores: GraphStores) -> None:
    async with close_scope(stores.fence, ANN, erasing=True):
        await stores.keyring.destroy(ANN)


async def seal(stores: GraphStores, token: FencingToken) -> None:
    with with_token(token):
        await stores.keyring.seal(ANN, b"read before the erasure")


async def test_a_job_from_before_an_erasure_creates_no_key_in_key_files(graph: LadybugGraph, tmp_path: Path) -> None:
    keys = ErasedMeanwhile(tmp_path / "keys")
    stores = GraphStores.over(graph, CLOCK, MASTER_KEY, keys)
    token = await stores.fence.claim(ANN)
    keys.erase = lambda: erased(stores)
    with pytest.raises(ScopeChanged):
        await seal(stores, token)
    assert await keys.read(ANN, SCOPE_KEY) is None


async def test_a_job_from_before_an_erasure_seals_nothing_with_a_newer_key(graph: LadybugGraph, tmp_path: Path) -> None:
    stores = GraphStores.over(graph, CLOCK, MASTER_KEY, FileKeyStore(tmp_path / "keys"))
    token = await stores.fence.claim(ANN)
    await erased(stores)
    await stores.keyring.seal(ANN, b"said after it")
    with pytest.raises(ScopeChanged):
        await seal(stores, token)
