"""What `why`, `history`, `jobs list` and `learn status` draw in a terminal: it fits, and no text of a memory controls it."""

import io
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trustgraph_react_mem.cli.console import Screen, _SafeConsole
from trustgraph_react_mem.cli.views.bars import activity, bar, chart, signed_bar
from trustgraph_react_mem.cli.views.explanation import contributions, draw_explanation
from trustgraph_react_mem.cli.views.jobs import draw_jobs
from trustgraph_react_mem.cli.views.learning import show
from trustgraph_react_mem.cli.views.timeline import draw_history
from trustgraph_react_mem.schema import Fact, HistoryEntry, JobStatus

from .test_learn_view import rows, state

WIDTHS = [40, 80, 120]
NOW = datetime(2026, 11, 23, tzinfo=UTC)
HOSTILE = "Miso \x1b]0;owned\x07 \x9b31m\x1b[2J \u202eevil\u2066 [bold red]eats[/bold red] 日本語のとても長い文 " * 3
MEMORIES = [
    {
        "id": "m-1",
        "content": HOSTILE,
        "score": 1.4,
        "retrieval_score": 0.9,
        "probability": 0.64,
        "why": {"nearest": "0.77", "session_context": "0.35", "age": "-0.12", "x" * 60: "0.01", "odd": "text"},
    },
    {"id": "m-2", "content": "Miso eats fish", "score": 0.2, "why": {"nearest": 0.2}},
]


def screen(width: int, *, colours: bool = False) -> tuple[Screen, Callable[[], str]]:
    text = io.StringIO()
    made = Screen(json_output=False)
    made.out = _SafeConsole(
        file=text, width=width, force_terminal=True, highlight=False, color_system="standard" if colours else None
    )
    return made, text.getvalue


def entry(version: int, day: str, content: str) -> HistoryEntry:
    at = f"{day}T10:00:00Z"
    return HistoryEntry(version=version, at=at, change="updated", trigger="correction", by="ana", content=content)


