"""Options of the command line."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import typer

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.cli.connection import start_stack
from trustgraph_react_mem.cli.options import Options, Session
from trustgraph_react_mem.errors import BadRequest


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
