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
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.ports import StoredWeights, Switches
from trustgraph_react_mem.memory.records import Episode, Fact, Invocation, Relation
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.transfer import PAGE_BYTES, STATUSES, MemoryTransfer
from trustgraph_react_mem.stores.edge_index import EdgeIndex
from trustgraph_react_mem.stores.ladybug_graph import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

ANN = Scope(workspace="w", user="ann", collection="default")
EVE = Scope(workspace="w", user="eve", collection="default")
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
POLICY = DataPolicy()


class Silent:
    async def changed(self, scope: Scope, store: str, ids: object = (), forgotten: object = ()) -> None:
        return None


class Bench:
    def __init__(self, stores: GraphStores, index: EdgeIndex, episodes: EdgeIndex, embedder: HashedEmbedder) -> None:
        self.stores = stores
        self.facts = FactMemory(stores.facts, index, embedder, Silent(), SystemClock())
        self.episodes = EpisodeMemory(stores.episodes, episodes, embedder, Silent())
        self.transfer = MemoryTransfer(self.facts, self.episodes, stores.conversations, stores.weights, stores.switches)

    async def read(self, scope: Scope, text: str, policy: DataPolicy = POLICY) -> int:
        return await self.transfer.import_lines(scope, text, policy)

    async def everything(self, scope: Scope, limit: int = 500, page_bytes: int = PAGE_BYTES) -> str:
        text, offset = "", 0
        while True:
            page, count = await self.transfer.export_page(scope, limit, offset, page_bytes=page_bytes)
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
        await self.facts.relate(scope, [Relation(subject="Ann", predicate="likes", object="bebop", fact_id="s2")])
        await self.stores.switches.set(scope, Switches(write=False), "secret talk")
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
    kinds = [json.loads(line)["type"] for line in text.split("\n")[:-1]]
    assert kinds == [
        *(["invocation"] * 3 + ["conversation"] + ["fact"] * 9),
        *("relation", "supersession", "episode", "weights", "switches"),
    ]
    assert await bench.read(EVE, text) == 18
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
    await bench.read(EVE, text)
    once = await bench.everything(EVE)
    assert await bench.read(EVE, text) == 0
    assert await bench.read(ANN, text) == 0
    assert await bench.everything(EVE) == once
    assert await bench.stores.facts.relations(EVE) == await bench.stores.facts.relations(ANN)


@pytest.mark.parametrize("limit", [1, 4, 9])
async def test_pages_of_any_size_give_the_same_lines(bench: Bench, limit: int) -> None:
    await bench.fill(ANN)
    assert await bench.everything(ANN, limit) == await bench.everything(ANN)


async def test_weights_of_another_model_and_over_own_ones_are_left_alone(bench: Bench) -> None:
    await bench.fill(ANN)
    text = "".join(line + "\n" for line in (await bench.everything(ANN)).split("\n")[:-1] if '"weights"' in line)
    other = text.replace("hashed-64", "another")
    assert await bench.read(EVE, other) == 0
    assert await bench.stores.weights.load(EVE) is None
    assert await bench.read(EVE, text) == 1
    assert await bench.read(EVE, text) == 0


async def test_a_fact_that_is_known_under_another_id_is_not_doubled(bench: Bench) -> None:
    await bench.facts.store(EVE, [Fact(id="mine", scope=EVE, kind="semantic", content="Ann likes bebop", created_at=AT)])
    await bench.fill(ANN)
    await bench.read(EVE, await bench.everything(ANN))
    same = [f.id for f in await bench.facts.listing(EVE) if f.content == "Ann likes bebop"]
    assert same == ["mine"]


