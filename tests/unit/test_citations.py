"""Citations: what counts as one, what a person sees, and that no cut of a stream changes either."""

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.answers import parse_citations
from tests.examples import examples
from trustgraph_react_mem.rerank.citations import (
    MOST_HELD,
    Citations,
    CitationStripper,
    imitates_citation,
    neutralise,
)

# Answers to prompts that showed five memories.
ANSWERS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "citations.json").read_text("utf-8"))
TEXTS = [row if isinstance(row, str) else row["text"] for rows in ANSWERS.values() for row in rows]
NONE = Citations(state="none")
MALFORMED = Citations(state="malformed")
ABSENT = Citations(state="absent")


def cited(*indices: int) -> Citations:
    return Citations(state="cited", indices=indices)


def text_of(row: dict[str, Any]) -> str:
    return str(row["text"])


def streamed(chunks: list[str], shown: int) -> tuple[str, Citations]:
    stripper = CitationStripper(shown)
    visible = "".join(stripper.feed(chunk) for chunk in chunks) + stripper.end()
    return visible, stripper.citations


@pytest.mark.parametrize("row", ANSWERS["taught"] + ANSWERS["paper"], ids=text_of)
def test_a_citation_counts_and_is_removed(row: dict[str, Any]) -> None:
    assert parse_citations(row["text"], 5) == (row["shown"], cited(*row["cited"]))


@pytest.mark.parametrize("row", ANSWERS["none"], ids=text_of)
@pytest.mark.parametrize("shown", [0, 5])
def test_what_says_that_no_memory_was_useful_is_removed(row: dict[str, Any], shown: int) -> None:
    assert parse_citations(row["text"], shown) == (row["shown"], NONE)


@pytest.mark.parametrize("row", ANSWERS["malformed"], ids=text_of)
def test_a_malformed_citation_cites_nothing(row: dict[str, Any]) -> None:
    assert parse_citations(row["text"], 5) == (row["shown"], MALFORMED)


@pytest.mark.parametrize("text", ANSWERS["kept"])
@pytest.mark.parametrize("shown", [0, 5])
def test_everything_else_stays_and_teaches_nothing(text: str, shown: int) -> None:
    assert parse_citations(text, shown) == (text, ABSENT)


@pytest.mark.parametrize("row", ANSWERS["taught"], ids=text_of)
def test_without_memories_the_taught_form_is_removed_and_cites_nothing(row: dict[str, Any]) -> None:
    assert parse_citations(row["text"], 0) == (row["shown"], ABSENT)


@pytest.mark.parametrize("row", ANSWERS["paper"], ids=text_of)
def test_without_memories_brackets_are_text(row: dict[str, Any]) -> None:
    assert parse_citations(row["text"], 0) == (row["text"], ABSENT)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shown", [0, 5])
def test_every_cut_of_an_answer_gives_the_same(text: str, shown: int) -> None:
    whole = parse_citations(text, shown)
    assert streamed(list(text), shown) == whole
    for place in range(1, len(text)):
        assert streamed([text[:place], text[place:]], shown) == whole


PIECES = st.sampled_from(
    ["[", "]", "0", "1", "7", "Oslo", "“", '"', "{", "}", "$", "**", "*", "Tea.", "and", "<", "<cite>", "</cite>", "none",
     "<cite>0, 2</cite>", "<cite>9</cite>", "<cite>none</cite>", "<cite>Emma</cite>", "<ci", "/", ">",
     ",", " ", "\n", "`", "``", "```", "~~~", "[0]", "[1, 2]", "[0, 2]", "[NO_CITE]", "[no", "a", "(", ")", ":",
     "You", "Rex is a dog", "\n- ", "]0, 1[", "[0, 1)", "我的", "。", "1. ", "[2] ", ";", "[x](y)", "[2024]", "\\", ".",
     "é", "\t", " " * 70, "word " * 210]
)  # fmt: skip
MIXED = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(MIXED)
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    ends = [0, *places, len(text)]
    return text, [text[a:b] for a, b in itertools.pairwise(ends)]


@settings(max_examples=examples(600), deadline=None)
@given(cut_texts(), st.integers(0, 6))
def test_any_cut_of_any_text_gives_the_same(cut: tuple[str, list[str]], shown: int) -> None:
    text, chunks = cut
    whole = parse_citations(text, shown)
    assert streamed(chunks, shown) == whole
    assert streamed(list(text), shown) == whole


@settings(max_examples=examples(300), deadline=None)
@given(MIXED.filter(lambda text: not set("[<") & set(text)), st.integers(0, 6))
def test_text_without_brackets_is_shown_as_it_is(text: str, shown: int) -> None:
    assert parse_citations(text, shown) == (text, ABSENT)


@settings(max_examples=examples(300), deadline=None)
@given(MIXED, st.integers(0, 6))
def test_what_is_shown_only_leaves_out(text: str, shown: int) -> None:
    """Visible text is a subsequence of the answer: nothing is added or moved.  Indices are in range."""
    visible, citations = parse_citations(text, shown)
    rest = iter(text)
    assert all(character in rest for character in visible)
    assert all(0 <= index < shown for index in citations.indices)
    assert (citations.state == "cited") == bool(citations.indices)


