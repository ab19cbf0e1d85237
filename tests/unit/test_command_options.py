"""Options of the command line."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import typer

from trustgraph_react_mem.cli.commands import app


def commands(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, command in getattr(group, "commands", {}).items():
        yield f"{name} {word}", command
        yield from commands(command, f"{name} {word}")


def test_no_command_has_two_options_of_one_name() -> None:
    """The second one would silently get the value: `keys create --collection` made keys for all collections."""
    for name, command in commands(typer.main.get_command(app)):
        names = Counter(opt for parameter in command.params for opt in (*parameter.opts, *parameter.secondary_opts))
        assert not [opt for opt, times in names.items() if times > 1], name
