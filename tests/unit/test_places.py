"""Which records take the places that are shown."""

from datetime import UTC, datetime
from typing import Any

from trustgraph_react_mem.retrieval.places import choose_places
from trustgraph_react_mem.retrieval.replacements import find_replaced

NAMES = ("red", "blue", "green", "black", "white")


def record(content: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "semantic", "content": content, "language": "en", **fields}


def turn(content: str, **fields: Any) -> dict[str, Any]:
    return record(content, **{"kind": "turn", "trust": "user", **fields})


def shown(records: dict[str, dict[str, Any]], asked: str = "", *, top_k: int = 5, **options: Any) -> list[str]:
    """The ids of the records that are shown; ``records`` best first."""
    ids = list(records)
    rows = choose_places(range(len(ids)), ids, list(records.values()), top_k=top_k, asked=asked.split(), **options)
    return [ids[row] for row in rows]


def test_an_entry_and_its_turn_take_one_place() -> None:
    entry, said = record("Ann keeps bees", turn_ids=["t"]), turn("I keep bees", speaker="Ann")
    assert shown({"e": entry, "t": said}) == ["e"]
    assert shown({"t": said, "e": entry}) == ["e"]


def test_a_turn_with_a_further_word_of_the_question_is_shown() -> None:
    entry = record("Ann keeps bees", turn_ids=["t"])
    said = turn("My bees are doing well this year, and the old piano has been sold to a school", speaker="Ann")
    assert shown({"e": entry, "t": said}, "bee piano") == ["e", "t"]
    assert shown({"e": entry, "t": said}, "bee") == ["e"]


def test_an_assistant_that_repeats_a_person_leaves_the_place_to_them() -> None:
    echo = turn("You keep eight bees.", trust="assistant")
    person = turn("I keep eight bees in the garden")
    others = {name: turn(f"The {name} boat") for name in NAMES}
    assert shown({"a": echo, **others, "p": person}) == ["p", "red", "blue", "green", "black"]
    assert shown({"p": person, "a": echo}) == ["p"]
    assert shown({"a": turn("You keep nine bees.", trust="assistant"), "p": person}) == ["p", "a"]
    assert shown({"p": person, "q": turn("I keep eight bees", speaker="Bob")}) == ["p", "q"]


def test_former_entries_stand_last_and_bring_what_took_their_place() -> None:
    old, new = record("Ann lives in Rome"), record("Ann lives in Oslo")
    others = {name: record(f"The {name} boat") for name in NAMES}
    assert shown({"old": old, **others, "new": new}, newer={"old": ["new"]}) == ["new", "red", "blue", "green", "old"]
    assert shown({**others, "old": old, "new": new}, newer={"old": ["new"]}) == list(NAMES)  # it is not good enough
    assert shown({"old": old}, newer={"old": ["gone"]}) == ["old"]


def test_a_shown_record_brings_what_it_took_the_place_of() -> None:
    """A question about the past often names only the present value."""
    old, new = record("Ann lives in Rome"), record("Ann lives in Oslo", turn_ids=["t"])
    others = {name: record(f"The {name} boat") for name in NAMES}
    assert shown({"new": new, **others, "old": old}, newer={"old": ["new"]}) == ["new", "red", "blue", "green", "old"]
    assert shown({"new": new, "old": old}, newer={"old": ["new"]}, top_k=1) == ["new"]
    said, was = turn("I live in Oslo now"), turn("I live in Rome")  # the entries are not among the candidates
    assert shown({"t": said, **others, "was": was}, newer={"was": ["new", "t"]}) == ["t", "red", "blue", "green", "was"]


def test_a_turn_of_which_nothing_holds_stands_behind_the_newer_ones() -> None:
    said, new = turn("I live in Rome", speaker="Ann"), turn("We moved to Oslo", speaker="Ann")
    entry = record("Ann lives in Oslo", turn_ids=["n"])
    assert shown({"old": said, "n": new}, newer={"old": ["e"]}) == ["n", "old"]
    assert shown({"old": said, "n": new, "e": entry}, newer={"old": ["e"]}) == ["e", "old"]


def test_what_took_the_place_is_shown_instead_of_its_turn() -> None:
    new, entry = turn("Ann lives in Oslo", speaker="Ann"), record("Ann lives in Oslo", turn_ids=["n"])
    old = record("Ann lives in Rome")
    assert shown({"n": new, "old": old, "e": entry}, newer={"old": ["e"]}) == ["e", "old"]


def test_a_turn_that_the_former_entry_rests_on_took_no_place() -> None:
    old = record("", status="superseded", superseded_by="new", superseded_at="2026-11-01", turn_ids=["t"])
    records = {"old": old, "new": record("Ann lives in Oslo", turn_ids=["t", "u"])}
    found = find_replaced(records.items(), lambda turn_id: (), records.get, datetime(2026, 11, 29, tzinfo=UTC))
    assert {record_id: (each.ids, each.turns) for record_id, each in found.items()} == {"old": (("new",), ("u",))}
