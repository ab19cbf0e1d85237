"""Changes that people mention in passing, in everyday words, beside statements about other things and other people."""

from pathlib import Path

import pytest

from trustgraph_react_mem.indexing.changes.decision import changes, find_forms, may_change
from trustgraph_react_mem.recall.references import is_vague
from trustgraph_react_mem.retrieval.places import choose_places

# changed or unchanged, language, newer and older statement
ROWS = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "tables" / "everyday_changes.tsv").read_text("utf-8").splitlines()
]


def decide(new: str, old: str, language: str = "") -> bool:
    return may_change(find_forms(new), find_forms(old)) and changes(new, old, language=language)


def test_most_changes_in_everyday_words_are_found_and_hardly_any_is_invented() -> None:
    changed = [row for row in ROWS if row[0] == "changed"]
    unchanged = [row for row in ROWS if row[0] == "unchanged"]
    found = [row for row in changed if decide(row[2], row[3], row[1])]
    invented = [row for row in unchanged if decide(row[2], row[3], row[1])]
    assert len(changed) == len(unchanged) == 140
    assert len(found) >= 0.9 * len(changed), [row for row in changed if row not in found]
    assert len(invented) <= 0.01 * len(unchanged), invented


def test_statements_about_other_things_change_one_another_rarely() -> None:
    """Each newer statement beside each older one of another row of its language: nearly all are about other things."""
    rows = [row for row in ROWS if row[0] == "unchanged"]
    pairs = [(new, old) for new in rows for old in rows if new[1] == old[1] and new[3] != old[3]][::3]
    assert len(pairs) > 1000
    assert sum(decide(new[2], old[3], new[1]) for new, old in pairs) <= 0.005 * len(pairs)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("I let the Saab go. My brother-in-law bought it.", "I drive a Saab."),
        ("Nell moved to another class, so her teacher is Ms Quist now.", "My daughter Nell has Mr Baum for third grade."),
        ("They put the parking fee up, it's 64 now.", "The parking fee is 55 a month."),
        ("It's Mondays and Fridays at the pool these days.", "I go to the pool on Tuesdays and Sundays."),
        ("Stell dir vor, ich bin umgezogen! Ich wohne jetzt in Mainz.", "Ich wohne in Fulda."),
        ("수영은 그만뒀어요. 이제 달리기도 해요.", "고기를 안 먹고 수영을 하고 있어요."),
    ],
)
def test_what_stands_beside_a_change_does_not_hide_it(new: str, old: str) -> None:
    assert decide(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("I ditched the Saab brochure.", "I drive a Saab."),
        ("Nell needs new trousers, she's up to a size 9 already.", "Nell wears a size 12 shoe."),
        ("The chess club meets on Fridays now.", "The film club meets on Tuesdays."),
        ("They put the fee notice up, it's 12 degrees now.", "The fee is 55 a month."),
        ("Stell dir vor, du wohnst jetzt in Mainz.", "Ich wohne in Fulda."),
    ],
)
def test_another_thing_beside_it_changes_nothing(new: str, old: str) -> None:
    assert not decide(new, old)


def test_a_later_state_stands_first_where_no_change_is_decided() -> None:
    texts = [
        "I drive an Amazon from 1968.",
        "The weather is grey.",
        "The Amazon went to a museum, the Mini is the car that I drive now.",
    ]
    payloads = [
        {"kind": "turn", "content": text, "trust": "user", "said_at": f"2026-0{month}-01T10:00:00Z"}
        for month, text in enumerate(texts, start=1)
    ]
    assert not decide(texts[2], texts[0])
    order = [0, 1, 2]
    assert choose_places(order, ["a", "b", "c"], payloads, top_k=3, asked=["car", "drive"]).rows == (2, 0, 1)
    assert choose_places(order, ["a", "b", "c"], payloads, top_k=3, asked=["car", "drive"], past=True).rows == (0, 1, 2)


def test_a_supposed_state_stands_before_none() -> None:
    said = {"I drive a Saab.": "2026-01-01T10:00:00Z", "If I changed now, I'd drive a Mini.": "2026-02-01T10:00:00Z"}
    payloads = [{"kind": "turn", "content": text, "trust": "user", "said_at": at} for text, at in said.items()]
    assert choose_places([0, 1], ["a", "b"], payloads, top_k=2, asked=["car", "drive"]).rows == (0, 1)


def test_a_question_that_goes_on_and_names_what_it_asks_for_needs_no_context() -> None:
    assert not is_vague("And what's my fee at the moment?")
    assert not is_vague("Und wie hoch ist meine Miete im Moment?")
    assert is_vague("And what did I say about it?")
