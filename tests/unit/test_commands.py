"""Commands: how they end, their options, and times as a person types them."""

import asyncio
import io
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import typer
from rich.console import Console

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.cli.changes import parse_past_time
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.cli.connection import start_stack
from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.options import INTERRUPTED, Options, Session, run
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


def commands(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, command in getattr(group, "commands", {}).items():
        yield f"{name} {word}", command
        yield from commands(command, f"{name} {word}")


def test_no_command_has_two_options_of_one_name() -> None:
    """The second one would silently get the value: `keys create --collection` made keys for all collections."""
    for name, command in commands(typer.main.get_command(app)):
        names = Counter(opt for parameter in command.params for opt in (*parameter.opts, *parameter.secondary_opts))
        assert not [opt for opt, times in names.items() if times > 1], name


def test_a_stack_that_joins_a_trustgraph_ignores_the_bus_of_the_environment(tmp_path: Path) -> None:
    """docs/migration.md exports REACT_MEM_BUS for the commands beside it."""
    options = Options(
        data_dir=tmp_path, user="", collection="default", model="none", json_output=False, bus="pulsar://127.0.0.1:1"
    )
    session = cast(Session, SimpleNamespace(options=options, screen=SimpleNamespace(progress=None)))
    with pytest.raises(BadRequest, match="starts its own"):
        start_stack(session, "none")
    joined = start_stack(session, "none", attach=BusAddress(url="pulsar://127.0.0.1:2"))
    assert joined.url == "pulsar://127.0.0.1:2"


NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-01T10:00:00+00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+02:00", datetime(2026, 5, 1, 8, tzinfo=UTC)),
        ("2 hours ago", NOW - timedelta(hours=2)),
        ("1 week ago", NOW - timedelta(weeks=1)),
        ("Yesterday", NOW - timedelta(days=1)),
    ],
)
def test_a_time_is_understood(text: str, expected: datetime) -> None:
    assert parse_past_time(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13-01",
        "3 fortnights ago",
        "1000000000 hours ago",
        "99999999999999 minutes ago",
        "2027-01-01T00:00:00+00:00",
    ],
)
def test_what_is_no_past_time_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadRequest, match=repr(text).replace("+", r"\+") if text else "''"):
        parse_past_time(text, NOW)