GOOD = json.dumps({"type": "fact", "id": "x", "kind": "semantic", "content": "c", "created_at": AT.isoformat()})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is a JSON list"),
        ('{"type": "spell"}', "line 2: type = 'spell' is no record that this version knows: import it with the version"),
        ('{"type": "fact", "kind": "semantic", "content": "c"}', "needs an id"),
        ('{"type": "fact", "id": "a", "kind": "semantic"}', "missing"),
        ('{"type": "fact", "id": "a", "kind": "odd", "content": "c"}', "kind = 'odd': use one of turn"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "noon"}', "created_at = 'noon'"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "2026-01-01"}', "created_at"),
        ('{"type": "conversation"}', "a conversation needs id"),
        ('{"type": "conversation", "id": "a", "metadata": 3}', "must be an object"),
        ('{"type": "conversation", "id": "a", "ended_at": "noon"}', "ended_at"),
        ('{"type": "conversation", "id": "a", "ended_at": "2026-01-01"}', "ended_at"),
        ('{"type": "invocation", "id": "a"}', "missing"),
        ('{"type": "relation", "subject": "a"}', "a relation needs predicate"),
        ('{"type": "supersession", "new": "a", "old": 3}', "a supersession needs old"),
        ('{"type": "switches", "read": "yes", "write": true}', "switches need read and write"),
        ('{"type": "weights", "blob": "?"}', "weights cannot be read"),
    ],
)
async def test_a_wrong_line_is_named_and_nothing_is_written(bench: Bench, line: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        await bench.read(EVE, f"{GOOD}\n{line}\n")
    assert await bench.facts.listing(EVE) == []


async def test_a_header_blank_lines_and_keys_of_a_newer_version_are_passed_over(bench: Bench) -> None:
    newer = json.dumps(json.loads(GOOD) | {"mood": "blue"})
    text = f'{{"format": "trustgraph-react-mem", "schema": 1}}\n\n{newer}\n'
    assert await bench.read(EVE, text) == 1


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\r", "\r\n", "\n"])
async def test_what_some_take_for_the_end_of_a_line_is_text(bench: Bench, mark: str) -> None:
    said = Fact(id="a", scope=ANN, kind="semantic", content=f"one{mark}two", created_at=AT)
    await bench.facts.store(ANN, [said])
    await bench.read(EVE, await bench.everything(ANN))
    assert [fact.content for fact in await bench.facts.listing(EVE)] == [said.content]


async def test_undoing_a_replacement_after_a_move_brings_back_what_it_replaced(bench: Bench) -> None:
    await bench.fill(ANN)
    await bench.read(EVE, await bench.everything(ANN, limit=1))
    assert await bench.facts.undo(EVE, "s2") is None
    (old,) = await bench.facts.get(EVE, ["s1"])
    assert (old.status, old.superseded_by, old.superseded_at, old.valid_to) == ("active", "", None, None)
    assert await bench.facts.get(EVE, ["s2"]) == []


async def test_lines_read_one_by_one_are_lines_read_together(bench: Bench) -> None:
    await bench.fill(ANN)
    text = await bench.everything(ANN)
    for line in text.split("\n"):
        await bench.read(EVE, line)
    assert await bench.read(EVE, text) == 0
    assert [old.id for old in await bench.stores.facts.superseded_by(EVE, "s2")] == ["s1"]
    theirs = await bench.stores.conversations.get(EVE, "talk")
    assert theirs is not None
    assert [each.id for each in theirs.invocations] == ["i0", "i1", "i2"]
    assert theirs.ended_at == AT + timedelta(hours=1)


async def test_writing_that_was_switched_off_there_or_here_stays_off(bench: Bench) -> None:
    await bench.stores.switches.set(ANN, Switches(write=False))
    await bench.stores.switches.set(ANN, Switches(read=False), "talk")
    await bench.stores.switches.set(EVE, Switches(read=False))
    text = await bench.everything(ANN)
    assert [json.loads(line)["conversation_id"] for line in text.split("\n")[:-1]] == ["talk", ""]  # the user's comes last
    assert await bench.read(EVE, text) == 2
    expected = {"": Switches(read=False, write=False), "talk": Switches(read=False)}
    assert await bench.stores.switches.listing(EVE) == expected
    assert await bench.read(EVE, text) == 0


async def test_every_text_is_screened_by_the_policy_of_the_importing_flow(bench: Bench) -> None:
    secret, row = "sk-" + "aB3" * 10, Fact(id="f", scope=ANN, kind="procedural", content="c", created_at=AT)
    await bench.facts.store(
        ANN, [replace(row, content=f"use {secret}", condition=secret, action=secret, metadata={"note": secret})]
    )
    await bench.episodes.store(
        ANN, [Episode(id="e", scope=ANN, goal=secret, steps=(secret,), outcome=secret, lessons=secret, created_at=AT)]
    )
    told = Invocation(id="i", conversation_id="t", query=secret, summary=secret, result=secret, at=AT, steps=(secret,))
    await bench.stores.conversations.append(ANN, told)
    await bench.stores.conversations.set_metadata(ANN, "t", {"title": secret})
    await bench.facts.relate(ANN, [Relation(subject="Ann", predicate="owns", object=secret, fact_id="f")])
    text = await bench.everything(ANN)
    assert text.count(secret) == 14
    assert await bench.read(EVE, text) == 5
    imported = await bench.everything(EVE)
    assert secret not in imported
    assert imported.count("[secret]") == 14
    dropping = Scope(workspace="w", user="dan", collection="default")
    assert await bench.read(dropping, text, DataPolicy(secrets="drop")) == 0
    assert await bench.everything(dropping) == ""


@pytest.mark.parametrize("page_bytes", [1, 700, 3000])
async def test_pages_are_cut_by_their_size_and_miss_nothing(bench: Bench, page_bytes: int) -> None:
    await bench.fill(ANN)
    page, count = await bench.transfer.export_page(ANN, 500, 0, page_bytes=page_bytes)
    assert count == page.count("\n") < 18
    assert count == 1 or len(page) <= page_bytes
    assert await bench.everything(ANN, page_bytes=page_bytes) == await bench.everything(ANN)


async def test_a_turn_while_paging_does_not_move_what_comes_next(bench: Bench) -> None:
    for name in ("a", "b", "c"):
        for n in range(2):
            said = Invocation(id=f"{name}{n}", conversation_id=name, query="q", summary="s", result="r", at=AT)
            await bench.stores.conversations.append(ANN, said)
    first, count = await bench.transfer.export_page(ANN, 3, 0)
    later = Invocation(id="c2", conversation_id="c", query="q", summary="s", result="r", at=AT + timedelta(days=1))
    await bench.stores.conversations.append(ANN, later)
    rest, _ = await bench.transfer.export_page(ANN, 500, count)
    ids = [json.loads(line)["id"] for line in (first + rest).split("\n")[:-1]]
    assert ids == ["a0", "a1", "b0", "b1", "c0", "c1", "c2", "a", "b", "c"]


async def test_a_conversation_that_went_on_after_an_import_is_not_ended_by_another(bench: Bench) -> None:
    await bench.fill(ANN)
    text = await bench.everything(ANN)
    await bench.read(EVE, text)
    again = Invocation(id="later", conversation_id="talk", query="q", summary="s", result="r", at=AT + timedelta(days=2))
    await bench.stores.conversations.append(EVE, again)
    assert await bench.read(EVE, text) == 0
    conversation = await bench.stores.conversations.get(EVE, "talk")
    assert conversation is not None
    assert conversation.ended_at is None