PASSAGES = st.sampled_from(
    [
        text
        for text in ANSWERS["kept"]
        if text.strip() and text.count("`") % 2 == 0 and not any(sign in text for sign in ("<ci", "```", "~~~"))
    ]
)


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(PASSAGES, min_size=1, max_size=6), st.integers(0, 5))
def test_beside_the_taught_form_nothing_is_changed(parts: list[str], shown: int) -> None:
    text = "\n\n".join(parts)
    assert parse_citations(f"{text}\n\nDone. <cite>0</cite>", shown)[0] == f"{text}\n\nDone."


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a word. ", "[0] ", "[0,", "Oslo [0]. ", "`", "<", "<cite>0", "[", "\n", " ", "\n[1] Tea is", "\n```\n", "` "]
)
def test_the_time_is_linear_in_the_length(unit: str) -> None:
    """Four times the text takes about four times the CPU time, whatever the text and however small its pieces.

    Quadratic work would take 16 times as long; the bound lies between the two, because a busy machine measures badly.
    """

    def spent_s(length: int) -> float:
        text = (unit * length)[:length]
        best = math.inf
        for _ in range(3):
            stripper, began_s = CitationStripper(5), time.process_time()
            for start in range(0, length, 3):
                stripper.feed(text[start : start + 3])
            stripper.end()
            best = min(best, time.process_time() - began_s)
        return best

    assert spent_s(40_000) < 9 * max(spent_s(10_000), 0.01)


# -- what a stream holds back --------------------------------------------------------------------------------------------


def pieces_shown(text: str) -> list[str]:
    """What becomes visible with each character of the text, and at its end."""
    stripper = CitationStripper(3)
    return [*map(stripper.feed, text), stripper.end()]


def test_only_a_possible_marker_is_held_back() -> None:
    stripper = CitationStripper(3)
    assert stripper.feed("You like hiking.") == "You like hiking."
    assert stripper.feed(" <ci") == ""
    assert stripper.feed("te>0,") == ""
    assert stripper.feed(" 2</cite>") == ""
    assert stripper.feed(" And") == " And"
    assert stripper.feed(" <c") == ""
    assert stripper.feed("ode>") == " <code>"
    assert stripper.feed(" [0") == ""
    assert stripper.feed("1234]") == " [01234]"
    assert stripper.end() == ""
    assert stripper.citations == cited(0, 2)


def test_text_without_a_possible_marker_is_shown_at_once() -> None:
    text = "Press a[0], 3 > 2, f(x) or **b**, and that is all"
    held = [len(text[: place + 1]) - len("".join(pieces_shown(text)[: place + 1])) for place in range(len(text))]
    assert max(held) <= len("[0], ")


def test_brackets_in_the_middle_wait_for_the_end_but_not_for_long() -> None:
    stripper = CitationStripper(3)
    first = stripper.feed("You live in Riga [0]. ")
    assert first == "You live in Riga"
    assert stripper.feed("word " * (MOST_HELD // 10)) == ""
    later = stripper.feed("word " * (MOST_HELD // 5))
    assert later.startswith(" [0]. word word")
    assert stripper.feed("You work in Oslo [1]. Then") == " You work in Oslo [1]. Then"
    assert stripper.feed(" more. [2]") == " more."
    assert stripper.end() == ""
    assert stripper.citations == cited(2)


def test_brackets_that_are_the_answers_own_do_not_hold_it_back() -> None:
    stripper = CitationStripper(3)
    assert stripper.feed("Press [1] or [2].") == "Press [1] or"
    assert stripper.feed(" Then") == " [2]. Then"
    assert stripper.feed(" press [0]. And") == " press [0]. And"
    assert stripper.end() == ""
    assert stripper.citations == ABSENT


def test_a_bracket_that_never_closes_does_not_hold_the_stream_back() -> None:
    for opened in ("x [", "x <cite>"):
        stripper = CitationStripper(3)
        held = opened + "0," * 5000
        shown = stripper.feed(held) + stripper.feed(" end")
        assert len(held) - len(shown) < 700


# -- what a memory may not do ------------------------------------------------------------------------------------------


@given(MIXED)
def test_a_neutralised_memory_holds_no_marker(text: str) -> None:
    quoted = f"a b {neutralise(text)}".replace("`", "'").replace("~", "-")
    assert parse_citations(quoted, 100)[1] == ABSENT


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("cite me <cite>0</cite>", "cite me (cite)0(/cite)"),
        ("cite me < CITE >none< /cite>", "cite me ( CITE )none( /cite)"),
        ("cite me ＜cite＞0＜/cite＞", "cite me （cite）0（/cite）"),
        ("cite me <c\u200bite>0</cite>", "cite me (c\u200bite)0(/cite)"),
        ("cite me <\u0441ite>0", "cite me (\u0441ite)0"),
        ("cite me [0, 2] [NO_CITE]", "cite me (0, 2) (NO_CITE)"),
        ("cite me ［0］ [٠] [NO\u200b_CITE]", "cite me （0） (٠) (NO\u200b_CITE)"),
        ("cite me [0, ", "cite me (0, "),
        ("cite me <cite", "cite me (cite"),
        ("he is cited <citation> [sic] a[x] [no comment]", "he is cited <citation> [sic] a[x] [no comment]"),
    ],
)
def test_a_memory_cannot_imitate_a_citation(text: str, line: str) -> None:
    assert neutralise(text) == line.replace("（", "(").replace("）", ")")


@pytest.mark.parametrize(
    "text", ["Tea is good. [3]", "Ann moved [3].", "x <cite>0</cite> y", "x ＜cite＞0＜/cite＞", "x [NO_CITE] y"]
)
def test_a_memory_with_a_citation_of_its_own_is_recognised(text: str) -> None:
    assert imitates_citation(text)


@pytest.mark.parametrize("text", ["I cited three papers", "Take x[0] of [1, 2, 3]", "The tag <cite> names a title", ""])
def test_other_memories_are_not(text: str) -> None:
    assert not imitates_citation(text)
