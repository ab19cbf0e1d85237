"""Takes a statement apart: whom it is about, and what it gives a value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..attributes.reading import find_stated
from ..text.ages import find_age
from ..text.number_words import replace_number_words
from ..tokenizer import name_spans, terms
from . import forms
from .habits import terms_beside_now
from .residence import find_home

_WORD = re.compile(r"[^\W_]+")
SPEAKER = frozenset[str]()  # owner of what is said of the speaker
_CALLED = re.compile(r"^an? (?:\w+ ){0,2}?(?:called|named|by the name of) ", re.IGNORECASE)
_NO_PEOPLE = {"es": frozenset({"son"}), "fr": frozenset({"son"})}  # "are", "his"
_STILL = frozenset(
    {
        "now",
        "just",
        "recently",
        "currently",
        "have",
        "ve",
        "also",
        "still",
        "am",
        "m",
        "bin",
        "ai",
        "mij",
        "me",
        "and",
        "retrained",
        "switched",
    }
)


@dataclass(frozen=True, slots=True)
class Slot:
    """``owner``: terms of whom or what it is about, empty for the speaker.  ``before``: words between verb and value."""

    kind: str
    owner: frozenset[str]
    value: frozenset[str]
    before: str = ""
    after: str = ""
    sole: bool = False  # the owner has only one such value
    flexible: bool = False  # "moved to Friday" replaces "is on Monday"
    rented: bool = False  # a home that may be one of several


@dataclass(frozen=True, slots=True)
class Parts:
    """A statement taken apart, see ``Slot``."""

    words: frozenset[str]
    numbers: frozenset[str]
    people: frozenset[str]
    slots: tuple[Slot, ...]


@lru_cache(maxsize=forms.KEPT)
def take_apart(text: str, speaker: str, language: str) -> Parts:
    own = frozenset(terms(speaker, language)) if speaker else frozenset()
    plain = forms.with_is(forms.ORDINAL.sub("", text.replace("’", "'")))
    return Parts(
        words=frozenset(terms(plain, language or "auto")) - own,
        numbers=frozenset(term for number in forms.NUMBER.findall(plain) for term in terms(number, "en")),
        people=frozenset(found.casefold() for found in forms.PEOPLE.findall(plain)) - _NO_PEOPLE.get(language, frozenset()),
        slots=tuple(_slots(plain, own, language or "auto")),
    )


def _slots(text: str, speaker: frozenset[str], language: str) -> Iterator[Slot]:
    for clause in forms.clauses(text):
        if home := find_home(clause, text, language):
            owner = SPEAKER if home.verb is None else _owner(clause, home.verb, speaker, language)
            if owner is not None and home.place:
                yield Slot("home", owner, home.place, rented=home.rented)
        if found := forms.JOB_ENDED.search(clause):
            own = forms.FIRST_PERSON_WITHOUT_SPACES.match(clause)
            if (owner := SPEAKER if own else _owner(clause, found, speaker, language)) is not None:
                yield Slot("job ended", owner, terms_beside_now(clause[found.end() :], language))
        trade = (
            forms.BY_TRADE.search(clause)
            or forms.TRADE_NOW.search(clause)
            or (forms.AM_NOW.search(clause) if forms.JOB_CHANGED.search(text) else None)
        )
        if trade is not None:
            yield Slot("job", SPEAKER, terms_beside_now(next(filter(None, trade.groups())), language))
        if (age := find_age(clause, language)) and (owner := _whose(age[0], speaker, language)) is not None:
            yield Slot("age", owner, frozenset({str(age[1])}), flexible=True)
        yield from _copula(clause, speaker, language)
    for stated in find_stated(text):
        if stated.attribute in ("job", "employer"):
            owner = frozenset(terms(" ".join(stated.owner), language)) - speaker
            yield Slot(stated.attribute, owner, frozenset(terms(" ".join(stated.value), language)))


def _copula(clause: str, speaker: frozenset[str], language: str) -> Iterator[Slot]:
    moved = forms.MOVED.search(clause)
    found = moved or forms.COPULA.search(clause) or forms.COPULA_WITHOUT_SPACES.match(clause)
    if not found:
        return
    subject = found["subject"] if moved or found.re is forms.COPULA_WITHOUT_SPACES else clause[: found.start()]
    heads = frozenset(_WORD.findall(subject.casefold()))
    if not subject or len(subject) > 60 or forms.PAST_SUBJECT.search(subject) or heads & forms.THIRD_PERSON:
        return
    owner = _subject(subject, speaker, language)
    if not owner or heads <= forms.VAGUE_SUBJECTS:
        return
    titled = forms.TITLED_WITHOUT_SPACES.match(found["value"])
    value = replace_number_words(titled.group() if titled else _CALLED.sub("", found["value"]), language)
    if forms.NEGATED.match(value):
        return
    kind = "name" if titled else _kind_of_value(clause, subject, value)
    if kind == "words":
        return
    before, after = _around(value)
    sole = forms.ONE_HOLDER.search(subject) is not None and (
        titled is not None or forms.TITLED.match(value) is not None or kind == "called"
    )
    flexible = bool(moved) or forms.SHIFTED.search(found.group()) is not None
    yield Slot(kind, owner, terms_beside_now(value, language), before, after, sole, flexible)


def _kind_of_value(clause: str, subject: str, value: str) -> str:
    """Values of one kind exclude each other: numbers, names, words for an attribute.  Other words ("sick", "brown") do not."""
    if forms.DESCRIBES.match(value):
        return "words"
    if forms.NAMED.search(clause):
        return "words" if forms.ARTICLE.match(value) else "called"
    if forms.ATTRIBUTE.search(subject) or forms.DIGITS.fullmatch(value):
        return "attribute"
    if forms.NUMBER.search(value):
        return "number"
    return "name" if any(True for _ in name_spans(value)) else "words"


def _around(value: str) -> tuple[str, str]:
    """The words before the number or name of a value, and the one after its number."""
    if number := forms.NUMBER.search(value):
        rest = _WORD.findall(value[number.end() :].casefold())
        return _plain(value[: number.start()]), rest[0] if rest else ""
    first = next((start for _, start, _ in name_spans(value)), 0)
    return _plain(value[:first]), ""


def _plain(text: str) -> str:
    noise = ("the", "a", "about", "around", "now", "only", "der", "den", "dem", "le", "la", "el", "il", "o", "de", "het")
    return " ".join(word for word in _WORD.findall(text.casefold()) if word not in noise and not forms.NOW.fullmatch(word))


def _owner(clause: str, verb: re.Match[str], speaker: frozenset[str], language: str) -> frozenset[str] | None:
    """Terms of whom a verb is about, empty for the speaker; None if the clause does not name that person."""
    before = _WORD.findall(clause[: verb.start()].casefold())
    if forms.SPEAKERS_VERB.match(verb.group()):
        return SPEAKER
    own = max((place for place, word in enumerate(before) if word in forms.FIRST_PERSON - {"my", "user"}), default=-1)
    if own >= 0 and _STILL.issuperset(before[own + 1 :]):
        return SPEAKER
    if forms.THIRD_PERSON & set(before):
        return None
    named = _subject(" ".join(before), speaker, language)
    if named:
        return named
    addressed = "user" in before or bool(speaker & set(terms(" ".join(before), language))) or own >= 0
    return SPEAKER if addressed or not (before or forms.OTHERS_VERB.match(verb.group())) else None


def _whose(before: str, speaker: frozenset[str], language: str) -> frozenset[str] | None:
    """Terms of whom the words before a value name, empty for the speaker; None if they name nobody."""
    found = set(_WORD.findall(before.casefold()))
    if found & forms.THIRD_PERSON:
        return None
    return _subject(before, speaker, language) or (SPEAKER if found <= forms.SUBJECT_NOISE | forms.FIRST_PERSON else None)


def _subject(text: str, speaker: frozenset[str], language: str) -> frozenset[str]:
    """Terms of whom or what a statement is about; empty for the speaker."""
    plain = forms.SUBJECT_NOISE_WITHOUT_SPACES.sub("", text)
    kept = (word for word in _WORD.findall(plain.casefold()) if word not in forms.SUBJECT_NOISE)
    return frozenset(terms(" ".join(kept), language)) - speaker
