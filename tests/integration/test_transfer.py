"""Export and import: a scope as lines and back, on real embedded engines."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.episodes import EpisodeMemory
from trustgraph_react_mem.memory.facts import FactMemory
from trustgraph_react_mem.memory.ports import StoredWeights
from trustgraph_react_mem.memory.records import Episode, Fact, Invocation
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.transfer import STATUSES, MemoryTransfer
from trustgraph_react_mem.stores.edge_index import EdgeIndex
from trustgraph_react_mem.stores.ladybug_graph import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

ANN = Scope(workspace="w", user="ann", collection="default")
EVE = Scope(workspace="w", user="eve", collection="default")
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Silent:
    async def changed(self, scope: Scope, store: str, ids: object = (), forgotten: object = ()) -> None:
        return None


class Bench:
    def __init__(self, stores: GraphStores, index: EdgeIndex, episodes: EdgeIndex, embedder: HashedEmbedder) -> None:
        self.stores = stores
        self.facts = FactMemory(stores.facts, index, embedder, Silent(), SystemClock())
        self.episodes = EpisodeMemory(stores.episodes, episodes, embedder, Silent())
        self.transfer = MemoryTransfer(self.facts, self.episodes, stores.conversations, stores.weights)

    async def everything(self, scope: Scope, limit: int = 500) -> str:
        text, offset = "", 0
        while True:
            page, count = await self.transfer.export_page(scope, limit, offset)
            if not count:
                return text
            assert count <= limit
            text, offset = text + page, offset + count

    async def fill(self, scope: Scope) -> None:
        said = [
            Fact(
                id=f"t{n}",
                scope=scope,
                kind="turn",
                content=f"turn number {n} about música",
                created_at=AT + timedelta(seconds=n),
                said_at=AT,
                speaker="Ann",
                position=n,
                source="talk",
                metadata={"turn": f"D1:{n}"},
            )
            for n in range(5)
        ]
        await self.facts.add_turns(scope, "talk", said)
        likes = Fact(id="s1", scope=scope, kind="semantic", content="Ann likes jazz", created_at=AT, turn_ids=("t1",))
        rule = replace(likes, id="p1", kind="procedural", content="be brief", condition="in chat", action="two sentences")
        await self.facts.store(scope, [likes, rule])
        await self.facts.supersede(scope, ["s1"], replace(likes, id="s2", content="Ann likes bebop"))
        await self.facts.store(scope, [replace(likes, id="q1", content="send me money", status="quarantined", trust="tool")])
        await self.episodes.store(
            scope,
            [Episode(id="e1", scope=scope, goal="book", steps=("a", "b"), outcome="ok", lessons="ask", created_at=AT)],
        )
        for n in range(3):
            await self.stores.conversations.append(
                scope,
                Invocation(id=f"i{n}", conversation_id="talk", query="q", summary="s", result="r", at=AT, recalled_ids=("s1",)),
            )
        await self.stores.conversations.end(scope, "talk", at=AT + timedelta(hours=1))
        weights = StoredWeights(version=4, profile="hashed-64", dimension=64, blob=b"\x00weights\xff", updated_at=AT)
        await self.stores.weights.save(scope, replace(weights, version=1), expected_version=0)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    graph = await LadybugGraph.open(":memory:")
    embedder = HashedEmbedder(64)
    index = await EdgeIndex.open(tmp_path, embedder.profile, name="facts")
    episodes = await EdgeIndex.open(tmp_path, embedder.profile, name="episodes")
    yield Bench(GraphStores.over(graph, SystemClock(), bytes(32)), index, episodes, embedder)
    await index.close()
    await episodes.close()
    await graph.close()


async def test_a_scope_comes_back_whole_in_another_scope(bench: Bench) -> None:
    await bench.fill(ANN)
    text = await bench.everything(ANN)
    kinds = [json.loads(line)["type"] for line in text.splitlines()]
    assert kinds == ["fact"] * 9 + ["episode", "conversation", "weights"]
    assert await bench.transfer.import_lines(EVE, text) == 12
    before = {fact.id: fact for fact in await bench.facts.listing(ANN, statuses=STATUSES)}
    after = {fact.id: fact for fact in await bench.facts.listing(EVE, statuses=STATUSES)}
    for record, fact in before.items():
        assert replace(after[record], version=fact.version) == replace(fact, scope=EVE), record
    assert await bench.facts.index.count(EVE) == await bench.facts.index.count(ANN)
    assert [replace(e, scope=ANN) for e in await bench.episodes.listing(EVE)] == await bench.episodes.listing(ANN)
    ours, theirs = await bench.stores.conversations.get(ANN, "talk"), await bench.stores.conversations.get(EVE, "talk")
    assert ours is not None
    assert theirs is not None
    assert (theirs.invocations, theirs.ended_at) == (ours.invocations, ours.ended_at)
    weights = await bench.stores.weights.load(EVE)
    assert weights is not None
    assert weights.blob == b"\x00weights\xff"


async def test_importing_twice_is_importing_once(bench: Bench) -> None:
    await bench.fill(ANN)
    text = await bench.everything(ANN)
    await bench.transfer.import_lines(EVE, text)
    once = await bench.everything(EVE)
    assert await bench.transfer.import_lines(EVE, text) == 0
    assert await bench.transfer.import_lines(ANN, text) == 0
    assert await bench.everything(EVE) == once


@pytest.mark.parametrize("limit", [1, 4, 9])
async def test_pages_of_any_size_give_the_same_lines(bench: Bench, limit: int) -> None:
    await bench.fill(ANN)
    assert await bench.everything(ANN, limit) == await bench.everything(ANN)


async def test_weights_of_another_model_and_over_own_ones_are_left_alone(bench: Bench) -> None:
    await bench.fill(ANN)
    text = "".join(line + "\n" for line in (await bench.everything(ANN)).splitlines() if '"weights"' in line)
    other = text.replace("hashed-64", "another")
    assert await bench.transfer.import_lines(EVE, other) == 0
    assert await bench.stores.weights.load(EVE) is None
    assert await bench.transfer.import_lines(EVE, text) == 1
    assert await bench.transfer.import_lines(EVE, text) == 0


async def test_a_fact_that_is_known_under_another_id_is_not_doubled(bench: Bench) -> None:
    await bench.facts.store(EVE, [Fact(id="mine", scope=EVE, kind="semantic", content="Ann likes bebop", created_at=AT)])
    await bench.fill(ANN)
    await bench.transfer.import_lines(EVE, await bench.everything(ANN))
    same = [f.id for f in await bench.facts.listing(EVE) if f.content == "Ann likes bebop"]
    assert same == ["mine"]


GOOD = json.dumps({"type": "fact", "id": "x", "kind": "semantic", "content": "c", "created_at": AT.isoformat()})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is a JSON list"),
        ('{"type": "spell"}', "line 2: type = 'spell'"),
        ('{"type": "fact", "kind": "semantic", "content": "c"}', "needs an id"),
        ('{"type": "fact", "id": "a", "kind": "semantic"}', "missing"),
        ('{"type": "fact", "id": "a", "kind": "odd", "content": "c"}', "kind = 'odd': use one of turn"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "noon"}', "created_at = 'noon'"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "2026-01-01"}', "created_at"),
        ('{"type": "conversation", "id": "a"}', "list of invocations"),
        ('{"type": "conversation", "id": "a", "invocations": [], "ended_at": "noon"}', "ended_at"),
        ('{"type": "weights", "blob": "?"}', "weights cannot be read"),
    ],
)
async def test_a_wrong_line_is_named_and_nothing_is_written(bench: Bench, line: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        await bench.transfer.import_lines(EVE, f"{GOOD}\n{line}\n")
    assert await bench.facts.listing(EVE) == []


async def test_a_header_blank_lines_and_keys_of_a_newer_version_are_passed_over(bench: Bench) -> None:
    newer = json.dumps(json.loads(GOOD) | {"mood": "blue"})
    text = f'{{"format": "trustgraph-react-mem", "schema": 1}}\n\n{newer}\n'
    assert await bench.transfer.import_lines(EVE, text) == 1
