"""The tree of commands."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from .. import __version__
from .console import Screen
from .options import EXIT_CODES

_USAGE_ERRORS: Any = typer.BadParameter.__bases__


class _Commands(TyperGroup):
    """The commands.  With ``--json``, an error in the command line is a value on standard output, too."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        with _report_usage():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        with _report_usage():
            return super().invoke(ctx)


@contextmanager
def _report_usage() -> Iterator[None]:
    try:
        yield
    except _USAGE_ERRORS as error:
        if "--json" in sys.argv:
            Screen(json_output=True).data({"error": error.format_message()})
        raise


app = typer.Typer(
    cls=_Commands,
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
