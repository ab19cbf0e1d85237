"""Export and import: a scope as lines and back, on real embedded engines."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.core import core_over
from tests.integration.engines import lend_graph, lend_index
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.ports import StoredWeights, Switches
from trustgraph_react_mem.memory.records import FACT_STATUSES, Episode, Fact, Invocation, VersionEntry
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.transfer import ScopeExport, ScopeImport
from trustgraph_react_mem.transfer.exporter import PAGE_BYTES

pytestmark = pytest.mark.later

ANN = Scope(workspace="w", user="ann", collection="default")
EVE = Scope(workspace="w", user="eve", collection="default")
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
POLICY = DataPolicy()


class Bench:
    def __init__(self, stores: GraphStores, index: EdgeIndex, episodes: EdgeIndex, embedder: HashedEmbedder) -> None:
        self.stores = stores
        core = core_over(stores, index, embedder, episodes=episodes)
        self.facts, self.episodes, self.undo = core.facts, core.episodes, Undo(core)
        self.exporter, self.importer = ScopeExport(core), ScopeImport(core)

    async def read(self, scope: Scope, text: str, policy: DataPolicy = POLICY) -> int:
        return await self.importer.lines(scope, text, policy)

    async def everything(self, scope: Scope, limit: int = 500, page_bytes: int = PAGE_BYTES) -> str:
        found, cursor = list[str](), ""
        while True:
            page, cursor = await self.exporter.page(scope, cursor, limit, page_bytes=page_bytes)
            assert len(page) <= limit
            found += page
            if not cursor:
                return "".join(line + "\n" for line in found)

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
        await self.stores.switches.set(scope, Switches(write=False), "secret talk")
        await self.stores.weights.save(scope, replace(weights, version=1), expected_version=0)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with opened() as bench:
        yield bench


@asynccontextmanager
async def opened() -> AsyncIterator[Bench]:
    embedder = HashedEmbedder(64)
    async with lend_graph() as graph, lend_index(embedder.profile) as index, lend_index(embedder.profile) as episodes:
        yield Bench(GraphStores.over(graph, SystemClock(), bytes(32)), index, episodes, embedder)


async def rich(bench: Bench, scope: Scope) -> None:
    """All that a scope may hold: versions, quarantine, what was taken back, an exchange without its turn, rewards, ..."""
    await bench.fill(scope)
    facts, stores = bench.facts, bench.stores
    (rule,) = await facts.graph.get(scope, ["p1"])
    await facts.update(scope, replace(rule, action="one sentence"), by="ann", trigger="update")
    await facts.update(scope, replace(rule, action="no sentence", entities=("Ann", "Chat")), by="ann", trigger="update")
    await bench.undo.undo(scope, "p1", by="ann")
    await facts.set_status(scope, ["q1"], "active", by="gate")
    await facts.set_status(scope, ["q1"], "quarantined", by="gate")
    await facts.touch(scope, ["p1", "t1"], at=AT)
    topic = Fact(id="topic", scope=scope, kind="topic", content="music", created_at=AT, turn_ids=("t0",), metadata={"k": "v"})
    await facts.store(scope, [topic, replace(topic, id="gone", content="noise", turn_ids=("t4",))], by="job", trigger="end")
    said = Invocation(id="t4", conversation_id="other", query="q", summary="", result="r", at=AT, steps=("look",))
    await stores.conversations.append(scope, said)
    await stores.conversations.set_metadata(scope, "talk", {"title": "Music", "why:i1": "{}"})
    (turn,) = await facts.graph.get(scope, ["t4"])
    await facts.update(scope, replace(turn, invocation_id="t4"))
    told = Episode(
        id="told", scope=scope, goal="g", steps=(), outcome="", lessons="", created_at=AT, metadata={"invocation_id": "t4"}
    )
    await bench.episodes.store(scope, [told])
    await bench.undo.rollback(scope, datetime.now(UTC), by="nobody")
    await bench.undo.undo(scope, "gone", by="ann")
    await facts.supersede(scope, ["s2"], replace(topic, id="s3", kind="semantic", content="Ann likes swing"), by="job")
    await bench.undo.undo(scope, "s3", by="ann")
    for n in range(3):
        await stores.weights.log_reward(scope, AT + timedelta(minutes=n), {"reward": n / 3, "citation_rate": 0.5}, f"job{n}")
    await stores.switches.set(scope, Switches(read=True, write=True), "free talk")


async def test_a_rich_scope_is_written_out_again_in_the_same_lines(bench: Bench, tmp_path: Path) -> None:
    await rich(bench, ANN)
    text = await bench.everything(ANN)
    kinds = Counter(json.loads(line)["type"] for line in text.split("\n")[:-1])
    assert kinds["change"] >= 10
    assert kinds["reward"] == 3
    async with opened() as empty:
        assert await empty.read(ANN, text) == sum(kinds.values())
        assert (await empty.everything(ANN)).split("\n") == text.split("\n")
        assert await empty.read(ANN, text) == 0
        for fact in await bench.facts.graph.listing(ANN, statuses=FACT_STATUSES):
            assert await told(empty, fact.id) == await told(bench, fact.id)
        for one, other in ((bench.facts.index, empty.facts.index), (bench.episodes.index, empty.episodes.index)):
            ours = {point.id: point async for batch in one.scan(ANN, with_vectors=True) for point in batch}
            theirs = {point.id: point async for batch in other.scan(ANN, with_vectors=True) for point in batch}
            assert set(ours) == set(theirs)
            for name, point in ours.items():
                counted = {"uses": 0}  # of a use the index hears when the record is indexed next
                assert {**theirs[name].payload, **counted} == {**point.payload, **counted}
                assert theirs[name].sparse == point.sparse
        # what can be taken back there can be taken back here, to the same
        newest = (await bench.facts.graph.history(ANN, "p1"))[0].at
        for each in (bench, empty):
            await each.undo.undo(ANN, "gone")
            await each.undo.rollback(ANN, newest)
        at = [line for line in (await empty.everything(ANN)).split("\n") if '"rollback:' not in line and '"fact"' in line]
        assert [_untimed(line) for line in at] == [
            _untimed(line)
            for line in (await bench.everything(ANN)).split("\n")
            if '"rollback:' not in line and '"fact"' in line
        ]


async def told(bench: Bench, record_id: str) -> list[VersionEntry]:
    """The history; whether a former state had its vectors yet is not a part of it."""
    entries = await bench.facts.graph.history(ANN, record_id)
    return [replace(each, before=replace(each.before, indexed=True) if each.before else None) for each in entries]


def _untimed(line: str) -> Any:
    """Two undoings at two times."""
    return {name: value for name, value in json.loads(line).items() if name != "superseded_at"}


async def test_a_scope_comes_back_whole_in_another_scope(bench: Bench) -> None:
    await bench.fill(ANN)
    text = await bench.everything(ANN)
    kinds = Counter(json.loads(line)["type"] for line in text.split("\n")[:-1])
    assert kinds == Counter(invocation=3, conversation=1, fact=9, change=1, supersession=1, episode=1, weights=1, switches=1)
    assert [await bench.read(scope, text) for scope in (EVE, EVE, ANN)] == [18, 0, 0], "a second import changes nothing"
    assert await bench.everything(EVE) == text
    assert await bench.facts.index.count(EVE) == await bench.facts.index.count(ANN)
    weights = await bench.stores.weights.load(EVE)
    assert weights is not None
    assert weights.blob == b"\x00weights\xff"


GOOD = json.dumps({"type": "fact", "id": "x", "kind": "semantic", "content": "c", "created_at": AT.isoformat()})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is a JSON list"),
        ('{"type": "spell"}', "line 2: type = 'spell' is not a known record type: import it with the version"),
        ('{"type": "fact", "kind": "semantic", "content": "c"}', "a fact needs id"),
        ('{"type": "fact", "id": 3, "kind": "semantic", "content": "c"}', "id = '3': Input should be a valid string"),
        ('{"type": "fact", "id": "a", "kind": "semantic"}', "missing"),
        ('{"type": "fact", "id": "a", "kind": "odd", "content": "c"}', "kind = 'odd': Input should be 'turn'"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "noon"}', "created_at = 'noon'"),
        ('{"type": "fact", "id": "a", "kind": "turn", "content": "c", "created_at": "2026-01-01"}', "created_at"),
        ('{"type": "conversation"}', "a conversation needs id"),
        ('{"type": "conversation", "id": "a", "metadata": 3}', "metadata = '3': Input should be a valid dictionary"),
        ('{"type": "conversation", "id": "a", "ended_at": "noon"}', "ended_at"),
        ('{"type": "conversation", "id": "a", "ended_at": "2026-01-01"}', "ended_at"),
        ('{"type": "invocation", "id": "a"}', "missing"),
        ('{"type": "supersession", "new": "a", "old": 3}', "a supersession needs old"),
        ('{"type": "switches", "read": "yes", "write": true}', "switches need read and write"),
        ('{"type": "reward", "job_id": "a", "row": {"b": "c"}}', "row = .*: Input should be a valid number"),
        ('{"type": "weights", "blob": "?"}', "blob is not Base64"),
    ],
)
async def test_a_wrong_line_is_named_and_nothing_is_written(bench: Bench, line: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        await bench.read(EVE, f"{GOOD}\n{line}\n")
    assert await bench.facts.graph.listing(EVE) == []


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
    text = await bench.everything(ANN)
    assert text.count(secret) == 13
    assert await bench.read(EVE, text) == 4
    imported = await bench.everything(EVE)
    assert secret not in imported
    assert imported.count("[secret]") == 13
    dropping = Scope(workspace="w", user="dan", collection="default")
    assert await bench.read(dropping, text, DataPolicy(personal_data="drop")) == 4
    assert secret not in await bench.everything(dropping)


@pytest.mark.parametrize("cursor", ["nonsense", "[]", '["moon"]', '["fact", 1]', '["conversation", "a", "b"]'])
async def test_a_cursor_that_no_export_gave_is_refused(bench: Bench, cursor: str) -> None:
    await bench.fill(ANN)
    with pytest.raises(BadRequest, match="not a place in an export"):
        await bench.exporter.page(ANN, cursor, 5)
