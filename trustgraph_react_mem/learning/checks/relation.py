"""Classifies the relation of a new claim to an existing fact: the same, a contradiction, unrelated, or unsure.

Pure functions.  Thresholds are on the calibrated scale of the embedding model.  Source: semantic router memory, section 6
(its near-duplicate threshold 0.9 is ``near_duplicate`` here).

Similar embeddings do not mean the same statement: "takes medication A" and "takes medication B" are closer than two wordings of
one fact.  So "same" needs equal words except for additions, and a contradiction needs a state with one value at a time, such as
where someone lives.  Events never contradict each other.  A model decides the rest.
"""

import re
from dataclasses import dataclass
from typing import Literal

from ...indexing.changes.forms import LABELLED, adds
from ...indexing.changes.moved_things import compare_places
from ...indexing.text.hedges import asserts, tells_past
from ...indexing.text.quantities import differing_quantities, without_quantities
from ...indexing.text.quantity import Quantity
from ...indexing.text.slots import are_exclusive, frame_value
from ...indexing.text.statements import (
    frame,
    inverts_roles,
    is_change,
    is_event,
    is_negated,
    is_one_of_many,
    is_rescheduled,
    says_ceased,
)
from ...indexing.text.subjects import same_subject
from ...indexing.tokenizer import guess_language, names, terms
from ...memory.embedding import EmbeddingProfile

RelationKind = Literal["same", "contradicts", "new", "unsure"]

BAND = 0.2  # width of the range below the near-duplicate similarity in which contradictions are searched
# Minimum share of common words:
SHARED_SAME = 0.5  # for the same statement
SHARED_CHANGED = 0.5  # for a contradiction that the claim itself states (``changes``)
SHARED_ALL = 0.8  # for a contradiction by another number or a negation

_NEGATION_WORDS = re.compile(
    r"(?i)\b(?:not|no|never|nicht|nie|kein\w*|pas|jamais|ne|nunca|não|non|mai|niet|geen|nooit|не|n['’]t)\b"
)
_LABELLED_NUMBER = re.compile(rf"(?:{LABELLED.pattern})\w{{0,5}}", re.IGNORECASE)
_LETTER = re.compile(r"(?<=[\w,:] )[A-HJ-Z](?![\w'’])")  # the A of "medication A", which is not a search term
_COPULA = re.compile(r"(?i)\b(?:is|are|ist|sind|lautet|est|sont|es|son|está|è|sono|é|são|fica|zijn|är|er)\b|[:：はが]|是|—")


@dataclass(frozen=True, slots=True)
class _Difference:
    """How two statements differ, read once.  ``only_new``, ``only_old``: content words that only one of them has."""

    only_new: frozenset[str]
    only_old: frozenset[str]
    shared: float
    added: list[Quantity]
    gone: list[Quantity]
    denies: bool

    @property
    def same_words(self) -> bool:
        return not self.only_new and not self.only_old


def classify_relation(
    new: str, old: str, *, cosine: float, profile: EmbeddingProfile, near_duplicate: float = 0.0, changes: bool = False
) -> RelationKind:
    """Classify the pair of texts.

    ``cosine``: similarity of their embeddings.  ``near_duplicate``: cosine threshold, 0 = the profile's default.  ``changes``:
    the new claim states that something no longer holds.
    """
    near = profile.calibrate(near_duplicate or profile.near_duplicate)
    close = profile.calibrate(cosine)
    if not same_subject(new, old) or inverts_roles(new, old, "") or is_unlike(new, old) or _have_other_labels(new, old):
        return "new"
    places = compare_places(new, old, guess_language(f"{new} {old}") or "en") if changes else ""
    if places == "moved":
        return "contradicts"  # the words agree on the thing, so the similarity, which its places lessen, need not decide
    if close < near - BAND or places == "unrelated":
        return "new"
    found = _difference(new, old)
    events = is_event(new), is_event(old)
    if not events[1] and _supersedes(new, old, found, new_is_event=events[0], changes=changes):
        return "contradicts"
    if found.added or found.gone:
        return _with_other_numbers(found, event=any(events))
    if found.denies:
        return "unsure" if found.same_words and not events[1] else "new"
    if found.only_new and found.only_old:
        if are_exclusive(found.only_new, found.only_old) or found.shared < SHARED_SAME or events[0] != events[1]:
            return "new"
        return "unsure"
    return "same" if close >= near and found.shared >= SHARED_SAME else "new"


def is_unlike(new: str, old: str) -> bool:
    """Whether the new statement says what is wished or was so before, and the old one what is so."""
    language = guess_language(f"{new} {old}")
    return (asserts(old, language) and not asserts(new, language)) or (tells_past(new) and not tells_past(old))


