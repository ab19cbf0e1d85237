"""What every EpisodeGraph, ConversationGraph, JobStore, WeightStore, SwitchStore and KeyRing does."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.stores.stores_support import ANN, BOB, CLOCK, START, episode, invocation
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, Conflict, ScopeErased
from trustgraph_react_mem.memory.ports import JobEntry, JobRef, StoredWeights, Switches
from trustgraph_react_mem.memory.records import Invocation, refinement_name
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.graph.engine import Statement, cypher
from trustgraph_react_mem.stores.graph.job_store import job_row
from trustgraph_react_mem.stores.keyring import ScopeKeyRing
from trustgraph_react_mem.stores.opening import GraphStores

# ---------------------------------------------------------------------------------------------------- episodes


async def test_an_episode_comes_back_whole(stores: GraphStores) -> None:
    full = episode(
        "e", 'it\'s "hard" 東京', succeeded=False, source="c", importance=0.7, job_id="j", metadata={"k": "v"}, steps=()
    )
    await stores.episodes.put([full, episode("f")])
    assert await stores.episodes.get(ANN, ["f", "e", "none"]) == [episode("f"), full]
    assert await stores.episodes.get(BOB, ["e"]) == []
    await stores.episodes.put([replace(full, lessons="new")])
    assert (await stores.episodes.get(ANN, ["e"]))[0].lessons == "new"
    assert await stores.episodes.count(ANN) == 2


async def test_episodes_are_listed_marked_and_forgotten(stores: GraphStores) -> None:
    await stores.episodes.put([episode(f"e{n}", created_at=START + timedelta(minutes=n)) for n in range(4)])
    await stores.episodes.put([episode("e0", scope=BOB)])
    assert [e.id for e in await stores.episodes.listing(ANN, limit=2, offset=1)] == ["e2", "e1"]
    await stores.episodes.mark_indexed(ANN, ["e0", "e1", "e2"], True)
    assert [e.id for e in await stores.episodes.not_indexed(ANN)] == ["e3"]
    assert len(await stores.episodes.not_indexed()) == 2
    await stores.episodes.tombstone(ANN, ["e3", "none"])
    assert await stores.episodes.get(ANN, ["e3"]) == []
    assert await stores.episodes.count(ANN) == 3
    assert await stores.episodes.list_tombstoned() == [(ANN, "e3")]
    await stores.episodes.forget(ANN, ["e3", "e2"])
    assert await stores.episodes.list_tombstoned() == []
    assert [e.id for e in await stores.episodes.listing(ANN)] == ["e1", "e0"]
    await stores.episodes.tombstone(ANN, None)
    assert await stores.episodes.listing(ANN) == []
    await stores.episodes.forget_scope(ANN)
    assert await stores.episodes.list_tombstoned() == []
    assert await stores.episodes.count(BOB) == 1


# ---------------------------------------------------------------------------------------------------- conversations


async def test_a_conversation_grows_in_order(stores: GraphStores) -> None:
    full = invocation("i0", speaker="Ann", succeeded=False, steps=("a", "b"), recalled_ids=("f1",), query='it\'s "x" {y}')
    assert await stores.conversations.append(ANN, full)
    assert not await stores.conversations.append(ANN, full)
    for n in range(1, 5):
        assert await stores.conversations.append(ANN, invocation(f"i{n}", minute=n, position=99))
    whole = await stores.conversations.get(ANN, "c")
    assert whole is not None
    assert [i.id for i in whole.invocations] == [f"i{n}" for n in range(5)]
    assert [i.position for i in whole.invocations] == list(range(5))
    assert whole.invocations[0] == full
    assert (whole.turns, whole.started_at, whole.last_at) == (5, START, START + timedelta(minutes=4))
    newest = await stores.conversations.get(ANN, "c", limit=2)
    assert newest is not None
    assert [i.id for i in newest.invocations] == ["i3", "i4"]
    assert await stores.conversations.get(BOB, "c") is None


async def test_writers_at_once_leave_no_gap_and_no_twin(stores: GraphStores) -> None:
    await asyncio.gather(*(stores.conversations.append(ANN, invocation(f"i{n}")) for n in range(8)))
    whole = await stores.conversations.get(ANN, "c")
    assert whole is not None
    assert [i.position for i in whole.invocations] == list(range(8))
    assert len({i.id for i in whole.invocations}) == 8


async def test_a_conversation_ends_once_until_it_goes_on(stores: GraphStores) -> None:
    conversations = stores.conversations
    assert not await conversations.end(ANN, "c", at=START)
    await conversations.append(ANN, invocation("i0"))
    later = START + timedelta(hours=1)
    assert [c.id for c in await conversations.idle_since(later)] == ["c"]
    assert await conversations.idle_since(START) == []
    assert await conversations.end(ANN, "c", at=later)
    assert not await conversations.end(ANN, "c", at=later)
    assert await conversations.idle_since(later) == []
    await conversations.append(ANN, invocation("i1"))
    assert (await conversations.get(ANN, "c")).ended_at is None  # type: ignore[union-attr]
    assert await conversations.end(ANN, "c", at=later)


# ---------------------------------------------------------------------------------------------------- refinements


def step(number: int, session: str = "s", **more: object) -> Invocation:
    name = refinement_name(session)
    return invocation(f"{name}|e{number}", name, minute=number, **more)


async def refine(stores: GraphStores, *events: Invocation, of: str = "", **more: Any) -> int:
    return await stores.refinements.append(ANN, events, of=of, metadata={"conversation_id": of}, **more)


async def test_a_session_grows_by_compare_and_set(stores: GraphStores) -> None:
    assert await refine(stores, step(0), expected=0) == 1
    assert await refine(stores, step(0), expected=7) == 0  # stored already
    for wrong in (0, 2):
        with pytest.raises(Conflict):
            await refine(stores, step(1), expected=wrong)
    done = await asyncio.gather(*(refine(stores, step(n), expected=1) for n in (1, 2, 3)), return_exceptions=True)
    assert sum(each == 1 for each in done) == 1
    assert sum(isinstance(each, Conflict) for each in done) == 2
    whole = await stores.conversations.get(ANN, refinement_name("s"))
    assert whole is not None
    assert [each.position for each in whole.invocations] == [0, 1]
    assert (whole.turns, whole.metadata) == (2, {"conversation_id": ""})
    assert await stores.conversations.get(BOB, refinement_name("s")) is None


async def test_sessions_are_forgotten_with_their_conversation_or_alone(stores: GraphStores) -> None:
    await stores.conversations.append(ANN, invocation("i0", "talk"))
    await refine(stores, step(0, "a"), of="talk")
    await refine(stores, step(1, "b"), of="talk")
    await refine(stores, step(2, "c"))
    await stores.conversations.forget(ANN, refinement_name("b"))
    assert await stores.refinements.count(ANN, of="talk") == 1
    await stores.conversations.forget(ANN, "talk")
    assert await stores.conversations.get(ANN, "talk", undone=True) is None
    assert await stores.conversations.get(ANN, refinement_name("a"), undone=True) is None
    assert await stores.conversations.invocations(ANN, [step(0, "a").id]) == []
    assert [each.id for each in await stores.refinements.listing(ANN)] == [refinement_name("c")]
    await stores.conversations.forget_scope(ANN)
    assert await stores.refinements.count(ANN) == 0
    assert await stores.scopes.scopes(ANN.workspace) == []


# ---------------------------------------------------------------------------------------------------- jobs


def entry(job_id: str, state: str = "done", *, minute: int = 0, scope: Scope = ANN, **more: object) -> JobEntry:
    at = START + timedelta(minutes=minute)
    values: dict[str, object] = {
        "kind": "record", "attempt": 1, "trigger": "invocation", "created_at": START, "updated_at": at,
    } | more  # fmt: skip
    return JobEntry(job_id=job_id, scope=scope, state=state, **values)  # type: ignore[arg-type]


def refs(*job_ids: str) -> list[JobRef]:
    return [(ANN, job_id) for job_id in job_ids]


async def test_a_job_that_version_0_1_0_stored_is_read_and_replaced(stores: GraphStores) -> None:
    if not hasattr(stores.engine, "write"):
        pytest.skip("the double never had rows of version 0.1.0")
    old = entry("old", "deferred", not_before=START, sealed_payload="x")
    row = {**job_row(old), "uid": "old"}
    await stores.engine.write([Statement(cypher("jobs")["create"], {"rows": [row]})])
    assert await stores.job_store.get([(ANN, "old"), (BOB, "old")]) == [old]
    assert await stores.job_store.due(START) == [old]
    await stores.job_store.save([entry("old", "done")])
    assert await stores.job_store.listing(None) == [entry("old", "done")]
    assert await stores.job_store.due(START) == []


async def test_saves_at_once_are_all_there_and_the_last_of_a_job_counts(stores: GraphStores) -> None:
    states = ["queued", "running", "done"]
    await asyncio.gather(*(stores.job_store.save([entry(f"j{n}", state)]) for n in range(50) for state in states))
    saved = await stores.job_store.get(refs(*(f"j{n}" for n in range(50))))
    assert [each.state for each in saved] == ["done"] * 50


async def test_the_job_store_lists_defers_and_prunes(stores: GraphStores) -> None:
    await stores.job_store.save(
        [
            entry("done", minute=1),
            entry("cancelled", "cancelled", minute=2),
            entry("dead", "dead", minute=3, scope=BOB),
            entry(
                "later", "deferred", minute=4, created_at=START - timedelta(minutes=1), not_before=START + timedelta(hours=2)
            ),
            entry("soon", "deferred", minute=5, not_before=START + timedelta(hours=1)),
        ]
    )
    listing = stores.job_store.listing
    assert [e.job_id for e in await listing(None)] == ["soon", "later", "dead", "cancelled", "done"]
    assert [e.job_id for e in await listing(ANN, states=["deferred", "dead"])] == ["soon", "later"]
    assert len(await listing(None, limit=2)) == 2
    assert [e.job_id for e in await stores.job_store.due(START + timedelta(minutes=90))] == ["soon"]
    assert [e.job_id for e in await stores.job_store.due(START + timedelta(hours=2))] == ["later", "soon"]
    # Few are published at a time, and the oldest job of a partition holds up the others.
    assert [e.job_id for e in await stores.job_store.due(START + timedelta(hours=2), limit=1)] == ["later"]
    held = {e.job_id for e in await listing(None)}
    await stores.job_store.prune(START + timedelta(minutes=2), dead_before=START)
    assert len({e.job_id for e in await listing(None)}) == len(held) - 1
    await stores.job_store.prune(START + timedelta(days=2), dead_before=START)
    assert len({e.job_id for e in await listing(None)}) == len(held) - 2
    await stores.job_store.forget_scope(ANN)
    assert [e.job_id for e in await listing(None)] == ["dead"]
    await stores.job_store.prune(START, dead_before=START + timedelta(minutes=4))
    assert await listing(None) == []


# ---------------------------------------------------------------------------------------------------- weights


async def test_weights_are_compared_and_set(stores: GraphStores) -> None:
    weights = stores.weights
    assert await weights.load(ANN) is None
    first = StoredWeights(version=1, profile="e5", dimension=384, blob=bytes(range(256)) * 40, updated_at=START)
    await weights.save(ANN, first, expected_version=0)
    assert await weights.load(ANN) == first
    with pytest.raises(Conflict):
        await weights.save(ANN, first, expected_version=0)
    second = replace(first, version=2, blob=b"")
    await weights.save(ANN, second, expected_version=1)
    with pytest.raises(Conflict):
        await weights.save(ANN, replace(first, version=3), expected_version=1)
    with pytest.raises(Conflict):
        await weights.save(BOB, second, expected_version=1)
    assert await weights.load(ANN) == second


async def test_a_reward_counts_once_per_job(stores: GraphStores) -> None:
    weights = stores.weights
    for n in (1, 0, 1, 2):
        await weights.log_reward(ANN, START + timedelta(minutes=n), {"reward": float(n)}, f"job-{n}")
    await weights.log_reward(BOB, START, {"reward": 9.0}, "job-1")
    logged = await weights.reward_log(ANN)
    assert [(each.job_id, each.at, dict(each.row)) for each in logged] == [
        (f"job-{n}", START + timedelta(minutes=n), {"reward": float(n)}) for n in range(3)
    ]
    assert await weights.reward_log(ANN, limit=2) == logged[1:]
    stored = StoredWeights(version=1, profile="e5", dimension=384, blob=b"x", updated_at=START)
    await weights.save(ANN, stored, expected_version=0)
    await weights.forget_scope(ANN)
    assert await weights.load(ANN) is None
    assert await weights.reward_log(ANN) == []
    assert len(await weights.reward_log(BOB)) == 1


# ---------------------------------------------------------------------------------------------------- switches and keys


async def test_episodes_are_taken_back_and_brought_back(stores: GraphStores) -> None:
    await stores.episodes.put([replace(episode("a"), indexed=True), replace(episode("b"), indexed=True)])
    await stores.episodes.mark_undone(ANN, ["a", "none"], START, "undo:1")
    assert [each.id for each in await stores.episodes.listing(ANN)] == ["b"]
    (found,) = await stores.episodes.get(ANN, ["a"])
    assert (found.undone_at, found.operation, found.indexed) == (START, "undo:1", False)
    assert {each.id for each in await stores.episodes.listing(ANN, undone=True)} == {"a", "b"}
    assert await stores.episodes.count(ANN) == 1
    assert [each.id for each in await stores.episodes.not_indexed(ANN)] == ["a"]
    await stores.episodes.put([found])  # as an import does
    assert await stores.episodes.get(ANN, ["a"]) == [found]
    await stores.episodes.mark_undone(ANN, ["a"], None, "undo:2")
    assert {each.id for each in await stores.episodes.listing(ANN)} == {"a", "b"}
    await stores.episodes.mark_undone(ANN, ["a"], START, "undo:3")
    await stores.episodes.forget(ANN, ["a"])
    assert [each.id for each in await stores.episodes.listing(ANN, undone=True)] == ["b"]
    await stores.episodes.forget_scope(ANN)
    assert await stores.episodes.listing(ANN, undone=True) == []


async def test_exchanges_are_taken_back_and_brought_back(stores: GraphStores) -> None:
    graph = stores.conversations
    await graph.append_many(ANN, [invocation(f"i{n}", minute=n) for n in range(5)])
    await graph.mark_undone(ANN, ["i3", "i4"], START + timedelta(days=1), "rollback:1")

    async def held(limit: int = 0, *, undone: bool = False) -> list[str]:
        found = await graph.get(ANN, "c", limit=limit, undone=undone)
        assert found is not None
        return [said.id for said in found.invocations]

    assert await held() == ["i0", "i1", "i2"]
    assert await held(2) == ["i1", "i2"]
    assert await held(2, undone=True) == ["i3", "i4"]
    assert sorted(said.id for said in await graph.list_marked_by(ANN, "rollback:1")) == ["i3", "i4"]
    assert {said.undone_at for said in await graph.list_marked_by(ANN, "rollback:1")} == {START + timedelta(days=1)}
    late = START + timedelta(minutes=2)
    assert sorted(said.id for said in await graph.list_changed_since(ANN, late)) == ["i2", "i3", "i4"]
    assert sorted(said.id for said in await graph.list_changed_since(ANN, START + timedelta(hours=9))) == ["i3", "i4"]
    await graph.append(ANN, invocation("i5", minute=5))
    assert (await held(), await held(1)) == (["i0", "i1", "i2", "i5"], ["i5"])
    await graph.mark_undone(ANN, ["i3"], None, "undo:2")
    assert await held(2) == ["i3", "i5"]
    assert await graph.list_marked_by(BOB, "undo:2") == await graph.list_changed_since(BOB, START) == []
    await graph.forget(ANN, "c")
    assert await graph.invocations(ANN, [f"i{n}" for n in range(6)]) == []


async def test_both_switches_must_allow(stores: GraphStores) -> None:
    switches = stores.switches
    assert await switches.get(ANN, "c") == Switches()
    await switches.set(ANN, Switches(read=False), "c")
    assert await switches.get(ANN, "c") == Switches(read=False)
    assert await switches.get(ANN) == Switches()
    await switches.set(ANN, Switches(write=False))
    assert await switches.get(ANN, "c") == Switches(read=False, write=False)
    assert await switches.get(ANN, "d") == Switches(write=False)
    await switches.set(ANN, Switches())
    assert await switches.get(ANN, "d") == Switches()
    assert await switches.get(BOB, "c") == Switches()
    await switches.forget_scope(ANN)
    assert await switches.get(ANN, "c") == Switches()


async def test_what_is_sealed_opens_in_its_scope_alone(stores: GraphStores) -> None:
    keyring = stores.keyring
    sealed = await keyring.seal(ANN, b"secret")
    assert await keyring.open(ANN, sealed) == b"secret"
    assert sealed != await keyring.seal(ANN, b"secret")
    with pytest.raises(ScopeErased):
        await keyring.open(BOB, sealed)
    await keyring.seal(BOB, b"x")
    with pytest.raises(ScopeErased):
        await keyring.open(BOB, sealed)
    for damaged in (sealed[:-6] + "AAAA==", "not base64!", "", sealed[:10]):
        with pytest.raises((ScopeErased, BadRequest)):
            await keyring.open(ANN, damaged)


async def test_a_forgotten_turn_takes_what_was_sealed_for_it_alone(stores: GraphStores) -> None:
    keyring = stores.keyring
    turns = {turn: [await keyring.seal(ANN, turn.encode(), turn=turn) for _ in range(2)] for turn in ("a", "b", "")}
    other = await keyring.seal(BOB, b"of bob", turn="a")
    hashes = await keyring.hash_key(ANN)
    await keyring.forget(ANN, ["a", "unknown", ""])
    await keyring.forget(ANN, ["a"])
    for sealed in turns["a"]:
        with pytest.raises(ScopeErased):
            await keyring.open(ANN, sealed)
    for turn in ("b", ""):
        assert [await keyring.open(ANN, sealed) for sealed in turns[turn]] == [turn.encode()] * 2
    assert await keyring.open(BOB, other) == b"of bob"
    assert await keyring.hash_key(ANN) == hashes
    again = await keyring.seal(ANN, b"said again", turn="a")
    assert await keyring.open(ANN, again) == b"said again"
    with pytest.raises(ScopeErased):
        await keyring.open(ANN, turns["a"][0])
    await keyring.forget(ANN, ["b"])
    with pytest.raises(ScopeErased):
        await keyring.open(ANN, turns["b"][0])
    assert await keyring.open(ANN, again) == b"said again"


async def test_a_destroyed_key_takes_everything_sealed_with_it(stores: GraphStores) -> None:
    sealed = await stores.keyring.seal(ANN, b"secret")
    assert await stores.keyring.destroy(ANN)
    assert not await stores.keyring.destroy(ANN)
    with pytest.raises(ScopeErased):
        await stores.keyring.open(ANN, sealed)
    await stores.keyring.seal(ANN, b"a new key")
    with pytest.raises(ScopeErased):
        await stores.keyring.open(ANN, sealed)


# the simulation's keys are numbers
@pytest.mark.parametrize(
    "engine", ["ladybug-memory", "ladybug-file", pytest.param("neo4j", marks=pytest.mark.servers)], indirect=True
)
async def test_another_master_key_is_told_from_an_erased_scope(stores: GraphStores) -> None:
    keyring = stores.keyring
    assert isinstance(keyring, ScopeKeyRing)
    sealed = await keyring.seal(ANN, b"secret")
    other = ScopeKeyRing(keyring._store, stores.fence, b"\x07" * 32, CLOCK)
    with pytest.raises(ConfigurationError, match="master key"):
        await other.open(ANN, sealed)
    with pytest.raises(ConfigurationError, match="32"):
        ScopeKeyRing(keyring._store, stores.fence, b"short", CLOCK)
