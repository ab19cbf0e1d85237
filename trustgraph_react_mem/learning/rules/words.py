"""Words by their form alone, in any script, to tell who said them first.

A word is a run of letters and digits; a script without spaces gives pairs of characters.  Two words are the same if they are
equal, or if they have four characters and half of the longer one in common at their beginning: "book" and "booking".
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import islice

COMMON = 4  # characters that two forms of a word have in common at least
MOST_ALIKE = 200  # words with the same beginning among which a form is looked for
_SPACELESS = re.compile(r"[㐀-䶿一-鿿豈-﫿々〇゠-ヿ぀-ゟ฀-๿]+")
_RUN = re.compile(rf"{_SPACELESS.pattern}|(?:(?!{_SPACELESS.pattern})[^\W_])+")
_HIRAGANA = re.compile(r"[぀-ゟ]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def split_words(text: str, *, humps: bool = False) -> list[str]:
    """The words of a text in order, case folded.  ``humps``: the parts of "searchArchive" follow it as words of their own.

    >>> split_words("pass dpi=300 to scan_page")
    ['pass', 'dpi', '300', 'to', 'scan', 'page']
    """
    words: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        folded = run.casefold()
        if _SPACELESS.search(run):
            words += [folded[place : place + 2] for place in range(max(1, len(folded) - 1))]
            continue
        words.append(folded)
        if humps and _HUMP.search(run):
            words += [part.casefold() for part in _HUMP.split(run)]
    return words


@cache
def is_telling(word: str) -> bool:
    """Whether a word is long enough to tell who said it.

    "yyyy" is no word but the place of a number.  Hiragana is the grammar of Japanese.
    """
    if _SPACELESS.search(word):
        return not _HIRAGANA.search(word)
    return len(set(word)) > 1 and len(word) >= (COMMON - 1 if any(sign.isdigit() for sign in word) else COMMON)


def is_spaceless(word: str) -> bool:
    return bool(_SPACELESS.search(word))


def is_same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    if one[:COMMON] != other[:COMMON] or min(len(one), len(other)) < COMMON:
        return False
    shared = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return 2 * shared >= max(len(one), len(other))


class Vocabulary:
    """Words with the place at which each was said first."""

    def __init__(self) -> None:
        self._places: defaultdict[str, dict[str, int]] = defaultdict(dict)  # by their first characters

    def add(self, words: Iterable[str], place: int = 0) -> None:
        """``place``: not before that of the words that were added already."""
        for word in words:
            self._places[word[:COMMON]].setdefault(word, place)

    def find(self, word: str) -> int | None:
        """The first place at which the word was said, in any form; None: nowhere."""
        places = self._places.get(word[:COMMON], {})
        forms = (each for each in (word, *islice(places, MOST_ALIKE)) if each in places and is_same_word(word, each))
        return min(map(places.__getitem__, forms), default=None)

    def __contains__(self, word: str) -> bool:
        return self.find(word) is not None
