"""How commands end: one line and an exit code for each kind of error."""

import asyncio
import io
import json
import re
import subprocess
import sys

import pytest
import typer
from rich.console import Console

from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.options import INTERRUPTED, run
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
def test_an_error_ends_in_one_line_and_its_exit_code(error: BaseException, code: int) -> None:
    shown, text = screen()

    async def fail() -> int | None:
        raise error

    assert run(shown, fail) == code
    assert len(text.getvalue().splitlines()) == 1


def test_with_json_the_error_is_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(json_output=True).problem("[not markup]")
    assert json.loads(capsys.readouterr().out) == {"error": "[not markup]"}


@pytest.mark.parametrize(("leaving", "code"), [(typer.Exit(1), 1), (typer.Exit(0), 0), (typer.Abort(), INTERRUPTED)])
def test_a_no_and_ctrl_c_at_a_question_are_no_faults(leaving: BaseException, code: int) -> None:
    shown, text = screen()

    async def work() -> int | None:
        raise leaving

    assert run(shown, work) == code
    assert "bug" not in text.getvalue()


def test_logs_have_time_and_level_whatever_other_packages_configure() -> None:
    program = (
        "import logging\n"
        "from trustgraph_react_mem.cli.console import configure_logs\n"
        "from mcp.server.mcpserver.utilities.logging import configure_logging\n"
        "configure_logs()\n"
        "configure_logging('INFO')\n"
        "logging.getLogger('trustgraph_react_mem.any').info('unwanted')\n"
        "logging.getLogger('trustgraph_react_mem.any').warning('recall of embedding failed')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d WARNING recall of embedding failed\n", done.stderr), done.stderr
