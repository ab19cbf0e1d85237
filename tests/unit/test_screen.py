"""Tables: what is copied from them stays in one piece, and a file or a pipe has no edge.  And what views show."""

import io
import json
import re
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from trustgraph_react_mem.cli.console import Screen, escape
from trustgraph_react_mem.cli.learn import FIGURES, show
from trustgraph_react_mem.cli.views import show_recalled
from trustgraph_react_mem.learning.reward_log import describe_learning
from trustgraph_react_mem.rerank import CALIBRATED, Weights
from trustgraph_react_mem.turn_trace import TurnTrace

ID = "0123456789abcdef" * 3
TEXT = "Miso is allergic to chicken and eats fish, but on Sundays only. " * 4


def screen(*, terminal: bool, width: int = 80) -> tuple[Screen, Callable[[], list[str]]]:
    made = Screen(json_output=False)
    text = io.StringIO()
    made.out = Console(file=text, width=width, highlight=False, force_terminal=terminal, color_system=None)
    return made, lambda: text.getvalue().splitlines()


def test_without_a_terminal_a_row_is_a_line() -> None:
    shown, lines = screen(terminal=False)
    shown.table("memories", ["id", "memory"], [[ID, TEXT], ["short [bold]", "x"]])
    title, heading, first, second = lines()
    assert (title, heading.split()) == ("memories", ["id", "memory"])
    assert first.split(maxsplit=1) == [ID, TEXT.strip()]
    assert second == f"short [bold]{'':{len(ID) - 12}}  x"


@pytest.mark.parametrize("ids", [True, False])
def test_recalled_memories_are_shown_with_the_ids_that_commands_take(ids: bool) -> None:
    shown, lines = screen(terminal=True)
    trace = TurnTrace(question="q", recalled={"memories": [{"id": ID, "content": TEXT, "score": 0.5, "why": {"dense": 1.0}}]})
    show_recalled(shown, trace, ids=ids)
    assert (ID in "\n".join(lines())) is ids


@pytest.mark.parametrize("width", [60, 80, 120])
def test_an_explanation_is_readable_and_explained_at_every_width(width: int) -> None:
    """Before, 60 columns lost the number, the citation mark and the reasons."""
    shown, lines = screen(terminal=True, width=width)
    memory = {
        "id": ID[:36],
        "content": TEXT,
        "score": 0.5,
        "retrieval_score": 0.25,
        "probability": 0.75,
        "why": {"nearest": 1.0},
    }
    trace = TurnTrace(question="q", recalled={"memories": [memory]}, cited={"ids": [ID[:36]]})
    show_recalled(shown, trace)
    text = "\n".join(lines())
    assert all(len(line) <= width for line in lines())
    words = " ".join(text.split())
    for value in ("[0]*", "0.50", "0.25", "0.75", "nearest+1.00", ID[:36], "score: the final score", "p: share of this memory"):
        assert value in words, value


HOSTILE = "a\x1b]0;title\x07 \x9b31m \x1b[2J \u202eevil\u2066 \ud83d \u200bz 👩\u200d💻 می\u200cخواهم\tend"
UNSAFE = [*map(chr, range(0x80, 0xA0)), "\x1b", "\x07", "\u202e", "\u2066", "\ud83d", "\u200b"]


def test_no_character_of_a_text_controls_the_terminal() -> None:
    text = io.StringIO()
    made = Screen(json_output=False)
    for name in ("out", "err"):
        setattr(made, name, type(made.out)(file=text, width=200, force_terminal=True, color_system=None))
    made.say(escape(HOSTILE))
    made.note(HOSTILE)
    made.problem(HOSTILE)
    made.table(HOSTILE, ["id", HOSTILE], [["1", HOSTILE]])
    made.progress(f"{HOSTILE}: 10 %")
    made.out.print(Text(HOSTILE), Rule(HOSTILE))
    printed = text.getvalue()
    assert not [each for each in UNSAFE if each in printed]
    assert "U+202E" in printed
    assert "👩\u200d💻 می\u200cخواهم" in printed
    assert "\n" in printed


def test_json_escapes_what_a_terminal_must_not_get(capsys: pytest.CaptureFixture[str]) -> None:
    made = Screen(json_output=True)
    made.data({"content": HOSTILE})
    made.problem(HOSTILE)
    lines = capsys.readouterr().out.splitlines()
    assert not [each for each in UNSAFE if each in "".join(lines)]
    assert json.loads(lines[0]) == {"content": HOSTILE}
    assert json.loads(lines[1]) == {"error": HOSTILE}


def rows() -> list[dict[str, float]]:
    """Citations become more, retrieval alone would find less and less of them; each tenth answer is malformed."""
    made: list[dict[str, float]] = []
    count = 40
    for number in range(count):
        row = {"at": 1.0e9 + number, "learning": 1.0, "weight_norm": number / 50, "trust": 0.75, "bank_size": 100.0 + number}
        if number % 10 == 9:
            made.append(row | {"malformed": 1.0, "absent": 0.0})
            continue
        rate = 0.2 if number < count / 2 else 0.6
        made.append(
            row
            | {"malformed": 0.0, "absent": 0.0, "citation_rate": rate, "reward": 2 * rate - 1}
            | {"recall_prior": 1 - number / count, "mrr_prior": 0.5, "mrr_shown": 1.0}
        )
    return made


def test_status_says_what_is_learned_and_has_every_figure_with_its_meaning() -> None:
    shown, lines = screen(terminal=False, width=120)
    show(shown, describe_learning(rows(), 3, Weights.start(CALIBRATED, profile="p", dimension=4)))
    text = "\n".join(lines())
    assert "calibrated, version 3" in text
    assert "trust    0.50" in text
    assert "40: reward -0.20, citation rate 0.40, malformed 10%" in text
    text = text.split("mean of 10 turns")[1]
    for title, meaning in FIGURES.values():
        (line,) = (line for line in text.splitlines() if line.startswith(title + "  "))
        assert meaning in line
    assert re.search(r"citation rate +0\.2 +0\.6 ", text)
