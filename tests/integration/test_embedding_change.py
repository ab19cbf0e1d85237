"""One embedding model takes another's place: recall before, while, after; interruptions; two processes; the way back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from aiohttp import web

from tests.doubles.jobs import SimulatedClock
from tests.integration.jobs_support import ANN, BOB, START, Notices
from tests.servers.qdrant import Qdrant
from trustgraph_react_mem.bootstrap import Stores, open_stores
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.indexing.routing import EmbeddingModels, UnavailableEmbedder
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Job, Matrix
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.migration import reembed
from trustgraph_react_mem.migration.reembed import MigrationScheduler, ReembedHandler, move_scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.episodes import EpisodeMemory
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.search import EpisodeSearch, FactSearch
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.stores.opening import stored_indexes
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MEANING = {"dog": "hound", "puppy": "hound", "physician": "doctor", "car": "vehicle"}  # one word for what means the same
BATCH = 8
MANY = 3 * BATCH + 5


class MeaningEmbedder(HashedEmbedder):
    """Knows that some words mean the same, which no index of words does."""

    def __init__(self, name: str, dimension: int) -> None:
        super().__init__(dimension)
        self.profile = EmbeddingProfile(name=name, dimension=dimension)
        self.left: int | None = None  # texts it embeds before it stops answering; None: any number
        self.on_call: Callable[[], None] | None = None

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        if self.on_call is not None:
            self.on_call()
        if self.left is not None:
            self.left -= len(texts)
            if self.left < 0:
                raise ModelUnavailable("the embedding model stopped")
        return await super().vectors([" ".join(MEANING.get(word, word) for word in text.lower().split()) for text in texts])


def model_a() -> MeaningEmbedder:
    return MeaningEmbedder("model-a", 4096)


def model_b() -> MeaningEmbedder:
    return MeaningEmbedder("model-b", 4000)


@dataclass
class Process:
    """What one process opens, and throws away when it dies."""

    stores: Stores
    core: MemoryCore
    models: EmbeddingModels
    facts: FactMemory
    episodes: EpisodeMemory
    retriever: FactSearch
    episode_retriever: EpisodeSearch
    topic: "Published"
    change: MigrationScheduler
    embedder: MeaningEmbedder
    notices: Notices

    async def find(self, question: str, scope: Scope = ANN) -> list[str]:
        """The agent embeds a question with the model in use, whatever the scope is read by."""
        vector = (await self.embedder.embed([question], role="query"))[0] if self.embedder.left is None else None
        found = await self.retriever.retrieve(scope, RetrievalQuery(question=question, vector=vector, top_k=3, asked_at=NOW))
        return [fact.id for fact in found.facts]

    async def remember(self, record_id: str, content: str, scope: Scope = ANN) -> None:
        await self.facts.store(scope, [a_fact(record_id, content, scope)])

    async def where(self, scope: Scope = ANN) -> str:
        return (await self.facts.router.read_index(scope)).profile.name

    async def run_jobs(self) -> list[str]:
        """Run what was published and what follows from it, each job once; the summaries."""
        handler, done, seen = ReembedHandler(self), [], set()
        while self.topic.waiting:
            job = self.topic.waiting.pop(0)
            if job.id in seen:
                continue
            seen.add(job.id)
            outcome = await handler(job)
            self.topic.waiting += outcome.follow_ups
            done.append(outcome.summary)
        return done


@dataclass
class Published:
    """A publisher that keeps what it is given."""

    waiting: list[Job]

    async def publish(self, jobs: Sequence[Job]) -> None:
        self.waiting += jobs


def a_fact(record_id: str, content: str, scope: Scope) -> Fact:
    return Fact(id=record_id, scope=scope, kind="semantic", content=content, created_at=START)


Former = Literal["here", "gone"]


@contextlib.asynccontextmanager
async def process(settings: StoreSettings, embedder: MeaningEmbedder, *formers: MeaningEmbedder) -> AsyncIterator[Process]:
    clock = SimulatedClock(START)
    stores = await open_stores(settings, embedder.profile, clock)
    known = {former.profile.name: former for former in formers}
    stores = replace(
        stores,
        formers=tuple(
            replace(each, embedder=known.get(each.profile.name) or UnavailableEmbedder(each.profile)) for each in stores.formers
        ),
    )
    try:
        yield built(stores, embedder)
    finally:
        await stores.close()


def built(stores: Stores, embedder: MeaningEmbedder) -> Process:
    clock = SimulatedClock(START)
    notices, topic = Notices(), Published([])
    core = MemoryCore.over(stores.graph, stores.models(embedder), notices, clock)
    retriever = FactSearch(core.facts.router, weight_store=core.graph.weights, clock=clock)
    notices.caches.subscribe(retriever.changed)
    return Process(
        stores=stores,
        core=core,
        models=core.models,
        facts=core.facts,
        episodes=core.episodes,
        retriever=retriever,
        episode_retriever=EpisodeSearch(core.episodes.router, core.graph.episodes, core.doubtful),
        topic=topic,
        change=MigrationScheduler(core, topic),
        embedder=embedder,
        notices=notices,
    )


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[str]:
    """Address of the stand-in for Qdrant's server, which holds each request to Qdrant's published interface."""
    server = Qdrant(folder, strict=True)
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
        server.close()


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembed, "BATCH", BATCH)


@pytest.fixture
def settings(tmp_path: Path) -> StoreSettings:
    return StoreSettings(home=tmp_path, keys=tmp_path / "keys", graph_url="", vector_url="")


@pytest.fixture(params=["embedded", "server"])
async def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StoreSettings]:
    """Both vector engines."""
    settings = StoreSettings(home=tmp_path, keys=tmp_path / "keys", graph_url="", vector_url="")
    if request.param == "embedded":
        yield settings
    else:
        async with serving(tmp_path / "qdrant") as url:
            yield settings.model_copy(update={"vector_url": url})


async def filled(now: Process) -> None:
    """Two people with facts, turns and episodes."""
    for scope in (ANN, BOB):
        await now.facts.store(scope, [a_fact(f"f{n}", f"note {n} about topic{n}", scope) for n in range(MANY)])
        turns = [
            Fact(id=f"t{n}", scope=scope, kind="turn", content=f"said {n}", created_at=START, source="c", position=n)
            for n in range(4)
        ]
        await now.facts.add_turns(scope, "c", turns)
        await now.remember("pet", "Miso is a dog", scope)
        await now.remember("job", "Ada works as a physician", scope)
        episode = Episode(id="e", scope=scope, goal="repair the car", steps=(), outcome="done", lessons="", created_at=START)
        await now.episodes.store(scope, [episode])


async def recalls(now: Process, scope: Scope = ANN, *, meaning: bool = True) -> None:
    assert "f7" in await now.find("topic7", scope)
    assert "pet" in await now.find("what is Miso", scope)
    if meaning:
        assert "pet" in await now.find("hound", scope)
        assert "job" in await now.find("doctor", scope)
    found = await now.episode_retriever.retrieve(scope, RetrievalQuery(question="repair of a vehicle"))
    assert [episode.id for episode in found] == ["e"]


@pytest.mark.parametrize("former", ["here", "gone"])
@pytest.mark.slow
async def test_recall_before_while_and_after(anywhere: StoreSettings, former: Former) -> None:
    """Changes made meanwhile are seen at once, and are in the new index too; a kill in the middle costs nothing."""
    settings = anywhere
    known = [model_a()] if former == "here" else []
    meaning = former == "here"
    async with process(settings, model_a()) as now:
        await filled(now)
        await recalls(now)

    async with process(settings, model_b(), *known) as now:  # changed, nothing done yet
        assert await now.where() == "model-a"
        await recalls(now, meaning=meaning)
        await now.remember("new", "Udon is a puppy")
        assert "new" in await now.find("Udon")
        await now.facts.update(ANN, a_fact("f3", "note 3 about volcanoes", ANN))
        assert "f3" in await now.find("volcanoes")
        await now.facts.forget(ANN, ["f4"])
        await now.facts.supersede(ANN, ["f5"], a_fact("f5b", "note 5 about glaciers", ANN))
        assert "f4" not in await now.find("topic4")
        assert (await now.find("glaciers"))[0] == "f5b"
        assert (await now.find("topic5"))[0] == "f5b"  # before the former one, which it replaced
        now.embedder.left = 2 * BATCH + BATCH // 2
        with pytest.raises(ModelUnavailable):
            await move_scope(now.core, ANN)
        assert await now.where() == "model-a"

    async with process(settings, model_b(), *known) as now:  # after a kill in the middle
        done = await now.models.current.facts.count(ANN)
        assert BATCH <= done < MANY
        assert await now.where() == "model-a"
        await recalls(now, meaning=meaning)
        assert "f3" in await now.find("volcanoes")
        before = await now.models.progress()
        assert (before["embedding"], before["former_embedding"], before["scopes_to_embed"]) == ("model-b", "model-a", "2")
        assert before["former_by_words"] == str(former == "gone").lower()
        counts = await move_scope(now.core, ANN)
        assert counts["had"] >= BATCH  # not embedded again
        assert await now.where() == "model-b"
        assert await now.where(BOB) == "model-a"
        await recalls(now)
        await recalls(now, BOB, meaning=meaning)
        assert "f4" not in await now.find("topic4")
        assert (await now.find("glaciers"))[0] == "f5b"
        assert (await now.find("what is Udon the hound"))[0] == "new"
        assert await now.facts.router.previous[0].index.count(ANN) == 0
        await now.change.tick(["w"])
        assert await now.run_jobs() == [f"embedded={MANY + 7}"]
        await recalls(now, BOB)
        await now.change.tick(["w"])
        assert now.models.previous == []
        assert await now.models.progress() == {}
        await recalls(now)

    assert [each.model for each in await stored_indexes(settings.vector_url or settings.home / "vectors")] == ["model-b"]
    async with process(settings, model_b()) as now:
        assert now.stores.formers == ()
        await recalls(now)
        await recalls(now, BOB)
        report = await Reconciler(now.core).repair_scope(ANN)
        assert (report.indexed, report.removed) == (0, 0)


async def test_an_erased_scope_leaves_no_trace_of_either_model(settings: StoreSettings) -> None:
    async with process(settings, model_a()) as now:
        await filled(now)
    async with process(settings, model_b(), model_a()) as now:
        await move_scope(now.core, BOB)
        for scope in (ANN, BOB):
            await now.facts.forget_scope(scope)
            await now.episodes.forget_scope(scope)
            for router in (now.models.facts, now.models.episodes):
                assert [await space.index.count(scope) for space in router.all_indexes] == [0, 0]
            assert scope not in await now.stores.graph.scopes.scopes("w")
        await now.remember("pet", "Miso is a dog")
        assert await now.where() == "model-b"


@pytest.mark.slow
async def test_writes_while_a_scope_is_moved_are_in_the_index_that_is_read(settings: StoreSettings) -> None:
    """At every step of the move somebody writes, changes and forgets; the one that reads afterwards has it all."""
    async with process(settings, model_a()) as now:
        await filled(now)
    async with process(settings, model_b(), model_a()) as now:
        written: list[asyncio.Task[None]] = []

        async def act(number: int) -> None:
            await now.remember(f"n{number}", f"meanwhile {number} about island{number}")
            await now.facts.forget(ANN, [f"f{number}"])
            await now.facts.update(ANN, a_fact(f"f{MANY // 2 + number}", f"note about desert{number}", ANN))

        def beside() -> None:
            now.embedder.on_call = None  # the writes embed, too
            if len(written) < MANY // 2:
                written.append(asyncio.create_task(act(len(written))))

        async def stir() -> None:
            while await now.where() == "model-a":
                now.embedder.on_call = beside
                await asyncio.sleep(0)

        stirring = asyncio.create_task(stir())
        await move_scope(now.core, ANN)
        now.embedder.on_call = None
        await stirring
        await asyncio.gather(*written)
        assert written
        await move_scope(now.core, ANN)  # clears what was written to the former index at the last moment
        assert await now.facts.router.previous[0].index.count(ANN) == 0
        graph = {fact.id: fact.content for fact in await now.facts.graph.listing(ANN, limit=1000)}
        index = {p.id: p.payload["content"] async for batch in now.models.current.facts.scan(ANN) for p in batch}
        assert index == graph
        assert "n0" in await now.find("island0")
        assert f"f{MANY // 2}" in await now.find("desert0")


async def test_the_manager_changes_its_model_and_embeds_anew_by_itself(tmp_path: Path, keys_apart: None) -> None:
    async with MemoryManager.open(tmp_path / "memory", embedder=model_a()) as memory:
        await memory.append("semantic", "Miso is a dog", key="pet")
    async with MemoryManager.open(tmp_path / "memory", embedder=model_b()) as memory:
        assert [entry.metadata["key"] for entry in await memory.search("semantic", "Miso")] == ["pet"]  # by its words
        former = [tmp_path / "memory" / "vectors" / name for name in ("facts", "episodes")]
        while any(path.exists() for path in former):  # noqa: ASYNC110 - folders
            await asyncio.sleep(0.01)
        assert [entry.metadata["key"] for entry in await memory.search("semantic", "hound")] == ["pet"]
        assert await memory.recall("pet") == "Miso is a dog"
    assert [stored.model for stored in await stored_indexes(tmp_path / "memory" / "vectors")] == ["model-b"]
