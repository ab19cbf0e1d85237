"""Splits a text into words with the meanings that a lexicon gives them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .lexicon import SPACED, Lexicon, Meanings, fold

_NONE: Meanings = {}
_GLUED = re.compile(r"q([1-4])|h([12])|((?:19|20)?\d0)(?:s|er|ern)|(\d{1,2})(?:st|nd|rd|th|er|e|º|ª)")
_GLUED_KINDS = ("quarter_of_year", "half_of_year", "decade", "ordinal")
_HAN = {sign: value for value, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_SEPARATOR = re.compile(r"[/.-]")


class Word(NamedTuple):  # a data class takes five times as long to make
    """``raw``: as written.  ``start``, ``end``: its place in the text.  ``figure``: its value if it is written in digits."""

    raw: str
    folded: str
    start: int
    end: int
    meanings: Meanings
    figure: int | None = None


def split_words(text: str, lexicon: Lexicon, *, month_first: bool = False) -> list[Word]:
    """The words of a text.  A phrase of the lexicon is one word.  ``month_first``: how to read 05/07/2026."""
    if lexicon.runs is not None:
        return list(_split_spaceless(text, lexicon, month_first))
    found = list(_split_spaced(text, lexicon, month_first))
    if lexicon.phrases.keys().isdisjoint([word.folded for word in found]):
        return found
    return list(_join_phrases(found, lexicon, text))


def _split_spaced(text: str, lexicon: Lexicon, month_first: bool) -> Iterator[Word]:
    words = lexicon.words
    for match in SPACED.finditer(text):
        raw, kind = match.group(), match.lastgroup
        if kind == "word" or kind == "mark":
            folded = fold(raw)
            meanings = words.get(folded, _NONE) or _compound(folded, lexicon)
            yield Word(raw, folded, match.start(), match.end(), meanings)
        elif kind == "date":
            yield Word(raw, raw, match.start(), match.end(), _date(raw, month_first))
        else:
            yield _figures(raw, match.start(), match.end())


def _compound(folded: str, lexicon: Lexicon) -> Meanings:
    """Meanings of a word that is put together, such as "q3", "1980s", "3rd" or "dienstagabend"."""
    if folded[0].isdigit() or len(folded) == 2:
        if match := _GLUED.fullmatch(folded):
            assert match.lastindex is not None
            return {_GLUED_KINDS[match.lastindex - 1]: int(match[match.lastindex])}
    elif lexicon.compound_parts and len(folded) > 7:
        for size in range(4, len(folded) - 3):
            first, last = lexicon.words.get(folded[:size], _NONE), lexicon.words.get(folded[size:], _NONE)
            if "weekday" in first and "part" in last:
                return {"weekday": first["weekday"], "own_part": last["part"]}
    return _NONE


def _figures(raw: str, start: int, end: int) -> Word:
    digits = raw.rstrip(".")
    if not digits.isdigit() or len(digits) > 6:
        return Word(raw, raw, start, end, _NONE)
    figure = int(digits)
    ordinal = raw.endswith(".") and figure <= 31
    return Word(raw, digits, start, end, {"number": figure, "ordinal": figure} if ordinal else {"number": figure}, figure)


def _join_phrases(words: list[Word], lexicon: Lexicon, text: str) -> Iterator[Word]:
    at, count = 0, len(words)
    while at < count:
        first = words[at]
        for parts, meanings in lexicon.phrases.get(first.folded, ()):
            size = len(parts)
            if all(at + n < count and words[at + n].folded == part for n, part in enumerate(parts)):
                last = words[at + size - 1]
                yield Word(text[first.start : last.end], " ".join(parts), first.start, last.end, meanings)
                at += size
                break
        else:
            yield first
            at += 1


def _split_spaceless(text: str, lexicon: Lexicon, month_first: bool) -> Iterator[Word]:
    assert lexicon.runs is not None
    for match in lexicon.runs.finditer(text):
        raw, kind = match.group(), match.lastgroup
        start, end = match.span()
        if kind == "phrase":
            yield Word(raw, raw, start, end, lexicon.words[raw])
        elif kind == "date":
            yield Word(raw, raw, start, end, _date(raw, month_first))
        elif kind == "figures":
            yield _figures(raw, start, end)
        elif kind == "han":
            yield Word(raw, raw, start, end, {"number": _han_number(raw)})
        else:
            yield Word(raw, raw, start, end, _NONE)


def _han_number(text: str) -> int:
    if "十" not in text:
        return _HAN[text]
    tens, _, ones = text.partition("十")
    return 10 * _HAN.get(tens, 1) + _HAN.get(ones, 0)


def _date(raw: str, month_first: bool) -> Meanings:
    """Year, month and day; the year or the day may be None."""
    parts = [int(part) for part in _SEPARATOR.split(raw) if part]
    if parts[0] > 99:
        return {"date": (parts[0], parts[1], parts[2] if len(parts) > 2 else None)}
    day, month = parts[0], parts[1]
    if "/" in raw and (month > 12 >= day or (month_first and day <= 12)):
        day, month = month, day
    year = None if len(parts) < 3 else parts[2] + 2000 if parts[2] < 100 else parts[2]
    return {"date": (year, month, day)}
