"""Compares the amounts and times of day of two texts."""

import re

from ..tokenizer import is_function_word
from . import forms

_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2})?\s?(?:am|pm|uhr|h|o'clock)\b|\b\d{1,2}[:h]\d{2}\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?P<before>[$€£¥])?\s?(?P<number>\d+(?:[.,:]\d+)*)[\s-]?(?P<unit>[^\W\d_]{1,12}|[$€£¥%])?")


def amounts_differ(new: str, old: str) -> bool:
    """Whether both texts have amounts of one unit, or times of day, and none of them is the same."""
    if any(map(forms.LABELLED.search, (new, old))):
        return False
    mine, theirs = _amounts(new), _amounts(old)
    return any(not mine[unit] & theirs[unit] for unit in mine.keys() & theirs.keys())


def one_number_differs(new: str, old: str) -> bool:
    mine, theirs = forms.NUMBER.findall(new), forms.NUMBER.findall(old)
    return len(mine) == len(theirs) == 1 and mine != theirs and not any(map(forms.LABELLED.search, (new, old)))


def _amounts(text: str) -> dict[str, set[str]]:
    """Numbers by unit, "clock" for times of day."""
    found: dict[str, set[str]] = {}
    for match in _CLOCK.finditer(text):
        found.setdefault("clock", set()).add(match.group().casefold())
    for match in _AMOUNT.finditer(_CLOCK.sub(" ", text)):
        unit = (match["before"] or match["unit"] or "").casefold().rstrip("s")
        unit = "" if is_function_word(unit) or forms.NOW.fullmatch(unit) else unit
        found.setdefault(unit, set()).add(match["number"])
    return found
