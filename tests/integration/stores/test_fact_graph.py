"""What every FactGraph does."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.stores.stores_support import ANN, BOB, START, fact, invocation, turn
from trustgraph_react_mem.memory.ports import Reversal
from trustgraph_react_mem.memory.records import Fact, FactKind, VersionEntry
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.opening import GraphStores

HARD_TEXT = 'O\'Neil said "no" \\ {x: $y} `MATCH (n) DELETE n` — ünïcode 東京 🙂\n\ttab'


def every_field() -> Fact:
    return Fact(
        id="full",
        scope=ANN,
        kind="procedural",
        content=HARD_TEXT,
        created_at=START,
        status="quarantined",
        trust="tool",
        speaker="Ann O'Neil",
        source="talk-1",
        invocation_id="inv-1",
        position=7,
        said_at=START + timedelta(microseconds=3),
        valid_from=START - timedelta(days=2),
        valid_to=START + timedelta(days=2),
        superseded_at=START,
        superseded_by="other",
        importance=0.91,
        entities=("Ann O'Neil", "Tōkyō"),
        turn_ids=("t1", "t2"),
        condition="when it rains",
        action="take the bus",
        job_id="job-9",
        trigger="end",
        uses=3,
        last_used_at=START,
        metadata={"turn": "D1:3", 'quo"te': "it's"},
    )


async def by_digest(stores: GraphStores, scope: Scope, content: str, kind: FactKind, speaker: str = "") -> Fact | None:
    return (await stores.facts.by_digests(scope, [(content, kind)], [speaker]))[0]


async def test_what_was_put_comes_back_whole(stores: GraphStores) -> None:
    await stores.facts.put([every_field()])
    assert await stores.facts.get(ANN, ["full"]) == [every_field()]


async def test_get_keeps_the_order_asked_and_leaves_out_the_unknown(stores: GraphStores) -> None:
    await stores.facts.put([fact("a"), fact("b"), fact("c")])
    assert [found.id for found in await stores.facts.get(ANN, ["c", "nope", "a", "c"])] == ["c", "a"]
    assert await stores.facts.get(ANN, []) == []
    await stores.facts.put([])


async def test_a_put_done_twice_has_one_effect(stores: GraphStores) -> None:
    await stores.facts.put([fact("a")], by="job")
    await stores.facts.put([replace(fact("a"), created_at=START + timedelta(hours=1))], by="job")
    (stored,) = await stores.facts.get(ANN, ["a"])
    assert (stored.version, stored.created_at) == (1, START)
    assert [entry.change for entry in await stores.facts.history(ANN, "a")] == ["created"]


async def test_a_replaced_fact_keeps_its_history(stores: GraphStores) -> None:
    await stores.facts.put([fact("a", "likes tea", entities=("tea",))], by="ann", trigger="import")
    await stores.facts.put([fact("a", "likes coffee", entities=("coffee",))], change="updated", by="bob", trigger="person")
    (stored,) = await stores.facts.get(ANN, ["a"])
    assert (stored.content, stored.version) == ("likes coffee", 2)
    newest, oldest = await stores.facts.history(ANN, "a")
    assert (newest.change, newest.version, newest.by, newest.trigger, newest.content) == (
        "updated", 2, "bob", "person", "likes coffee",
    )  # fmt: skip
    assert (oldest.change, oldest.version, oldest.by, oldest.content, oldest.before) == ("created", 1, "ann", "likes tea", None)
    assert newest.at > oldest.at
    assert await about(stores, "tea") == []
    assert await about(stores, "Coffee") == ["a"]


async def test_a_job_that_runs_again_does_not_bring_back_what_was_superseded(stores: GraphStores) -> None:
    await stores.facts.put([fact("a", "lives in Rome")])
    await stores.facts.supersede(ANN, ["a"], fact("b", "lives in Oslo"), at=START, by="job", trigger="turns")
    await stores.facts.put([fact("a", "lives in Rome")])
    assert [found.status for found in await stores.facts.get(ANN, ["a", "b"])] == ["superseded", "active"]


async def test_supersede_ends_the_validity_of_the_old_one(stores: GraphStores) -> None:
    at = START + timedelta(days=9)
    await stores.facts.put([fact("a", "lives in Rome")])
    new = fact("b", "lives in Oslo", valid_from=START + timedelta(days=5))
    for _ in range(2):  # twice: one effect
        await stores.facts.supersede(ANN, ["a"], new, at=at, by="job", trigger="turns")
    (old,) = await stores.facts.get(ANN, ["a"])
    assert (old.status, old.superseded_by, old.superseded_at, old.valid_to) == ("superseded", "b", at, new.valid_from)
    assert [entry.change for entry in await stores.facts.history(ANN, "a")] == ["superseded", "created"]
    assert await stores.facts.replacements(ANN) == [("b", "a")]
    assert [found.id for found in await stores.facts.listing(ANN)] == ["b"]


async def test_an_end_in_the_future_leaves_the_fact_active_until_then(stores: GraphStores) -> None:
    day, later = START + timedelta(days=30), START + timedelta(days=60)
    await stores.facts.put([fact("a", "works at Tidemark"), fact("p", "works at Quarry from May")])
    for _ in range(2):
        new = fact("n", "works at Quarry from April", valid_from=day)
        await stores.facts.supersede(ANN, ["p"], new, planned={"a": day}, at=START, by="job", trigger="end")
    old, plan = await stores.facts.get(ANN, ["a", "p"])
    assert (old.status, old.superseded_by, old.superseded_at, old.valid_to, old.version) == ("active", "n", None, day, 2)
    assert (plan.status, plan.superseded_by, plan.superseded_at, plan.valid_to) == ("superseded", "n", START, START)
    assert [entry.change for entry in await stores.facts.history(ANN, "a")] == ["updated", "created"]
    assert sorted(each.id for each in await stores.facts.listing(ANN)) == ["a", "n"]
    assert sorted(each.id for each in await stores.facts.dependents_of(ANN, ["n"])) == ["a", "p"]
    assert (await by_digest(stores, ANN, "works at Tidemark", "semantic")) == old
    # another day, and then the end itself
    for planned, changes in (({"a": later}, 3), ({}, 4)):
        await stores.facts.supersede(
            ANN, ["a"] if not planned else [], fact("m", "at Quarry"), planned=planned, at=START, by="job", trigger="end"
        )
        [old] = await stores.facts.get(ANN, ["a"])
        assert (old.superseded_by, old.version) == ("m", changes)
    assert (old.status, old.valid_to) == ("superseded", START), "it ended before the day that had been announced"


async def test_the_digest_finds_the_active_fact_of_that_kind_only(stores: GraphStores) -> None:
    await stores.facts.put([fact("a", "Ann likes tea"), turn("t", 0, "Ann likes tea")])
    assert [found and found.id for found in [await by_digest(stores, ANN, "  ann LIKES\ttea. ", "semantic")]] == ["a"]
    assert await by_digest(stores, ANN, "Ann likes tea", "topic") is None
    assert await by_digest(stores, ANN, "Ann likes tea", "turn") is None
    await stores.facts.put([fact("a", "Ann likes milk")], change="updated")
    found = await stores.facts.by_digests(ANN, [("Ann likes tea", "semantic"), ("ann likes milk", "semantic")])
    assert [each and each.id for each in found] == [None, "a"]
    await stores.facts.set_status(ANN, ["a"], "quarantined", at=START, by="")
    assert await by_digest(stores, ANN, "Ann likes milk", "semantic") is None
    await stores.facts.set_status(ANN, ["a"], "active", at=START, by="")
    assert await by_digest(stores, ANN, "Ann likes milk", "semantic") is not None


async def test_listing_filters_and_pages_newest_first(stores: GraphStores) -> None:
    await stores.facts.put(
        [fact(f"f{n}", created_at=START + timedelta(minutes=n), source="one" if n % 2 else "two") for n in range(6)]
    )
    await stores.facts.put([fact("r", kind="reflective", created_at=START + timedelta(hours=1))])
    listing = stores.facts.listing
    assert [f.id for f in await listing(ANN, limit=3)] == ["r", "f5", "f4"]
    assert [f.id for f in await listing(ANN, limit=3, offset=3)] == ["f3", "f2", "f1"]
    assert [f.id for f in await listing(ANN, kinds=["semantic"], source="one")] == ["f5", "f3", "f1"]
    await stores.facts.set_status(ANN, ["f5"], "quarantined", at=START, by="")
    assert [f.id for f in await listing(ANN, statuses=["quarantined"])] == ["f5"]
    assert len(await listing(ANN, statuses=[])) == 7
    assert await stores.facts.count(ANN) == {"semantic": 5, "reflective": 1}


async def test_turns_near_are_one_conversations_in_order(stores: GraphStores) -> None:
    await stores.facts.put([turn(f"t{n}", n) for n in (4, 2, 3, 9)] + [turn("x", 3, source="other")])
    assert [f.id for f in await stores.facts.turns_near(ANN, "talk", 2, 4)] == ["t2", "t3", "t4"]


async def test_uses_are_counted_and_leave_no_history(stores: GraphStores) -> None:
    await stores.facts.put([fact("a")])
    for minute in (1, 2):
        await stores.facts.touch(ANN, ["a", "unknown"], at=START + timedelta(minutes=minute))
    (stored,) = await stores.facts.get(ANN, ["a"])
    assert (stored.uses, stored.last_used_at, stored.version) == (2, START + timedelta(minutes=2), 1)
    assert not stored.indexed  # its point holds the former count
    for minute in (2, 1):  # the same uses once more, in any order
        await stores.facts.touch(ANN, ["a"], at=START + timedelta(minutes=minute))
    assert await stores.facts.get(ANN, ["a"]) == [stored]


async def test_facts_are_listed_by_what_they_are_about(stores: GraphStores) -> None:
    await stores.facts.put(
        [
            fact("a", entities=("Ann", "Oslo"), source="talk"),
            fact("o", entities=("Oslo",), created_at=START + timedelta(hours=1)),
            fact("r", entities=("oslo",), kind="procedural", created_at=START + timedelta(hours=2)),
            fact("n", entities=("Norway",)),
        ]
    )
    assert await about(stores, "ann") == ["a"]
    assert await about(stores, "OSLO") == ["r", "o", "a"]
    assert await about(stores, "Oslo", limit=1, offset=1) == ["o"]
    assert await about(stores, "Oslo", kinds=["semantic"]) == ["o", "a"]
    assert await about(stores, "Oslo", source="talk") == ["a"]
    assert await about(stores, "Oslo", before=START + timedelta(hours=1)) == ["a"]
    assert await about(stores, "Oslo", statuses=["superseded"]) == []
    assert await about(stores, "Bergen") == []
    assert await about(stores, "Oslo", scope=BOB) == []


async def about(stores: GraphStores, name: str, *, scope: Scope = ANN, **more: Any) -> list[str]:
    return [found.id for found in await stores.facts.listing(scope, about=name, **more)]


async def test_a_reversal_is_a_change_and_can_be_reversed(stores: GraphStores) -> None:
    async def back(to: Fact | None, version: int) -> tuple[Fact, VersionEntry]:
        reversal = Reversal(record_id="full", version=version, to=to)
        await stores.facts.revert(ANN, [reversal], at=START, by="ann", trigger="undo:1")
        return (await stores.facts.get(ANN, ["full"]))[0], (await stores.facts.history(ANN, "full"))[0]

    await stores.facts.put([every_field()])
    await stores.facts.put([replace(every_field(), content="other", entities=())], change="updated")
    before = (await stores.facts.history(ANN, "full"))[0].before
    restored, undone = await back(before, 2)
    assert replace(restored, version=1) == every_field()
    assert (undone.change, undone.by, undone.trigger) == ("undone", "ann", "undo:1")
    again, _ = await back(undone.before, 3)
    assert (again.content, again.version) == ("other", 4)
    gone, entry = await back(None, 4)
    assert (gone.status, gone.superseded_at, entry.change, gone.indexed) == ("undone", START, "undone", False)
    here, entry = await back(entry.before, 5)
    assert (here.status, entry.change) == (again.status, "restored")
    by_name = await stores.facts.changes_by(ANN, "undo:1")
    assert sorted(each.version for each in by_name) == [3, 4, 5, 6]
    assert await stores.facts.changes_by(BOB, "undo:1") == []


async def test_changes_since_are_newest_first_and_name_creations(stores: GraphStores) -> None:
    await stores.facts.put([fact("old", "one")])
    since = (await stores.facts.history(ANN, "old"))[0].at + timedelta(microseconds=1)
    await stores.facts.put([fact("new")])
    await stores.facts.put([fact("old", "two")], change="updated")
    await stores.facts.put([fact("new", "changed")], change="updated")
    changes = [(entry.record_id, entry.change) for entry in await stores.facts.changes_since(ANN, since)]
    assert changes == [("new", "updated"), ("old", "updated"), ("new", "created")]
    assert await stores.facts.changes_since(BOB, START) == []


async def test_an_archive_gives_all_that_is_kept_and_takes_it_back_in(stores: GraphStores) -> None:
    facts, first = stores.facts, ("", -1, "")
    loose, later = fact("z", entities=("Ann",)), turn("t10", 10, source="talk")
    await facts.put([every_field(), later, turn("t9", 9), loose, fact("early", source="a")], by="ann", trigger="told")
    await facts.put([replace(every_field(), content="other")], change="updated", by="bob")
    await facts.supersede(ANN, ["z"], fact("new", "newer"), at=START, by="job", trigger="end")
    await facts.revert(ANN, [Reversal(record_id="t10", version=1, to=None)], at=START, by="", trigger="undo:1")
    page = await facts.export_page(ANN, after=first)
    assert [each.fact.id for each in page] == ["new", "z", "early", "t9", "t10", "full"]
    assert [each.place for each in await facts.export_page(ANN, after=page[2].place, limit=2)] == [
        page[3].place,
        page[4].place,
    ]
    assert [len(each.changes) for each in page] == [0, 1, 0, 0, 1, 1]
    assert (page[-1].stored_by, page[-1].stored_trigger) == ("ann", "told")
    histories = {each.fact.id: await facts.history(ANN, each.fact.id) for each in page}
    await facts.forget_scope(ANN)
    bare = [replace(each, changes=()) for each in page]
    assert await facts.restore(ANN, [*bare, *bare]) == 6
    assert await facts.restore(ANN, page) == 0
    changes = [entry for each in page for entry in each.changes]
    for beyond in (replace(changes[0], version=99), replace(changes[0], record_id="nobody")):
        assert await facts.restore_changes(ANN, [beyond]) == 0
    assert await facts.restore_changes(ANN, [*changes, *changes]) == 3
    assert await facts.restore_changes(ANN, changes) == 0
    assert await facts.restore_replacements(ANN, [("new", "z"), ("new", "z"), ("new", "nobody")]) == 1
    assert await facts.restore_replacements(ANN, [("new", "z")]) == 0
    assert await facts.replacements(ANN) == [("new", "z")]
    again = await facts.export_page(ANN, after=first)
    assert again == page
    assert {each.fact.id: await facts.history(ANN, each.fact.id) for each in page} == histories
    found = await by_digest(stores, ANN, "newer", "semantic")
    assert found is not None
    assert [each.id for each in await facts.turns_near(ANN, "talk", 0, 99)] == ["t9"]
    assert await about(stores, "Ann") == []
    assert await facts.export_page(BOB, after=first) == []


async def test_the_condemned_are_seen_by_nobody_but_the_reconciler(stores: GraphStores) -> None:
    await stores.facts.put([fact("a", "tea", entities=("Ann",)), turn("t", 1), fact("b")])
    await stores.facts.tombstone(ANN, ["a", "t", "nope"])
    facts = stores.facts
    assert [f.id for f in await facts.listing(ANN, statuses=[])] == ["b"]
    assert await facts.get(ANN, ["a"]) == []
    assert await by_digest(stores, ANN, "tea", "semantic") is None
    assert await about(stores, "Ann", statuses=[]) == []
    assert await facts.turns_near(ANN, "talk", 0, 9) == []
    assert await facts.history(ANN, "a") == []
    assert [f.id for f in await facts.not_indexed(ANN)] == ["b"]
    assert sorted(record_id for _, record_id in await facts.list_tombstoned()) == ["a", "t"]
    await facts.put([fact("a", "new life")])  # stored anew before the forgetting was finished
    assert [f.content for f in await facts.get(ANN, ["a"])] == ["new life"]
    assert len(await facts.history(ANN, "a")) == 1


async def test_forget_removes_history_edges_and_orphaned_entities(stores: GraphStores) -> None:
    await stores.conversations.append(ANN, invocation("i1"))
    await stores.facts.put([fact("a", "x", entities=("Ann", "Tea"), invocation_id="i1"), fact("b", entities=("Ann",))])
    await stores.facts.put([fact("a", "y", entities=("Ann", "Tea"))], change="updated")
    await stores.facts.forget(ANN, ["a", "nope"])
    await stores.facts.forget(ANN, ["a"])
    assert await stores.facts.get(ANN, ["a"]) == []
    assert await stores.facts.history(ANN, "a") == []
    assert await stores.facts.changes_since(ANN, START) != []  # b's creation only
    assert [e.record_id for e in await stores.facts.changes_since(ANN, START)] == ["b"]
    await stores.facts.forget_scope(ANN)
    assert await stores.facts.changes_since(ANN, START) == []


async def test_forget_scope_leaves_the_others(stores: GraphStores) -> None:
    for scope in (ANN, BOB):
        await stores.facts.put([fact("a", "1", scope=scope, entities=("E",)), fact("b", scope=scope)])
        await stores.facts.put([fact("a", "2", scope=scope, entities=("E",))], change="updated")
    await stores.facts.tombstone(ANN, None)
    await stores.facts.forget_scope(ANN)
    await stores.facts.forget_scope(ANN)
    assert await stores.facts.list_tombstoned() == []
    assert await stores.facts.listing(ANN, statuses=[]) == []
    assert len(await stores.facts.history(BOB, "a")) == 2
    assert await about(stores, "e", scope=BOB) == ["a"]


async def test_writers_at_once_lose_no_change(stores: GraphStores) -> None:
    await stores.facts.put([fact("a", "0")])
    await asyncio.gather(
        *(stores.facts.put([fact("a", f"by {n}")], change="updated", by=str(n)) for n in range(5)),
        *(stores.facts.put([fact(f"n{n}", entities=("E",))]) for n in range(10)),
    )
    history = await stores.facts.history(ANN, "a")
    assert [entry.version for entry in history] == [6, 5, 4, 3, 2, 1]
    assert {entry.by for entry in history} == {"", "0", "1", "2", "3", "4"}
    assert len(await about(stores, "E")) == 10


@pytest.mark.parametrize("name", ["", "  ", "x" * 2000, HARD_TEXT])
async def test_any_entity_name_is_taken(stores: GraphStores, name: str) -> None:
    await stores.facts.put([fact("a", entities=(name,))])
    assert await about(stores, name) == (["a"] if name.strip() or not name else [])
