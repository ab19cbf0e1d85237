"""The words of each language that express times, read from ``languages/*.toml``.

Tables of a file (phrases are separated by "|"; case and Latin accents do not matter):

- ``day``: days from today.  ``day_part``, ``shift``, ``amount``: "number unit" or "shift part".  A ``*`` after an amount means
  calendar units.  ``part``, ``unit``, ``phase``, ``season`` (first month), ``decade``, ``number``, ``ordinal``, ``holiday``.
- ``modifier``: last, next, this; ``rolling`` words mean the time up to now even without a number ("the past year").
- ``link``: connecting words, and the lists that decide whether a word with several meanings is a time:
  ``on`` (may stand before a weekday, part or holiday), ``month_before``, ``year_before``, ``every`` (habits, not times),
  ``future`` (the question is about the future).
- ``weekdays``, ``months``: in calendar order, synonyms separated by ",".
- ``marks``: the signs after the numbers of a date, as in 2026年7月5日.
- ``careful_months``: also names or other words, so they need one of ``month_before``, a day or a year.
- ``not_counted_years``: after these a number is no year or date ("room 2015"), before
  ``counted`` words neither ("2000 euros").
- ``bare_year_after``: after these a number is a year without a preposition.  ``nouns.year``: events that a year may describe.
- ``not_a_weekday``: after these a weekday is a name.  ``habit_before``: after these it is every such day ("le dimanche").
- ``not_tomorrow_after``: after these "morgen" is the morning.
- ``weekend_after``: after these "weekend" is the latest one.  ``bare_seasons``, ``bare_holidays``: forms that need no
  preposition.
- ``compound_parts``: a weekday and a part of the day are one word.  ``postposed``: last and next may follow their noun.
- ``spaceless``: no spaces between words.  ``week_modifier``: "last Tuesday" is the Tuesday of last week.
"""

import functools
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from ...indexing.function_words import FUNCTION_WORDS

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "zh", "ko")

#: What a word may mean: the value by kind, such as {"month": 5}.
Meanings = Mapping[str, Any]
_TYPOGRAPHY = str.maketrans(
    {"’": "'", "‘": "'", "ł": "l", "Ł": "l", "ß": "ss", "–": "-", "—": "-", "‑": "-", "〜": "-", "～": "-"}
)
_LATIN_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_PIECE = re.compile(r"[^\W_]+|[^\w\s]")
# Dates, words, figures and marks.  All patterns are linear.
_DATE = (
    r"(?:19|20)\d\d-\d\d?-\d\d?|(?:19|20)\d\d-(?:0[1-9]|1[0-2])|(?:19|20)\d\d[/.]\d\d?[/.]\d\d?"
    r"|\d\d?[/.]\d\d?[/.](?:\d{4}|\d\d)|\d\d?\.\d\d?\."
)
_WORD = r"[^\W\d_][^\W_]*|\d{1,9}[^\W\d_][^\W_]*"
_FIGURES = r"\d+(?:[.,:/]\d+)+|\d+\.(?=\s?[^\W\d_])|\d+"
_HAN = r"[一二三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九]"
_ANCHORS = frozenset({"day", "day_part", "shift", "weekday", "month", "season", "holiday", "last", "next"})


def _match_date(letters: str) -> str:
    """A date that is not a part of a longer number, such as a version or an address.  ``letters``: that it cannot touch."""
    return rf"(?<![{letters}.,/:-])(?P<date>{_DATE})(?![{letters}/:]|[.,-]\d)"


