"""Reading ReAct text: a table of what models write, and the property that cuts do not matter."""

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.memory.model_json import read_object
from trustgraph_react_mem.turn.decisions import Decision, FinalAnswer, ParsedText, ToolCall, Unparsed
from trustgraph_react_mem.turn.parse import ReactParser

CALLS = [
    ('Thought: look it up\nAction: search\nArgs: {"question": "x"}', "search", {"question": "x"}),
    ('Action: search\nArgs: {"question": "x"}', "search", {"question": "x"}),
    ('I should look.\nAction: search\nArgs: {"question": "x"}', "search", {"question": "x"}),
    ('Thought: t\nAction: "search"\nArgs: {\n  "question": "x"\n}\nObservation: made up', "search", {"question": "x"}),
    ('Thought: t\nAction: search\nArgs: {"question": "x"}\nThought: more\nAction: other', "search", {"question": "x"}),
    ('```\nThought: t\nAction: search\nArgs: {"question": "x"}\n```', "search", {"question": "x"}),
    ("Thought: t\nAction: search\nArgs: {'question': 'it\\'s'}", "search", {"question": "it's"}),
    ("Thought: t\nAction: search\nArgs: {'question': \"it's\"}", "search", {"question": "it's"}),
    ('Thought: t\nAction: search\nArgs: {question: "x",}', "search", {"question": "x"}),
    ('Thought: t\nAction: search\nArgs: {"a": true, "b": null} and so on', "search", {"a": True, "b": None}),
    ("Thought: t\nAction: search\nArgs: {'a': true, 'n': [1, 2]}", "search", {"a": True, "n": [1, 2]}),
    ('Thought: t\nAction: search\nArgs: {"question": "x', "search", {"question": "x"}),
    ('Thought: t\nAction: search Args: {"question": "x"}', "search", {"question": "x"}),
    ('**Thought:** t\n**Action:** `search`\n**Args:** {"question": "x"}', "search", {"question": "x"}),
    ('thought: t\naction: search\naction input: {"question": "x"}', "search", {"question": "x"}),
    ('Thought: t\nAction: search\nArgs:\n```json\n{"question": "x"}\n```', "search", {"question": "x"}),
    ('Thought: t\nAction: note\nArgs: {"text": "a\n```py\nb\n```"}', "note", {"text": "a\n```py\nb\n```"}),
    ('Thought: t\nAction: search(question="x")', "search", {"question": "x"}),
    ("Thought: t\nAction: search()", "search", {}),
    ("Thought: t\nAction: search\nArgs: none", "search", {}),
    ("Thought: t\nAction: search", "search", {}),
    ('Thought: t\nAction: search\n{"question": "x"}', "search", {"question": "x"}),
    ('Thought: t\nAction: my tool 2\nArgs: {"a": {"b": "}"}}', "my tool 2", {"a": {"b": "}"}}),
]


def parse(text: str) -> Decision:
    """The decision of a complete text."""
    parser = ReactParser()
    parser.feed(text)
    parser.finish()
    return parser.decision


@pytest.mark.parametrize(("text", "name", "arguments"), CALLS)
def test_a_tool_call_is_found(text: str, name: str, arguments: dict[str, object]) -> None:
    decision = parse(text)
    assert isinstance(decision, ToolCall)
    assert (decision.name, dict(decision.arguments)) == (name, arguments)


