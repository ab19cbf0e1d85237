"""Retrieval over the real embedded index: whose records, which of them, in which order, and when they change."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.integration.engines import lend_index
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.indexing.document import episode_document, fact_document
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.scope_cache import ScopeCache
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.engine_ranking import EngineScope
from trustgraph_react_mem.retrieval.episodes import EpisodeRetriever
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.schema import MemoryChanged
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

ANN = Scope(workspace="w", user="ann", collection="default")
BOB = Scope(workspace="w", user="bob", collection="default")
NOW = datetime(2023, 6, 14, tzinfo=UTC)
LINES = (
    "Ann: I painted a horse in Oslo yesterday",
    "Bob: How long did it take?",
    "Ann: Two hours, and then we went to the river",
    "Bob: My sister plays the guitar in a band",
    "Ann: My budget for the holiday is 4000 dollars",
    "Bob: I moved to Bergen in March 2021",
    "Ann: The cat is called Minka",
)


class Clock:
    def now(self) -> datetime:
        return NOW

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


def turns(scope: Scope, lines: Sequence[str] = LINES, source: str = "s1") -> list[Fact]:
    return [
        Fact(
            id=f"{scope.user}-{source}-{number}",
            scope=scope,
            kind="turn",
            content=line.split(": ", 1)[1],
            created_at=NOW,
            speaker=line.split(": ", 1)[0],
            source=source,
            position=number,
            said_at=NOW - timedelta(days=len(lines) - number),
        )
        for number, line in enumerate(lines)
    ]


class World:
    def __init__(self, index: EdgeIndex, embedder: HashedEmbedder) -> None:
        self.index, self.embedder = index, embedder
        self.retriever = Retriever(index, embedder, clock=Clock())

    async def put(self, scope: Scope, facts: Sequence[Fact]) -> None:
        for fact in facts:
            near = [other for other in facts if other.source == fact.source and other.kind == "turn"]
            at = near.index(fact) if fact in near else 0
            keys = fact_document(fact, previous=near[max(0, at - 2) : at], following=near[at + 1 : at + 2])
            vectors = await self.embedder.embed(list(keys.texts.values()), role="passage")
            await self.index.upsert(scope, [keys.point(dict(zip(keys.texts, vectors, strict=True)))])
        self.changed(scope, ids=[fact.id for fact in facts])

    def changed(self, scope: Scope, **what: Any) -> None:
        self.retriever.changed(
            MemoryChanged(workspace=scope.workspace, user=scope.user, collection=scope.collection, store="facts", **what)
        )

    async def ask(self, scope: Scope, text: str, **options: Any) -> Retrieved:
        return await self.retriever.retrieve(scope, RetrievalQuery(question=text, asked_at=NOW, **options))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    embedder = HashedEmbedder(256)
    async with lend_index(embedder.profile) as index:
        yield World(index, embedder)


def contents(result: Retrieved) -> list[str]:
    return [fact.content for fact in result.facts]


DAY = timedelta(days=1)


async def test_the_date_of_a_question_is_that_of_the_asker(world: World) -> None:
    told = [
        replace(turn, said_at=NOW - timedelta(hours=hours)) for turn, hours in zip(turns(ANN), range(4, 32, 4), strict=True)
    ]
    await world.put(ANN, told)
    asked = RetrievalQuery(question="What did I tell you yesterday?", asked_at=NOW - timedelta(hours=2), top_k=7)
    found = {}
    for zone in ("UTC", "Asia/Tokyo"):
        result = await world.retriever.retrieve(ANN, replace(asked, zone=ZoneInfo(zone)))
        column = result.features[:, result.feature_names.index("date")]
        found[zone] = {name for name, value in zip(result.candidate_ids, column, strict=True) if value == 1}
    tells = "ann-s1-0"  # said today about yesterday
    assert found == {
        "UTC": {tells, "ann-s1-6"},  # the 12th; it is the 13th, 22:00
        "Asia/Tokyo": {tells, "ann-s1-2", "ann-s1-3", "ann-s1-4", "ann-s1-5", "ann-s1-6"},  # the 13th; it is the 14th, 07:00
    }


async def test_the_turn_that_holds_the_answer_comes_first(world: World) -> None:
    await world.put(ANN, turns(ANN))
    result = await world.ask(ANN, "What is the budget for the holiday?")
    assert contents(result)[0].startswith("My budget")
    first = result.facts[0]
    assert first.rank_before == 0
    assert first.why
    assert 0 < first.probability <= 1
    assert 0 <= first.similarity <= 1
    assert result.feature_names[0] == "base"
    assert result.features.shape == (len(result.candidate_ids), len(result.feature_names))


async def test_what_is_no_longer_true_is_not_recalled(world: World) -> None:
    facts = turns(ANN)
    facts[0] = replace(facts[0], status="superseded")
    facts[2] = replace(facts[2], status="quarantined")
    facts[4] = replace(facts[4], valid_to=NOW - timedelta(days=1))
    facts[6] = replace(facts[6], valid_to=NOW + timedelta(days=1))
    await world.put(ANN, facts)
    found = {fact.id for fact in (await world.ask(ANN, "Ann horse river budget cat", top_k=20)).facts}
    assert found == {facts[3].id, facts[5].id, facts[6].id}  # facts[1] is a question, which states nothing


def entry(name: str, content: str, **fields: Any) -> Fact:
    return Fact(id=name, scope=ANN, kind="semantic", content=content, created_at=NOW - 50 * DAY, **fields)


def replaced_by(name: str, since: datetime = NOW - DAY) -> dict[str, Any]:
    return {"status": "superseded", "superseded_by": name, "superseded_at": since}


BOTH = pytest.mark.parametrize("hot_records", [200_000, 0])


@BOTH
async def test_a_former_entry_stands_last_with_what_took_its_place(world: World, hot_records: int) -> None:
    world.retriever = Retriever(world.index, world.embedder, clock=Clock(), hot_records=hot_records)
    old = entry("old", "Ann keeps her boat in the harbour of Oslo", **replaced_by("new"))
    new = entry("new", "The boat of Ann lies in Bergen now", turn_ids=("said",))
    await world.put(ANN, [old, new, *turns(ANN)])
    found = (await world.ask(ANN, "Where does Ann keep her boat in the harbour?")).facts
    assert (found[0].id, found[-1].id) == ("new", "old")
    assert (found[-1].status, found[-1].former_since[:10], found[-1].replacement) == (
        "superseded", "2023-06-13", "The boat of Ann lies in Bergen now",
    )  # fmt: skip
    assert not any(fact.former_since for fact in found[:-1])
    before = await world.ask(ANN, "Where did Ann keep her boat in May 2023?")
    assert before.facts[0].id == "old"


@BOTH
async def test_what_was_merged_withdrawn_or_undone_is_not_shown_as_former(world: World, hot_records: int) -> None:
    world.retriever = Retriever(world.index, world.embedder, clock=Clock(), hot_records=hot_records)
    merged = entry("merged", "Ann keeps a boat in Oslo", **replaced_by("whole"))
    whole = entry("whole", "Ann keeps a red boat in Oslo", metadata={"sources": "merged,other"})
    loose = entry("loose", "Ann keeps a boat in Rome", status="superseded", superseded_at=NOW)
    lost = entry("lost", "Ann keeps a boat in Malta", **replaced_by("undone"))
    held = entry("held", "Ann keeps a boat in Hull", status="quarantined", superseded_by="whole")
    await world.put(ANN, [merged, whole, loose, lost, held])
    assert [fact.id for fact in (await world.ask(ANN, "Where does Ann keep a boat?", top_k=20)).facts] == ["whole"]


async def test_below_the_threshold_nothing_is_recalled(world: World) -> None:
    await world.put(ANN, turns(ANN))
    result = await world.ask(ANN, "zebra xylophone quantum", threshold=0.95)
    assert (result.facts, result.abstained) == ((), True)
    exact = await world.ask(ANN, "Ann: The cat is called Minka", threshold=0.95)
    assert contents(exact) == ["The cat is called Minka"]


async def test_kinds_exclusions_and_the_running_conversation(world: World) -> None:
    facts = turns(ANN)
    semantic = Fact(id="ann-fact", scope=ANN, kind="semantic", content="Ann has a cat, Minka", created_at=NOW)
    await world.put(ANN, [*facts, semantic])
    assert [fact.id for fact in (await world.ask(ANN, "cat", kinds=["semantic"])).facts] == ["ann-fact"]
    shown = await world.ask(ANN, "cat", top_k=20, exclude=["ann-fact"])
    assert "ann-fact" not in {fact.id for fact in shown.facts}
    # A running conversation is no reason to leave out a record: only the ids that the caller shows are.
    said = [fact.id for fact in facts]
    assert {fact.id for fact in (await world.ask(ANN, "cat", top_k=20, exclude=said)).facts} == {"ann-fact"}


async def test_rules_are_found_beside_the_facts(world: World) -> None:
    rule = Fact(
        id="rule",
        scope=ANN,
        kind="procedural",
        content="holiday budget questions",
        condition="holiday budget questions",
        action="answer in euros",
        created_at=NOW,
    )
    await world.put(ANN, [*turns(ANN), rule])
    result = await world.ask(ANN, "holiday budget questions", rules=2)
    assert [fact.action for fact in result.rules] == ["answer in euros"]
    assert all(fact.kind != "procedural" for fact in result.facts)
    assert (await world.ask(ANN, "xylophone quark", rules=2)).rules == ()


async def test_a_change_shows_at_the_next_question(world: World) -> None:
    facts = turns(ANN)
    await world.put(ANN, facts[:5])
    assert "Minka" not in " ".join(contents(await world.ask(ANN, "cat Minka", top_k=9)))
    await world.put(ANN, facts[5:])
    assert contents(await world.ask(ANN, "cat Minka"))[0] == "The cat is called Minka"
    await world.index.delete(ANN, [facts[6].id])
    world.changed(ANN, forgotten=[facts[6].id])
    assert "Minka" not in " ".join(contents(await world.ask(ANN, "cat Minka", top_k=9)))
    await world.index.delete_scope(ANN)
    world.changed(ANN)
    assert (await world.ask(ANN, "cat Minka")).facts == ()


async def test_a_large_scope_is_ranked_by_the_engine_with_the_same_scores(world: World) -> None:
    await world.put(ANN, turns(ANN))
    large = Retriever(world.index, world.embedder, clock=Clock(), hot_records=0)
    for text in ("When did Ann paint the horse in Oslo?", "What is the budget for the holiday?", "Who moved to Bergen?"):
        query = RetrievalQuery(question=text, asked_at=NOW, top_k=7)
        held, engine = await world.retriever.retrieve(ANN, query), await large.retrieve(ANN, query)
        assert engine.facts[0].id == held.facts[0].id
        keys = ("text", "context", "nearest", "words", "words_context", "covered")
        around = ("text_before", "text_after", "context_after", "context_later")
        for name in (*keys, *around, "speaker", "question", "time_asked", "date"):
            column = held.feature_names.index(name)
            one = dict(zip(held.candidate_ids, held.features[:, column], strict=True))
            other = dict(zip(engine.candidate_ids, engine.features[:, column], strict=True))
            assert set(one) == set(other)
            np.testing.assert_allclose([one[key] for key in other], list(other.values()), atol=0.02, err_msg=name)


async def test_a_vector_of_another_model_is_refused_by_name(world: World) -> None:
    await world.put(ANN, turns(ANN))
    with pytest.raises(ConfigurationError, match=r"384 dimensions.*256"):
        await world.ask(ANN, "cat", vector=np.zeros(384, np.float32))


class SlowScan:
    """An index whose scans stop after ``before`` records until they may go on."""

    def __init__(self, inner: EdgeIndex, before: int) -> None:
        self.inner, self.before, self.scans = inner, before, 0
        self.waits, self.go_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def scan(self, scope: Scope, **options: Any) -> AsyncIterator[Any]:
        self.scans += 1
        read = 0
        async for batch in self.inner.scan(scope, **options):
            if read >= self.before:
                self.waits.set()
                await self.go_on.wait()
            read += len(batch)
            yield batch


async def test_many_requests_load_a_scope_once_and_see_what_changed_meanwhile(world: World) -> None:
    facts = turns(ANN)
    await world.put(ANN, facts)
    index = SlowScan(world.index, before=0)
    scopes = ScopeCache(index, max_records=100, max_bytes=2**30)
    asking = [asyncio.create_task(scopes.get(ANN)) for _ in range(5)]
    await index.waits.wait()
    await world.index.delete(ANN, [facts[0].id])
    scopes.changed(ANN, forgotten=[facts[0].id])
    index.go_on.set()
    held = await asyncio.gather(*asking)
    assert index.scans == 1
    assert all(isinstance(one, ScopeColumns) and facts[0].id not in one.slots and len(one) == 6 for one in held)


async def test_episodes_are_found_by_their_goal(tmp_path: Path) -> None:
    embedder = HashedEmbedder(256)
    index = await EdgeIndex.open(tmp_path, embedder.profile, name="episodes")
    retriever = EpisodeRetriever(index, embedder)
    try:
        for number, goal in enumerate(("book a flight to Oslo", "bake bread", "repair the bicycle")):
            episode = Episode(
                id=str(number), scope=ANN, goal=goal, steps=("s",), outcome="done", lessons="ask first", created_at=NOW
            )
            keys = episode_document(episode)
            vectors = await embedder.embed(list(keys.texts.values()), role="passage")
            await index.upsert(ANN, [keys.point(dict(zip(keys.texts, vectors, strict=True)))])
        found = await retriever.retrieve(ANN, RetrievalQuery(question="please book a flight", top_k=2))
        assert found[0].goal == "book a flight to Oslo"
        assert found[0].score >= found[1].score
        assert await retriever.retrieve(BOB, RetrievalQuery(question="please book a flight")) == []
        assert await retriever.retrieve(ANN, RetrievalQuery(question="zebra xylophone", threshold=0.9)) == []
    finally:
        await index.close()


async def many(world: World, count: int) -> None:
    directions = np.random.default_rng(1).normal(size=(count, 256)).astype(np.float32)
    lines = turns(ANN, [f"Ann: thing {number} of many" for number in range(count)], source="many")
    points = []
    for fact, direction in zip(lines, directions, strict=True):
        keys = fact_document(fact)
        points.append(keys.point({name: direction / np.linalg.norm(direction) for name in keys.texts}))
    await world.index.upsert(ANN, points)


async def test_while_a_large_scope_loads_its_questions_are_answered_from_the_engine(world: World) -> None:
    await many(world, 1500)
    await world.put(ANN, turns(ANN))
    slow = SlowScan(world.index, before=1200)
    retriever = Retriever(slow, world.embedder, clock=Clock(), patience_s=0.01)

    async def ask() -> Retrieved:
        return await retriever.retrieve(ANN, RetrievalQuery(question="What is the budget for the holiday?", asked_at=NOW))

    answers = await asyncio.gather(*(ask() for _ in range(5)))
    assert all(contents(answer)[0].startswith("My budget") for answer in answers)
    assert slow.scans == 1
    await world.index.delete(ANN, [answers[0].facts[0].id])
    retriever.changed(
        MemoryChanged(workspace="w", user="ann", collection="default", store="facts", forgotten=[answers[0].facts[0].id])
    )
    assert answers[0].facts[0].id not in {fact.id for fact in (await ask()).facts}
    slow.go_on.set()
    held = await retriever._scopes.get(ANN)
    while isinstance(held, EngineScope):
        held = await retriever._scopes.get(ANN)
    assert len(held) == 1506
    assert answers[0].facts[0].id not in {fact.id for fact in (await ask()).facts}
    assert slow.scans == 1
