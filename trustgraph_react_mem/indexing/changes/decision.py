"""Decides whether a newer statement changes what an older one says, and whether a question asks for the past.

Only forms are compared (forms.py, attributes/): what people have one of, "my X is Y", ended habits,
corrections, and amounts.
The test serves the order of what is shown and changes nothing in the store, so a missed change costs little.  A false one hides
what is true, so in doubt nothing is changed: another owner, another thing of the same kind, an addition or an event.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import islice

from ..attributes.reading import find_stated, is_replaced
from ..other_names import introduced_names
from ..text.statements import is_question
from ..tokenizer import guess_language, name_spans, terms
from . import correction_forms, forms
from .announcements import announces_change, announces_change_of
from .clauses import find_statements
from .corrections import (
    LONGEST_CORRECTION,
    corrects_named,
    corrects_value,
    is_correction,
    may_correct_last,
    states_otherwise,
    takes_back,
)
from .habits import (
    ends,
    is_doubtful,
    is_elsewhere,
    is_other_state,
    is_other_value,
    is_reversed,
    negated_states,
    speaks_of_self,
)
from .moved_things import announces_move, is_thing_moved
from .parts import Parts, Slot, take_apart
from .quotations import without_quotations
from .renewals import renews, renews_what
from .residence import COUNTRIES

FORMS = "forms"  # key of the payload: the kinds of what the record states, so that recall reads few texts
LONGEST = 400  # characters; a longer text says more than one thing
_MOST_SENTENCES = 4  # of a text that are read for themselves
SAME_WORDS = 0.7  # Jaccard similarity of the words of two texts that differ in their amounts

_WORD = re.compile(r"[^\W_]+")
_CHANGING, _CHANGEABLE = {"job ended", "again"}, {"job", "employer", "ended", "negated"}


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
    text = without_quotations(text)
    found = set[str]()
    for stated in (text, *find_statements(text)):
        found.update(slot.kind for slot in take_apart(stated, "", language).slots)
        found.update(each.attribute for each in find_stated(stated))
        if _NUMBERED.search(stated):
            found.add("amount")
    if forms.NO_LONGER.search(text):
        found.add("ended")
    if announces_change(text) or announces_move(text) or renews(text):
        found.add("announces")
    if len(text) <= LONGEST_CORRECTION and negated_states(text, language):
        found.add("negated")
    if forms.AGAIN.search(text):
        found.add("again")
    if len(text) <= LONGEST_CORRECTION and is_correction(text):
        elsewhere = correction_forms.NEGATES.search(text) or correction_forms.RETRACTS.search(text)
        found.add("denies" if elsewhere else "corrects")
    elif may_correct_last(text) or (len(text) <= LONGEST_CORRECTION and correction_forms.TAKES_BACK.search(text)):
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
    new, old = without_quotations(new), without_quotations(old)
    if _only_asks(new):
        return False
    language = language or guess_language(new) or guess_language(old) or "en"
    if _changes(new, old, speaker, language, same_conversation, follows):
        return True
    return any(
        _changes(said, former, speaker, language, False, False)
        for said in (new, *_own_sentences(new), *find_statements(new))
        for former in (old, *_own_sentences(old), *find_statements(old))
        if (said, former) != (new, old)
    )


# ------------------------------------------------------------------------------------------------------ rules


def _changes(new: str, old: str, speaker: str, language: str, same_conversation: bool, follows: bool) -> bool:
    after, before = take_apart(new, speaker.casefold(), language), take_apart(old, speaker.casefold(), language)
    same_people = after.people == before.people or _names_one_of(after, new, before, old)
    if any(
        _replaces(slot, former, new)
        for slot in after.slots
        for former in before.slots
        if same_people or not (slot.flexible or former.flexible)
    ):
        return not (forms.adds(new) or _has(forms.FUTURE, new) or (_has(forms.PAST, new) and not _is_now(new)))
    if is_replaced(new, old):
        return True
    if follows and after.people <= before.people and corrects_value(new, old, language):
        return True
    if same_conversation and before.people <= after.people and corrects_named(new, old, language):
        return True
    if is_thing_moved(new, old, language):
        return True
    if same_conversation and takes_back(new, old, language, follows=follows):
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
    if _differs_in_amount(new, old, after, before) or announces_change_of(new, old, owned=owned, language=language):
        return True
    return renews_what(new, old, language)


def _replaces(new: Slot, old: Slot, text: str) -> bool:
    if new.kind == "job ended":
        return old.kind in ("job", "employer") and new.owner == old.owner
    if {new.kind, old.kind} == {"called", "name"}:  # "my editor is Ann", "my editor is called Ben now"
        return new.owner == old.owner and not (new.before or old.before or new.value & old.value) and _is_now(text)
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


def _names_one_of(after: Parts, new: str, before: Parts, old: str) -> bool:
    """Whether one text says who somebody is whom the other only names: "my grandson Theo is four", "Theo turned five"."""
    if after.people and before.people:
        return False
    introducing, naming = (new, old) if after.people else (old, new)
    return not introduced_names(introducing).isdisjoint(name for name, _, _ in name_spans(naming))


def _same_owner(new: Slot, old: Slot) -> bool:
    if new.owner == old.owner:
        return True
    # "The inspection" for "my car inspection": only of appointments, and if the shorter one names no other owner.
    dated = new.flexible or (bool(new.before) and new.before == old.before)
    return dated and bool(new.owner) and new.owner < old.owner and not any(map(str.isdigit, "".join(old.owner)))


def _is_now(text: str) -> bool:
    return _has(forms.NOW, text)


def _corrects(new: str, old: str, after: Parts, before: Parts, language: str, same_conversation: bool) -> bool:
    """Whether ``new`` says that ``old`` was wrong: it denies a number of it, or something of it beside what both are about."""
    if len(new) > LONGEST_CORRECTION or _has(forms.FUTURE, new) or (after.slots and before.slots and not same_conversation):
        return False
    shared = (after.words & before.words) - after.numbers
    found = correction_forms.NEGATES.finditer(forms.ORDINAL.sub("", new))
    denied = {term for match in found for term in terms(match["value"])} & before.words
    if denied and (denied & before.numbers or shared - denied):
        return True
    if any(slot.owner != former.owner for slot in after.slots for former in before.slots if slot.kind == former.kind):
        return False
    if not same_conversation and not _has(correction_forms.RETRACTS, new):
        return False
    other = {word for word in _WORD.findall(new.casefold()) if word not in correction_forms.CORRECTION_NOISE}
    if states_otherwise(new, old) or before.words.issuperset(terms(" ".join(other), language)):
        return False
    return len(shared) >= 2 and not _has(forms.EVENT, old)


_NUMBERED = re.compile(r"^(?:\W*(?:the )?[^\W\d_]+\W+){1,6}\d+(?:[.,]\d+)*\W?\s*[^\W\d_]*", re.IGNORECASE)


def _differs_in_amount(new: str, old: str, after: Parts, before: Parts) -> bool:
    """ "I take 2 mg" after "I take 1 mg": the same words about the speaker, with one number in each."""
    if _numbers(new) != 1 or _numbers(old) != 1 or after.numbers & before.numbers:
        return False
    if not (speaks_of_self(new) and speaks_of_self(old)) or _has(forms.LABELLED, new) or _has(forms.LABELLED, old):
        return False
    own, other = after.words - after.numbers, before.words - before.numbers
    if len(own & other) < max(2.0, SAME_WORDS * len(own | other)):
        return False
    return not is_doubtful((forms.PAST, forms.FUTURE, forms.EVENT), new, old)


# ---------------------------------------------------------------------------------------------------- helpers


@lru_cache(maxsize=16 * forms.KEPT)
def _has(pattern: re.Pattern[str], text: str) -> bool:
    """A text is compared with many others, so what it has is found once."""
    return pattern.search(text) is not None


@lru_cache(maxsize=forms.KEPT)
def _own_sentences(text: str) -> tuple[str, ...]:
    """The sentences about the speaker of a text that speaks of other people, too: "I sold the Volvo.  My nephew has it."."""
    if forms.PEOPLE.search(text) is None:
        return ()
    own = (each for each in islice(forms.sentences(text), _MOST_SENTENCES) if forms.PEOPLE.search(each) is None)
    return tuple(each for each in own if each != text and not forms.FIRST_PERSON.isdisjoint(_WORD.findall(each.casefold())))


@lru_cache(maxsize=forms.KEPT)
def _only_asks(text: str) -> bool:
    """Whether a text is one question."""
    return len(list(islice(forms.sentences(text), 2))) == 1 and is_question(text)


@lru_cache(maxsize=forms.KEPT)
def _numbers(text: str) -> int:
    return len(forms.NUMBER.findall(text))