ANSWERS = [
    ("Thought: known\nFinal Answer: Paris.", "known", "Paris."),
    ("Final Answer: Paris.", "", "Paris."),
    ("Thought: known\nFinal answer - Paris.", "known", "Paris."),
    ("Thought: known\n**Final Answer** — Paris.", "known", "Paris."),
    ("Paris is the capital of France.", "", "Paris is the capital of France."),
    ("known\nFinal Answer: Paris.", "known", "Paris."),
    ("Sure!\nThought: known\nFinal Answer: Paris.", "known", "Paris."),
    ("Thought: known\nFinal Answer: one\n\ntwo", "known", "one\n\ntwo"),
    ("Thought: known\nFinal Answer: Paris.\nThought: again\nFinal Answer: Rome", "known", "Paris."),
    ("**Thought:** known\n**Final Answer:** **Paris**", "known", "**Paris**"),
    ("**Thought**: known\n**Final Answer**: **Paris**", "known", "**Paris**"),
    ("```\nThought: known\nFinal Answer: Paris.\n```", "known", "Paris."),
    ("Thought: known\nAction: Final Answer\nArgs: Paris.", "known", "Paris."),
    ('Thought: known\nAction: Final Answer\nArgs: {"answer": "Paris."}', "known", "Paris."),
    ("Thought: known\nAction: Final Answer: Paris.", "known", "Paris."),
    ("Thought: known\nAction: none\nFinal Answer: Paris.", "known", "Paris."),
    ("Thought: known\nAction: Final Answer\nRun:\n```sh\nls\n```\nDone.", "known", "Run:\n```sh\nls\n```\nDone."),
    ("Thought: known\nAction: Final Answer\nRun:\n```sh\nls\n```", "known", "Run:\n```sh\nls\n```"),
    ("Thought: known\nAction: Final Answer\nParis.\n```", "known", "Paris."),
    ("Thought: known Final Answer: Paris.", "known", "Paris."),
    ("Thought: known\nAnswer: Paris.", "known", "Paris."),
    ('Thought: known\nFinal Answer: {"a": 1}', "known", '{"a": 1}'),
    ("Thought: known\nFinal Answer: Use\nThe list\nAnd more", "known", "Use\nThe list\nAnd more"),
]


@pytest.mark.parametrize(("text", "thought", "answer"), ANSWERS)
def test_an_answer_is_found(text: str, thought: str, answer: str) -> None:
    assert parse(text) == FinalAnswer(thought=thought, text=answer)


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("", ""),
        ("  \n ", ""),
        ("Thought: it must be Paris", "it must be Paris"),
        ("Thought: t\nAction:\n", "t"),
        ("Thought: t\nAction: search\nArgs: {{{ :: ]", "t"),
        ("Thought: t\nFinal Answer:", "t"),
    ],
)
def test_what_leaves_no_choice_keeps_the_best_text(text: str, best: str) -> None:
    decision = parse(text)
    assert isinstance(decision, Unparsed)
    assert decision.text == best
    assert decision.reason


WORDS = st.sampled_from(
    [
        *(
            "<think>",
            "</think>",
            "<|",
            "Thought：",
            "【Final Answer】",
            "Ａｃｔｉｏｎ：",
            "**Final Answer: ",
            "__",
            "Question:",
        ),
        *("**Final Answer**\n", "### ", "<tool_call>", '{"answer": "', "<function=", "<|im_start|>", "<|im_end|>"),
        *("<|channel|>", "assistant", "[search(", "print(", "[Thought] ", "1. ", "<tool>", "### Action\n", "<answer>"),
        *("</answer>", "word. " * 25, "Thought:", "Action:", "Args:", "Final Answer:", "Answer:", "Observation:", "**"),
        *("```", "```json", "\n", "\n\n", " ", "  ", "{", "}", '"', "'", ":", ",", "T", "Ac", "Final", "none", "search"),
        *('{"a": "b"}', "it's", "é", "答え", "[0, 2]", "x" * 30),
    ]
)
TEXTS = st.lists(WORDS, max_size=25).map("".join)


CASES: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "data" / "react_outputs.json").read_text("utf-8"))


def shown_of(pieces: list[ParsedText]) -> str:
    """The answer that a person sees: what follows the last restart."""
    shown = ""
    for piece in pieces:
        shown = "" if piece.kind == "restart" else shown + piece.text if piece.kind == "answer" else shown
    return shown


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("case", CASES["answers"], ids=lambda case: str(case["text"])[:60])
def test_what_models_write_as_an_answer(case: dict[str, Any], size: int) -> None:
    pieces, decision = parse_cut(case["text"], size)
    assert isinstance(decision, FinalAnswer)
    assert decision.text == shown_of(pieces) == case["answer"]
    assert decision.thought == case.get("thought", decision.thought)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("case", CASES["calls"], ids=lambda case: str(case["text"])[:60])
def test_what_models_write_as_a_tool_call(case: dict[str, Any], size: int) -> None:
    pieces, decision = parse_cut(case["text"], size)
    assert isinstance(decision, ToolCall)
    assert (decision.name, decision.arguments, shown_of(pieces)) == (case["name"], case["arguments"], "")
    assert decision.thought == case.get("thought", decision.thought)


