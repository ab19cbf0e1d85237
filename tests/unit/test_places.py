"""What was derived from turns, and the turns: which of them take a place of their own."""

import time
from collections.abc import Mapping, Sequence

from trustgraph_react_mem.indexing.changes.decision import FORMS, find_forms
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.retrieval.places import choose_places

Payload = Mapping[str, JsonValue]

TURN: Payload = {
    "kind": "turn",
    "content": "The red one was such a chore to carry up four floors",
    "trust": "user",
}
FACT: Payload = {"kind": "semantic", "content": "Ann bought a red piano", "trust": "user", "turn_ids": ["turn"]}
OTHER: Payload = {"kind": "semantic", "content": "Ann lives under the roof", "trust": "user", "turn_ids": ["turn"]}
TOPIC: Payload = {"kind": "topic", "content": "Moving house with music", "trust": "user", "turn_ids": ["turn", "absent"]}


def shown(records: Sequence[tuple[str, Payload]], *asked: str) -> list[str]:
    """Ids of the records shown, of ``records`` in the order of relevance."""
    ids, payloads = zip(*records, strict=True)
    places = choose_places(range(len(ids)), ids, payloads, top_k=10, asked=asked)
    return [ids[row] for row in places.rows]


def test_a_fact_of_a_shown_turn_adds_nothing() -> None:
    assert shown([("turn", TURN), ("fact", FACT)], "piano") == ["turn"]


def test_a_fact_that_shares_no_word_with_its_turn_has_a_place() -> None:
    assert shown([("turn", TURN), ("other", OTHER)], "roof") == ["turn", "other"]


def test_a_fact_whose_turns_are_not_all_shown_has_a_place() -> None:
    assert shown([("turn", TURN), ("topic", TOPIC)], "piano") == ["turn", "topic"]
    assert shown([("fact", FACT), ("other", OTHER)], "piano") == ["fact", "other"]


def test_a_turn_adds_something_to_its_fact_if_it_has_a_further_word_of_the_question() -> None:
    records = [("fact", FACT), ("turn", TURN)]
    assert shown(records, "piano") == ["fact"]
    assert shown(records, "piano", "floor") == ["fact", "turn"]


def test_what_a_person_says_again_takes_one_place_the_newest() -> None:
    said = [
        ("first", "My bike has a Kryptonite lock.", "2026-03-02"),
        ("later", "As I said, my bike has a kryptonite lock!", "2026-03-05"),
        ("other", "My boat has a Kryptonite lock.", "2026-03-04"),
    ]
    records: list[tuple[str, Payload]] = [
        (name, {"kind": "turn", "content": text, "trust": "user", "said_at": at}) for name, text, at in said
    ]
    assert shown(records, "lock") == ["later", "other"]


def test_a_remark_within_a_statement_is_a_part_of_it() -> None:
    said = [("first", "My bike has a flat tyre.", "2026-03-02"), ("later", "My bike has a flat tyre again.", "2026-03-05")]
    records: list[tuple[str, Payload]] = [
        (name, {"kind": "turn", "content": text, "trust": "user", "said_at": at}) for name, text, at in said
    ]
    assert shown(records, "bike") == ["first", "later"]


def test_an_event_that_is_told_again_is_another_event() -> None:
    records: list[tuple[str, Payload]] = [
        (day, {"kind": "turn", "content": "I swam in the lake today.", "trust": "user", "said_at": day})
        for day in ("2026-03-02", "2026-03-09")
    ]
    assert shown(records, "lake") == ["2026-03-02", "2026-03-09"]


def test_many_alike_statements_are_compared_as_fast_as_they_are_read() -> None:
    texts = [f"Boat number {number} is in the harbour" for number in range(300)]
    began = time.process_time()
    forms = [find_forms(text) for text in texts]
    read_s = time.process_time() - began
    payloads: list[Payload] = [
        {
            "kind": "semantic",
            "content": text,
            "trust": "user",
            FORMS: list(found),
            "said_at": f"2026-01-01T00:{n // 60:02}:{n % 60:02}",
        }
        for n, (text, found) in enumerate(zip(texts, forms, strict=True))
    ]
    began = time.process_time()
    places = choose_places(range(300), texts, payloads, top_k=300, asked=["boat"])
    assert len(places.rows) == 300
    ratio = (time.process_time() - began) / read_s
    assert ratio < 10


def test_of_two_changes_of_one_message_the_more_relevant_comes_first() -> None:
    said = [
        ("both", "My dentist is Dr. Okafor. My rent is 700 euros.", "2026-01-01"),
        ("rent", "My rent is now 750 euros.", "2026-02-01"),
        ("dentist", "My dentist is now Dr. Lindqvist.", "2026-03-01"),
    ]
    records: list[tuple[str, Payload]] = [
        (name, {"kind": "turn", "content": text, "trust": "user", "said_at": day}) for name, text, day in said
    ]
    assert shown(records, "rent") == ["rent", "dentist", "both"]
    assert shown([records[0], records[2], records[1]], "dentist") == ["dentist", "rent", "both"]