def _have_other_labels(new: str, old: str) -> bool:
    """Whether the statements are about things with other numbers: "room 3" and "room 5"."""
    first, second = ({match.group().casefold() for match in _LABELLED_NUMBER.finditer(text)} for text in (new, old))
    return bool(first) and bool(second) and first.isdisjoint(second)


def can_replace(new: str, old: str) -> bool:
    """Whether the new statement may replace the old one if a model says so: an event does not undo another event."""
    return not is_event(old) and same_subject(new, old) and not is_unlike(new, old)


def says_more(new: str, old: str) -> bool:
    """Whether the new text contains all terms of the old one and further ones."""
    before, after = set(terms(old)), set(terms(new))
    return before < after


def _difference(new: str, old: str) -> _Difference:
    language = guess_language(f"{new} {old}") or "en"
    first, second = _content_words(new, language), _content_words(old, language)
    smaller = min(len(first), len(second))
    added, gone = differing_quantities(new, old)
    denied, denied_before = is_negated(new, language), is_negated(old, language)
    return _Difference(
        only_new=first - second,
        only_old=second - first,
        shared=len(first & second) / smaller if smaller else float(first == second),
        added=added,
        gone=gone,
        denies=denied is not None and denied_before is not None and denied != denied_before,
    )


def _content_words(text: str, language: str) -> frozenset[str]:
    plain = _NEGATION_WORDS.sub(" ", without_quantities(text))
    letters = {letter.casefold() for letter in _LETTER.findall(plain)}
    return frozenset(term for term in terms(plain, language) if not term.isdigit()) | letters


def _supersedes(new: str, old: str, found: _Difference, *, new_is_event: bool, changes: bool) -> bool:
    """Whether the new statement ends the state that the old one describes."""
    kind, changed = frame(new), changes or is_change(new)
    same_frame = bool(kind) and kind == frame(old)
    if says_ceased(new) and not found.only_old:
        return not says_ceased(old)  # "quit smoking" after "smokes"
    if same_frame and kind in ("residence", "job", "partner"):
        return _replaces_value(new, old, found, new_is_event=new_is_event, changed=changed)
    one_value = same_frame and kind == "one value"
    if is_rescheduled(new) and found.shared >= SHARED_CHANGED and not found.denies:
        return True
    if new_is_event:
        return one_value and changed and bool(found.added and found.gone)
    if found.denies and found.same_words:
        return True
    if found.added and found.gone:
        several = any(quantity.label for quantity in (*found.added, *found.gone)) or is_one_of_many(old)
        if _only_years(found) or (several and not one_value):
            return False
        return found.same_words or (found.shared >= SHARED_ALL and changed)
    if one_value and found.only_new and found.only_old and _same_head(new, old):
        return True
    if found.only_new and found.only_old and not are_exclusive(found.only_new, found.only_old):
        stated = changes and not found.denies and not adds(new)
        if stated and found.shared >= SHARED_CHANGED and bool(names(new)) == bool(names(old)):
            return True
        return same_frame and _same_head(new, old)
    return False


def _replaces_value(new: str, old: str, found: _Difference, *, new_is_event: bool, changed: bool) -> bool:
    """Whether the new statement gives an attribute with one value another value: "lives in Bergen" after "lives in Oslo"."""
    if found.denies and found.same_words:
        return True
    was, becomes = frame_value(old), frame_value(new)
    if new_is_event or changed:
        # "Moved from Oslo to Bergen", "quit her job": the state before has ended, unless it is what she moved to.
        return (says_ceased(new) or becomes is None or was is None or was.value != becomes.value) and (
            changed and (found.only_new != frozenset() or found.denies)
        )
    return was is not None and becomes is not None and was.slot == becomes.slot and was.value != becomes.value


def _with_other_numbers(found: _Difference, *, event: bool) -> RelationKind:
    if found.added and found.gone and found.shared >= SHARED_ALL and not event and not _only_years(found):
        return "new" if found.same_words else "unsure"
    return "new"


def _only_years(found: _Difference) -> bool:
    """Whether the numbers that differ are years: a different year means a different event, not a changed value."""
    return all(any(day[0] and not day[1] for day in quantity.days) for quantity in (*found.added, *found.gone))


def _same_head(new: str, old: str) -> bool:
    """Whether both statements say of the same thing what it is: "her favourite drink is tea", "... is coffee"."""
    first, second = (_COPULA.split(text, maxsplit=1) for text in (new, old))
    if len(first) < 2 or len(second) < 2:
        return False
    return set(terms(first[0])) == set(terms(second[0]))
