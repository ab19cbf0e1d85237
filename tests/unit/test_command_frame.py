"""How commands end: one line and an exit code for each kind of error."""

import asyncio
import io
import json

import pytest
from rich.console import Console

from trustgraph_react_mem.cli.options import run
from trustgraph_react_mem.cli.screen import Screen
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, EngineUnavailable, ModelAnswerError


def screen() -> tuple[Screen, io.StringIO]:
    made = Screen(json_output=False)
    text = io.StringIO()
    made.err = Console(file=text, width=200)
    return made, text


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadRequest("name another"), 2),
        (ConfigurationError("set it"), 3),
        (EngineUnavailable("start it"), 4),
        (ModelAnswerError("ask again"), 1),
        (asyncio.CancelledError(), 130),
        (KeyError("v1"), 1),
    ],
)
def test_an_error_ends_in_one_line_and_its_exit_code(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REACT_MEM_DEBUG", raising=False)
    shown, text = screen()

    async def fail() -> int | None:
        raise error

    assert run(shown, fail) == code
    assert len(text.getvalue().splitlines()) == 1


def test_a_fault_of_ours_shows_its_place_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_DEBUG", "1")

    async def fail() -> int | None:
        raise KeyError("v1")

    with pytest.raises(KeyError):
        run(screen()[0], fail)


def test_the_exit_code_of_a_command_is_kept() -> None:
    async def check_failed() -> int | None:
        return 5

    assert run(screen()[0], check_failed) == 5


def test_with_json_the_error_is_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(json_output=True).problem("[not markup]")
    assert json.loads(capsys.readouterr().out) == {"error": "[not markup]"}
