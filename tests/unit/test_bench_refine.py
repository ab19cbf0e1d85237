"""The comparison of refined answers: its order, what it resumes, and what it reports."""

from pathlib import Path
from typing import Any

import pytest

from bench.page import write_between
from bench.refine.__main__ import BEGIN, END, PAGE, compare, evenly
from bench.refine.methods import GROUNDED, LEAST_SAMPLES, METHODS, PLAIN, VOTE, Answer
from bench.refine.questions import shipped_questions
from bench.refine.refined import refine
from bench.refine.report import as_table, summarise
from trustgraph_react_mem.testing import Rule, ScriptedModel

MODEL = ScriptedModel(
    rules=(
        Rule(when="You check an answer", answer='{"claims": [], "action": "accept"}'),
        Rule(when="You improve an answer", answer="I do not know. [NO_CITE]"),
    ),
    default="Thought: I see.\nFinal Answer: I do not know. [NO_CITE]",
)


def row(name: str, method: str, grade: str = "right", **more: Any) -> dict[str, Any]:
    values = {"misled": False, "unsupported": 0, "tokens": 10, "seconds": 2.0, "cpu_s": 1.0, "cited": [], "kept": False}
    return {"set": "poisoned", "id": name, "method": method, "grade": grade, **values, **more}


async def test_every_method_answers_each_question_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    questions = evenly([shipped_questions("constraints", 2), shipped_questions("poisoned", 1)])
    assert [each.set for each in questions] == ["constraints", "poisoned", "constraints"]
    path, before = tmp_path / "new" / "rows.jsonl", len(MODEL.calls)
    rows = await compare(questions, MODEL, path)
    assert [each["method"] for each in rows] == [*METHODS] * 3
    asked = len(MODEL.calls) - before
    assert asked >= len(questions) * (LEAST_SAMPLES + 1)
    assert await compare(questions, MODEL, path) == rows
    assert len(MODEL.calls) == before + asked
    assert {each["citation"] for each in rows if each["method"] == PLAIN} == {"none"}
    cut = path.read_bytes().splitlines()[:-2]
    path.write_bytes(b"\n".join(cut) + '\n{"set": "na\u00ef'.encode()[:-1])  # killed within a letter
    asked = len(MODEL.calls)
    assert [each["grade"] for each in await compare(questions, MODEL, path)] == [each["grade"] for each in rows]
    assert len(MODEL.calls) > asked
    asked = len(MODEL.calls)
    await compare(questions, MODEL, path)
    assert len(MODEL.calls) == asked


async def test_an_answer_that_says_that_it_cites_nothing_is_checked_as_in_the_agent() -> None:
    [question] = shipped_questions("poisoned", 1)
    claimed = question.recalled.facts[0].content
    answer = Answer(text=claimed, tokens=1, seconds=0.0, citation="none")
    asked = len(MODEL.calls)
    await refine(question, MODEL, answer, critique="grounded")
    assert "does not cite the memory" in MODEL.calls[asked].prompt


def test_a_stopped_run_reports_the_questions_that_all_methods_answered() -> None:
    rows = [row(name, method) for name in ("a", "b") for method in METHODS]
    rows = [*rows, row("c", PLAIN, "wrong"), row("c", GROUNDED)]
    report = summarise(rows)["poisoned"]
    assert {each["questions"] for each in report.values()} == {2}
    assert report[GROUNDED]["against_plain"]["gained"] == 0
    assert summarise([row("c", PLAIN)]) == {}
    better = [row(f"q{number}", method, "wrong" if method == PLAIN else "right") for number in range(8) for method in METHODS]
    against = summarise(better)["poisoned"][VOTE]["against_plain"]
    assert (against["gained"], against["lost"], against["p"]) == (8, 0, 0.0078)


def test_the_table_is_written_between_its_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"a\n{BEGIN}\nold\n{END}\nb\n", "utf-8")
    write_between(page, BEGIN, END, as_table(summarise([row("a", method) for method in METHODS])))
    lines = page.read_text("utf-8").splitlines()
    assert [lines[0], lines[-1], len(lines)] == ["a", "b", 4 + 2 + len(METHODS)]
    assert len({line.count("|") for line in lines[2:-2]}) == 1
    assert "old" not in lines
    page.write_text("no place", "utf-8")
    with pytest.raises(ValueError, match="has no lines"):
        write_between(page, BEGIN, END, "new")
    text = PAGE.read_text("utf-8")
    assert 0 < text.index(BEGIN) < text.index(END)
