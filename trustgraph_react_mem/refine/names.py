"""The names in a sentence, and whether a source has them, in any spelling or case ending."""

import re
import unicodedata

from ..indexing.text.number_words import replace_number_words
from ..indexing.text.quantities import without_dates
from ..indexing.text.quantity_patterns import CURRENCY, MONTHS, UNITS
from ..indexing.tokenizer import guess_language, name_spans
from .requirement_patterns import LANGUAGE_NAMES

SHORT = 3  # words of an answer that may be a bare name
MOST_CAPITALS = 0.7  # share of words with a capital from which the text is a title, whose capitals name nothing
LONGEST_ENDING = 2  # letters of a case ending
MOST_FOLLOWING = 80  # characters after a word that tell whether it is a name

_IS_NAMED = re.compile(r"(?i)(?:\b(?:in|aus|nach|von|bei|heißt|heiße|namens|genannt|hieß|frau|herr)\s+)$")
_GERMAN_NOUN = re.compile(r"(?i)(?:ung|heit|keit|schaft|tion|tät|nis|tum|ling|ismus|chen|lein)(?:e?n|e?s)?$")
# A lone first word is a name if one person or place can be or do what follows.  "Nuts are" and "dinner was at" name things.
_STATES_OF_NAME = re.compile(
    r"^\s*(?:(?:is|was)(?!\s+(?:at|on|due|every|from|until|free|included|per)\b)|has|had|lives?|lived|works?|worked|said|likes?"
    r"|loves?|ist|war|hat|wohnt|lebt|mag|est|était|vit|habite"
    r"|es|era|tiene|vive|è|ha|é|tem|mora|heeft|woont|arbeitet|travaille|trabaja|lavora|trabalha|werkt)\b"
)
_HAS_FRENCH = re.compile(r"^\s*a\b")
_AMOUNT_OF = re.compile(r"^\s*(?:is|was|es|era|est|è|é)\s+(?:\w+\s+)?[€$£]?\d")
_ENGLISH_NOUN = re.compile(r"(?:(?<=[a-z]{3})(?:ing|tion|sion|ment|ness|ship|hood|ism))s?$")
_PLACE_BEFORE = re.compile(
    r"(?i)\b(?:in|at|to|from|near|of|im|nach|aus|bei|à|au|aux|en|de|a|da|em|no|na|te|naar|uit|в|во|из|на|w|z|do|i|till)"
    r"\s+(?:the\s+)?$"
)
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag
mittwoch donnerstag freitag samstag sonntag"""
# Capitalised, but not the name of a person, a place or a thing.
_WORDS = "user assistant ai yes no ok okay note sorry answer uhr today tomorrow yesterday tonight everyone someone anyone"
NO_NAMES = frozenset(f"{_DAYS} {_WORDS} celsius fahrenheit".split()) | frozenset(MONTHS)
_INFLECTED = frozenset({"ru", "uk", "pl", "cs", "sk", "fi", "et", "hu", "tr", "lt", "lv", "hr", "sr", "bg"})
#: In these languages a verb without a pronoun may begin a sentence: "Asut Helsingissä", "Eres Ana".
_VERB_FIRST = _INFLECTED | {"es", "it", "pt", "ca", "ro"}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def names_in(text: str, language: str) -> set[str]:
    """The names in a sentence, in lower case.  A capital letter alone makes none: sentences and German nouns begin with one."""
    plain = CURRENCY.sub("francs", without_dates(text))
    words = plain.split()
    listed = plain.count(",") >= len(words) - 1
    if not listed and len(words) > SHORT and sum(word[:1].isupper() for word in words) > MOST_CAPITALS * len(words):
        return set()
    found: set[str] = set()
    bare = len(words) <= SHORT and all(word[:1].isupper() for word in words)
    first = len(plain) - len(plain.lstrip(" \t\"'“„«*_([-"))
    end_before = -1
    for name, start, end in name_spans(plain):
        after_name, end_before = end_before >= 0 and plain[end_before:start].isspace(), end
        before_name = plain[end : end + 1] == " " and plain[end + 1 : end + 2].isupper()
        if name in NO_NAMES or name in UNITS or any(replace_number_words(name, code) != name for code in {language, "en"}):
            continue
        if start <= first:
            stated = language != "de" and _is_person_or_place(name, plain[end:], language)
            if language in _VERB_FIRST and len(words) > 1 and not stated:
                continue
            owns = len(words) <= SHORT and plain[end : end + 2] in ("'s", "’s")
            if not (bare or before_name or stated or owns):
                continue
        elif language == "de" and (_GERMAN_NOUN.search(name) or not (after_name or _IS_NAMED.search(plain[:start]))):
            continue
        found.add(name)
    return found


def _is_person_or_place(name: str, following: str, language: str) -> bool:
    """Whether the first word of a sentence is a name, by the rest of the sentence."""
    if language == "fr" and _HAS_FRENCH.match(following):
        return True
    if language == "en" and _ENGLISH_NOUN.search(name):
        return False
    amount = _AMOUNT_OF.match(replace_number_words(following[:MOST_FOLLOWING], language))
    return not amount and _STATES_OF_NAME.match(following) is not None


def spellings(text: str) -> str:
    """The text in lower case, and again as it is written without accents and with "ue" for "ü"."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "\n".join(dict.fromkeys((folded, _plain(folded), _plain(folded.translate(_UMLAUTS)))))


def occurs(name: str, text: str, language: str = "") -> bool:
    """Whether a name is in a text, also with another ending.  ``text``: as ``spellings`` returns it."""
    least = 3 if language in _INFLECTED else 4
    return any(
        each in text or (len(each) > least and each[: max(least, len(each) - LONGEST_ENDING)] in text)
        for each in spellings(name).split("\n")
    )


def has_no_names(text: str) -> bool:
    """Whether a text names no person.  Names of places, languages and days may occur."""
    language = guess_language(text) or "en"
    plain = without_dates(text)
    named = names_in(text, language) - LANGUAGE_NAMES.keys()
    return not any(name in named and not _PLACE_BEFORE.search(plain[:start]) for name, start, _ in name_spans(plain))


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(each for each in apart if not unicodedata.combining(each))
