"""A fact that is said again, by the person or by the assistant, takes one place; another fact keeps its own."""

import time
from pathlib import Path

import pytest

from trustgraph_react_mem.indexing.chatter import is_chatter
from trustgraph_react_mem.indexing.repeats.normal_form import LONGEST, read_normal_form
from trustgraph_react_mem.indexing.repeats.paraphrases import in_one_wording
from trustgraph_react_mem.indexing.statements import states_something
from trustgraph_react_mem.indexing.text.asides import without_asides
from trustgraph_react_mem.indexing.tokenizer import guess_language
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.retrieval.places import choose_places

TABLES = Path(__file__).parent / "tables"
# one place or two, who says the second, the first and the second statement
PAIRS = [row.split("\t") for row in (TABLES / "said_again.tsv").read_text("utf-8").splitlines()]
# states or asks, a question in one sentence with what comes before it
JOINED = [row.split("\t") for row in (TABLES / "before_questions.tsv").read_text("utf-8").splitlines()]


def _turn(content: str, trust: str, said_at: str) -> dict[str, JsonValue]:
    return {"kind": "turn", "content": content, "trust": trust, "said_at": said_at, "language": guess_language(content)}


@pytest.mark.parametrize(("places", "who", "first", "second"), PAIRS)
def test_the_same_fact_takes_one_place(places: str, who: str, first: str, second: str) -> None:
    by_assistant = who == "assistant"
    if by_assistant and not states_something(second, by_assistant=True, before=first):
        assert places == "one"
        return
    trust, said_at = ("assistant", "2026-03-02") if by_assistant else ("user", "2026-03-09")
    records = [_turn(first, "user", "2026-03-02"), _turn(second, trust, said_at)]
    shown = {len(choose_places(order, ["a", "b"], records, top_k=5, asked=()).rows) for order in ([0, 1], [1, 0])}
    assert shown == {1 if places == "one" else 2}


def test_the_newest_of_equal_statements_is_shown() -> None:
    records = [
        _turn("My shop's alarm code is 5518.", "user", "2026-03-02"),
        _turn("the alarm code of my shop is 5518", "user", "2026-03-09"),
    ]
    assert choose_places([0, 1], ["a", "b"], records, top_k=5, asked=()).rows == (1,)


@pytest.mark.parametrize(("kind", "question"), JOINED)
def test_what_comes_before_a_question_in_one_sentence_states_something(kind: str, question: str) -> None:
    assert states_something(question) == (kind == "states")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("By the way, I told Ann about it.", "I told Ann about it"),
        ("I said that I moved to Oslo, remember?", "I moved to Oslo"),
        ("Noted.", "Noted"),
        ("As my mother said, wood warms twice.", "As my mother said, wood warms twice"),
    ],
)
def test_only_what_states_nothing_is_an_aside(text: str, said: str) -> None:
    assert without_asides(text).replace(",", "") == said.replace(",", "")


@pytest.mark.parametrize("unit", ["a, ", "that that ", "man's ", "as like ", "的，", "you know, ", "box of "])
def test_the_normal_form_is_read_in_linear_time(unit: str) -> None:
    def took_s(size: int) -> float:
        text = (unit * size)[:size]
        began = time.process_time()
        for _ in range(20):
            read_normal_form.cache_clear()
            read_normal_form(text)
        return time.process_time() - began

    took_s(LONGEST)
    assert took_s(LONGEST) < 20 * took_s(LONGEST // 4) + 0.05


@pytest.mark.parametrize("unit", ["ok ", "ok, ", "そうそう", "gets married ", "so so and ", "好好的", "name is "])
def test_small_talk_is_recognised_in_linear_time(unit: str) -> None:
    def took_s(size: int) -> float:
        text = (unit * size)[:size]
        began = time.process_time()
        for _ in range(20):
            is_chatter.cache_clear()
            states_something(text)
            in_one_wording(text)
        return time.process_time() - began

    took_s(LONGEST)
    assert took_s(LONGEST) < 20 * took_s(LONGEST // 4) + 0.05
