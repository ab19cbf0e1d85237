"""Topics are views of the active entries: they change with them, and nothing else is written."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from trustgraph_react_mem.memory.records import TOPIC, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.topics import group_by_topic

START = datetime(2026, 3, 1, tzinfo=UTC)


def entry(name: str, content: str, topic: str, *, days: int = 0) -> Fact:
    return Fact(
        id=name,
        scope=Scope(workspace="w", user="u", collection="c"),
        kind="semantic",
        content=content,
        created_at=START,
        said_at=START + timedelta(days=days),
        turn_ids=(f"turn-{name}",),
        metadata={TOPIC: topic} if topic else {},
    )


HOME = [entry("a", "Ann lives in Oslo", "home"), entry("b", "Ann's flat has three rooms.", "Home", days=2)]
WORK = entry("c", "Ann is a nurse", "work", days=1)


def test_entries_are_grouped_by_topic_the_newest_first() -> None:
    home, work = group_by_topic([*HOME, WORK, entry("d", "Ann likes tea", "")], START)
    assert (home.name, home.summary) == ("Home", "Ann lives in Oslo. Ann's flat has three rooms.")
    assert home.turn_ids == ("turn-a", "turn-b")
    assert work.summary == "Ann is a nurse."


def test_what_is_former_or_held_back_is_no_part_of_a_topic() -> None:
    former = replace(HOME[0], status="superseded")
    held = replace(HOME[0], status="quarantined")
    planned = replace(HOME[0], superseded_by="x", valid_to=START + timedelta(days=10))
    for gone in (former, held):
        assert [topic.name for topic in group_by_topic([gone], START)] == []
    assert len(group_by_topic([planned], START)) == 1
    assert group_by_topic([planned], START + timedelta(days=10)) == []
