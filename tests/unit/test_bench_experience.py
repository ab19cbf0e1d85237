"""The world of repeated tasks, how it is graded, and paired comparisons."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.experience import FIRST, KINDS, STEPS, Task, World, raises_success, summarise, tasks
from bench.page import write_between
from bench.paired import bootstrap_interval, exact_mcnemar
from trustgraph_react_mem.config import prompts
from trustgraph_react_mem.models.chat import ChatRequest


def attempt(world: World, task: Task, rules: str = "") -> bool:
    """Play a task as the loop does, without a stack."""
    world.begin(task)
    for _ in range(STEPS):
        said = world._agent(rules)
        if "Final Answer" in said:
            return True
        world._tool(said.partition("Action: ")[2].partition("\n")[0])
    return False


def test_a_task_needs_the_right_tool_first_and_a_lesson_names_it() -> None:
    world = World()
    for kind, (_, when, main, first) in KINDS.items():
        others = tuple(tool for tool in FIRST if tool != first)
        assert not attempt(world, Task(kind, "q", (*others, first), slip=False))
        assert attempt(world, Task(kind, "q", (*others, first), slip=False), f"- When {when}: use {first} before {main}")
        assert world.done == [first, main]
        assert not attempt(world, Task(kind, "q", (*others, first), slip=False), f"- When {when}: use stamp before {main}")


def test_both_runs_have_the_same_tasks() -> None:
    assert tasks(20, 3) == tasks(20, 3) != tasks(20, 4)
    assert {task.kind for task in tasks(20, 3)} == set(KINDS)


def run_of(*succeeded: bool) -> dict[str, Any]:
    rows = [{"kind": "ship", "succeeded": each, "steps": 2, "heeded": True} for each in succeeded]
    return {"rows": rows, "lessons": {"active": 1, "active_right": 1, "retired": 0}}


@pytest.mark.parametrize(
    ("with_lessons", "without", "expected"),
    [
        ((False, False, True), (False, False, False), True),
        ((True, True, True), (False, False, False), False),  # it does not rise
        ((False, True, True), (False, True, True), False),  # it rises without lessons, too
    ],
)
def test_the_run_fails_unless_lessons_raise_success(
    with_lessons: tuple[bool, ...], without: tuple[bool, ...], expected: bool
) -> None:
    report = summarise([run_of(*with_lessons), run_of(*without)], 3, [0])
    assert raises_success(report) == expected


def test_paired_comparison() -> None:
    assert exact_mcnemar([True] * 10, [False] * 10) == (10, 0, 2 / 2**10)
    assert exact_mcnemar([True, False], [False, True])[2] == 1.0
    low, high = bootstrap_interval([1.0] * 30 + [0.0] * 10, [0.0] * 30 + [0.0] * 10)
    assert 0.5 < low < 0.75 < high < 0.95
    assert bootstrap_interval([1.0, 0.0], [1.0, 0.0]) == (0.0, 0.0)


def test_a_table_is_written_between_its_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin -->\nold\n<!-- end -->\nb\n", "utf-8")
    write_between(page, "<!-- begin -->", "<!-- end -->", "| new |")
    assert page.read_text("utf-8").splitlines() == ["a", "<!-- begin -->", "| new |", "<!-- end -->", "b"]
    page.write_text("no place", "utf-8")
    with pytest.raises(ValueError, match="has no lines"):
        write_between(page, "<!-- begin -->", "<!-- end -->", "new")


def test_the_scripted_report_reads_the_prompt_of_the_package() -> None:
    """The world's report finds task and steps in the template as it is."""
    template = prompts()["memory-record-episode"]["prompt"]
    start = template.index("Task: {{question}}")
    filled = template[:start] + (
        "Task: Hire candidate 7\nSteps:\n- hire {'question': 'x'} -> refused\n- reference {'question': 'x'} -> finished\n"
        "- hire {'question': 'x'} -> accepted\nAnswer given: Done\nThe task succeeded.\n"
    )
    world = World()
    world.begin(Task("hire", "Hire candidate 7", FIRST, slip=False))
    said = json.loads(world.answer(ChatRequest(prompt=filled)))
    assert [lesson["what"] for lesson in said["lessons"]] == ["use reference before hire"]
