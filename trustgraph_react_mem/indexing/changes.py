"""Decides whether a newer statement changes what an older one says, and whether a question asks for the past.

Only forms are compared (change_forms.py): where a person lives or works, "my X is Y", ended habits, corrections, and amounts.
The test serves the order of what is shown and changes nothing in the store, so a missed change costs little.  A false one hides
what is true, so in doubt nothing is changed: another owner, another thing of the same kind, an addition or an event.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from . import change_forms as forms
from .announcements import announces_change, announces_change_of
from .corrections import corrects_value, is_correction, may_correct_last, states_otherwise
from .habits import (
    ends,
    is_doubtful,
    is_elsewhere,
    is_other_state,
    is_other_value,
    is_reversed,
    negated_states,
    speaks_of_self,
    terms_beside_now,
)
from .other_names import introduced_names
from .residence import COUNTRIES, find_home
from .text.ages import find_age
from .tokenizer import guess_language, name_spans, terms

FORMS = "forms"  # key of the payload: the kinds of what the record states, so that recall reads few texts
LONGEST_CORRECTION = 160  # characters
LONGEST = 400  # characters; a longer text says more than one thing
SAME_WORDS = 0.7  # Jaccard similarity of the words of two texts that differ in their amounts

_WORD = re.compile(r"[^\W_]+")
_SPEAKER = frozenset[str]()  # owner of what is said of the speaker
_CHANGING, _CHANGEABLE = {"job ended", "again"}, {"job", "employer", "ended", "negated"}
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
class _Slot:
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
class _Read:
    """A statement taken apart, see ``_Slot``."""

    words: frozenset[str]
    numbers: frozenset[str]
    people: frozenset[str]
    slots: tuple[_Slot, ...]


def asks_for_past(question: str) -> bool:
    """Whether the question asks for something that may no longer be true.

    >>> asks_for_past("Where did I live before Leipzig?"), asks_for_past("Where do I live?")
    (True, False)
    """
    return forms.ASKS_PAST.search(question) is not None


@lru_cache(maxsize=forms.KEPT)
def find_forms(text: str, *, language: str = "") -> tuple[str, ...]:
    """The kinds of what a text states, to be stored with its record: ``may_change`` compares them without reading texts.

    ``language``: ISO 639-1; "": it is guessed.
    """
    if len(text) > LONGEST:
        return ()
    text = forms.without_quotations(text)
    found = {slot.kind for slot in _read(text, "", language).slots}
    if _NUMBERED.search(text):
        found.add("amount")
    if forms.NO_LONGER.search(text):
        found.add("ended")
    if announces_change(text):
        found.add("announces")
    if len(text) <= LONGEST_CORRECTION and negated_states(text, language):
        found.add("negated")
    if forms.AGAIN.search(text):
        found.add("again")
    if len(text) <= LONGEST_CORRECTION and is_correction(text):
        elsewhere = forms.NEGATES.search(text) or forms.RETRACTS.search(text)
        found.add("denies" if elsewhere else "corrects")
    elif may_correct_last(text):
        found.add("corrects")
    return tuple(sorted(found))


def may_change(new: Collection[str], old: Collection[str], *, same_conversation: bool = False) -> bool:
    """Whether a text with the forms ``new`` can change one with the forms ``old``."""
    if not {"denies", "ended", "announces", "negated"}.isdisjoint(new) or ("corrects" in new and same_conversation):
        return True
    return not (_CHANGING.isdisjoint(new) or _CHANGEABLE.isdisjoint(old)) or any(form in old for form in new)


def changes(
    new: str, old: str, *, speaker: str = "", language: str = "", same_conversation: bool = False, follows: bool = False
) -> bool:
    """Whether ``new``, said later, replaces what ``old`` says.

    ``speaker``: name of the person who said both; a text about that person may have the name or "I".  ``language``: of both,
    ISO 639-1; "": it is guessed.  ``same_conversation``: both are of one conversation, where a correction may leave out what it
    is about.  ``follows``: ``new`` is the person's next message there, so that its value alone may be the correction.

    >>> changes("I moved to Leipzig last week.", "I live in Hamburg.")
    True
    >>> changes("My sister lives in Oslo.", "I live in Hamburg.")
    False
    """
    if max(len(new), len(old)) > LONGEST:
        return False
    new, old = forms.without_quotations(new), forms.without_quotations(old)
    language = language or guess_language(new) or guess_language(old) or "en"
    after, before = _read(new, speaker.casefold(), language), _read(old, speaker.casefold(), language)
    same_people = after.people == before.people or _names_one_of(after, new, before, old)
    if any(
        _replaces(slot, former, new)
        for slot in after.slots
        for former in before.slots
        if same_people or not (slot.flexible or former.flexible)
    ):
        return not (forms.adds(new) or _has(forms.FUTURE, new) or (_has(forms.PAST, new) and not _is_now(new)))
    if follows and after.people <= before.people and corrects_value(new, old, language):
        return True
    if not same_people:
        return False
    if (
        is_other_state(new, old, after.words, before.words, language)
        or is_other_value(new, old, after.words, before.words, language)
        or is_reversed(new, old, language)
        or is_elsewhere(new, old, language)
    ):
        return True
    ended = _has(forms.NO_LONGER, old)
    if _has(forms.NO_LONGER, new) and not ended and not _has(forms.NEGATED, old) and ends(new, old, before.words, language):
        return True
    if _has(forms.AGAIN, new) and ended:
        return ends(old, new, after.words, language)
    if is_correction(new) and _corrects(new, old, after, before, language, same_conversation):
        return True
    owned = frozenset[str]().union(*(slot.owner for slot in before.slots))
    return _differs_in_amount(new, old, after, before) or announces_change_of(new, old, owned=owned, language=language)


# ------------------------------------------------------------------------------------------------------ rules


def _replaces(new: _Slot, old: _Slot, text: str) -> bool:
    if new.kind == "job ended":
        return old.kind in ("job", "employer") and new.owner == old.owner
    if new.kind != old.kind or not _same_owner(new, old):
        return False
    if new.value <= old.value or old.value <= new.value:
        return False
    now = _is_now(text)
    if new.kind == "home":
        several = (new.rented or old.rented) and not now
        return not several and not (new.value | old.value) & COUNTRIES and not new.value & old.value
    if new.kind in ("job", "employer"):
        return now and not new.value & old.value
    if new.kind == "attribute" or new.flexible:
        return True
    if new.kind == "called":
        return now or new.sole
    if new.before != old.before:
        return False
    if new.kind == "number":
        return bool(new.before) or new.after == old.after or not (new.after and old.after)
    return bool(new.before) or now or new.sole


def _names_one_of(after: _Read, new: str, before: _Read, old: str) -> bool:
    """Whether one text says who somebody is whom the other only names: "my grandson Theo is four", "Theo turned five"."""
    if after.people and before.people:
        return False
    introducing, naming = (new, old) if after.people else (old, new)
    return not introduced_names(introducing).isdisjoint(name for name, _, _ in name_spans(naming))


def _same_owner(new: _Slot, old: _Slot) -> bool:
    if new.owner == old.owner:
        return True
    # "The inspection" for "my car inspection": only of appointments, and if the shorter one names no other owner.
    dated = new.flexible or (bool(new.before) and new.before == old.before)
    return dated and bool(new.owner) and new.owner < old.owner and not any(map(str.isdigit, "".join(old.owner)))


def _is_now(text: str) -> bool:
    return _has(forms.NOW, text)


def _corrects(new: str, old: str, after: _Read, before: _Read, language: str, same_conversation: bool) -> bool:
    """Whether ``new`` says that ``old`` was wrong: it denies a number of it, or something of it beside what both are about."""
    if len(new) > LONGEST_CORRECTION or _has(forms.FUTURE, new) or (after.slots and before.slots and not same_conversation):
        return False
    shared = (after.words & before.words) - after.numbers
    found = forms.NEGATES.finditer(forms.ORDINAL.sub("", new))
    denied = {term for match in found for term in terms(match["value"])} & before.words
    if denied and (denied & before.numbers or shared - denied):
        return True
    if any(slot.owner != former.owner for slot in after.slots for former in before.slots if slot.kind == former.kind):
        return False
    if not same_conversation and not _has(forms.RETRACTS, new):
        return False
    other = {word for word in _WORD.findall(new.casefold()) if word not in forms.CORRECTION_NOISE}
    if states_otherwise(new, old) or before.words.issuperset(terms(" ".join(other), language)):
        return False
    return len(shared) >= 2 and not _has(forms.EVENT, old)


_NUMBERED = re.compile(r"^(?:\W*(?:the )?[^\W\d_]+\W+){1,6}\d+(?:[.,]\d+)*\W?\s*[^\W\d_]*", re.IGNORECASE)


def _differs_in_amount(new: str, old: str, after: _Read, before: _Read) -> bool:
    """ "I take 2 mg" after "I take 1 mg": the same words about the speaker, with one number in each."""
    if _numbers(new) != 1 or _numbers(old) != 1 or after.numbers & before.numbers:
        return False
    if not (speaks_of_self(new) and speaks_of_self(old)) or _has(forms.LABELLED, new) or _has(forms.LABELLED, old):
        return False
    own, other = after.words - after.numbers, before.words - before.numbers
    if len(own & other) < max(2.0, SAME_WORDS * len(own | other)):
        return False
    return not is_doubtful((forms.PAST, forms.FUTURE, forms.EVENT), new, old)


# ---------------------------------------------------------------------------------------------------- reading


@lru_cache(maxsize=16 * forms.KEPT)
def _has(pattern: re.Pattern[str], text: str) -> bool:
    """A text is compared with many others, so what it has is found once."""
    return pattern.search(text) is not None


@lru_cache(maxsize=forms.KEPT)
def _numbers(text: str) -> int:
    return len(forms.NUMBER.findall(text))


@lru_cache(maxsize=forms.KEPT)
def _read(text: str, speaker: str, language: str) -> _Read:
    own = frozenset(terms(speaker, language)) if speaker else frozenset()
    plain = forms.ORDINAL.sub("", text.replace("’", "'"))
    return _Read(
        words=frozenset(terms(plain, language or "auto")) - own,
        numbers=frozenset(term for number in forms.NUMBER.findall(plain) for term in terms(number, "en")),
        people=frozenset(found.casefold() for found in forms.PEOPLE.findall(plain)),
        slots=tuple(_slots(plain, own, language or "auto")),
    )


def _slots(text: str, speaker: frozenset[str], language: str) -> Iterator[_Slot]:
    for clause in forms.clauses(text):
        if home := find_home(clause, text, language):
            owner = _SPEAKER if home.verb is None else _owner(clause, home.verb, speaker, language)
            if owner is not None and home.place:
                yield _Slot("home", owner, home.place, rented=home.rented)
        if (found := forms.WORK_AT_WITHOUT_SPACES.search(clause)) and forms.PEOPLE.search(clause) is None:
            yield _Slot("employer", _SPEAKER, frozenset(terms(next(filter(None, found.groups())), language)))
        for kind, pattern in (("job", forms.WORK_AS), ("employer", forms.WORK_AT), ("job ended", forms.JOB_ENDED)):
            if found := pattern.search(clause):
                own = forms.FIRST_PERSON_WITHOUT_SPACES.match(clause)
                owner = _SPEAKER if own else _owner(clause, found, speaker, language)
                if owner is not None:
                    yield _Slot(kind, owner, terms_beside_now(clause[found.end() :], language))
                break
        trade = (
            forms.BY_TRADE.search(clause)
            or forms.TRADE_NOW.search(clause)
            or (forms.AM_NOW.search(clause) if forms.JOB_CHANGED.search(text) else None)
        )
        if trade is not None:
            yield _Slot("job", _SPEAKER, terms_beside_now(next(filter(None, trade.groups())), language))
        if (age := find_age(clause, language)) and (owner := _whose(age[0], speaker, language)) is not None:
            yield _Slot("age", owner, frozenset({str(age[1])}), flexible=True)
        yield from _copula(clause, speaker, language)


def _copula(clause: str, speaker: frozenset[str], language: str) -> Iterator[_Slot]:
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
    value = found["value"]
    kind = _kind_of_value(clause, subject, value)
    if kind == "words":
        return
    before, after = _around(value)
    sole = forms.ONE_HOLDER.search(subject) is not None and (forms.TITLED.match(value) is not None or kind == "called")
    flexible = bool(moved) or forms.SHIFTED.search(found.group()) is not None
    yield _Slot(kind, owner, terms_beside_now(value, language), before, after, sole, flexible)


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
        return _SPEAKER
    own = max((place for place, word in enumerate(before) if word in forms.FIRST_PERSON - {"my", "user"}), default=-1)
    if own >= 0 and _STILL.issuperset(before[own + 1 :]):
        return _SPEAKER
    if forms.THIRD_PERSON & set(before):
        return None
    named = _subject(" ".join(before), speaker, language)
    if named:
        return named
    addressed = "user" in before or bool(speaker & set(terms(" ".join(before), language))) or own >= 0
    return _SPEAKER if addressed or not (before or forms.OTHERS_VERB.match(verb.group())) else None


def _whose(before: str, speaker: frozenset[str], language: str) -> frozenset[str] | None:
    """Terms of whom the words before a value name, empty for the speaker; None if they name nobody."""
    found = set(_WORD.findall(before.casefold()))
    if found & forms.THIRD_PERSON:
        return None
    return _subject(before, speaker, language) or (_SPEAKER if not found or found & forms.FIRST_PERSON else None)


def _subject(text: str, speaker: frozenset[str], language: str) -> frozenset[str]:
    """Terms of whom or what a statement is about; empty for the speaker."""
    plain = forms.SUBJECT_NOISE_WITHOUT_SPACES.sub("", text)
    kept = (word for word in _WORD.findall(plain.casefold()) if word not in forms.SUBJECT_NOISE)
    return frozenset(terms(" ".join(kept), language)) - speaker
