"""What a revision lost or invented, by its form alone.

A model that criticises itself also makes right answers worse (arXiv 2310.01798).  Numbers and citations can be compared without
knowing the language, so a revision that damages them is not kept:

- a number of the text that a memory or another text shown to the model has must still be there;
- a number that is new must be in one of those texts or in the question;
- what is cited must have been shown, and a text with citations must still have one.

The numbers of list items do not count.  Whether other words are right, only the model judges.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ..rerank.citations import Citations

MOST_NAMED, MOST_DIGITS = 10, 40
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?![\d.,]*\d)")
_ITEM = re.compile(r"(?m)^\s*\d{1,3}[.)]\s")


def find_losses(
    before: str,
    after: str,
    *,
    question: str,
    shown: Sequence[str],
    citations_before: Citations | None,
    citations_after: Citations | None,
) -> tuple[str, ...]:
    """Why ``after`` does not replace ``before``, one sentence each.  ``shown``: the texts that the model saw."""
    had, has = _numbers(before), _numbers(after)
    known = frozenset[str]().union(*map(_numbers, shown))
    lost, new = sorted(had & known - has), sorted(has - had - known - _numbers(question))
    found = [f"It leaves out {number[:MOST_DIGITS]}." for number in lost[:MOST_NAMED]]
    found += [f"It has {number[:MOST_DIGITS]}, which nothing that was shown has." for number in new[:MOST_NAMED]]
    state_before, state_after = (each.state if each else "absent" for each in (citations_before, citations_after))
    if state_after == "malformed":
        found.append("It cites a memory that was not shown.")
    elif state_before == "cited" != state_after:
        found.append("It does not cite the memories any more.")
    return tuple(found)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_read(_GROUPED.sub(lambda found: re.sub(r"\D", "", found.group()), _ITEM.sub("", text))))


def _read(text: str) -> Iterator[str]:
    """In ASCII and without leading zeros: "06" of a date and "6" are the same.  As texts, since they may be of any length."""
    for number in _NUMBER.findall(text):
        yield "".join(str(unicodedata.decimal(digit)) for digit in number).lstrip("0") or "0"