SPACED = re.compile(rf"{_match_date(chr(92) + 'w')}|(?P<word>{_WORD})|(?P<figures>{_FIGURES})|(?P<mark>[^\w\s])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The words of one language.

    ``words``: meanings by folded word.  ``phrases``: by first word, the phrases of several words, longest first.
    ``runs``: in a language without spaces, the pattern that finds every phrase.
    """

    code: str
    words: Mapping[str, Meanings]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Meanings], ...]]
    runs: re.Pattern[str] | None
    careful_months: frozenset[str]
    not_counted_years: frozenset[str]
    bare_year_after: frozenset[str]
    not_a_weekday: frozenset[str]
    habit_before: frozenset[str]
    not_tomorrow_after: frozenset[str]
    bare_seasons: frozenset[str]
    bare_holidays: frozenset[str]
    weekend_after: frozenset[str]
    counted: frozenset[str]
    year_nouns: frozenset[str]
    postposed: bool
    week_modifier: bool
    compound_parts: bool


def fold(text: str) -> str:
    """Lower case, without Latin accents.  Other scripts keep their marks: they make other letters."""
    text = text.lower()
    if text.isascii():
        return text
    plain = _LATIN_ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY)))
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def pieces(text: str) -> tuple[str, ...]:
    """The words and marks of a phrase, as the reader of questions splits them."""
    return tuple(_PIECE.findall(fold(text)))


@functools.cache
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language in ``LANGUAGES``."""
    table = tomllib.loads((resources.files(__package__) / "languages" / f"{code}.toml").read_text("utf-8"))
    meanings: dict[str, dict[str, Any]] = {}
    for kind, value, phrase in _entries(table):
        meanings.setdefault(fold(phrase), {}).setdefault(kind, value)
    spaceless = bool(table.get("spaceless"))
    words: dict[str, Meanings] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], Meanings]]] = {}
    for phrase, meaning in meanings.items():
        parts = pieces(phrase)
        if spaceless or len(parts) == 1:
            words[phrase] = meaning
        else:
            phrases.setdefault(parts[0], []).append((parts, meaning))
    rules: dict[str, Any] = {each.name: _fold(table, each.name) for each in fields(Lexicon) if each.type == frozenset[str]}
    rules |= {each.name: bool(table.get(each.name)) for each in fields(Lexicon) if each.type is bool}
    rules["year_nouns"] = _fold(table.get("nouns", {}), "year")
    longest = sorted(words, key=len, reverse=True)
    return Lexicon(
        code=code,
        words=words,
        phrases={first: tuple(sorted(found, key=lambda one: -len(one[0]))) for first, found in phrases.items()},
        runs=_spaceless_pattern(longest) if spaceless else None,
        **rules,
    )


def _spaceless_pattern(phrases: list[str]) -> re.Pattern[str]:
    """For a language without spaces.  ``phrases``: those with a meaning, longest first."""
    known = "|".join(map(re.escape, phrases))
    return re.compile(
        rf"{_match_date('0-9A-Za-z')}|(?P<phrase>{known})|(?P<figures>\d+(?:[.,:/]\d+)*)|(?P<han>{_HAN})|(?P<other>[^\s\d])"
    )


@functools.cache
def exclusive_words() -> Mapping[str, str]:
    """The language of each word that expresses a time in one language only.  It corrects a wrong guess of the language."""
    owners: dict[str, set[str]] = {}
    anchors: set[str] = set()
    for code in LANGUAGES:
        for word, meaning in lexicon(code).words.items():
            owners.setdefault(word, set()).add(code)
            if not _ANCHORS.isdisjoint(meaning) and len(word) > (3 if word.isascii() else 1):
                anchors.add(word)
    for code, known in FUNCTION_WORDS.items():  # "hier" is French for yesterday and German for here
        for word in anchors & known:
            owners[word].add(code)
    return {word: min(owners[word]) for word in anchors if len(owners[word]) == 1}


def _fold(table: Mapping[str, Any], name: str) -> frozenset[str]:
    return frozenset(_split(table.get(name, "")))


def _split(text: str) -> Iterable[str]:
    return (fold(phrase) for phrase in text.split("|") if phrase)


def _pair(first: Callable[[str], Any], second: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(key: str) -> tuple[Any, Any]:
        left, right = key.split()
        return first(left), second(right)

    return read


#: How the keys of a table are read.
_VALUES: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("day", "season", "decade", "ordinal", "number"), int),
    **dict.fromkeys(("part", "unit", "phase", "holiday"), str),
    "day_part": _pair(int, str),
    "shift": _pair(str, lambda by: None if by == "none" else int(by)),
    "amount": _pair(int, lambda unit: unit.rstrip("*")),
}


def _entries(table: Mapping[str, Any]) -> Iterable[tuple[str, Any, str]]:
    """(kind, value, phrase) of a language's tables."""
    for kind, read in _VALUES.items():
        for key, text in table.get(kind, {}).items():
            meaning: tuple[str, Any] = ("few", True) if key == "few" else (kind, read(key))
            yield from ((*meaning, phrase) for phrase in _split(text))
    for name, kind in (("modifier", "{}"), ("link", "{}"), ("marks", "{}_mark")):
        yield from ((kind.format(key), key, phrase) for key, text in table.get(name, {}).items() for phrase in _split(text))
    for kind, name, first in (("weekday", "weekdays", 0), ("month", "months", 1)):
        for group, text in table.get(name, {}).items():
            found = "short_weekday" if group == "short" else kind
            for number, synonyms in enumerate(text.split("|"), first):
                yield from ((found, number, fold(phrase)) for phrase in synonyms.split(","))
