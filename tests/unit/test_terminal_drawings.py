"""What `why` and `history` show in a terminal: it fits, and no text of a memory controls it."""

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trustgraph_react_mem.cli.console import Screen, _SafeConsole
from trustgraph_react_mem.cli.views.bars import bar
from trustgraph_react_mem.cli.views.explanation import contributions, draw_explanation
from trustgraph_react_mem.cli.views.records import show_history
from trustgraph_react_mem.cli.views.turn import format_memory
from trustgraph_react_mem.schema import Fact, HistoryEntry

WIDTHS = [40, 80, 120]
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
DRAWINGS: list[Callable[[Screen], None]] = [
    lambda made: draw_explanation(made, MEMORIES, ["m-1"]),
    lambda made: show_history(made, HISTORY, Fact(id="m-1", valid_from="2026-03-01")),
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


def test_bars_of_an_explanation_have_one_scale() -> None:
    made, drawn = screen(80)
    draw_explanation(made, [{**each, "content": "Miso"} for each in MEMORIES], ["m-2"])
    lines = drawn().splitlines()
    longest, other = (line.count("█") for line in lines if "nearest" in line)
    assert other == pytest.approx(longest * 0.2 / 0.77, abs=1)
    (against,) = (line for line in lines if "-0.12" in line)
    assert "█" in against
    assert [line[:4] for line in lines if line.startswith("[")] == ["[0] ", "[1]*"]
    assert "score 1.40, 0.90 without learning, p 0.64" in drawn()


def test_what_is_no_number_is_no_bar() -> None:
    assert contributions({"a": "0.1", "b": "-2", "c": None, "d": "much"}) == {"b": -2.0, "a": 0.1}
    assert contributions("none") == {}


def test_a_history_says_when_the_record_holds_and_what_replaced_it() -> None:
    made, drawn = screen(120)
    fact = Fact(status="superseded", valid_from="2026-03-01", superseded_at="2026-11-20T10:00:00Z", superseded_by="m-9")
    show_history(made, HISTORY[1:], fact)
    assert drawn().splitlines()[-1].rstrip() == (
        "superseded, version 1; holds from 2026-03-01 until 2026-11-20; replaced by m-9"
    )
    assert [line.split()[0] for line in drawn().splitlines() if "correction" in line] == ["2", "1"]


def test_a_history_without_its_record_has_no_validity() -> None:
    made, drawn = screen(80)
    show_history(made, [HistoryEntry(version=1, at="soon", change="created")])
    assert "holds" not in drawn()
    assert "soon" in drawn()


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(1, 60))
def test_a_bar_stays_within_its_width(value: float, most: float, width: int) -> None:
    assert len(bar(value, most, width)) <= width


def test_a_former_memory_is_marked_in_the_terminal_as_the_model_saw_it_or_as_it_is_now() -> None:
    fact = Fact(
        content="Ann lives in Rome", former_since="2026-11-21T00:00:00Z", superseded_by="b", replacement="Ann lives in Oslo"
    )
    assert format_memory(vars(fact)) == "Ann lives in Rome (semantic, until 2026-11-21, then: Ann lives in Oslo)"
    traced = {"content": "Ann lives in Rome", "kind": "semantic", "until": "until 2026-11-21, then [1]"}
    assert format_memory(traced) == "Ann lives in Rome (semantic, until 2026-11-21, then [1])"
