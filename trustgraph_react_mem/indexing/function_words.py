"""Words by language, read from ``words.toml``.

Function words identify the language of a text, and are not used as search terms.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TABLE = tomllib.loads((resources.files(__package__) / "words.toml").read_text("utf-8"))
ALSO_NAMES, STOP_PAIRS, TIME_WORDS, NUMBER_WORDS = (
    _words(_TABLE[name]) for name in ("also_names", "stop_pairs", "times", "numbers")
)
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {code: _words(text) for code, text in _TABLE["function"].items()}
GENERAL_WORDS: Mapping[str, frozenset[str]] = {code: _words(text) for code, text in _TABLE["general"].items()}
