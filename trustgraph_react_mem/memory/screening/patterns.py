"""Patterns and words of the file ``patterns.toml``."""

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files(__package__) / "patterns.toml").read_text("utf-8"))


def texts_of(table: str) -> dict[str, str]:
    """The entries of a table.  The lines of each are one text."""
    return {name: text.replace("\n", "") for name, text in _tables()[table].items()}


@cache
def patterns_of(table: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(text) for name, text in texts_of(table).items()}


def words_of(name: str) -> frozenset[str]:
    return frozenset(_tables()["words"][name].split())
