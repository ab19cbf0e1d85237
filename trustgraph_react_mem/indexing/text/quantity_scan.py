"""The quantities of a normalised text: values with units, clock times, dates and identifiers, found by patterns in turn."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction

from ..tokenizer import is_function_word
from .quantity import Quantity, Reading
from .quantity_patterns import (
    AMBIGUOUS,
    AND,
    CLOCK,
    CODE,
    CURRENCIES,
    DATES,
    FACTORS,
    LONE_MONTH,
    MONTHS,
    MULTIPLIERS,
    NOON,
    NUMBER,
    PAST,
    PAST_AFTER,
    PHONE,
    SHARE,
    SHARES,
    SHORT,
    TAIL,
    TO,
    UNITS,
    VERSION,
)
from .quantity_text import values_of

_DECIMAL = re.compile(r"(\d\d?\.\d\d?)\.")


def scan(text: str, language: str, *, source: bool) -> list[Quantity]:
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
        for match in matches(SHARE):
            percent = Fraction(SHARES[match.lastgroup or "half"])
            found.append(Quantity(frozenset({Reading("number", percent, percent, "percent")}), *match.span()))
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
    sign_before = (match["currency"] or "").lower()
    multiple, unit = Fraction(1), UNITS.get(sign_before, "")
    units = set(AMBIGUOUS.get(sign_before, (unit,)))
    tail = TAIL.match(text, end) if not match["ordinal"] else None
    if tail and (factor := _multiplier(tail, language)):
        short = tail["word"].lower() in SHORT
        multiple, end = Fraction(factor), tail.end()
        tail = TAIL.match(text, end)
        units = {*units, "m"} if short and text[end - 1].lower() == "m" and not unit else units
    if tail and not unit and (named := _units(tail["word"], language)):
        units, end = named, tail.end()
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
    money = bool(units & CURRENCIES)
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


def _units(word: str, language: str) -> set[str]:
    """The units that a word after a number can mean; empty if it is none."""
    word = word.lower().replace(" ", "")
    if word == "mil" and language == "pl":
        return {"mi"}
    if word in AMBIGUOUS:
        return set(AMBIGUOUS[word])
    return {UNITS[word]} if word in UNITS else set()


def _multiplier(tail: re.Match[str], language: str) -> int:
    word = tail["word"].lower()
    is_unit = (word in SHORT and tail["gap"]) or (word == "mil" and language in ("sv", "no", "pl"))  # ten kilometres, or miles
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
