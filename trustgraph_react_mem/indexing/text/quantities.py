"""Numbers in a text as values with units, clock times, dates and identifiers.

A quantity has one reading, or several if it is ambiguous: "1.500" is 1.5 or 1500, "at five" is 05:00 or 17:00.  Two quantities
are equal if any of their readings are.  Pure, linear in the length of the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from ..tokenizer import guess_language, is_function_word
from .number_words import LANGUAGES, replace_number_words
from .quantity_patterns import (
    AND,
    AND_A_HALF,
    CLOCK,
    CODE,
    DATES,
    FACTORS,
    IMPERIAL,
    LONE_MONTH,
    MONTHS,
    MULTIPLIERS,
    NOON,
    NUMBER,
    PAST,
    PAST_AFTER,
    PHONE,
    SHORT,
    TAIL,
    TO,
    UNITS,
    VERSION,
)
from .quantity_text import values_of, with_fractions, with_plain_digits

Kind = Literal["number", "clock", "date", "id"]
MAX_CHARS = 20_000
_DECIMAL = re.compile(r"(\d\d?\.\d\d?)\.")
ROUNDED = Fraction(2, 100)  # by how much a length or mass in other units may differ


@dataclass(frozen=True, slots=True)
class Reading:
    """``value``: in the base unit of ``unit``; minutes after midnight; digits of an identifier.  ``raw``: as written.

    ``day``: (year, month, day) of a date, 0 where it is not given.
    """

    kind: Kind
    value: Fraction | str = ""
    raw: Fraction | str = ""
    unit: str = ""
    day: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Quantity:
    """``start``, ``end``: position in the normalised text.  ``label``: a number without unit after a noun, such as "flat 3".

    ``noun``: the lower-case word after a number without unit, such as "cats".
    """

    readings: frozenset[Reading]
    start: int
    end: int
    label: bool = False
    noun: str = ""

    def equals(self, other: "Quantity", *, units_elsewhere: frozenset[str] = frozenset()) -> bool:
        """Whether any readings agree.  A unit may be missing in ``other`` if it is in ``units_elsewhere``."""
        return any(_agree(one, two, units_elsewhere) for one in self.readings for two in other.readings)

    @property
    def days(self) -> list[tuple[int, int, int]]:
        return [reading.day for reading in self.readings if reading.kind == "date"]

    @property
    def is_plain(self) -> bool:
        """Whether it is a number of nothing, such as the second in "2 cats, 3 on Sundays"."""
        return not (self.noun or self.label) and all(each.kind == "number" and not each.unit for each in self.readings)

    @property
    def units(self) -> frozenset[str]:
        return frozenset(reading.unit for reading in self.readings if reading.unit)


def read_quantities(text: str, *, source: bool = False) -> list[Quantity]:
    """The quantities in a text, at most MAX_CHARS of it.

    ``source``: the text is evidence, so words that may be a number, and months without a day, count too.

    >>> [one] = read_quantities("Ann has twelve cats")
    >>> [two] = read_quantities("12 cats live here")
    >>> one.equals(two)
    True
    """
    text = AND_A_HALF.sub(r"\1 und ein halb", with_plain_digits(text[:MAX_CHARS]))
    language = guess_language(text)
    variants = [replace_number_words(text, language)]
    if source:
        variants += [replace_number_words(text, code, weak=True) for code in LANGUAGES]
    return [
        quantity for variant in dict.fromkeys(map(with_fractions, variants)) for quantity in _scan(variant, language, source)
    ]


def unsupported_quantities(claim: Iterable[Quantity], said: Iterable[Quantity]) -> list[Quantity]:
    """The claim's quantities that equal none of the quantities that were said."""
    said = list(said)
    units = frozenset(unit for quantity in said for unit in quantity.units) | {"months"}  # "I am 34": 34 years old

    def is_said(one: Quantity) -> bool:
        # "2 cats and 3 dogs" is not "3 cats", but "2 cats, 3 on Sundays" may be.
        of_same = [other for other in said if one.noun and other.noun == one.noun]
        of_none = [other for other in said if other.is_plain] if of_same else []
        return any(one.equals(other, units_elsewhere=units) for other in [*of_same, *of_none] or said)

    return [one for one in claim if not is_said(one)]


def differing_quantities(one: str, other: str) -> tuple[list[Quantity], list[Quantity]]:
    """The quantities of each text that the other lacks."""
    first, second = read_quantities(one), read_quantities(other)
    return unsupported_quantities(first, second), unsupported_quantities(second, first)


