"""`python -m bench talk`: lives that are generated, and answers that are graded by rules."""

import doctest
from pathlib import Path

import pytest

from bench.talk import grading
from bench.talk.command import LEAST_EVIDENCE, PAGE, as_table, summarise, write_table
from bench.talk.grading import agreement, grade, labelled
from bench.talk.lives import UNKNOWN, lives, make_life
from bench.talk.played import ABSTAINED, MEMORY, MODEL, RIGHT, outcome

LIVES = lives(30)


def test_a_life_has_sessions_changes_and_many_questions() -> None:
    assert make_life(3) == LIVES[3]
    assert len({life.language for life in LIVES}) >= 4
    for life in LIVES:
        assert len(life.questions) >= 10
        assert len({message.conversation for message in life.messages}) >= 5
        assert [message.at for message in life.messages] == sorted(message.at for message in life.messages)
        assert sum(message.ends for message in life.messages) == len({message.conversation for message in life.messages})
    categories = {said.question.category for life in LIVES for said in life.questions if said.question}
    assert categories >= {"thread", "recall", "changed", "before", "time", "instruction", "two people", "number", UNKNOWN}


def test_a_value_is_said_before_it_is_asked_for_and_no_question_tells_it() -> None:
    for life in LIVES:
        for place, said in enumerate(life.messages):
            if said.question is not None and said.question.value:
                assert grading.holds(" . ".join(each.text for each in life.messages[:place]), said.question.value)
                assert not grading.holds(said.text, said.question.value)


def test_rules_grade_as_a_person_does() -> None:
    same, other = agreement()
    assert len(labelled()) == 100
    assert same >= 90, [(row.answer, row.label) for row in other]
    assert doctest.testmod(grading).failed == 0


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("The dose is 1,5 mg.", "right"),
        ("15 mg", "wrong"),
        ("You take 1.5 milligrams.", "right"),
        ("No idea.", "abstained"),
        ("I am not sure, but it may be 1.5 mg.", "right"),
        ("Not 1.5 mg.", "wrong"),
    ],
)
def test_numbers_are_values(answer: str, wanted: str) -> None:
    assert grade(answer, "1.5 mg") == wanted


@pytest.mark.parametrize(
    ("graded", "known", "evidence", "wanted"),
    [
        ("right", True, True, RIGHT),
        ("right", True, False, RIGHT),
        ("wrong", True, True, MODEL),
        ("wrong", True, False, MEMORY),
        ("abstained", True, True, ABSTAINED),
        ("abstained", True, False, MEMORY),
        ("abstained", False, False, RIGHT),
        ("wrong", False, False, MODEL),
    ],
)
def test_whose_fault_it_is(graded: str, known: bool, evidence: bool, wanted: str) -> None:
    assert outcome(graded, known=known, evidence=evidence) == wanted


def test_the_table_names_shares_with_intervals_and_what_was_not_right() -> None:
    row = {"life": "en-0", "number": 1, "asked": "Where?", "tokens": 100, "error": ""}
    rows = [
        {**row, "category": "recall", "value": "Oslo", "answer": "Oslo", "evidence": True, "outcome": RIGHT},
        {**row, "category": "recall", "value": "Oslo", "answer": "No idea", "evidence": False, "outcome": MEMORY},
        {**row, "category": UNKNOWN, "value": "", "answer": "No idea", "evidence": None, "outcome": RIGHT},
    ]
    report = summarise(rows, "scripted")
    assert report["evidence"]["percent"] == 50.0 < LEAST_EVIDENCE
    assert report["evidence"]["low"] < 50 < report["evidence"]["high"]
    text = as_table(report)
    assert "wrong (memory): en-0, recall: Where? wanted 'Oslo'" in text
    assert "tokens per turn" in text


def test_the_table_is_written_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- talk scripted -->\nold\n<!-- end of talk scripted -->\nb\n", encoding="utf-8")
    write_table(summarise([], "scripted"), page)
    text = page.read_text("utf-8")
    assert text.startswith("a\n<!-- talk scripted -->\n```\n0 lives")
    assert text.endswith("```\n<!-- end of talk scripted -->\nb\n")
    with pytest.raises(ValueError, match="has no lines <!-- talk model -->"):
        write_table(summarise([], "local"), page)


def test_the_page_of_benchmarks_has_a_place_for_both_tables() -> None:
    text = PAGE.read_text("utf-8")
    for kind in ("scripted", "model"):
        assert text.index(f"<!-- talk {kind} -->") < text.index(f"<!-- end of talk {kind} -->")
