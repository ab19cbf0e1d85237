"""From a text to the ranges of its time expressions."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from ...indexing.function_words import FUNCTION_WORDS
from .expressions import read_compound, read_expression, set_border
from .lexicon import LANGUAGES, Lexicon, exclusive_words, lexicon
from .ranges import FIRST, LAST, Local, TimeRange, in_zone
from .reading import Clock, Expression, Found, Reading
from .words import Word, split_words

MOST_CHARACTERS = 20_000
QUESTION_CHARACTERS = 4_000  # of a question: its beginning and its end
MOST_RANGES = 4  # a question with more times, such as a pasted page, is not about one of them
_CYRILLIC = re.compile("[а-я]")
# The kinds of words with which an expression can begin; most words with a meaning only stand between others.
_FIRST_KINDS = frozenset({
    "after", "ago_before", "amount", "before", "before_last", "between", "date", "day", "day_part", "decade", "few", "from",
    "half_of_year", "holiday", "in", "last", "month", "next", "number", "ordinal", "part", "phase", "quarter_of_year",
    "season", "shift", "short_weekday", "since", "this", "unit", "until", "weekday",
})  # fmt: skip
_TOLD = frozenset({"did", "was", "were", "had"})
_MONTH_FIRST_ZONES = ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Phoenix",
                      "America/Anchorage", "America/Detroit", "America/Boise", "America/Indiana/", "America/Kentucky/",
                      "America/North_Dakota/", "Pacific/Honolulu", "US/")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A time expression: its text, at [start, end) of the resolved text, and the range that it means."""

    start: int
    end: int
    text: str
    range: TimeRange


@lru_cache(maxsize=64)  # asked for twice in a large scope: for all records, then for the best of them
def time_ranges(
    question: str,
    asked_at: datetime | None,
    *,
    zone: tzinfo = UTC,
    language: str = "en",
    latest: datetime | None = None,
) -> tuple[TimeRange, ...]:
    """The ranges that a question is about; none if it names no time, or too many.

    Parameters as for ``resolve``.  Without ``asked_at`` there is no present, and nothing is found.
    """
    if asked_at is None:
        return ()
    if len(question) > QUESTION_CHARACTERS:
        question = f"{question[: QUESTION_CHARACTERS // 2]}\n{question[-QUESTION_CHARACTERS // 2 :]}"
    found = tuple(
        dict.fromkeys(span.range for span in resolve(question, asked_at, zone=zone, language=language, latest=latest))
    )
    return found if len(found) <= MOST_RANGES else ()


def resolve(
    text: str,
    asked_at: datetime,
    *,
    zone: tzinfo = UTC,
    language: str = "en",
    latest: datetime | None = None,
) -> list[Span]:
    """The time expressions of a text, in text order.

    Arguments:
        asked_at: when it was said, aware.
        zone: of the speaker: "yesterday" is the day before ``asked_at`` there.
        language: BCP 47.  Its region decides how 05/07/2026 is read: month first in the United States, else day first.
        latest: the latest time that "in May" can mean.  None: ``asked_at``.
    """
    code, _, region = language.replace("_", "-").partition("-")
    month_first = region.upper() == "US" or (not region and code in ("en", "") and is_month_first(zone))
    text = text[:MOST_CHARACTERS]
    now = asked_at.astimezone(zone).replace(tzinfo=None)
    clock = Clock(now, min(latest.astimezone(zone).replace(tzinfo=None), now) if latest else now)
    best: list[Span] = []
    for words, known in _readings(text, code.lower(), month_first):
        speaks_of_future = any("future" in word.meanings for word in words)  # "on Monday" is the next Monday
        reading = Reading(words, known, replace(clock, future=speaks_of_future))
        found = [
            Span(start=(start := words[first].start), end=(end := words[last - 1].end), text=text[start:end],
                 range=in_zone(local, zone))
            for first, last, local in _with_years(list(_find(reading)))
        ]  # fmt: skip
        best = max(best, found, key=lambda spans: sum(span.end - span.start for span in spans))
    return best


def is_month_first(zone: tzinfo) -> bool:
    """Whether dates are usually written month first there."""
    return str(zone).startswith(_MONTH_FIRST_ZONES)


def _readings(text: str, code: str, month_first: bool) -> Iterator[tuple[list[Word], Lexicon]]:
    """The text in its language, and in the language of a word that expresses a time in that language only."""
    known = lexicon(code if code in LANGUAGES else "ru" if _CYRILLIC.search(text) else "en")
    words = split_words(text, known, month_first=month_first)
    if any(word.meanings for word in words):
        yield words, known
    if known.runs is None:
        owners = exclusive_words()
        other = next((owners[word.folded] for word in words if word.folded in owners), "")
        if other and other != known.code and _familiar(words, other) >= _familiar(words, known.code):
            yield split_words(text, lexicon(other)), lexicon(other)