def supports_numbers(claim: str, sources: Iterable[str]) -> bool:
    """Whether the sources contain all quantities of the claim."""
    wanted = read_quantities(claim)
    return not wanted or not unsupported_quantities(wanted, [q for text in sources for q in read_quantities(text, source=True)])


def without_dates(text: str) -> str:
    """The text without its dates, such as "8 May 2026" and "2026-05-08"."""
    for pattern, _ in DATES:
        text = pattern.sub(" ", text)
    return text


def without_quantities(text: str) -> str:
    """The text without numbers, number words, dates and their units."""
    plain = with_plain_digits(text[:MAX_CHARS])
    language = guess_language(plain)
    plain = with_fractions(replace_number_words(plain, language))
    parts, at = [], 0
    for quantity in _scan(plain, language, source=False):
        if quantity.start >= at:
            parts.append(plain[at : quantity.start])
        at = max(at, quantity.end)
    return " ".join([*parts, plain[at:]])


def _agree(one: Reading, two: Reading, units_elsewhere: frozenset[str]) -> bool:
    """Whether ``two`` states what ``one`` states.  Its year or its unit may be missing."""
    if one.kind != two.kind:
        return False
    if one.kind == "date":
        known = [(a == b) or (place == 0 and not b) for place, (a, b) in enumerate(zip(one.day, two.day, strict=True)) if a]
        return all(known) and any(a and b for a, b in zip(one.day, two.day, strict=True))
    if one.kind != "number" or one.unit == two.unit:
        return one.value == two.value or _is_rounded(one, two)
    if (one.unit and two.unit) or "percent" in (one.unit, two.unit):
        return False
    return one.raw == two.raw and (not one.unit or one.unit in units_elsewhere)


def _is_rounded(one: Reading, two: Reading) -> bool:
    """Whether two lengths or masses, one in miles or pounds and one metric, are equal but for rounding: 12 miles, 19 km."""
    if one.unit not in ("length", "mass") or any(
        isinstance(part, str) or not part for part in (one.value, one.raw, two.value, two.raw)
    ):
        return False
    odd = [any(FACTORS[unit][1] == Fraction(each.value) / Fraction(each.raw) for unit in IMPERIAL) for each in (one, two)]
    return odd[0] != odd[1] and abs(Fraction(one.value) - Fraction(two.value)) <= ROUNDED * abs(Fraction(two.value))


def _scan(text: str, language: str, source: bool) -> list[Quantity]:
    """The quantities of the text.  What one pattern has read is not read by the next."""
    taken = bytearray(len(text))
    found: list[Quantity] = []

    def take(start: int, end: int, readings: Iterable[Reading], label: bool = False, noun: str = "") -> None:
        taken[start:end] = b"\1" * (end - start)
        found.append(Quantity(frozenset(readings), start, end, label, noun))

    def matches(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (match for match in pattern.finditer(text) if not any(taken[match.start() : match.end()]))

    for pattern, order in DATES:
        for match in matches(pattern):
            if days := _days(match, order):
                readings = [Reading("date", day=day) for day in days]
                if plain := _DECIMAL.fullmatch(match.group()):  # "version 15.4." at the end of a sentence
                    readings.append(Reading("number", Fraction(plain[1]), Fraction(plain[1])))
                take(*match.span(), readings)
    if source:
        for match in matches(LONE_MONTH):
            found.append(Quantity(frozenset({Reading("date", day=(0, MONTHS[match.group().lower()], 0))}), *match.span()))
    for match in matches(VERSION):
        if not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", match.group()):
            take(*match.span(), [Reading("id", match.group())])
    for match in matches(PAST):
        half_to = match["toward"] or (language == "nl" and match["half"] and match["half"].lower() == "half")
        shift = -30 if half_to else 30 if match["half"] else 15 if match["after"] else -15
        if int(match["hour"]) <= 24:
            take(*match.span(), (_clock((int(match["hour"]) + half) * 60 + shift) for half in (0, 12)))
    for match in matches(PAST_AFTER):
        if readings := _romance_readings(match, text):
            take(*match.span(), readings)
    for match in matches(NOON):
        take(*match.span(), [_clock(720 if match[1] else 0)])
    for match in matches(CLOCK):
        if readings := _clock_readings(match, text, language):
            take(*match.span(), readings)
    for match in matches(PHONE):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) >= 7 and not re.fullmatch(r"\d{1,3}(?:(?: \d{3})+|(?:\.\d{3})+)", match.group()):
            take(*match.span(), [Reading("id", digits.lstrip("0"))])
    for match in NUMBER.finditer(text):
        if not any(taken[match.start("digits") : match.end("digits")]):
            readings, end = _number_readings(match, text, language)
            label = not any(reading.unit for reading in readings) and _is_label(text, match.start("digits"), end)
            unitless = not any(reading.unit for reading in readings)
            following = re.match(r"\s+([^\W\d_]+)", text[end : end + 30]) if unitless else None
            noun = following[1].casefold() if following and not is_function_word(following[1]) else ""
            take(match.start("digits"), end, readings, label, noun)
    for match in matches(CODE):
        take(*match.span(), [Reading("id", match.group().casefold())], label=True)
    found = _share_units(text, sorted(found, key=lambda quantity: quantity.start))
    joined = _joined_durations(text, found)
    return [*found, *joined] if source else joined


