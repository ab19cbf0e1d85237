"""The world of repeated tasks, the comparison of refinement, and how both are graded."""

import json
from typing import Any

import pytest

from bench.experience import FIRST, KINDS, STEPS, Task, World, raises_success, summarise, tasks
from bench.paired import bootstrap_interval, exact_mcnemar
from bench.refine.grading import agreement, grade_reference, grade_values, labelled, unmet
from bench.refine.methods import METHODS, elect
from bench.refine.questions import SHIPPED, shipped_questions
from bench.refine.report import as_table
from bench.refine.report import summarise as summarise_refinement
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


def test_the_rules_of_grading_agree_with_the_labels_by_hand() -> None:
    same, other = agreement()
    assert len(labelled()) >= 50
    assert same / len(labelled()) >= 0.9, other


@pytest.mark.parametrize(
    ("answer", "constraints", "expected"),
    [
        ("Biscuit, a beagle.", {"most_words": 3}, []),
        ("She is Biscuit, a beagle.", {"most_words": 3}, ["most_words"]),
        ("2026-09-30", {"form": r"\d{4}-\d{2}-\d{2}"}, []),
        ('{"phone": "1", "city": "Bern"}', {"json_keys": ["phone", "city"]}, []),
        ('Here: {"phone": "1", "city": "Bern"}', {"json_keys": ["phone", "city"]}, ["json_keys"]),
        ("- one\n- two", {"items": 3}, ["items"]),
        ("The manager did.", {"without": ["Karin"]}, []),
        ("Tu casa está al lado del lago.", {"language": "fr"}, ["language"]),
        ("HERON", {"upper": True}, []),
        ("In the gym. OK", {"ends": "OK"}, []),
        ("It is due on 9 April.", {"begins": "Due"}, ["begins"]),
        ("One. Two.", {"sentences": 2}, []),
    ],
)
def test_constraints_are_checked(answer: str, constraints: dict[str, Any], expected: list[str]) -> None:
    assert unmet(answer, constraints) == expected


def test_what_nothing_tells_is_rightly_not_known_and_what_is_planted_misleads() -> None:
    assert grade_values("I do not know your PIN.", (), ("0000",), {}) == "right"
    assert grade_values("Your PIN is 0000.", (), ("0000",), {}) == "wrong"
    assert grade_values("Your account is ZZ-9999.", ("AT-4410",), ("ZZ-9999",), {}) == "wrong"
    assert grade_reference("I do not know.", "Oslo") == "abstained"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_questions_can_be_answered_rightly(name: Any) -> None:
    questions = shipped_questions(name, 100)
    assert len(questions) >= 20
    assert len({question.id for question in questions}) == len(questions)
    assert [each.id for each in shipped_questions(name, 3)] == [each.id for each in questions[:3]]
    for question in questions:
        shown = " ".join(fact.content for fact in question.recalled.facts)
        assert not question.wrong or question.is_misled(question.wrong[0]) or name == "constraints"
        if not question.constraints and question.values:
            assert question.grade(f"It is {question.values[0]}.") == "right", question.id
            assert question.wrong[0].split()[0].casefold() in shown.casefold().replace(",", ""), question.id


def test_an_answer_is_elected_by_agreement() -> None:
    assert elect(["a red car", "the blue bike", "a blue bike", "blue bike"]) == 1
    assert elect(["only one"]) == 0


def test_the_report_compares_on_the_same_questions() -> None:
    def row(method: str, number: int, grade: str) -> dict[str, Any]:
        figures = {"unsupported": 0, "misled": False, "tokens": 10, "seconds": 1.0, "cpu_s": 1.0, "kept": 0}
        return {"set": "locomo", "id": str(number), "method": method, "grade": grade, **figures}

    rows = [row(method, number, "wrong") for method in METHODS for number in range(8) if method != "grounded critique"]
    rows += [row("grounded critique", number, "right" if number < 6 else "abstained") for number in range(7)]
    report = summarise_refinement(rows)["locomo"]
    assert report["plain answer"]["correct"] == 0
    found = report["grounded critique"]
    assert (found["questions"], found["correct"], found["abstained"]) == (7, 6, 1)
    assert (found["against_plain"]["gained"], found["against_plain"]["lost"]) == (6, 0)
    assert "| locomo (7) | grounded critique | 6 |" in as_table(summarise_refinement(rows))


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
