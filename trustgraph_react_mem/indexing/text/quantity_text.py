"""A text as the patterns of quantities read it: with digits, decimals and signs for what is written in words."""

import re
import unicodedata
from fractions import Fraction

from .quantity_patterns import CURRENCY, DEGREES, FRACTION, FRACTIONS, HALF, HALF_MORE, PERCENT, SHORT_YEAR, SQUARE_METRES, WIDE

MAX_DIGITS = 40  # longer runs are compared as text
_COMMA_GROUPS = frozenset({"en", "ja", "zh", "ko", "th", "he", "hi", ""})  # languages that write 1,500 for 1500
_PARTS = {"½": ".5", "¼": ".25", "¾": ".75"}
_PART = re.compile(r"(?:(?<![\d.,])(\d{1,6})[ \u2009]?)?([½¼¾])")


def with_fractions(text: str) -> str:
    """The text with halves and quarters as decimals: "2 and a half" is "2.5", "half an hour" is "0.5 hour"."""
    text = HALF.sub("0.5 ", HALF_MORE.sub(r"\1.5", text))
    text = FRACTION.sub(lambda match: f"{int(match[1]) / int(match[2]):g}", text)
    for sign, value in FRACTIONS.items():
        text = text.replace(sign, value)
    return SHORT_YEAR.sub(lambda match: f"{'19' if int(match[1]) > 40 else '20'}{match[1]}", text)


def with_plain_digits(text: str) -> str:
    """The text with digits of all scripts as ASCII digits, and "percent", "degrees Celsius" and "Swiss francs" in short."""
    if not text.isascii():
        # Not NFKC: it would join "²" and "½" to the number before them.
        text = "".join(str(unicodedata.digit(c)) if c.isdecimal() and not c.isascii() else c for c in text)
        text = _PART.sub(lambda match: (match[1] or "0") + _PARTS[match[2]], text.translate(WIDE))
    text = SQUARE_METRES.sub("m²", text)
    return CURRENCY.sub("CHF", DEGREES.sub(lambda match: f"°{match[1][0]}", PERCENT.sub("%", text)))


def values_of(digits: str, language: str, *, money: bool) -> list[Fraction]:
    """The values of digits with separators.

    >>> values_of("1.500", "de", money=False), values_of("1.5", "de", money=False)
    ([Fraction(1500, 1)], [Fraction(3, 2)])
    """
    if len(digits) > MAX_DIGITS:
        return []
    digits = re.sub(r"['’ \u00a0\u202f]", "", digits)
    signs = re.findall(r"[.,]", digits)
    if not signs:
        return [Fraction(digits)]
    grouped = Fraction(re.sub(r"[.,]", "", digits))
    whole, part = re.split(r"[.,](?=\d+$)", digits)
    decimal = Fraction(f"{re.sub(r'[.,]', '', whole)}.{part}")
    if len(set(signs)) > 1 or len(part) != 3 or whole.startswith("0") or len(re.split(r"[.,]", digits)[0]) > 3:
        return [decimal if signs.count(signs[-1]) == 1 else grouped]
    if len(signs) > 1 or money:
        return [grouped]
    if not language:
        return [grouped, decimal]
    return [grouped if (signs[0] == ",") == (language in _COMMA_GROUPS) else decimal]
