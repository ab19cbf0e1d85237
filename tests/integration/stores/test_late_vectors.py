"""Vectors that one process writes while another takes their record back."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from tests.doubles.core import core_over
from tests.doubles.small_stores import MemoryStores
from tests.doubles.vector_index import MemoryVectorIndex
from tests.integration.stores.stores_support import ANN, CLOCK, PROFILE, Notices, WordEmbedder, episode, fact, turn
from trustgraph_react_mem.erasure.sweep import AGAIN_S, DelayedReindexer
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.fencing import SETTLED_S, run_fenced
from trustgraph_react_mem.memory.requests import UndoChange
from trustgraph_react_mem.processors.operations.fact_writing import FactWriting
from trustgraph_react_mem.settings import AgentMemSettings


class SlowEmbedder(WordEmbedder):
    """Has its texts, and answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Any, *, role: Any) -> Any:
        self.asked.set()
        await self.answer.wait()
        return await super().embed(texts, role=role)


class Waits:
    """A clock whose sleeps are noted and end when they may."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.over = asyncio.Event()

    def now(self) -> Any:
        return CLOCK.now()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.over.wait()


class Service:
    """The facts service of one process; ``facts``, ``episodes`` and ``indexes`` for a look at what is there."""

    def __init__(self, stores: MemoryStores) -> None:
        self.notices, self.waits = Notices(), Waits()
        self.index, self.tales = MemoryVectorIndex(PROFILE), MemoryVectorIndex(PROFILE)
        core = core_over(stores, self.index, WordEmbedder(), episodes=self.tales, notifier=self.notices, clock=CLOCK)
        self.facts, self.episodes = core.facts, core.episodes
        self.late = DelayedReindexer(replace(core, clock=self.waits))
        undo = Undo(core)
        memory: Any = SimpleNamespace(graph=stores, undo=undo, delayed_reindexer=self.late, clock=CLOCK)
        self._stores, self._operations = stores, FactWriting(memory, AgentMemSettings(), "default")

    async def undo(self, name: str) -> Any:
        request = UndoChange(id=name)
        return await run_fenced(self._stores.fence, ANN, lambda: self._operations.undo(ANN, request))


async def test_a_point_that_comes_after_its_fact_was_taken_back_does_not_stay() -> None:
    stores = MemoryStores(CLOCK)
    service, slow = Service(stores), SlowEmbedder()
    await service.facts.store(ANN, [turn("t", 0, "I like tea")])
    worker = core_over(stores, service.index, slow, clock=CLOCK).facts
    drawn = fact("f", "Ann likes tea", turn_ids=("t",))
    learning = asyncio.create_task(run_fenced(stores.fence, ANN, lambda: worker.store(ANN, [drawn])))
    await slow.asked.wait()
    undone = await service.undo("t")
    assert undone.stats["facts"] == "2"
    slow.answer.set()
    await asyncio.wait([learning])
    learning.result()  # begun anew after the undo, it stores nothing
    assert [point.id for point in await service.index.fetch(ANN, ["t", "f"])] == ["f"]  # the claim had been good just before

    assert service.waits.slept == [SETTLED_S]
    service.waits.over.set()
    await service.late.close()
    assert await service.index.fetch(ANN, ["t", "f"]) == []
    assert {each.status for each in await service.facts.graph.get(ANN, ["t", "f"])} == {"undone"}
    back = await service.undo(undone.stats["operation"])
    assert back.stats["facts"] == "2"  # nothing of this is a change
    await service.late.close()
    assert {point.id for point in await service.index.fetch(ANN, ["t", "f"])} == {"t", "f"}


async def test_episodes_that_are_written_late_go_too_and_an_index_that_is_away_is_asked_again() -> None:
    stores = MemoryStores(CLOCK)
    service, slow = Service(stores), SlowEmbedder()
    worker = core_over(stores, service.index, slow, episodes=service.tales).episodes
    learning = asyncio.create_task(worker.store(ANN, [episode("e")]))
    await slow.asked.wait()
    await service.undo("e")
    slow.answer.set()
    await learning
    assert [point.id for point in await service.tales.fetch(ANN, ["e"])] == ["e"]
    delete, away = service.tales.delete, [EngineUnavailable("away")]

    async def once_away(*arguments: Any) -> int:
        if away:
            raise away.pop()
        return await delete(*arguments)

    service.tales.delete = once_away  # type: ignore[method-assign,assignment]
    service.waits.over.set()
    await service.late.close()
    assert service.waits.slept == [SETTLED_S, AGAIN_S]
    assert await service.tales.fetch(ANN, ["e"]) == []
