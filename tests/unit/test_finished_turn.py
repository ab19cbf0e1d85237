"""A finished turn: when it was a task, and which of its steps failed."""

from datetime import UTC, datetime
from typing import Any

import pytest

from trustgraph_react_mem.learning.invocation import FinishedTurn, ToolStep, read_steps
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.scope import Scope

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def turn(*actions: str, succeeded: bool = True) -> FinishedTurn:
    return FinishedTurn(
        conversation_id="c",
        invocation_id="i",
        question="q",
        answer="a",
        speaker="Ann",
        asked_at=AT,
        answered_at=AT,
        steps=tuple(ToolStep(thought="t", action=action, arguments="{}", observation="o") for action in actions),
        succeeded=succeeded,
        recalled_ids=(),
        hidden={},
    )


@pytest.mark.parametrize(
    ("actions", "succeeded", "expected"),
    [
        ((), True, False),
        (("",), True, False),
        (("retrieve-facts", "recall-episodes", "store-fact"), True, False),
        (("", "store-fact"), True, False),
        (("search",), True, True),
        (("retrieve-facts", "search"), True, True),
        (("", ""), True, True),
        ((), False, True),
        (("store-fact",), False, True),
    ],
)
def test_a_turn_that_only_used_memory_is_no_task(actions: tuple[str, ...], succeeded: bool, expected: bool) -> None:
    assert turn(*actions, succeeded=succeeded).task_like is expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"observation": "no such station", "failed": True}, True),
        ({"observation": "3 trains", "failed": False}, False),
        ({"observation": "Error: no such station"}, True),  # a payload of an earlier version
        ({"observation": "The error: none"}, False),
        ({}, False),
    ],
)
def test_a_step_says_whether_it_failed(step: dict[str, Any], expected: bool) -> None:
    scope = Scope(workspace="w", user="ann", collection="c")
    [read] = read_steps(Job(id="j", kind="record", scope=scope, payload={"steps": [step]}, created_at=AT))
    assert read.failed is expected
