"""What every EpisodeGraph, ConversationGraph, JobStore, WeightStore, SwitchStore and KeyRing does."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.stores.stores_support import ANN, BOB, CLOCK, START, episode, fact, invocation
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, Conflict, EngineUnavailable, ScopeErased
from trustgraph_react_mem.memory.policies import policy_of
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
    assert await stores.episodes.tombstone(ANN, ["e3", "none"]) == 1
    assert await stores.episodes.get(ANN, ["e3"]) == []
    assert await stores.episodes.count(ANN) == 3
    assert await stores.episodes.list_tombstoned() == [(ANN, "e3")]
    assert await stores.episodes.forget(ANN, ["e3", "e2"]) == 2
    assert await stores.episodes.tombstone(ANN, None) == 2
    assert await stores.episodes.forget_scope(ANN) == 2
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


async def test_many_invocations_are_appended_at_once(stores: GraphStores) -> None:
    many = [invocation(f"i{n}", f"c{n % 3}", minute=n) for n in range(30)]
    assert await stores.conversations.append_many(ANN, many[:10]) == 10
    assert await stores.conversations.append_many(ANN, many) == 20
    assert await stores.conversations.append_many(ANN, []) == 0
    whole = await stores.conversations.get(ANN, "c1")
    assert whole is not None
    assert [i.id for i in whole.invocations] == [f"i{n}" for n in range(1, 30, 3)]
    assert [i.position for i in whole.invocations] == list(range(10))
    assert await stores.conversations.count(ANN) == {"conversations": 3, "invocations": 30}
    assert [c.id for c in await stores.conversations.listing(ANN, limit=2)] == ["c2", "c1"]


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


async def test_conversations_are_found_by_the_beginning_of_their_id_and_their_time(stores: GraphStores) -> None:
    def said(place: int, conversation: str) -> Invocation:
        return replace(invocation(f"i{place}", conversation), at=START + timedelta(minutes=place))

    conversations = stores.conversations
    for place, name in enumerate(("thread-a", "other", "thread-b", "thread-c", "thread%", "thread-d")):
        await conversations.append(ANN, said(place, name))
    await conversations.append(ANN, said(9, "thread-a"))
    await conversations.end(ANN, "thread-d", at=START + timedelta(minutes=6))

    async def found(prefix: str, first: int, last: int, limit: int = 9, scope: Scope = ANN) -> list[str]:
        times = (START + timedelta(minutes=first), START + timedelta(minutes=last))
        return [one.id for one in await conversations.list_within(scope, prefix, *times, limit=limit)]

    assert await found("thread-", 2, 5) == ["thread-d", "thread-c", "thread-b"]
    assert await found("thread-", 0, 9, limit=2) == ["thread-a", "thread-d"]
    assert await found("thread%", 0, 9) == ["thread%"]
    assert await found("thread-", 6, 8) == [] == await found("thread-", 0, 9, scope=BOB)


async def test_metadata_adds_up_and_forgetting_counts(stores: GraphStores) -> None:
    conversations = stores.conversations
    await conversations.set_metadata(ANN, "c", {"lost": "no conversation"})
    for scope in (ANN, BOB):
        await conversations.append_many(scope, [invocation("i0"), invocation("i1"), invocation("i2", "d")])
    await asyncio.gather(*(conversations.set_metadata(ANN, "c", {f"k{n}": "it's"}) for n in range(4)))
    assert (await conversations.get(ANN, "c")).metadata == {f"k{n}": "it's" for n in range(4)}  # type: ignore[union-attr]
    await conversations.set_metadata(ANN, "c", {"why:i0": "{}", "k0": ""})
    await conversations.set_metadata(ANN, "c", {"why:i0": ""})
    assert set((await conversations.get(ANN, "c")).metadata) == {f"k{n}" for n in range(4)}  # type: ignore[union-attr]
    assert await conversations.forget(ANN, "c") == 2
    assert await conversations.forget(ANN, "c") == 0
    assert await conversations.forget_scope(ANN) == {"conversations": 1, "invocations": 1}
    assert await conversations.count(BOB) == {"conversations": 2, "invocations": 3}


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


async def test_sessions_are_no_conversations_and_are_listed_by_theirs(stores: GraphStores) -> None:
    await stores.conversations.append(ANN, invocation("i0", "talk"))
    await refine(stores, step(0, "a"), step(1, "a"), of="talk")
    await refine(stores, step(2, "b"), of="other")
    await refine(stores, step(3, "c"))
    assert [each.id for each in await stores.refinements.listing(ANN)] == [refinement_name(each) for each in "cba"]
    assert [each.id for each in await stores.refinements.listing(ANN, limit=1, offset=1)] == [refinement_name("b")]
    assert [each.id for each in await stores.refinements.listing(ANN, of="talk")] == [refinement_name("a")]
    assert [await stores.refinements.count(ANN, of=of) for of in ("", "talk", "other", "none")] == [3, 1, 1, 0]
    assert [await stores.refinements.count(BOB), await stores.refinements.count(ANN)] == [0, 3]
    silent = await stores.refinements.silent_since(ANN, START + timedelta(minutes=2))
    assert [each.id for each in silent] == [refinement_name("a")]
    assert [each.id for each in await stores.conversations.listing(ANN)] == ["talk"]
    assert await stores.conversations.count(ANN) == {"conversations": 1, "invocations": 1}
    assert [each.id for each in await stores.conversations.idle_since(START + timedelta(days=1))] == ["talk"]


async def test_sessions_are_forgotten_with_their_conversation_or_alone(stores: GraphStores) -> None:
    await stores.conversations.append(ANN, invocation("i0", "talk"))
    await refine(stores, step(0, "a"), of="talk")
    await refine(stores, step(1, "b"), of="talk")
    await refine(stores, step(2, "c"))
    assert await stores.conversations.forget(ANN, refinement_name("b")) == 1
    assert await stores.refinements.count(ANN, of="talk") == 1
    assert await stores.conversations.forget(ANN, "talk") == 1
    assert await stores.conversations.get(ANN, refinement_name("a"), undone=True) is None
    assert await stores.conversations.invocations(ANN, [step(0, "a").id]) == []
    assert [each.id for each in await stores.refinements.listing(ANN)] == [refinement_name("c")]
    await stores.conversations.forget_scope(ANN)
    assert await stores.refinements.count(ANN) == 0
    assert await stores.scopes.scopes(ANN.workspace) == []


async def test_names_of_sessions_are_reserved(stores: GraphStores) -> None:
    await refine(stores, step(0))
    for wrong in (invocation("i0", refinement_name("s")), invocation(step(1).id)):
        with pytest.raises(BadRequest, match="reserved"):
            await stores.conversations.append(ANN, wrong)


# ---------------------------------------------------------------------------------------------------- jobs


def entry(job_id: str, state: str = "done", *, minute: int = 0, scope: Scope = ANN, **more: object) -> JobEntry:
    at = START + timedelta(minutes=minute)
    values: dict[str, object] = {
        "kind": "record", "attempt": 1, "trigger": "invocation", "created_at": START, "updated_at": at,
    } | more  # fmt: skip
    return JobEntry(job_id=job_id, scope=scope, state=state, **values)  # type: ignore[arg-type]


def refs(*job_ids: str) -> list[JobRef]:
    return [(ANN, job_id) for job_id in job_ids]


async def test_equal_job_ids_of_two_scopes_are_two_jobs(stores: GraphStores) -> None:
    await stores.job_store.save([entry("x", "done"), entry("x", "dead", scope=BOB)])
    assert await stores.job_store.get([(ANN, "x"), (BOB, "x")]) == [entry("x", "done"), entry("x", "dead", scope=BOB)]
    assert [each.job_id for each in await stores.job_store.listing(BOB)] == ["x"]
    assert await stores.job_store.remove([(BOB, "x"), (BOB, "none")]) == 1
    assert await stores.job_store.get([(ANN, "x"), (BOB, "x")]) == [entry("x", "done")]


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


async def test_a_job_deferred_by_a_clock_that_was_set_back_since_is_due(stores: GraphStores) -> None:
    await stores.job_store.save([entry("ahead", "deferred", minute=24 * 60, not_before=START + timedelta(days=1, minutes=1))])
    assert [each.job_id for each in await stores.job_store.due(START)] == ["ahead"]


async def test_a_job_entry_is_replaced_by_its_id(stores: GraphStores) -> None:
    full = entry("j", "deferred", attempt=3, error="model away", summary="0 facts", sealed_payload="x" * 5000, not_before=START)
    await stores.job_store.save([entry("j", "running"), full, entry("k")])
    assert await stores.job_store.get(refs("k", "j", "none")) == [entry("k"), full]
    await stores.job_store.save([entry("j", "done")])
    assert await stores.job_store.get(refs("j")) == [entry("j")]
    await stores.job_store.save([])
    assert await stores.job_store.get([]) == []


async def test_saves_at_once_are_all_there_and_the_last_of_a_job_counts(stores: GraphStores) -> None:
    states = ["queued", "running", "done"]
    await asyncio.gather(*(stores.job_store.save([entry(f"j{n}", state)]) for n in range(50) for state in states))
    saved = await stores.job_store.get(refs(*(f"j{n}" for n in range(50))))
    assert [each.state for each in saved] == ["done"] * 50


async def test_a_save_that_fails_is_told_to_each_caller(stores: GraphStores) -> None:
    await stores.engine.close()
    results = await asyncio.gather(*(stores.job_store.save([entry(f"j{n}")]) for n in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [EngineUnavailable] * 3


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
    assert await stores.job_store.prune(START + timedelta(minutes=2), dead_before=START) == 1
    assert await stores.job_store.prune(START + timedelta(days=2), dead_before=START) == 1
    assert await stores.job_store.forget_scope(ANN) == 2
    assert [e.job_id for e in await listing(None)] == ["dead"]
    assert await stores.job_store.prune(START, dead_before=START + timedelta(minutes=4)) == 1


async def test_token_counts_of_past_days_are_pruned(stores: GraphStores) -> None:
    for day in ("2026-02-20", "2026-03-01"):
        await stores.job_store.spend(ANN, day, 7)
    await stores.job_store.prune(datetime(2026, 2, 25, tzinfo=UTC), dead_before=START)
    assert [await stores.job_store.spend(ANN, day, 0) for day in ("2026-02-20", "2026-03-01")] == [0, 7]


async def test_the_last_job_of_a_kind_that_did_something(stores: GraphStores) -> None:
    saved = [
        entry("old", kind="consolidate", minute=1, summary="groups=1"),
        entry("real", kind="consolidate", minute=2, summary="groups=2"),
        entry("skipped", kind="consolidate", minute=3, summary="new=1 not-due"),
        entry("without", kind="consolidate", minute=4, summary="no-model"),
        entry("waits", "deferred", kind="consolidate", minute=5, not_before=START),
        entry("other", kind="insight", minute=6, summary="memories=2"),
        entry("bob", kind="consolidate", minute=7, scope=BOB),
    ]
    await stores.job_store.save(saved)
    found = await stores.job_store.last_done(ANN, "consolidate", without=("not-due", "no-model"))
    assert found is not None
    assert found.job_id == "real"
    assert await stores.job_store.last_done(ANN, "reflect", without=("not-due",)) is None


async def test_facts_and_episodes_are_listed_by_age(stores: GraphStores) -> None:
    late = START + timedelta(days=3)
    await stores.facts.put([fact("old"), replace(fact("new"), created_at=late)])
    await stores.episodes.put([episode("old"), replace(episode("new"), created_at=late)])
    limit = START + timedelta(days=1)
    assert [each.id for each in await stores.facts.listing(ANN, before=limit)] == ["old"]
    assert [each.id for each in await stores.episodes.listing(ANN, before=limit)] == ["old"]
    assert len(await stores.facts.listing(ANN)) == len(await stores.episodes.listing(ANN)) == 2


async def test_tokens_add_up_per_scope_and_day(stores: GraphStores) -> None:
    spend = stores.job_store.spend
    assert await spend(ANN, "2026-03-01", 0) == 0
    await asyncio.gather(*(spend(ANN, "2026-03-01", 10) for _ in range(8)))
    assert await spend(ANN, "2026-03-01", 0) == 80
    assert await spend(ANN, "2026-03-02", 5) == 5
    assert await spend(BOB, "2026-03-01", 0) == 0
    await stores.job_store.forget_scope(ANN)
    assert await spend(ANN, "2026-03-01", 0) == 0


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


async def test_of_writers_at_once_one_saves_its_weights(stores: GraphStores) -> None:
    start = StoredWeights(version=1, profile="e5", dimension=384, blob=b"0", updated_at=START)
    await stores.weights.save(ANN, start, expected_version=0)
    results = await asyncio.gather(
        *(stores.weights.save(ANN, replace(start, version=2, blob=bytes([n])), expected_version=1) for n in range(6)),
        return_exceptions=True,
    )
    assert [type(result) for result in results].count(Conflict) == 5


async def test_a_reward_counts_once_per_job(stores: GraphStores) -> None:
    weights = stores.weights
    for n in (1, 0, 1, 2):
        await weights.log_reward(ANN, START + timedelta(minutes=n), {"reward": float(n)}, f"job-{n}")
    await weights.log_reward(BOB, START, {"reward": 9.0}, "job-1")
    assert [row["reward"] for row in await weights.rewards(ANN)] == [0.0, 1.0, 2.0]
    assert [row["reward"] for row in await weights.rewards(ANN, limit=2)] == [1.0, 2.0]
    stored = StoredWeights(version=1, profile="e5", dimension=384, blob=b"x", updated_at=START)
    await weights.save(ANN, stored, expected_version=0)
    assert await weights.forget_scope(ANN) == 4
    assert await weights.load(ANN) is None
    assert len(await weights.rewards(BOB)) == 1


# ---------------------------------------------------------------------------------------------------- switches and keys


async def test_all_rewards_are_told_with_their_jobs(stores: GraphStores) -> None:
    for n in (2, 0, 1):
        await stores.weights.log_reward(ANN, START + timedelta(minutes=n), {"reward": n / 2}, f"job{n}")
    logged = await stores.weights.reward_log(ANN)
    assert [(each.job_id, each.at, dict(each.row)) for each in logged] == [
        (f"job{n}", START + timedelta(minutes=n), {"reward": n / 2}) for n in range(3)
    ]
    assert await stores.weights.reward_log(BOB) == []


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
    assert await stores.episodes.forget(ANN, ["a"]) == 1
    assert await stores.episodes.listing(ANN, undone=True) != []
    assert await stores.episodes.forget_scope(ANN) == 1


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
    assert await graph.forget(ANN, "c") == 6


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
    assert await switches.forget_scope(ANN) == 2
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


async def test_what_is_sealed_is_bound_to_what_it_was_sealed_for(stores: GraphStores) -> None:
    sealed = await stores.keyring.seal(ANN, b"secret", binding=b"job 1")
    assert await stores.keyring.open(ANN, sealed, binding=b"job 1") == b"secret"
    for binding in (b"job 2", b""):
        with pytest.raises(BadRequest):
            await stores.keyring.open(ANN, sealed, binding=binding)


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


async def test_the_key_for_hashes_dies_with_the_scopes_key(stores: GraphStores) -> None:
    ann, bob = await stores.keyring.hash_key(ANN), await stores.keyring.hash_key(BOB)
    assert ann == await stores.keyring.hash_key(ANN)
    assert ann != bob
    before = (await policy_of(stores.keyring, ANN, personal_data="hash", secrets="redact")).screen("ann@example.org").text
    await stores.keyring.destroy(ANN)
    assert await stores.keyring.hash_key(ANN) != ann
    assert await stores.keyring.hash_key(BOB) == bob
    after = (await policy_of(stores.keyring, ANN, personal_data="hash", secrets="redact")).screen("ann@example.org").text
    assert "example.org" not in before
    assert after != before, "a hash that depends on the name of the scope alone can be guessed"


# the simulation's keys are numbers
@pytest.mark.parametrize(
    "engine", ["ladybug-memory", "ladybug-file", pytest.param("neo4j", marks=pytest.mark.servers)], indirect=True
)
async def test_processes_derive_the_same_key_for_hashes(stores: GraphStores) -> None:
    here = await stores.keyring.hash_key(ANN)
    master = stores.keyring._master
    there = ScopeKeyRing(stores.keyring._store, stores.fence, b"\x07" * 32, CLOCK)
    there._master = master  # another process with the same master key
    assert await there.hash_key(ANN) == here
    assert len(here) == 32


async def test_first_seals_at_once_share_one_key(stores: GraphStores) -> None:
    sealed = await asyncio.gather(*(stores.keyring.seal(ANN, bytes([n])) for n in range(6)))
    assert [await stores.keyring.open(ANN, each) for each in sealed] == [bytes([n]) for n in range(6)]


# the simulation's keys are numbers
@pytest.mark.parametrize(
    "engine", ["ladybug-memory", "ladybug-file", pytest.param("neo4j", marks=pytest.mark.servers)], indirect=True
)
async def test_another_master_key_is_told_from_an_erased_scope(stores: GraphStores) -> None:
    sealed = await stores.keyring.seal(ANN, b"secret")
    other = ScopeKeyRing(stores.keyring._store, stores.fence, b"\x07" * 32, CLOCK)
    with pytest.raises(ConfigurationError, match="master key"):
        await other.open(ANN, sealed)
    with pytest.raises(ConfigurationError, match="32"):
        ScopeKeyRing(stores.keyring._store, stores.fence, b"short", CLOCK)


async def test_scopes_of_a_workspace(stores: GraphStores) -> None:
    near = Scope(workspace="w2", user="ann", collection="default")
    quoted = Scope(workspace="w", user="a/b 'c'", collection="x%y")
    await stores.facts.put([fact("a"), fact("b", scope=near)])
    await stores.switches.set(BOB, Switches(read=False))
    await stores.keyring.seal(quoted, b"x")
    assert await stores.scopes.scopes("w") == sorted([ANN, BOB, quoted], key=lambda scope: scope.key)
    assert await stores.scopes.scopes("w2") == [near]
    assert await stores.scopes.scopes("none") == []


async def test_first_entries_of_one_job_at_once_leave_one(stores: GraphStores) -> None:
    entries = [entry(f"j{n % 3}", "done" if n % 2 else "deferred", summary=str(n)) for n in range(12)]
    await asyncio.gather(*(stores.job_store.save([entry]) for entry in entries))
    found = await stores.job_store.get(refs(*(f"j{n}" for n in range(3))))
    assert len(found) == 3
    assert all(each in entries for each in found)
    await stores.job_store.save(entries)  # several of one job in one save: the last counts
    assert [each.summary for each in await stores.job_store.get(refs("j0", "j1", "j2"))] == ["9", "10", "11"]


async def test_episodes_written_at_once_are_kept_once(stores: GraphStores) -> None:
    await asyncio.gather(*(stores.episodes.put([episode("e", lessons=str(n)), episode(f"e{n}")]) for n in range(4)))
    assert {each.id for each in await stores.episodes.listing(ANN)} == {"e", "e0", "e1", "e2", "e3"}
    assert await stores.episodes.count(ANN) == 5
