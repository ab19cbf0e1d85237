"""Numbers in a text as values with units, clock times, dates and identifiers.

Pure, linear in the length of the text.
"""

from collections.abc import Iterable

from ..tokenizer import guess_language
from .number_words import LANGUAGES, replace_number_words
from .quantity import Quantity
from .quantity_patterns import AND_A_HALF, DATES
from .quantity_scan import scan
from .quantity_text import with_fractions, with_plain_digits

MAX_CHARS = 20_000


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
        quantity
        for variant in dict.fromkeys(map(with_fractions, variants))
        for quantity in scan(variant, language, source=source)
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
    return " ".join(divide_at_quantities(text)[1])


def divide_at_quantities(text: str) -> tuple[list[Quantity], list[str]]:
    """The quantities of a text, and the texts before, between and after them: one more."""
    plain = with_plain_digits(text[:MAX_CHARS])
    language = guess_language(plain)
    plain = with_fractions(replace_number_words(plain, language))
    found, parts, at = list[Quantity](), list[str](), 0
    for quantity in scan(plain, language, source=False):
        if quantity.start >= at:
            parts.append(plain[at : quantity.start])
            found.append(quantity)
        at = max(at, quantity.end)
    return found, [*parts, plain[at:]]
