"""Whether a word occurs in a text with another ending, or misspelt.

Stemming leaves apart what has another vowel or a rare ending ("vertrage", "verträgt"), and a person's typing errors.  Names and
numbers are not compared here: those must be written alike.
"""

from collections.abc import Iterable

LEAST_COMMON = 4  # letters with which both forms begin
LEAST_SHARE = 0.7  # of the longer form
SHORT_COMMON = 3  # letters of a Cyrillic form, whose endings are longer
LEAST_MISSPELT = 6  # letters of a word of which one may be wrong


class WordForms:
    """The terms of a text, by their beginnings.  ``text``: where single characters of a script without spaces are looked up."""

    def __init__(self, said: Iterable[str], text: str) -> None:
        self._text = text
        self._begun: dict[str, list[str]] = {}
        for term in said:
            self._begun.setdefault(term[:1], []).append(term)

    def has(self, term: str) -> bool:
        """Whether the text has a form of the term."""
        if len(term) == 1:
            return not term.isascii() and term in self._text
        return any(_is_form(term, other) or _is_misspelt(term, other) for other in self._begun.get(term[:1], ()))


def _is_form(one: str, other: str) -> bool:
    common = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    longer = max(len(one), len(other))
    if "а" <= one[0] <= "я":
        return common >= SHORT_COMMON and longer - common <= 2
    return common >= LEAST_COMMON and common >= LEAST_SHARE * longer


def _is_misspelt(one: str, other: str) -> bool:
    """Whether two words differ by one letter, or by two letters that are exchanged."""
    if min(len(one), len(other)) < LEAST_MISSPELT - 1 or max(len(one), len(other)) < LEAST_MISSPELT:
        return False
    start = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    return (
        left[1:] == right
        or left == right[1:]
        or left[1:] == right[1:]
        or (left[:2] == right[:2][::-1] and left[2:] == right[2:])
    )
