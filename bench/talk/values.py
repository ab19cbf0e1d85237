"""Whether a text names a value, with other spellings of numbers and dates."""

import json
import re
import unicodedata
from collections.abc import Mapping

from .lives import DATA

_NUMBERS: Mapping[str, str] = json.loads((DATA / "numbers.json").read_text("utf-8"))
_APART = 2  # words that may come between the words of a value


def holds(text: str, value: str) -> bool:
    """Whether the text has the words of the value as whole words, in any order and with little between them."""
    words, wanted = _words(text), _words(value)
    sizes = (1,) if len(wanted) == 1 else range(len(wanted), len(wanted) + _APART + 1)
    parts = (words[at : at + size] for size in sizes for at in range(len(words) - size + 1))
    return any(all(any(_same(word, each) for word in part) for each in wanted) for part in parts)


def _same(word: str, wanted: str) -> bool:
    """Equal but for an ending: nurse, nurses; not for numbers."""
    if word == wanted:
        return True
    short, long = sorted((word, wanted), key=len)
    return len(short) >= 4 and not short[0].isdigit() and long.startswith(short) and len(long) - len(short) <= 2


def _words(text: str) -> list[str]:
    """Lower-case words without accents, and ends of clauses; numbers with a point, ordinals as numbers."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(each))
    plain = re.sub(r"(?<=\d),(?=\d)", ".", plain)
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain)
    plain = re.sub(r"(?<=\d)(?=[a-z])", " ", plain)
    plain = re.sub(r"\bmilligram(?:s|m)?\b|\bmilligramm(?:e|es|os)?\b|\bmiligramos?\b", "mg", plain)
    return [_NUMBERS.get(word, word) for word in re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+|[;.!?](?=\s)", plain)]
