"""The tree of commands, with `version` and `help`."""

from typing import Annotated

import typer

from .. import __version__
from .console import Screen
from .options import EXIT_CODES

app = typer.Typer(
    name="react-mem",
    help="An agent that remembers: recall before each answer, durable learning after it.",
    epilog="Exit codes: " + "; ".join(f"{code}: {meaning.partition(':')[0]}" for code, meaning in EXIT_CODES.items()),
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        Screen(json_output=False).say(f"react-mem {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", "-V", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """An agent that remembers: recall before each answer, durable learning after it."""


@app.command("version")
def show_version(as_json: bool = typer.Option(False, "--json", help="Write JSON to standard output.")) -> None:
    """Show the version."""
    screen = Screen(json_output=as_json)
    screen.say(f"react-mem {__version__}")
    screen.data({"version": __version__})


@app.command("help")
def show_help(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(help="Command to explain, such as `memories list`. Default: all.", show_default=False)
    ] = None,
) -> None:
    """Show the help of a command. The same as `react-mem COMMAND --help`."""
    assert context.parent is not None
    context.parent.command.main([*(command or []), "--help"], prog_name="react-mem", standalone_mode=True)