def _days(match: re.Match[str], order: str) -> set[tuple[int, int, int]]:
    """The (year, month, day) that a date can mean; empty if there is no such date."""
    parts = {letter: match[place] for place, letter in enumerate(order, 1)}
    year, month = int(parts.get("y") or 0), parts["m"].lower()
    day = int(parts.get("d") or 0)
    number = MONTHS.get(month) or int(month)
    options = {(number, day)}
    if order in ("dmy", "dm") and "/" in match.group():
        options.add((day, number))  # 5/7/2026 is written for both 5 July and May 7
    found = set()
    for month_number, day_number in options:
        try:
            date(year or 2000, month_number, day_number or 1)
        except ValueError:
            continue
        found.add((year, month_number, day_number))
    return found


def _clock(minutes: int) -> Reading:
    return Reading("clock", Fraction(minutes % 1440))


def _clock_readings(match: re.Match[str], text: str, language: str) -> list[Reading]:
    """The times of day that a number can mean; empty if nothing says that it is one."""
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    word = (match["word"] or "").strip().lower()
    tail = TAIL.match(text, match.end())
    followed = tail is not None and tail["word"].lower() in UNITS
    evening, morning = match["evening"] or match["later"], match["morning"] or match["earlier"]
    part = evening or morning
    if not (match["minute"] or word or part or match["before"]) or (followed and not (match["minute"] or word or part)):
        return []
    if evening:
        return [_clock((hour + 12 if hour < 12 else hour) * 60 + minute)]
    if morning:
        return [_clock(hour % 12 * 60 + minute if hour <= 12 else hour * 60 + minute)]
    readings = [_clock(hour * 60 + minute)]
    if hour <= 12 and not match["hour"].startswith("0") and (not match["minute"] or language == "en"):
        readings.append(_clock((hour + 12) * 60 + minute))
    if match["minute"] and match["colon"].strip().lower() == "h":  # "2h30" is also a duration
        readings.append(Reading("number", Fraction(hour * 3600 + minute * 60), hour + Fraction(minute, 60), "duration"))
    if match["second"]:  # "3:52:10" is also a duration
        seconds = Fraction(hour * 3600 + minute * 60 + int(match["second"]))
        readings.append(Reading("number", seconds, seconds, "duration"))
    if not match["minute"] and (word in UNITS or not word):  # "8 heures" is also a duration, "at 5" also a number
        dimension, factor = FACTORS[UNITS[word]] if word in UNITS else ("", Fraction(1))
        readings.append(Reading("number", hour * factor, Fraction(hour), dimension))
    return readings


def _romance_readings(match: re.Match[str], text: str) -> list[Reading]:
    """ "6 heures et demie" is 6:30, 18:30, and six and a half hours; "dos y media" is also 2.5 of what follows."""
    hour = int(match["hour"])
    shift = 30 if match["half"] else 15 if match["after"] else -15
    readings = [_clock((hour + half) * 60 + shift) for half in (0, 12)] if hour <= 24 else []
    if match["half"]:
        amount, tail = hour + Fraction(1, 2), TAIL.match(text, match.end())
        word = (match["word"] or (tail["word"] if tail else "")).strip().lower()
        dimension, factor = FACTORS[UNITS[word]] if word in UNITS else ("", Fraction(1))
        readings.append(Reading("number", amount * factor, amount, dimension))
    return readings


