"""Rules of learning that need no store: triggers, lines, lessons, groups."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.learning.dialogue import DialogueLine, split_into_windows
from trustgraph_react_mem.learning.invocation import Trigger, end_jobs, next_batch
from trustgraph_react_mem.memory.records import Invocation
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import AgentMemSettings

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ANN = Scope(workspace="w", user="ann", collection="default")
DEFAULT = AgentMemSettings()


# ---------------------------------------------------------------------------------------------------- triggers


@pytest.mark.parametrize(
    ("position", "drifted", "ended", "expected"),
    [
        (0, False, False, None),
        (8, False, False, None),
        (9, False, False, (9, "turns")),
        (19, False, False, (19, "turns")),
        (9, True, False, (9, "turns")),
        (9, False, True, None),  # the end has its own job
        (5, True, False, (4, "drift")),
        (4, True, False, None),  # few turns wait for the end
        (13, True, False, None),
        (15, True, False, (14, "drift")),
        (0, True, False, None),
    ],
)
def test_when_the_model_reads(position: int, drifted: bool, ended: bool, expected: tuple[int, Trigger] | None) -> None:
    assert next_batch(position, settings=DEFAULT, drifted=drifted, ended=ended) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"enable_auto_fact_extraction": False, "extract_every_turns": 1}, None),
        ({"extract_every_turns": 0}, None),
        ({"extract_every_turns": 1}, (4, "turns")),
        ({"extract_every_turns": 5}, (4, "turns")),
    ],
)
def test_each_trigger_can_be_switched(settings: dict[str, Any], expected: tuple[int, Trigger] | None) -> None:
    assert next_batch(4, settings=AgentMemSettings(**settings), drifted=False, ended=False) == expected


def invocation(position: int) -> Invocation:
    return Invocation(id="i", conversation_id="c", query="", summary="", result="", at=AT, position=position)


def test_the_same_end_publishes_the_same_jobs() -> None:
    def ids(last: int) -> list[str]:
        found = end_jobs(ANN, invocation(last), AT, DEFAULT, inherited={}, trigger="end", at=AT)
        assert [job.payload for job in found if job.kind == "understand"] == [
            {"conversation_id": "c", "to": last, "ended": True}
        ]
        return [job.id for job in found]

    assert ids(3) == ids(3)
    assert not set(ids(3)) & set(ids(4))


@pytest.mark.parametrize(
    ("settings", "reads"),
    [
        ({"enable_prospective_reflection": False}, True),
        ({"enable_auto_fact_extraction": False}, True),
        ({"enable_prospective_reflection": False, "enable_auto_fact_extraction": False}, False),
    ],
)
def test_an_end_is_read_unless_both_settings_are_off(settings: dict[str, Any], reads: bool) -> None:
    chosen = AgentMemSettings(**settings)
    found = end_jobs(ANN, invocation(3), AT, chosen, inherited={}, trigger="end", at=AT)
    assert ("understand" in {job.kind for job in found}) is reads


# ---------------------------------------------------------------------------------------------------- lines


@given(st.lists(st.text(max_size=900), max_size=30), st.integers(1, 600))
def test_windows_hold_every_line_once_in_order_and_no_more_than_fits(texts: list[str], most: int) -> None:
    lines = [
        DialogueLine(role="user", speaker="Ann", text=text, turn_id=f"t{number}", invocation_id="i", said_at=AT)
        for number, text in enumerate(texts)
    ]
    windows = list(split_into_windows(lines, most_tokens=most))
    assert [one for window in windows for one in window] == lines
    assert all(len(window) == 1 or sum(one.tokens for one in window) <= most for window in windows)
