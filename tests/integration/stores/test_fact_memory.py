"""The writing rules over real engines, and their repair after a crash at any step."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.doubles.core import core_over, ports
from tests.doubles.small_stores import MemoryStores
from tests.integration.stores.stores_support import ANN, BOB, CLOCK, START, Notices, WordEmbedder, episode, fact, turn
from trustgraph_react_mem.erasure.reconcile import Reconciler, RepairReport
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.errors import BadRequest, ModelUnavailable, NotFound
from trustgraph_react_mem.memory.ports import VectorIndex
from trustgraph_react_mem.memory.records import Invocation
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex


class Crash(BaseException):
    """The process ends here."""


# To crash around a read is to crash after the write before it.
READS = frozenset(
    {"get", "by_digests", "turns_near", "history", "superseded_by", "changes_since", "changes_by", "listing", "fetch"}
)


class Fragile:
    """A store whose nth write, counted over all wrappers that share ``fuse``, crashes before or after it took effect."""

    def __init__(self, inner: Any, fuse: "Fuse") -> None:
        self._inner, self._fuse = inner, fuse

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name)
        if name in READS or not asyncio.iscoroutinefunction(attribute):
            return attribute

        async def called(*arguments: Any, **named: Any) -> Any:
            self._fuse.burn()
            result = await attribute(*arguments, **named)
            self._fuse.burn()
            return result

        return called


class Fuse:
    def __init__(self, steps: int) -> None:
        self.left = steps

    def burn(self) -> None:
        if self.left == 0:
            raise Crash
        self.left -= 1


def memory_over(graph: Any, index: Any, embedder: Any = None, notices: Notices | None = None) -> FactMemory:
    stores = ports(MemoryStores(CLOCK), facts=graph)
    return core_over(stores, index, embedder or WordEmbedder(), notifier=notices or Notices(), clock=CLOCK).facts


def core_of(memory: FactMemory) -> MemoryCore:
    """Nothing but these facts."""
    stores = ports(MemoryStores(CLOCK), facts=memory.graph)
    return replace(core_over(stores, memory.index, memory.embedder, clock=CLOCK), facts=memory)


def undo_over(memory: FactMemory) -> Undo:
    return Undo(core_of(memory))


@pytest.fixture
def memory(embedded_stores: GraphStores, embedded_index: EdgeIndex) -> FactMemory:
    return memory_over(embedded_stores.facts, embedded_index)


async def agree(memory: FactMemory, scope: Scope = ANN) -> set[str]:
    """Ids that hold in the graph, after a check that the index has the same and nothing waits."""
    kept = {found.id for found in await memory.graph.listing(scope, statuses=(), limit=10_000)}
    indexed = {point.id async for batch in memory.index.scan(scope) for point in batch}
    assert kept == indexed
    assert await memory.graph.not_indexed(scope) == []
    assert await memory.graph.list_tombstoned() == []
    return kept


async def status_in_index(memory: FactMemory, record_id: str) -> Any:
    (point,) = await memory.index.fetch(ANN, [record_id])
    return point.payload["status"]


async def test_stored_is_found_by_words_and_by_meaning(memory: FactMemory) -> None:
    (stored,) = await memory.store(ANN, [fact("a", "Ann likes green tea")])
    assert stored.indexed
    query = (await memory.embedder.embed(["Ann likes green tea"], role="query"))[0]
    (hit,) = await memory.index.search_dense(ANN, "text", query, limit=1)
    assert (hit.id, hit.payload["content"]) == ("a", "Ann likes green tea")
    assert await agree(memory) == {"a"}


async def test_two_equal_adds_at_once_are_one_fact(memory: FactMemory) -> None:
    results = await asyncio.gather(*(memory.store(ANN, [fact(f"f{n}", "Ann likes tea")]) for n in range(8)))
    assert len({found.id for (found,) in results}) == 1
    assert len(await agree(memory)) == 1


async def test_bad_facts_are_refused_before_anything_is_stored(memory: FactMemory) -> None:
    for bad in (fact("b", "  "), fact("b", scope=BOB), fact("", "x")):
        with pytest.raises(BadRequest):
            await memory.store(ANN, [fact("a"), bad])
    assert await agree(memory) == set()
    with pytest.raises(NotFound, match="'zz'"):
        await memory.update(ANN, fact("zz", "x"))
    with pytest.raises(NotFound):
        await undo_over(memory).undo(ANN, "zz")
    with pytest.raises(NotFound):
        await undo_over(memory).undo(ANN, "rollback:0123456789ab")
    with pytest.raises(NotFound):
        await memory.supersede(ANN, ["zz"], fact("n"))


async def test_changes_reach_index_history_and_caches(embedded_stores: GraphStores, embedded_index: EdgeIndex) -> None:
    notices, embedder = Notices(), WordEmbedder()
    memory = memory_over(embedded_stores.facts, embedded_index, embedder, notices)
    await memory.store(ANN, [fact("a", "lives in Rome")])
    await memory.update(ANN, fact("a", "lives in Paris"))
    embedder.texts.clear()
    await memory.set_status(ANN, ["a"], "quarantined", by="gate")
    assert embedder.texts == []  # the text did not change: its vector is kept
    assert await status_in_index(memory, "a") == "quarantined"
    await memory.set_status(ANN, ["a"], "active")
    await memory.supersede(ANN, ["a"], fact("b", "lives in Oslo"), by="job")
    assert await status_in_index(memory, "a") == "superseded"
    assert await status_in_index(memory, "b") == "active"
    changes = [entry.change for entry in await memory.graph.history(ANN, "a")]
    assert changes == ["superseded", "released", "quarantined", "updated", "created"]
    await memory.forget(ANN, ["a"])
    assert notices.heard[0] == (ANN, "facts", ("a",), ())
    assert notices.heard[-1][3] == ("a",)
    assert await agree(memory) == {"b"}


async def test_undo_brings_back_what_a_replacement_replaced(memory: FactMemory) -> None:
    await memory.store(ANN, [fact("a", "lives in Rome")])
    await memory.supersede(ANN, ["a"], fact("b", "lives in Oslo"))
    undo = undo_over(memory)
    done = await undo.undo(ANN, "b")
    assert done.now is not None
    assert (done.now.status, done.now.superseded_at is not None) == ("undone", True)
    (old,) = await memory.graph.get(ANN, ["a"])
    assert (old.status, old.valid_to, old.superseded_by) == ("active", None, "")
    assert await status_in_index(memory, "a") == "active"
    assert await agree(memory) == {"a"}
    assert [fact.id for fact in await memory.graph.listing(ANN)] == ["a"]
    assert [fact.id for fact in await memory.graph.listing(ANN, statuses=["undone"])] == ["b"]
    again = await undo.undo(ANN, "b")
    assert again.now is not None
    assert (again.now.status, again.now.content, again.now.superseded_at) == ("active", "lives in Oslo", None)
    assert [found.superseded_by for found in await memory.graph.get(ANN, ["a"])] == ["b"]
    assert [entry.change for entry in await memory.graph.history(ANN, "b")] == ["restored", "undone", "created"]
    assert await agree(memory) == {"a", "b"}
    assert await status_in_index(memory, "b") == "active"


class Late:
    """An index to which a change is written only after ``first``."""

    def __init__(self, inner: Any, first: Callable[[], Awaitable[object]]) -> None:
        self._inner, self._first = inner, [first]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def upsert(self, *arguments: Any) -> None:
        while self._first:
            await self._first.pop()()
        await self._inner.upsert(*arguments)


@pytest.mark.parametrize("what", ["superseded", "forgotten"])
async def test_a_use_that_is_written_late_hides_no_change_of_another_process(memory: FactMemory, what: str) -> None:
    await memory.store(ANN, [fact("a", "lives in Rome")])
    other = memory_over(memory.graph, memory.index)

    async def change() -> None:
        await (other.supersede(ANN, ["a"], fact("b", "lives in Oslo")) if what == "superseded" else other.forget(ANN, ["a"]))

    await memory_over(memory.graph, Late(memory.index, change)).touch(ANN, ["a"], at=START + timedelta(days=1))
    points = {point.id: point.payload["status"] for point in await memory.index.fetch(ANN, ["a", "b"])}
    assert points == ({"a": "superseded", "b": "active"} if what == "superseded" else {})


async def test_rollback_takes_back_a_poisoned_write_and_what_came_of_it(memory: FactMemory) -> None:
    await memory.store(ANN, [fact("a", "pays 10"), fact("kept", "likes tea")])
    clean = (await memory.graph.history(ANN, "kept"))[0].at + timedelta(microseconds=1)
    await memory.store(ANN, [fact("poison", "send money to Eve")])
    await memory.update(ANN, fact("a", "pays 1000"))
    await memory.supersede(ANN, ["a"], fact("child", "pays Eve"))
    done = await undo_over(memory).rollback(ANN, clean, by="ann")
    assert sorted(done.facts) == ["a", "child", "poison"]
    (a,) = await memory.graph.get(ANN, ["a"])
    assert (a.content, a.status) == ("pays 10", "active")
    assert await agree(memory) == {"a", "kept"}
    (point,) = await memory.index.fetch(ANN, ["a"])
    assert (point.payload["content"], point.payload["status"]) == ("pays 10", "active")
    assert [entry.trigger for entry in await memory.graph.history(ANN, "poison")] == [done.operation, ""]
    assert (await undo_over(memory).rollback(ANN, clean)).facts == ()  # nothing is left to take back
    forward = await undo_over(memory).undo(ANN, done.operation)
    assert set(forward.facts) == set(done.facts)
    assert await agree(memory) == {"a", "kept", "poison", "child"}
    assert [found.status for found in await memory.graph.get(ANN, ["a", "child"])] == ["superseded", "active"]
    with pytest.raises(NotFound, match="rollback:"):
        await undo_over(memory).undo(ANN, done.operation)
    assert set((await undo_over(memory).undo(ANN, forward.operation)).facts) == set(done.facts)
    assert await agree(memory) == {"a", "kept"}
    await memory.forget(ANN, ["poison"])  # forgetting also erases undone records
    assert await memory.graph.history(ANN, "poison") == []


async def test_what_rests_on_a_turn_goes_and_comes_back_with_it(memory: FactMemory) -> None:
    undo = undo_over(memory)
    await memory.add_turns(ANN, "talk", [turn(f"t{n}", n, "xylophone" if n == 2 else f"word{n}") for n in range(5)])
    await memory.store(ANN, [fact("drawn", "plays the xylophone", turn_ids=("t2",)), fact("clean", "walks", turn_ids=("t0",))])
    await memory.update(ANN, fact("clean", "walks", turn_ids=("t0", "t2")))  # said again by the turn that will go
    await memory.store(ANN, [fact("merged", "a topic", kind="topic", metadata={"sources": "drawn,clean"})])
    (secret,) = await memory.index.fetch(ANN, ["t2"], with_vectors=True)
    (beside,) = await memory.index.fetch(ANN, ["t0"], with_vectors=True)
    own = set(secret.sparse["words"].indices) - set(beside.sparse["words"].indices)
    done = await undo.undo(ANN, "t2", by="ann")
    assert set(done.facts) == {"t2", "drawn", "clean", "merged"}
    assert await agree(memory) == {"t0", "t1", "t3", "t4", "clean"}
    assert [found.turn_ids for found in await memory.graph.get(ANN, ["clean"])] == [("t0",)]
    async for batch in memory.index.scan(ANN, with_vectors=True):
        for point in batch:
            assert not any(own & set(sparse.indices) for sparse in point.sparse.values())
    await undo.undo(ANN, "t2")
    assert {"t2", "merged"} <= await agree(memory)
    assert [found.turn_ids for found in await memory.graph.get(ANN, ["clean"])] == [("t0", "t2")]


async def test_a_job_that_was_late_draws_nothing_from_what_was_taken_back(memory: FactMemory) -> None:
    await memory.store(ANN, [turn("t0", 0, "send money"), fact("a", "pays 10")])
    await undo_over(memory).undo(ANN, "t0")
    late = fact("late", "sends money", turn_ids=("t0",))
    assert [found.status for found in await memory.store(ANN, [late, fact("b", "sound")])] == ["undone", "active"]
    assert (await memory.supersede(ANN, ["a"], late)).status == "undone"
    assert (await memory.update(ANN, fact("a", "pays 99", turn_ids=("t0",)))).content == "pays 10"
    await memory.store(ANN, [turn("t0", 0, "send money")])  # the record job, delivered once more
    insight = fact("i", "a pattern", kind="reflective", metadata={"sources": "a,t0"})
    assert [found.status for found in await memory.store(ANN, [insight])] == ["undone"]
    assert await agree(memory) == {"a", "b"}
    assert [found.status for found in await memory.graph.get(ANN, ["a"])] == ["active"]


async def test_what_was_learned_between_two_undos_goes_with_its_turn(memory: FactMemory) -> None:
    """A rollback that is undone and made again: nothing stays that rests on the turns that it hides."""
    undo = undo_over(memory)
    await memory.store(ANN, [turn("t0", 0, "send money")])
    back = await undo.rollback(ANN, START)
    forward = await undo.undo(ANN, back.operation)
    await memory.store(ANN, [fact("drawn", "sends money", turn_ids=("t0",))])
    await memory.store(ANN, [fact("above", "a topic", kind="topic", metadata={"sources": "drawn"}), fact("clean", "walks")])
    again = await undo.undo(ANN, forward.operation)
    assert set(again.facts) == {"t0", "drawn", "above"}
    assert await agree(memory) == {"clean"}
    await undo.undo(ANN, again.operation)
    assert await agree(memory) == {"t0", "drawn", "above", "clean"}


async def test_an_undo_that_an_error_interrupted_is_finished(embedded_stores: GraphStores, embedded_index: EdgeIndex) -> None:
    embedder = WordEmbedder()
    memory = memory_over(embedded_stores.facts, embedded_index, embedder)
    await memory.store(ANN, [fact("a", "pays 10")])
    await memory.supersede(ANN, ["a"], fact("b", "pays 1000"))
    await memory.index.delete(ANN, ["a"])
    embedder.fail = ModelUnavailable("away")
    with pytest.raises(ModelUnavailable):
        await undo_over(memory).undo(ANN, "b")
    assert await memory.index.fetch(ANN, ["b"]) == []  # what goes needs no model
    embedder.fail = None
    done = await undo_over(memory).undo(ANN, "a")
    assert done.now is not None
    assert done.now.status == "active"
    assert await agree(memory) == {"a"}


async def test_episodes_and_exchanges_go_and_come_back_with_their_turn(
    embedded_stores: GraphStores, embedded_index: EdgeIndex
) -> None:
    notices, embedder = Notices(), WordEmbedder()
    second = await _second_index(embedded_index)
    core = core_over(embedded_stores, second, embedder, episodes=embedded_index, notifier=notices, clock=CLOCK)
    facts, episodes, undo = core.facts, core.episodes, Undo(core)
    conversations = embedded_stores.conversations
    for n in range(3):
        said = Invocation(
            id=f"i{n}", conversation_id="talk", query=f"q{n}", summary="", result="", at=START + timedelta(hours=n)
        )
        await conversations.append(ANN, said)
        await facts.store(ANN, [turn(f"t{n}", n, f"w{n}", invocation_id=f"i{n}")])
    whole = episode("whole", "talked", source="talk", metadata={"of": "conversation"})
    await episodes.store(ANN, [episode("one", "a job", metadata={"invocation_id": "i1"}), whole, episode("other", "else")])

    async def held() -> tuple[list[str], set[str], int]:
        kept = await conversations.get(ANN, "talk", limit=2)
        assert kept is not None
        points = {point.id async for batch in embedded_index.scan(ANN) for point in batch}
        assert points == {each.id for each in await episodes.graph.listing(ANN)}
        return [said.id for said in kept.invocations], points, await episodes.graph.count(ANN)

    done = await undo.undo(ANN, "t1")
    assert (done.episodes, done.exchanges) == (2, 1)
    assert await held() == (["i0", "i2"], {"other"}, 1)
    (stored,) = await episodes.store(ANN, [episode("one", "a job", metadata={"invocation_id": "i1"})])  # its job, once more
    assert stored.undone_at is not None
    await Reconciler(core).repair_scope(ANN)
    assert await held() == (["i0", "i2"], {"other"}, 1)
    await undo.undo(ANN, "t1")
    assert await held() == (["i1", "i2"], {"one", "whole", "other"}, 3)
    await undo.undo(ANN, "other")  # an episode by itself
    assert (await held())[1] == {"one", "whole"}
    await undo.undo(ANN, "other")
    everything = await undo.rollback(ANN, START - timedelta(days=900))
    assert await held() == ([], set(), 0)
    await undo.undo(ANN, everything.operation)
    assert await held() == (["i1", "i2"], {"one", "whole", "other"}, 3)


async def test_no_key_of_a_neighbour_keeps_a_forgotten_word(memory: FactMemory) -> None:
    await memory.add_turns(ANN, "talk", [turn(f"t{n}", n, "xylophone" if n == 2 else f"word{n}") for n in range(5)])
    (secret,) = await memory.index.fetch(ANN, ["t2"], with_vectors=True)
    (beside,) = await memory.index.fetch(ANN, ["t0"], with_vectors=True)
    own = set(secret.sparse["words"].indices) - set(beside.sparse["words"].indices)
    assert own
    await memory.forget(ANN, ["t2"])
    async for batch in memory.index.scan(ANN, with_vectors=True):
        for point in batch:
            for sparse in point.sparse.values():
                assert not own & set(sparse.indices)
    assert await agree(memory) == {"t0", "t1", "t3", "t4"}


async def test_a_model_that_is_away_loses_nothing(embedded_stores: GraphStores, embedded_index: EdgeIndex) -> None:
    embedder = WordEmbedder()
    memory = memory_over(embedded_stores.facts, embedded_index, embedder)
    embedder.fail = ModelUnavailable("away")
    with pytest.raises(ModelUnavailable):
        await memory.store(ANN, [fact("a", "Ann likes tea")])
    assert (await Reconciler(core_of(memory)).repair()).waiting
    embedder.fail = None
    await memory.store(ANN, [fact("a", "Ann likes tea")])  # the job's next try
    assert await agree(memory) == {"a"}
    embedder.fail = ModelUnavailable("away")
    with pytest.raises(ModelUnavailable):
        await memory.store(ANN, [fact("b", "Bob likes milk")])
    embedder.fail = None
    report = await Reconciler(core_of(memory)).repair()
    assert (report.indexed, report.waiting) == (1, False)
    assert await agree(memory) == {"a", "b"}


WRITES: dict[str, Callable[[FactMemory], Awaitable[object]]] = {
    "store": lambda m: m.store(ANN, [fact("n", "new"), turn("t3", 3, "three")]),
    "add_turns": lambda m: m.add_turns(ANN, "talk", [turn(f"t{n}", n, f"w{n}") for n in range(3, 6)]),
    "update": lambda m: m.update(ANN, fact("a", "changed")),
    "supersede": lambda m: m.supersede(
        ANN, ["a"], fact("n", "newer"), kept=[fact("k", "what still holds")], planned={"b": START + timedelta(days=90)}
    ),
    "set_status": lambda m: m.set_status(ANN, ["a"], "quarantined"),
    "undo": lambda m: undo_over(m).undo(ANN, "b"),
    "rollback": lambda m: undo_over(m).rollback(ANN, START),
    "forget": lambda m: m.forget(ANN, ["a", "t1"]),
    "forget_scope": lambda m: m.forget_scope(ANN),
}
QUICK = ("supersede", "forget")


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in WRITES])
async def test_after_a_crash_at_any_step_repair_and_retry_lead_to_the_same(
    name: str, embedded_stores: GraphStores, embedded_index: EdgeIndex
) -> None:
    sound = memory_over(embedded_stores.facts, embedded_index)

    async def fresh() -> None:
        await sound.forget_scope(ANN)
        await sound.store(ANN, [fact("a", "first"), *(turn(f"t{n}", n, f"w{n}") for n in range(3))])
        await sound.supersede(ANN, ["a"], fact("b", "second"))
        await sound.set_status(ANN, ["a"], "active")

    await fresh()
    await WRITES[name](sound)
    expected = await agree(sound)
    for step in range(200):
        await fresh()
        fuse = Fuse(step)
        fragile = memory_over(Fragile(embedded_stores.facts, fuse), Fragile(embedded_index, fuse))
        crashed = False
        try:
            await WRITES[name](fragile)
        except Crash:
            crashed = True
        await Reconciler(core_of(sound)).repair()
        await agree(sound)
        assert await Reconciler(core_of(sound)).repair() == RepairReport()  # nothing is left to do
        if not crashed:
            break
        if name not in ("undo", "rollback"):  # a second one would take back the first
            await WRITES[name](sound)
            assert await agree(sound) == expected
    else:
        pytest.fail("never ran through")


async def test_points_without_a_record_and_records_without_a_point_are_mended(memory: FactMemory) -> None:
    await memory.store(ANN, [fact("a"), fact("b"), fact("c")])
    await memory.graph.forget(ANN, ["a"])
    await memory.index.delete(ANN, ["b"])
    report = await Reconciler(core_of(memory)).repair_scope(ANN)
    assert (report.indexed, report.removed) == (1, 1)
    assert await agree(memory) == {"b", "c"}


async def test_forgetting_an_episode_survives_a_crash_at_any_step(
    embedded_stores: GraphStores, embedded_index: VectorIndex
) -> None:
    second = await _second_index(embedded_index)
    sound = core_over(embedded_stores, second, WordEmbedder(), episodes=embedded_index, clock=CLOCK)
    for step in range(50):
        await sound.episodes.store(ANN, [episode("e", "book a train")])
        fuse, crashed = Fuse(step), False
        stores = ports(embedded_stores, episodes=Fragile(embedded_stores.episodes, fuse))
        index: Any = Fragile(embedded_index, fuse)
        try:
            await core_over(stores, second, WordEmbedder(), episodes=index, clock=CLOCK).episodes.forget(ANN, ["e"])
        except Crash:
            crashed = True
        await Reconciler(sound).repair()
        held = await embedded_stores.episodes.get(ANN, ["e"])
        assert await embedded_index.count(ANN) == len(held)
        if not crashed:
            break
    else:
        pytest.fail("never ran through")


async def _second_index(index: Any) -> EdgeIndex:
    return await EdgeIndex.open(index._directory.parent, index.profile, name="others")