def _number_readings(match: re.Match[str], text: str, language: str) -> tuple[list[Reading], int]:
    """The values that a number can mean, and the end of its unit."""
    digits, end = match["digits"], match.end()
    multiple, unit = Fraction(1), UNITS.get((match["currency"] or "").lower(), "")
    units = {unit} if unit else {""}
    tail = TAIL.match(text, end) if not match["ordinal"] else None
    if tail and (factor := _multiplier(tail, language)):
        short = tail["word"].lower() in SHORT
        multiple, end = Fraction(factor), tail.end()
        tail = TAIL.match(text, end)
        units = {*units, "m"} if short and text[end - 1].lower() == "m" and not unit else units
    if tail and (tail["word"].lower().replace(" ", "") in UNITS) and not unit:
        name = UNITS[tail["word"].lower().replace(" ", "")]
        units, end = {name}, tail.end()
    elif tail and tail["gap"] and tail["word"].lower() == "m" and not unit:  # "10m" is a multiplier
        units, end = {"m"}, tail.end()
    elif tail and not tail["gap"] and tail["word"].lower() == "s":  # "the 1990s"
        end = tail.end()
    elif tail and not tail["gap"] and multiple == 1 and not unit and tail["word"].isalpha() and tail["word"].isascii():
        code = text[match.start("digits") : tail.end()].casefold()  # such as the 3b of "flat 3b"
        return [Reading("id", code)], tail.end()
    if units == {""} and multiple == 1000 and digits.isdigit() and len(digits) < 3 and match.end("digits") + 1 == end:
        kilometres = Reading("number", Fraction(digits) * 1000, Fraction(digits), "length")  # "I ran 10k"
        return [kilometres, Reading("number", Fraction(digits) * 1000, Fraction(digits) * 1000)], end
    sign = Fraction(-1 if match["sign"] or "minus" in match.group().lower() else 1)
    readings: list[Reading] = []
    money = bool(units & {"eur", "usd", "gbp", "chf"})
    for value in values_of(digits, language, money=money):
        for name in units:
            dimension, base = FACTORS[name] if name else ("", Fraction(1))
            times = Fraction(1) if name == "m" and multiple != 1 else multiple
            readings.append(Reading("number", sign * value * times * base, sign * value * times, dimension))
    if not readings:
        return [Reading("id", digits)], end
    if digits.isdigit() and units == {""}:
        if digits.startswith("0") and 3 <= len(digits) < 7:
            return [Reading("id", digits)], end  # a code: its zeros count
        if len(digits) == 4 and digits[:2] in ("19", "20"):
            readings.append(Reading("date", day=(int(digits), 0, 0)))
        if len(digits) >= 7 or (digits.startswith("0") and len(digits) > 1):
            readings.append(Reading("id", digits.lstrip("0")))
    return readings, end


def _multiplier(tail: re.Match[str], language: str) -> int:
    word = tail["word"].lower()
    is_unit = (word in SHORT and tail["gap"]) or (word == "mil" and language in ("sv", "no"))  # ten kilometres
    return 0 if is_unit else MULTIPLIERS.get(word, 0)


def _is_label(text: str, start: int, end: int) -> bool:
    """Whether a number names a thing, as in "flat 3": a small number after a word and not before one."""
    before = re.search(r"([^\W\d_]+)[ #-]{1,2}$", text[max(0, start - 30) : start])
    after = re.match(r"\s+([^\W\d_]+)", text[end : end + 20])
    if not before or end - start > 3 or is_function_word(before[1]):
        return False
    return after is None or is_function_word(after[1])


def _joined_durations(text: str, found: list[Quantity]) -> list[Quantity]:
    """The quantities, with "2 hours and 5 minutes" as one."""
    joined: list[Quantity] = []
    for one in found:
        before = joined[-1] if joined else None
        if before and AND.fullmatch(text[before.end : one.start]) and (parts := _larger_and_smaller(before, one)):
            total = sum(parts, Fraction(0))
            joined[-1] = Quantity(frozenset({Reading("number", total, total, "duration")}), before.start, one.end)
        else:
            joined.append(one)
    return joined


def _larger_and_smaller(one: Quantity, two: Quantity) -> list[Fraction]:
    """The values of two durations, the second less than a part of the first; empty if they are anything else."""
    values = [
        next((each.value for each in quantity.readings if each.unit == "duration" and isinstance(each.value, Fraction)), None)
        for quantity in (one, two)
    ]
    first, second = values
    return [first, second] if first and second and second < 3600 <= first + second and second < first else []


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Both ends of a range have the unit of its end: "3-5 kg"."""
    for place in range(len(found) - 2, -1, -1):
        one, following = found[place], found[place + 1]
        if one.units or not following.units or not TO.fullmatch(text[one.end : following.start]):
            continue
        shared = {
            Reading("number", one_reading.raw * next_reading.value / next_reading.raw, one_reading.raw, next_reading.unit)
            for one_reading in one.readings
            for next_reading in following.readings
            if isinstance(one_reading.raw, Fraction) and isinstance(next_reading.raw, Fraction)
            if isinstance(next_reading.value, Fraction) and next_reading.unit and next_reading.raw
        }
        if shared:
            found[place] = Quantity(frozenset(shared), one.start, one.end)
    return found
