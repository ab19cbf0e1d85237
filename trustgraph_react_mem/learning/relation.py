"""How a new claim stands to one already kept: the same, its contradiction, or something else.

Pure: cosines come in, a word goes out.  Thresholds are on the calibrated scale of the embedding model (``near_duplicate`` is
what semantic router memory, section 6, calls 0.9).
"""

import re
from typing import Literal

from ..indexing.tokenizer import names, terms
from ..memory.embedding import EmbeddingProfile
from .grounding import numbers_in

Standing = Literal["same", "contradicts", "new"]

BAND = 0.2  # calibrated similarity below the near duplicate in which a change of a value is looked for
SHARED_SAME = 0.5
SHARED_CHANGED = 0.5
SHARED_ALL = 0.8

_NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|nor|neither|none|no longer|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans"
    r"|nunca|jamás|ningun\w*|sin|não|nem|sem|non|mai|senza|niet|geen|nooit|не|нет|никогда|без|inte|aldrig|ikke|aldri)\b|[不没無无非]"
)


def classify_relation(
    new: str, old: str, *, cosine: float, profile: EmbeddingProfile, near_duplicate: float = 0.0, changes: bool = False
) -> Standing:
    """``near_duplicate``: cosine, 0 = the profile's own; ``changes``: the claim says that something is no longer so."""
    near = profile.calibrated(near_duplicate or profile.near_duplicate)
    close = profile.calibrated(cosine)
    if close < near - BAND:
        return "new"
    shared = _overlap(new, old)
    differing = _differing_numbers(new, old)
    # another year is another event, not another value
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
    """Whether the new wording holds all of the old one and adds to it."""
    before, after = set(terms(old)), set(terms(new))
    return before < after


def _overlap(one: str, other: str) -> float:
    """Share of the shorter text's terms, numbers aside, that the other has too."""
    first, second = (set(terms(text)) - set(re.findall(r"\d+", text)) for text in (one, other))
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def _differing_numbers(one: str, other: str) -> set[str]:
    """Numbers that only one of them has, when both have some."""
    first, second = numbers_in(one), numbers_in(other)
    return first ^ second if first and second else set()


def _other_names(one: str, other: str) -> bool:
    first, second = names(one), names(other)
    return bool(first - second) and bool(second - first)
