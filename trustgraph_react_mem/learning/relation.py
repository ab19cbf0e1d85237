"""Classifies the relation of a new claim to an existing fact: the same, a contradiction, or unrelated.

Pure functions.  Thresholds are on the calibrated scale of the embedding model.  Source: semantic router memory, section 6
(its near-duplicate threshold 0.9 is ``near_duplicate`` here).
"""

import re
from typing import Literal

from ..indexing.tokenizer import names, terms
from ..memory.embedding import EmbeddingProfile
from .grounding import numbers_in

RelationKind = Literal["same", "contradicts", "new"]

BAND = 0.2  # width of the range below the near-duplicate similarity in which contradictions are searched
# Minimum share of common words:
SHARED_SAME = 0.5  # for the same statement
SHARED_CHANGED = 0.5  # for a contradiction that the claim itself states (``changes``)
SHARED_ALL = 0.8  # for a contradiction by another number or a negation

_NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|nor|neither|none|no longer|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans"
    r"|nunca|jamás|ningun\w*|sin|não|nem|sem|non|mai|senza|niet|geen|nooit|не|нет|никогда|без|inte|aldrig|ikke|aldri)\b|[不没無无非]"
)


def classify_relation(
    new: str, old: str, *, cosine: float, profile: EmbeddingProfile, near_duplicate: float = 0.0, changes: bool = False
) -> RelationKind:
    """Classify the pair of texts.

    ``cosine``: similarity of their embeddings.  ``near_duplicate``: cosine threshold, 0 = the profile's default.  ``changes``:
    the new claim states that something no longer holds.
    """
    near = profile.calibrated(near_duplicate or profile.near_duplicate)
    close = profile.calibrated(cosine)
    if close < near - BAND:
        return "new"
    shared = _overlap(new, old)
    differing = _differing_numbers(new, old)
    # A different year means a different event, not a changed value.
    other_value = bool(differing) and not all(len(n) == 4 and n[:2] in ("19", "20") for n in differing)
    reversed_sense = bool(_NEGATION.search(new)) != bool(_NEGATION.search(old))
    if changes and shared >= SHARED_CHANGED:
        return "contradicts"
    if (other_value or reversed_sense) and shared >= SHARED_ALL:
        return "contradicts"
    if close < near or differing or reversed_sense or shared < SHARED_SAME or _other_names(new, old):
        return "new"
    return "same"


def says_more(new: str, old: str) -> bool:
    """Whether the new text contains all terms of the old one and further ones."""
    before, after = set(terms(old)), set(terms(new))
    return before < after


def _overlap(one: str, other: str) -> float:
    """Share (0 to 1) of the shorter text's terms that also occur in the other text, without numbers."""
    first, second = (set(terms(text)) - set(re.findall(r"\d+", text)) for text in (one, other))
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def _differing_numbers(one: str, other: str) -> set[str]:
    """Numbers that occur in only one of the texts; empty if one of them has no numbers at all."""
    first, second = numbers_in(one), numbers_in(other)
    return first ^ second if first and second else set()


def _other_names(one: str, other: str) -> bool:
    first, second = names(one), names(other)
    return bool(first - second) and bool(second - first)