def _familiar(words: list[Word], code: str) -> int:
    """The number of words that a language uses often, or for times."""
    common, times = FUNCTION_WORDS.get(code, frozenset()), lexicon(code).words
    return sum(word.folded in common or word.folded in times for word in words)


def _find(reading: Reading) -> Iterator[tuple[int, int, Expression]]:
    """(first word, word after the last, expression) for each time expression."""
    place, count = 0, len(reading.words)
    while place < count:
        if not _FIRST_KINDS.isdisjoint(reading.words[place].meanings) and (
            found := _range(reading, place) or _single(reading, place)
        ):
            if not reading.is_in_title(place, found[1]):
                yield place, found[1], found[0]
            place = found[1]
        else:
            place += 1


def _single(reading: Reading, place: int) -> Found | None:
    """One expression, or two with "to" between them, or one with "until" or "before" after it."""
    first = read_expression(reading, place) or _first_weekday(reading, place)
    if first is None:
        return None
    expression, after = first
    may_join = reading.joins(after) or reading.at(after, "since_after")
    if may_join and (second := read_expression(reading, reading.skip(after + 1), sure=True)):
        if reading.at(after, "since_after") and reading.at(second[1], "until_after"):
            return _between(expression, second[0]), second[1] + 1
        if reading.joins(after):
            return _between(expression, second[0]), second[1]
    for kind, border in _BORDERS.items():
        if reading.at(after, f"{kind}_after"):
            return set_border(reading, expression, border), after + 1
    return first


def _first_weekday(reading: Reading, place: int) -> Found | None:
    """The first of "Monday through Wednesday", if the text tells what was or will be, not what is usual."""
    if reading.at(place, "weekday") is None or not reading.joins(place + 1) or reading.at(place + 2, "weekday") is None:
        return None
    if not reading.clock.future and not any(word.folded in _TOLD for word in reading.words):
        return None
    return read_expression(reading, place, sure=True)


def _range(reading: Reading, place: int) -> Found | None:
    """Such as "between March and May", "from 3 to 7 June", "since April", "before 2024", "until Easter"."""
    inner = reading.skip(place + 1)
    if found := read_compound(reading, place):
        return found
    for opening, link in (("between", "and"), ("from", "to")):
        first = read_expression(reading, inner, sure=True) if reading.at(place, opening) else None
        if first is None or not reading.at(first[1], link):
            continue
        if second := read_expression(reading, reading.skip(first[1] + 1), sure=True):
            return _between(first[0], second[0]), second[1]
    for kind, border in _BORDERS.items():
        if (
            reading.at(place, kind)
            and not (kind == "before" and reading.at(place, "ago_before") and _is_amount(reading, inner))
            and (found := read_expression(reading, inner))
        ):
            return set_border(reading, found[0], border), found[1]
    return None


def _is_amount(reading: Reading, place: int) -> bool:
    """Whether "vor" is followed by an amount, so that it means "ago"."""
    return reading.at(place, "amount") is not None or reading.at(place, "number") is not None or bool(reading.at(place, "few"))


def _between(first: Expression, last: Expression) -> Expression:
    """From the beginning of the first to the end of the last.  A first month without a year is the latest before the last."""

    def make(year: int | None) -> Local | None:
        begun = first.make(None) if year is None and last.needs_year and not first.needs_year else None
        if begun is not None:  # "from March 2025 to May": the first May after it
            end = next((end for by in (0, 1) if (end := last.make(begun[0].year + by)) and end[0] >= begun[0]), None)
            return (begun[0], end[1]) if end is not None else None
        end = last.make(year)
        if end is None:
            return None
        start = first.make(end[0].year if first.needs_year else None)
        if start is not None and start[0] > end[0] and first.needs_year:
            start = first.make(end[0].year - 1)
        if start is not None and timedelta(0) < start[0] - end[0] < timedelta(days=7):  # weekdays of two weeks
            start = start[0] - timedelta(days=7), start[1] - timedelta(days=7)
        return (start[0], end[1]) if start is not None and start[0] < end[1] else None

    return Expression(make, last.needs_year)


#: The range from the one of an expression, and the end of today or of the expression, which is later.
_BORDERS: Mapping[str, Callable[[Local, datetime], Local]] = {
    "since": lambda span, end: (span[0], end),
    "until": lambda span, end: (FIRST, span[1]),
    "before": lambda span, end: (FIRST, span[0]),
    "after": lambda span, end: (span[1], end if span[1] < end else LAST),
}


def _with_years(found: list[tuple[int, int, Expression]]) -> list[tuple[int, int, Local]]:
    """The ranges.  A single year, as in "What did I do at Christmas in 2023?", is the year of what lacks one."""
    years = {expression.year for _, _, expression in found if expression.year is not None}
    lacking = [item for item in found if item[2].needs_year]
    year = years.pop() if len(years) == 1 and lacking else None
    if year is not None:
        found = [item for item in found if item[2].year is None]
    ranges = [(first, last, expression.make(year if expression.needs_year else None)) for first, last, expression in found]
    return [(first, last, local) for first, last, local in ranges if local is not None]
