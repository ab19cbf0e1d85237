"""How the command shows the steps of a session."""

import io

from rich.console import Console

from tests.unit.refine.events import QUESTION, event
from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.refine.view import show_step


def test_the_question_is_shown_once_although_each_step_of_an_agent_names_it() -> None:
    screen, text = Screen(json_output=False), io.StringIO()
    screen.out = Console(file=text, color_system=None)
    for number, phase in enumerate(("draft", "critique", "revise")):
        show_step(screen, event(phase, number=number, query=QUESTION))
    shown = text.getvalue()
    assert shown.count(QUESTION) == 1
    assert [shown.count(f"  {phase} {number}\n") for number, phase in enumerate(("draft", "critique", "revise"))] == [1, 1, 1]
