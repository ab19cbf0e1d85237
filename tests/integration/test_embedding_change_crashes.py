"""Moving a scope is cut short before and after every call of an engine or a model, and goes on in a new process."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.doubles.core import ports
from tests.doubles.jobs import SimulatedClock
from tests.doubles.small_stores import MemoryStores
from tests.doubles.vector_index import MemoryVectorIndex
from tests.integration.jobs_support import ANN, BOB, START, Notices
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.indexing.routing import EmbeddingModels, ModelIndexes
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.migration.reembed import move_scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.episodes import EpisodeMemory
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.search import FactSearch
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

RECORDS = 40
NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Cut(EngineUnavailable):
    """The process ends here."""


@dataclass
class Fuse:
    """Counts what goes through it, and breaks at the ``at``-th; from then on everything does, as for a dead process."""

    at: int = 10**9
    passed: int = 0
    seen: list[str] = field(default_factory=list)

    def through(self, name: str) -> None:
        self.passed += 1
        self.seen.append(name)
        if self.passed >= self.at:
            raise Cut(name)


class Fused:
    """An engine behind a fuse: it may break before a call, and after one that has taken effect."""

    def __init__(self, inner: Any, fuse: Fuse) -> None:
        self._inner, self._fuse = inner, fuse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        async def call(*args: Any, **named: Any) -> Any:
            self._fuse.through(f"before {name}")
            result = await found(*args, **named)
            self._fuse.through(f"after {name}")
            return result

        return call


@dataclass
class World:
    """What outlives a process."""

    stores: MemoryStores = field(default_factory=lambda: MemoryStores(SimulatedClock(START)))
    models: tuple[HashedEmbedder, HashedEmbedder] = field(default_factory=lambda: (HashedEmbedder(64), HashedEmbedder(48)))
    indexes: dict[str, MemoryVectorIndex] = field(default_factory=dict)

    def index(self, store: str, model: HashedEmbedder) -> MemoryVectorIndex:
        return self.indexes.setdefault(f"{store} {model.profile.key}", MemoryVectorIndex(model.profile))


@dataclass
class Process:
    core: MemoryCore
    facts: FactMemory
    episodes: EpisodeMemory
    models: EmbeddingModels
    retriever: FactSearch


def process(world: World, fuse: Fuse, *, changed: bool) -> Process:
    """``changed``: the second model is in use, and the first the former one."""

    def opened(model: HashedEmbedder) -> ModelIndexes:
        return ModelIndexes(
            facts=Fused(world.index("facts", model), fuse),
            episodes=Fused(world.index("episodes", model), fuse),
            embedder=Fused(model, fuse),
        )

    former, current = [opened(model) for model in world.models]
    models = EmbeddingModels(current, [former]) if changed else EmbeddingModels(former)
    notices = Notices()
    graph = ports(world.stores, facts=Fused(world.stores.facts, fuse), episodes=Fused(world.stores.episodes, fuse))
    core = MemoryCore.over(graph, models, notices, SimulatedClock(START))
    retriever = FactSearch(core.facts.router)
    notices.caches.subscribe(retriever.changed)
    return Process(core, core.facts, core.episodes, models, retriever)


def fact(number: int, content: str, scope: Scope = ANN) -> Fact:
    return Fact(id=f"f{number}", scope=scope, kind="semantic", content=content, created_at=START)


async def begun() -> World:
    world = World()
    before = process(world, Fuse(), changed=False)
    for scope in (ANN, BOB):
        await before.facts.store(scope, [fact(n, f"note {n} about topic{n}", scope) for n in range(RECORDS)])
        episode = Episode(id="e", scope=scope, goal="repair the car", steps=(), outcome="", lessons="", created_at=START)
        await before.episodes.store(scope, [episode])
    return world


async def whole(world: World, now: Process) -> None:
    """Everything of the scope is found, by whichever model it is read; graph and the index that is read agree."""
    for number in (0, 7, RECORDS - 1):
        found = await now.retriever.retrieve(ANN, RetrievalQuery(question=f"topic{number}", top_k=2, asked_at=NOW))
        assert f"f{number}" in [each.id for each in found.facts]
    space = await now.facts.router.read_index(ANN)
    read = {point.id: point.payload["content"] async for batch in space.index.scan(ANN) for point in batch}
    assert read == {each.id: each.content for each in await world.stores.facts.listing(ANN, limit=1000)}


async def moved(now: Process) -> None:
    await move_scope(now.core, ANN)


async def written(now: Process) -> None:
    """Writes to a scope that has not been moved."""
    await now.facts.update(ANN, fact(3, "note 3 about volcanoes"))
    await now.facts.forget(ANN, ["f5"])
    await now.facts.store(ANN, [fact(99, "note 99 about glaciers")])


@pytest.mark.slow
@pytest.mark.parametrize("act", [moved, written])
async def test_cut_short_anywhere_it_goes_on(act: Callable[[Process], Any]) -> None:
    cuts = 0
    while True:
        world = await begun()
        try:
            await act(process(world, Fuse(at=cuts + 1), changed=True))
            break
        except Cut:
            cuts += 1
        later = process(world, Fuse(), changed=True)
        if act is written:  # what the reconciler does at each start
            await Reconciler(later.core).repair()
        await whole(world, later)
        await move_scope(later.core, ANN)
        assert (await later.facts.router.read_index(ANN)) is later.facts.router.current
        await whole(world, later)
        assert await world.index("facts", world.models[0]).count(ANN) == 0
        assert await later.models.waiting() == {BOB: RECORDS + 1}
        await move_scope(later.core, BOB)
        assert await later.models.drop_empty() == [world.models[0].profile.name]
        await whole(world, process(world, Fuse(), changed=True))
    assert cuts > 20
