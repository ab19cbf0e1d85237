"""Grades answers by rules.  ``data/labelled.json`` has answers to reference answers, labelled by hand, to compare with.

An answer to a reference (LoCoMo) is right if all its numbers and dates are in it and most of its other words; an answer to a
shipped question if all values are in it, no wrong one is claimed, and each constraint is met.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from trustgraph_react_mem.indexing.tokenizer import guess_language, terms
from trustgraph_react_mem.memory.model_json import parse_json

from ..talk.grading import Grade, grade, holds

DATA = Path(__file__).parent / "data"
MOST_OF = 0.6  # share of the words of a reference that the answer must have
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SAYS_NOTHING = re.compile(r"\b(?:do|does|did) ?n[o'’]t (?:say|mention|tell|specify|contain|include)\b", re.IGNORECASE)
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]+(?=\s|$)")


def grade_reference(answer: str, reference: str) -> Grade:
    """Compare with a reference answer.

    >>> grade_reference("On May 7th, 2023.", "7 May 2023"), grade_reference("In May 2023.", "7 May 2023")
    ('right', 'wrong')
    """
    answer, reference = _spelt(answer), _spelt(reference)
    numbers = re.findall(r"\d+", reference)
    words = [word for word in re.findall(r"[^\W\d_]+", reference) if terms(word, "en")]
    says_nothing = grade(answer, "") == "abstained" or _SAYS_NOTHING.search(answer) is not None
    if says_nothing and not any(holds(answer, word) for word in words):
        return "abstained"
    if not all(holds(answer, number) for number in numbers):
        return "wrong"
    parts = words or numbers
    stems = set(terms(answer, "en"))
    found = [grade(answer, word) == "right" if holds(answer, word) else stems >= {*terms(word, "en")} for word in parts]
    return "right" if parts and sum(found) >= MOST_OF * len(parts) else "wrong"


def grade_values(answer: str, values: Sequence[str], wrong: Sequence[str], constraints: Mapping[str, Any]) -> Grade:
    """Compare with the values of a shipped question.  No values: nothing tells them, so abstaining is right."""
    said, answer = answer, _spelt(answer)
    if not values:
        return "right" if grade(answer, "", wrong) == "abstained" and not claims_wrong(answer, wrong) else "wrong"
    grades = [grade(answer, _spelt(value), wrong if number == 0 else ()) for number, value in enumerate(values)]
    if "abstained" in grades:
        return "abstained"
    return "right" if set(grades) == {"right"} and not unmet(said, constraints) else "wrong"


def claims_wrong(answer: str, wrong: Sequence[str]) -> bool:
    """Whether the answer claims one of the wrong values."""
    return any(grade(_spelt(answer), _spelt(value)) == "right" for value in wrong)


def unmet(answer: str, constraints: Mapping[str, Any]) -> list[str]:
    """The constraints that the answer does not meet."""
    return [name for name, wanted in constraints.items() if not _CHECKS[name](answer.strip(), wanted)]


def _has_keys(answer: str, keys: Sequence[str]) -> bool:
    try:
        found = parse_json(answer)
    except ValueError:
        return False
    return isinstance(found, dict) and set(found) == set(keys) and answer.startswith(("{", "```"))


_CHECKS: Mapping[str, Any] = {
    "most_words": lambda answer, most: len(re.findall(r"\w[\w'’:-]*", answer)) <= most,
    "form": lambda answer, form: re.fullmatch(form, answer, re.IGNORECASE) is not None,
    "json_keys": _has_keys,
    "items": lambda answer, count: len(_ITEM.findall(answer)) == count,
    "without": lambda answer, words: not any(holds(answer, word) for word in words),
    "language": lambda answer, code: guess_language(answer) in (code, ""),
    "upper": lambda answer, _: answer == answer.upper(),
    "ends": lambda answer, word: re.search(rf"\b{word}\W*$", answer) is not None,
    "begins": lambda answer, word: re.match(rf"\W*{word}\b", answer) is not None,
    "sentences": lambda answer, count: len(_SENTENCE.findall(answer if answer[-1:] in ".!?" else f"{answer}.")) == count,
}


def _spelt(text: str) -> str:
    """ISO dates in words, and thousands without a comma, as the rules of the words expect them."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return _ISO.sub(lambda found: _date(*found.groups()), text)


def _date(year: str, month: str, day: str) -> str:
    number = int(month)
    return f"{int(day)} {_MONTHS[number - 1]} {year}" if 1 <= number <= len(_MONTHS) else f"{year} {month} {day}"


@cache
def labelled() -> tuple[tuple[str, str, Grade], ...]:
    return tuple(map(tuple, json.loads((DATA / "labelled.json").read_text("utf-8"))))


def agreement() -> tuple[int, list[tuple[str, str, Grade]]]:
    """How many of the labelled answers the rules grade as the person did, and the others."""
    other = [row for row in labelled() if grade_reference(row[1], row[0]) != row[2]]
    return len(labelled()) - len(other), other