def parse_cut(text: str, size: int) -> tuple[list[ParsedText], Decision]:
    parser = ReactParser(lambda name: name == "search")
    pieces = [piece for start in range(0, len(text), size) for piece in parser.feed(text[start : start + size])]
    pieces += parser.finish()
    return pieces, parser.decision


@pytest.mark.parametrize(
    "text", ["<think>I wonder", "<think>I wonder</think>", "I wonder</think>", "<|think|>hm\nFinal Answer: x"]
)
def test_reasoning_alone_is_no_answer(text: str) -> None:
    pieces, decision = parse_cut(text, 3)
    assert isinstance(decision, Unparsed)
    assert (decision.text, shown_of(pieces)) == ("", "")


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>\nsomething",
        "<tool_call></tool_call>",
        "Thought: I need it.\n<|python_tag|>???",
        "[TOOL_CALLS] search please",
    ],
)
def test_a_call_that_cannot_be_read_is_not_shown(text: str) -> None:
    pieces, decision = parse_cut(text, 3)
    assert isinstance(decision, Unparsed)
    assert decision.reason == "The tool call could not be read."
    assert shown_of(pieces) == ""
    assert not {"<", "["} & set(decision.text)


def test_an_answer_without_a_label_streams_before_it_ends() -> None:
    parser = ReactParser()
    sent = [sum(len(piece.text) for piece in parser.feed("word " * 5)) for _ in range(40)]
    assert sum(sent[:8]) > 100
    assert all(count > 0 for count in sent[8:])


@pytest.mark.slow
@pytest.mark.parametrize("head", ["", "Thought: ", "Final Answer: ", "**Final Answer: ", "<think>", '{"answer": "'])
@pytest.mark.parametrize(
    "unit",
    ["a word. ", "\n", "Action: x\n", "Thought: a\n", "Answer: y\n", "{\n", "<", "```\n", "Final Answer: x\n", " ", "[", "*"],
)
def test_the_time_is_linear_in_the_length(head: str, unit: str) -> None:
    def spent_s(length: int) -> float:
        text = head + (unit * length)[:length]
        best = math.inf
        for _ in range(2):
            began_s = time.process_time()
            parse_cut(text, 10)
            best = min(best, time.process_time() - began_s)
        return best

    # Twice again if the machine was disturbed.
    assert any(spent_s(20_000) < 2.3**2 * max(spent_s(5_000), 0.03) for _ in range(3))


def run(chunks: list[str]) -> tuple[list[tuple[str, str]], object]:
    """Pieces joined by kind, with closings, and the decision."""
    parser = ReactParser()
    joined: list[tuple[str, str]] = []
    pieces = [piece for chunk in chunks for piece in parser.feed(chunk)] + parser.finish()
    for piece in pieces:
        if joined and joined[-1][0] == piece.kind:
            joined[-1] = (piece.kind, joined[-1][1] + piece.text)
        else:
            joined.append((piece.kind, piece.text))
    return joined, parser.decision


def cut(text: str, places: list[int]) -> list[str]:
    marks = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[a:b] for a, b in itertools.pairwise(marks)]


@settings(max_examples=examples(400), deadline=None)
@given(TEXTS, st.lists(st.integers(0, 300), max_size=12))
@example("Thought: known\nFinal Answer: Paris.\nThought: again", list(range(60)))
@example("Thought：**Final Answer**\n### </think>", [24])
@example(f"Final Answer: Use\n```python {'x' * 60}`\nThought: c\nFinal Answer: d", [70])
@example("Thought: it was said that Mira lives in Bergen.\nAnswer: so</think>Final Answer: Bergen", [40])
def test_the_way_of_cutting_changes_nothing(text: str, places: list[int]) -> None:
    whole = run([text])
    assert run(cut(text, places)) == whole
    assert run(list(text)) == whole


def test_a_thought_streams_before_it_ends_and_closes_once() -> None:
    parser = ReactParser()
    first = parser.feed("Thought: this is a thought that is long enough to stream")
    rest = parser.feed("\nFinal Answer: yes")
    assert first
    assert not any(piece.last for piece in first)
    assert [piece.last for piece in rest if piece.kind == "thought"] == [True]


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=60))
def test_broken_objects_never_raise(text: str) -> None:
    found = read_object("{" + text)
    assert found is None or isinstance(found, dict)
