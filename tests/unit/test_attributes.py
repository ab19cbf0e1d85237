"""Attributes of which people have one: the statements of one attribute are compared, however they are worded."""

from collections import Counter
from pathlib import Path

import pytest

from trustgraph_react_mem.indexing.attributes.reading import find_stated
from trustgraph_react_mem.indexing.changes.decision import changes, find_forms, may_change

ROWS = [tuple(line.split("\t")) for line in (Path(__file__).parent / "tables/attributes.tsv").read_text().splitlines()]


@pytest.mark.parametrize(("verdict", "attribute", "new", "old"), ROWS)
def test_a_newer_value_changes_the_older_one_and_nothing_else_does(verdict: str, attribute: str, new: str, old: str) -> None:
    assert changes(new, old) is (verdict == "changed"), attribute
    if verdict == "changed":
        assert may_change(find_forms(new), find_forms(old)), "recall would not compare them"


@pytest.mark.parametrize(
    ("text", "attribute", "owner", "value"),
    [
        ("I report to Jon.", "manager", set(), {"jon"}),
        ("My sister reports to Jon.", "manager", {"sister"}, {"jon"}),
        ("Jon is my boss.", "manager", set(), {"jon"}),
        ("im learning spanish", "language", set(), {"spanish"}),
        ("My mother retrained, she works as a beekeeper now.", "job", {"mother"}, {"beekeeper"}),
        ("We've got a new parrot named Mango.", "pet", set(), {"mango"}),
        ("Got a new therapist, her name is Beth.", "therapist", set(), {"beth"}),
        ("J'ai une nouvelle voiture, c'est une Clio.", "car", set(), {"clio"}),
        ("Mein neuer Chef heißt Tobias.", "manager", set(), {"tobias"}),
        ("今は任天堂に勤めています。", "employer", set(), {"任天堂"}),
        ("我现在在腾讯工作。", "employer", set(), {"腾讯"}),
    ],
)
def test_attribute_owner_and_value_are_read(text: str, attribute: str, owner: set[str], value: set[str]) -> None:
    assert (attribute, owner, value) in [(each.attribute, set(each.owner), set(each.value)) for each in find_stated(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Who is my manager?",
        "If I reported to Jon I'd quit.",
        "He said I report to Jon.",
        "I used to report to Jon.",
        "My boss is on holiday.",
        "My boss is nice.",
        "Jon does not manage me.",
        "His manager is Ann.",
        "My next car is a Golf.",
    ],
)
def test_what_is_not_so_gives_no_attribute(text: str) -> None:
    assert find_stated(text) == ()


def test_the_table_has_changes_and_others_of_many_attributes() -> None:
    verdicts = Counter(verdict for verdict, *_ in ROWS)
    assert min(verdicts["changed"], verdicts["unchanged"]) >= 35
    assert len({attribute for _, attribute, *_ in ROWS}) >= 30
