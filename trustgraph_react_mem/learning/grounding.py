"""Grounding check: whether a model's statement is supported by the dialogue.

A claim is supported if all its numbers and names occur in the sources and most of its words do.  If fewer words occur
(inflection, another script, a paraphrase), at least some must, and the claim's embedding must be similar to a source.  The
check works on terms and vectors, so it does not depend on the language.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..indexing.tokenizer import names, terms
from ..memory.ports import Embedder

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
ENOUGH_WORDS = 0.6  # share of a claim's words above which embeddings are not compared
MIN_WORDS = 0.25  # minimum share of a claim's words, even if the embeddings are similar
MIN_SIMILARITY = 0.55  # minimum calibrated similarity if fewer than ENOUGH_WORDS occur


def numbers_in(text: str) -> set[str]:
    """The numbers in a text without separators, so that ``12,000`` and ``12000`` are equal.

    >>> sorted(numbers_in("from 12,000 to 13.5"))
    ['12000', '135']
    """
    return {re.sub(r"\D", "", match) for match in _NUMBER.findall(text)}


def word_share(claim: str, sources: Iterable[str], *, also: Iterable[str] = ()) -> float:
    """Share (0 to 1) of the claim's distinct words that occur in the sources.  ``also``: words that need no support.

    Numbers are not counted, because all of them must occur anyway.
    """
    wanted = {term for term in terms(claim) if not term.isdigit()} - {term for text in also for term in terms(text)}
    if not wanted:
        return 1.0
    said = {term for text in sources for term in terms(text)}
    return len(wanted & said) / len(wanted)


def compare_words(claim: str, sources: Sequence[str], *, speakers: Sequence[str] = ()) -> tuple[float, bool, bool]:
    """Word share (0 to 1), whether all numbers of the claim occur in the sources, and whether all names do."""
    said = " ".join(sources)
    known_names = names(said) | {term for speaker in speakers for term in names(speaker.title())}
    folded = said.casefold()
    strange = {name for name in names(claim) - known_names if name not in folded and _root(name) not in folded}
    # The first word of a sentence is always capitalised, and claims often begin with a label such as "User".
    first = claim.split(maxsplit=1)[0].strip(".,:;'’s").casefold() if claim.split() else ""
    strange -= {first, "user", "assistant", "speaker"}
    return (
        word_share(claim, sources, also=[*speakers, "user", "assistant"]),
        numbers_in(claim) <= numbers_in(said),
        not strange,
    )


@dataclass(frozen=True, slots=True)
class GroundingCheck:
    """Compares words first and computes embeddings only if the words do not decide."""

    embedder: Embedder

    async def is_supported(self, claim: str, sources: Sequence[str], *, speakers: Sequence[str] = ()) -> bool:
        """Whether the sources support the claim.

        Raises ModelUnavailable: the words do not decide and the embedding model is not available.
        """
        if not sources:
            return False
        words, numbers, named = compare_words(claim, sources, speakers=speakers)
        if not numbers or not named or words < MIN_WORDS:
            return False
        if words >= ENOUGH_WORDS:
            return True
        vectors = await self.embedder.embed([claim, *sources], role="passage")
        best = self.embedder.profile.calibrated(float(np.max(vectors[1:] @ vectors[0])))
        return best >= MIN_SIMILARITY


def _root(word: str) -> str:
    return word[: max(4, len(word) - 2)]
