"""What `why` and `history` show in a terminal: it fits, and no text of a memory controls it."""

import io
from collections.abc import Callable

import pytest
from rich.cells import cell_len

from trustgraph_react_mem.cli.console import Screen, _SafeConsole
from trustgraph_react_mem.cli.views.records import show_history
from trustgraph_react_mem.cli.views.turn import format_memory, show_recalled
from trustgraph_react_mem.schema import Fact, HistoryEntry
from trustgraph_react_mem.turn_trace import TurnTrace

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
EXPLAINED = TurnTrace(question="q", recalled={"memories": MEMORIES}, cited={"ids": ["m-1"]})
DRAWINGS: list[Callable[[Screen], None]] = [
    lambda made: show_recalled(made, EXPLAINED),
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


def test_a_former_memory_is_marked_in_the_terminal_as_the_model_saw_it_or_as_it_is_now() -> None:
    fact = Fact(
        content="Ann lives in Rome", former_since="2026-11-21T00:00:00Z", superseded_by="b", replacement="Ann lives in Oslo"
    )
    assert format_memory(vars(fact)) == "Ann lives in Rome (semantic, until 2026-11-21, then: Ann lives in Oslo)"
    traced = {"content": "Ann lives in Rome", "kind": "semantic", "until": "until 2026-11-21, then [1]"}
    assert format_memory(traced) == "Ann lives in Rome (semantic, until 2026-11-21, then [1])"
