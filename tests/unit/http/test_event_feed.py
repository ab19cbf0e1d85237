"""Rings of events, cursors and kinds, without a server."""

from trustgraph_react_mem.http.events.feed import GROUPS, KINDS, LOST, MOST_EVENTS, Ring, Rings, read_kinds
from trustgraph_react_mem.memory.scope import Scope


def test_kinds_and_groups_select_events() -> None:
    assert read_kinds([]) == frozenset(KINDS)
    assert read_kinds(["memory.created"]) == {"memory.created", LOST}
    assert read_kinds(["job", "memory.updated"]) == GROUPS["job"] | {"memory.updated", LOST}


def test_a_ring_tells_a_reader_that_fell_behind() -> None:
    ring = Ring(most=3)
    start = ring.cursor
    for number in range(5):
        ring.publish("memory.updated", {"count": number})
    late = ring.after(start)
    assert [event.kind for event in late] == [LOST, "memory.updated", "memory.updated", "memory.updated"]
    assert ring.after(late[0].cursor) == late[1:]
    assert ring.after(late[-1].cursor) == []
    assert [event.details["count"] for event in ring.after(late[-2].cursor)] == [4]


def test_rings_are_bounded_and_those_in_use_stay() -> None:
    rings = Rings(most=3)
    scopes = [Scope(workspace="default", user=f"user{number}", collection="default") for number in range(6)]
    with rings.follow(scopes[0]) as kept:
        for scope in scopes[1:]:
            with rings.follow(scope):
                pass
        assert rings.find(scopes[0]) is kept
        assert sum(rings.find(scope) is not None for scope in scopes) <= 3
    for _ in range(2 * MOST_EVENTS):
        kept.publish("memory.updated", {})
    assert len(kept.after("")) == MOST_EVENTS + 1
