"""How commands end: one line and an exit code for each kind of error."""

import asyncio
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from trustgraph_react_mem.cli.chat import _read_pipe
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.options import CHECK_FAILED, EXIT_CODES, INTERRUPTED, exit_code_of, run
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, EngineUnavailable, MemoryServiceError, ModelAnswerError


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


@pytest.mark.parametrize(
    ("wire_type", "code"),
    [
        ("model-unavailable", 4),
        ("bad-request", 2),
        ("missing-scope", 2),
        ("model-answer-error", 1),
        ("too-many-requests", 4),
        ("llm-error", 4),
        ("agent-error", 4),
        ("", 1),
    ],
)
def test_an_error_over_the_bus_has_the_exit_code_of_its_class(wire_type: str, code: int) -> None:
    assert exit_code_of(wire_type) == code


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


async def test_input_that_cannot_be_waited_for_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.write_text("hello\nbye\n", encoding="utf-8")
    for source, lines in (("/dev/null", []), (str(said), ["hello\n", "bye\n"])):
        with open(source, encoding="utf-8") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert [line async for line in _read_pipe()] == lines


def test_every_exit_code_is_in_the_table_of_the_docs() -> None:
    classes, used = [MemoryServiceError], {0, CHECK_FAILED, INTERRUPTED}
    while classes:
        found = classes.pop()
        classes += found.__subclasses__()
        used.add(exit_code_of(found.wire_type))
    assert used == set(EXIT_CODES)
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    assert [line for line in page.splitlines() if line[:3].strip("| ").isdigit()] == [
        f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["memories", "list", "--limit", "-3"], "Invalid value for '--limit'"),
        (["memories", "list", "--usr", "ana"], "No such option: --usr"),
        (["memories", "nope"], "No such command 'nope'"),
        (["nope"], "No such command 'nope'"),
        (["--nope"], "No such option: --nope"),
        (["memories", "show"], "Missing argument"),
    ],
)
def test_with_json_an_error_in_the_command_line_is_a_value(
    arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [*arguments, "--json"]
    monkeypatch.setattr(sys, "argv", ["react-mem", *arguments])
    done = CliRunner().invoke(app, arguments, prog_name="react-mem")
    assert done.exit_code == 2
    assert says in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["-V"], 0, "react-mem 0."),
        (["--help"], 0, "An agent that remembers"),
        (["settings", "rerank"], 2, "give KEY=VALUE"),
        (["memories", "list", "--kind", "episode", "--kind", "turn"], 2, "cannot be combined"),
        (["--show-completion", "bash"], 0, "complete"),
    ],
)
def test_small_commands(arguments: list[str], code: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = CliRunner().invoke(app, arguments, prog_name="react-mem")
    assert done.exit_code == code, done.output
    assert says in done.output


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
