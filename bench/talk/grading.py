"""Grades answers by rules: right, wrong or abstained.  ``data/labelled.json`` has answers with labels by hand to compare with.

Rules: the value occurs as whole words, with other spellings of numbers and dates, and is not denied; no wrong value is claimed
beside it; an answer that says that it does not know abstains, unless it then names a value.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Literal

from .lives import DATA

Grade = Literal["right", "wrong", "abstained"]

_TABLE = json.loads((DATA / "grading.json").read_text("utf-8"))
_ABSTAINS = re.compile(rf"\b(?:{'|'.join(_TABLE['abstains'])})\b")
_TURNS = re.compile(rf"\b(?:{'|'.join(_TABLE['turns'])})\b")
_DENIES, _PAST, _PAST_BEHIND, _FROM = (frozenset(_TABLE[name]) for name in ("denies", "past", "past_behind", "from"))
_AVOIDS = frozenset(_TABLE["avoids"])  # "do not eat peanuts" claims peanuts
_NUMBERS: Mapping[str, str] = _TABLE["numbers"]
_ENDS = frozenset(";.!?")
_DENIAL_REACH, _PAST_REACH = 3, 4  # words before a value in which they count
_APART = 2  # words that may come between the words of a value


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """An answer with a label by hand."""

    value: str
    answer: str
    label: Grade
    wrong: tuple[str, ...] = ()


def grade(answer: str, value: str, wrong: Sequence[str] = ()) -> Grade:
    """``value`` empty: the person never told it, so abstaining is what is right.

    >>> grade("You live in Oslo.", "Oslo"), grade("Not in Oslo.", "Oslo"), grade("I do not know.", "Oslo")
    ('right', 'wrong', 'abstained')
    """
    words = _words(answer)
    text = " ".join(words)
    found = _ABSTAINS.search(text)
    claimed = bool(value) and _claims(words, value, past=not wrong)
    after = _TURNS.search(text, found.end()) if found else None
    if found and not (claimed and after):
        return "abstained"
    if claimed and not any(_claims(words, other, past=False) for other in wrong):
        return "right"
    return "wrong"


def holds(text: str, value: str) -> bool:
    """Whether the text names the value, however it puts it."""
    return bool(_places(_words(text), _words(value)))


def _claims(words: Sequence[str], value: str, *, past: bool) -> bool:
    """Whether the words hold the value somewhere without a denial.  ``past``: a value that was true before counts too."""
    wanted = _words(value)
    return any(not _denied(words, at) and (past or not _is_past(words, at, end)) for at, end in _places(words, wanted))


def _denied(words: Sequence[str], at: int) -> bool:
    near = _clause(words[:at])[-_DENIAL_REACH:]
    return bool(_DENIES & set(near)) and not _AVOIDS & set(near)


def _is_past(words: Sequence[str], at: int, end: int) -> bool:
    near = _clause(words[:at])[-_PAST_REACH:]
    behind = list(takewhile(lambda word: word not in _ENDS, words[end : end + 2]))
    return bool(_PAST & set(near) or _PAST_BEHIND & set(behind) or _FROM & set(near[-1:]))


def _clause(words: Sequence[str]) -> list[str]:
    """The words since the last end of a clause."""
    return list(takewhile(lambda word: word not in _ENDS, reversed(words)))[::-1]


def _places(words: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, int]]:
    """(begin, end) of each place that has all wanted words, in any order and with little between them."""
    found = []
    for size in range(len(wanted), len(wanted) + _APART + 1):
        for at in range(len(words) - size + 1):
            part = words[at : at + size]
            if all(any(_same(word, each) for word in part) for each in wanted):
                found.append((at, at + size))
        if found or len(wanted) == 1:
            return found
    return found


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


@cache
def labelled() -> tuple[Labelled, ...]:
    rows = json.loads((DATA / "labelled.json").read_text("utf-8"))
    return tuple(Labelled(value=value, wrong=tuple(wrong), answer=answer, label=label) for value, wrong, answer, label in rows)


def agreement() -> tuple[int, list[Labelled]]:
    """How many of the labelled answers the rules grade as the person did, and the others."""
    rows = labelled()
    other = [row for row in rows if grade(row.answer, row.value, row.wrong) != row.label]
    return len(rows) - len(other), other
