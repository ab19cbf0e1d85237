"""The tree of commands."""

import typer

from .. import __version__
from .console import Screen

app = typer.Typer(
    name="react-mem",
    help="An agent that remembers: recall before each answer, durable learning after it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        Screen(json_output=False).say(f"react-mem {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """An agent that remembers: recall before each answer, durable learning after it."""
