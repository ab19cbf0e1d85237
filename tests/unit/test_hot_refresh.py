"""A scope held in memory while a change of it is being applied."""

import asyncio
from collections.abc import Sequence

from tests.doubles.vector_index import MemoryVectorIndex
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.scope_cache import ScopeCache
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

A_WHILE_S = 0.05  # for what must not happen, which no event announces
ANN = Scope(workspace="w", user="ann", collection="default")


class Gated(MemoryVectorIndex):
    """Its ``fetch`` waits until it is let through."""

    def __init__(self) -> None:
        super().__init__(HashedEmbedder(8).profile)
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        self.asked.set()
        await self.may_answer.wait()
        return await super().fetch(scope, ids, with_vectors=with_vectors)


async def point(record_id: str) -> IndexPoint:
    vectors = await HashedEmbedder(8).vectors([record_id])
    return IndexPoint(id=record_id, vectors={"text": vectors[0]}, payload={"content": record_id, "status": "active"})


async def test_who_asks_while_a_forgetting_is_applied_waits_for_it() -> None:
    index = Gated()
    await index.upsert(ANN, [await point("kept"), await point("forgotten")])
    hot = ScopeCache(index, max_records=100, max_bytes=2**20)
    await hot.get(ANN)
    hot.changed(ANN, ids=["kept"], forgotten=["forgotten"])
    first = asyncio.create_task(hot.get(ANN))
    await index.asked.wait()
    second = asyncio.create_task(hot.get(ANN))
    done, _ = await asyncio.wait([second], timeout=A_WHILE_S)
    assert not done, "it was answered from what is out of date"
    index.may_answer.set()
    await index.delete(ANN, ["forgotten"])
    for held in await asyncio.gather(first, second):
        assert isinstance(held, ScopeColumns)
        assert set(held.slots) == {"kept"}


async def test_a_change_of_a_held_scope_is_taken_over_before_anybody_asks() -> None:
    index = Gated()
    index.may_answer.set()
    await index.upsert(ANN, [await point("old")])
    hot = ScopeCache(index, max_records=100, max_bytes=2**20)
    held = await hot.get(ANN)
    assert isinstance(held, ScopeColumns)
    await index.upsert(ANN, [await point("new")])
    hot.changed(ANN, ids=["new"])
    assert set(held.slots) == {"old"}
    await index.asked.wait()
    async with asyncio.timeout(10):
        while set(held.slots) != {"old", "new"}:  # noqa: ASYNC110 - the cache announces nothing
            await asyncio.sleep(0)


async def test_room_of_dead_slots_is_given_back() -> None:
    index = Gated()
    index.may_answer.set()
    await index.upsert(ANN, [await point("changed")])
    hot = ScopeCache(index, max_records=100, max_bytes=2**20)
    for _ in range(200):
        hot.changed(ANN, ids=["changed"])
        held = await hot.get(ANN)
    assert isinstance(held, ScopeColumns)
    assert set(held.slots) == {"changed"}
    assert held.n < 150
