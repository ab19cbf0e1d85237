"""Reads the value of an attribute: names, words, an amount."""

import re
import unicodedata
from functools import cache

from ..changes import forms
from ..text.number_words import replace_number_words
from ..text.slots import exclusive_words
from ..tokenizer import is_function_word, is_spaceless, name_spans
from .guards import STATES, TITLES
from .kinds import Kind
from .phrases import Phrase, read_typed_values
from .wordings import WORDINGS

MOST_WORDS = 5  # of a value
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_TOKEN = re.compile(r"[^\W_]+(?:[.@+&'_-][^\W_]+)*(?:\+\+)?")


@cache
def _read_typed() -> dict[str, dict[str, bool]]:
    return read_typed_values(WORDINGS)


def find_typed_value(attribute: str, value: str, lower: bool) -> frozenset[str]:
    """The value that is known to be of the attribute."""
    known = _read_typed().get(attribute, {})
    tokens = _TOKEN.findall(value)[: MOST_WORDS + 1]
    for place in range(len(tokens)):
        for length in (2, 1):
            word = " ".join(tokens[place : place + length])
            capital = known.get(word.casefold())
            if capital is None or (capital and not word[:1].isupper()):
                continue
            # "A Toyota brochure" is another thing.
            rest = tokens[place + length :][:1]
            if not rest or lower or not rest[0].islower() or rest[0] in _OF_KIND or is_function_word(rest[0]):
                return frozenset({word.casefold()})
    return frozenset()


_OF_KIND = forms.words(
    "estate hybrid van convertible electric model pro plus max mini teacher nurse driver now account card user"
)


def cut_value(value: str, phrase: Phrase) -> str:
    """A value without what follows it."""
    return re.split(rf"\s(?:{phrase.wording.ends})(?![\w'])|[()]", value, maxsplit=1, flags=re.IGNORECASE)[0]


_ELSEWHERE = re.compile(
    r"(?:to|for|as|of|like|by|with|from|on|in|at|up|out|off|around|about|down|home|night|nights|weekends|ease|height|least|once"
    r"|first|last|zur|zum|mit|nach)\b",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"\b[A-Z]+\d\w*|\b[A-Z]{2,}\b")


def read_value(kind: Kind, text: str, phrase: Phrase, lower: bool) -> frozenset[str]:
    if kind is Kind.EMAIL:
        return frozenset(re.findall(r"[\w.+-]{1,64}@[\w.-]{1,100}\w", text.casefold()))
    if kind is Kind.DIGITS:
        digits = "".join(filter(str.isdigit, text))
        return frozenset({digits}) if len(digits) >= 5 else frozenset()
    if kind in (Kind.NUMBER, Kind.MONEY, Kind.DOSE, Kind.DATE):
        if kind is Kind.MONEY and not _CURRENCY.search(text):
            return frozenset()
        if kind is Kind.DOSE and not _UNIT.search(text):
            return frozenset()
        plain = forms.ORDINAL.sub("", replace_number_words(text, phrase.wording.code, weak=True))
        months = exclusive_words(plain, phrase.wording.code).values() if kind is Kind.DATE else ()
        return frozenset(forms.NUMBER.findall(plain)).union(*months)
    if not phrase.before and _ELSEWHERE.match(text.strip()):  # "drive to the office"
        return frozenset()
    cut = text if phrase.before else cut_value(text.strip(), phrase)
    named = [name for name, _, _ in name_spans(cut)] or _CAPITALS.findall(cut)
    if named and phrase.wording.code != "de" and kind is not Kind.WORDS:
        return frozenset(word for name in named for word in [fold(name)] if word not in TITLES)
    words = [fold(word) for word in WORD.findall(replace_number_words(cut, phrase.wording.code))]
    if kind is Kind.NAME:  # "at nine" names nothing
        words = [word for word in words if not word.isdigit()]
    words = [word for word in words if word not in TITLES and not forms.NOW.fullmatch(word) and not is_function_word(word)]
    words = words[-2:] if phrase.before else words[:MOST_WORDS]
    if STATES.intersection(words[:2]):
        return frozenset()
    if kind in (Kind.WORDS, Kind.PLACE) or lower or named or is_spaceless(cut):
        return frozenset(words)
    return frozenset()


_CURRENCY = re.compile(
    r"[$€£¥]|\b(?:euros?|eur|dollars?|usd|pounds?|quid|bucks|gbp|francs?|chf|złotych|zł|рублей|руб|reais|k)\b|\dk\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\d\s?(?:mg|mcg|µg|ug|ml|g|iu|units?|drops?|tablets?|pills?|puffs?|milligrams?|einheiten|tropfen|tabletten)\b",
    re.IGNORECASE,
)


def fold(word: str) -> str:
    word = word.casefold()
    return word if word.isascii() else "".join(c for c in unicodedata.normalize("NFKD", word) if not "\u0300" <= c <= "\u036f")