HISTORY = [entry(3, "2026-11-20", HOSTILE), entry(2, "2026-06-20", "Miso eats fish"), entry(1, "2026-03-20", "Miso eats")]
JOBS = [
    JobStatus(
        id=str(number),
        kind="extract" if number % 3 else "record",
        status="dead" if number % 7 == 0 else "done",
        updated_at=f"2026-11-{10 + number % 10}T10:00:00Z",
    )
    for number in range(30)
]
LEARNED: Mapping[str, Any] = state(rows()) | {"policy": state(rows())["policy"] | {"features": {"nearest": 0.5, "age": -0.25}}}
DRAWINGS: list[Callable[[Screen], None]] = [
    lambda made: draw_explanation(made, MEMORIES, ["m-1"]),
    lambda made: draw_history(made, HISTORY, Fact(id="m-1", valid_from="2026-03-01"), NOW),
    lambda made: draw_jobs(made, JOBS),
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("draw", DRAWINGS)
def test_a_drawing_fits_the_terminal_and_obeys_no_text(draw: Callable[[Screen], None], width: int) -> None:
    made, drawn = screen(width)
    draw(made)
    lines = drawn().splitlines()
    assert lines
    assert all(cell_len(line) <= width for line in lines)
    assert not set("\x1b\x07\x9b\u202e\u2066") & set(drawn())


def test_without_colour_no_drawing_has_a_control_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    made, drawn = screen(80, colours=True)
    draw_explanation(made, MEMORIES)
    assert "\x1b[32m" in drawn()
    monkeypatch.setenv("NO_COLOR", "1")
    made, drawn = screen(80, colours=True)
    draw_explanation(made, MEMORIES)
    assert "\x1b[3" not in drawn()
    assert "+0.77" in drawn()


def test_bars_of_an_explanation_have_one_scale_and_one_axis() -> None:
    made, drawn = screen(80)
    draw_explanation(made, [{**each, "content": "Miso"} for each in MEMORIES], ["m-2"])
    lines = drawn().splitlines()
    bars = [line for line in lines if "│" in line]
    assert len({line.index("│") for line in bars}) == 1
    longest, other = (line.count("█") for line in bars if "nearest" in line)
    assert other == pytest.approx(longest * 0.2 / 0.77, abs=1)
    (against,) = (line for line in bars if "-0.12" in line)
    assert against.index("█") < against.index("│")
    assert [line[:4] for line in lines if line.startswith("[")] == ["[0] ", "[1]*"]
    assert "score 1.40, 0.90 without learning, p 0.64" in drawn()


def test_what_is_no_number_is_no_bar() -> None:
    assert contributions({"a": "0.1", "b": "-2", "c": None, "d": "much"}) == {"b": -2.0, "a": 0.1}
    assert contributions("none") == {}


def test_a_history_shows_where_in_time_its_versions_and_its_validity_lie() -> None:
    made, drawn = screen(80)
    fact = Fact(status="superseded", valid_from="2026-03-01", superseded_at="2026-11-20T10:00:00Z", superseded_by="m-9")
    draw_history(made, HISTORY, fact, NOW)
    changes, holds, axis, words, *rest = drawn().splitlines()
    assert changes.count("●") == 3
    assert holds.rstrip().endswith("┫")
    assert abs(holds.index("┫") - changes.rindex("●")) <= 1
    assert ("2026-03-01" in axis, axis.rstrip().endswith("now")) == (True, True)
    assert words == "superseded, version 1; holds from 2026-03-01 until 2026-11-20; replaced by m-9"
    assert [line.split()[1] for line in rest if line.startswith("●")] == ["v3", "v2", "v1"]


def test_a_history_without_its_record_has_no_validity() -> None:
    made, drawn = screen(80)
    draw_history(made, [HistoryEntry(version=1, at="soon", change="created")], None, NOW)
    assert "holds" not in drawn()
    assert "v1 soon created" in drawn()


def test_jobs_are_counted_by_state_and_kind() -> None:
    made, drawn = screen(80)
    draw_jobs(made, JOBS)
    shown = {line.split()[0]: line.split()[-1] for line in drawn().splitlines()}
    assert (shown["done"], shown["dead"], shown["extract"], shown["record"]) == ("25", "5", "20", "10")
    assert "2026-11-10 10:00 to 2026-11-19 10:00" in drawn()
    empty, nothing = screen(80)
    draw_jobs(empty, [])
    assert nothing() == ""


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_learned_is_drawn_with_a_chart_and_bars(width: int) -> None:
    made, drawn = screen(width)
    show(made, LEARNED)
    text = drawn()
    curves = [line for line in text.splitlines() if set("▁▂▃▄▅▆▇█") & set(line)]
    assert len(curves) > len(LEARNED["policy"]["features"])
    assert all(cell_len(line) <= width for line in curves)
    assert "  1 ┤" in text
    assert any("│" in line and line.startswith("nearest") for line in curves)
    assert "share of the memories shown that were cited" in " ".join(text.split())


@given(st.lists(st.floats(-1, 2), min_size=1, max_size=200), st.integers(8, 100), st.integers(1, 8))
def test_a_chart_has_its_height_and_never_more_than_its_width(values: Sequence[float], width: int, height: int) -> None:
    lines = chart(values, 0.0, 1.0, width=width, height=height)
    assert len(lines) == height
    assert all(len(line) <= width for line in lines)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(1, 60))
def test_a_bar_stays_within_its_width(value: float, most: float, width: int) -> None:
    assert len(bar(value, most, width)) <= width
    assert len(signed_bar(value, most, width)) == 2 * width + 1


@given(st.lists(st.floats(0, 2e9), max_size=50), st.integers(1, 60))
def test_the_curve_of_moments_has_its_width(moments: Sequence[float], width: int) -> None:
    assert len(activity(moments, width)) == width
