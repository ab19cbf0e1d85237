"""Whether what a model wrote is supported by what was said.

A claim is supported when every number in it was said and most of its words were, or, where words differ (inflection, another
script, a paraphrase), when its meaning lies close to what was said and at least some words are shared.  Works on terms
and vectors, so it holds for any language.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..indexing.tokenizer import names, terms
from ..memory.ports import Embedder

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
MOSTLY = 0.6  # share of a claim's words that is enough without looking at meaning
PARTLY = 0.25  # least share when the meaning is close
CLOSE = 0.55  # calibrated similarity that counts as close


def numbers_in(text: str) -> set[str]:
    """Numbers without their separators, so that ``12,000`` and ``12000`` are the same.

    >>> sorted(numbers_in("from 12,000 to 13.5"))
    ['12000', '135']
    """
    return {re.sub(r"\D", "", match) for match in _NUMBER.findall(text)}


def word_share(claim: str, sources: Iterable[str], *, also: Iterable[str] = ()) -> float:
    """Share of the claim's distinct words that occur in the sources; ``also`` = words that need no support (speakers).

    Numbers are not counted: all of them must have been said anyway, and they say little about what else was.
    """
    wanted = {term for term in terms(claim) if not term.isdigit()} - {term for text in also for term in terms(text)}
    if not wanted:
        return 1.0
    said = {term for text in sources for term in terms(text)}
    return len(wanted & said) / len(wanted)


def lexical(claim: str, sources: Sequence[str], *, speakers: Sequence[str] = ()) -> tuple[float, bool, bool]:
    """Word share, whether all numbers were said, whether all names were."""
    said = " ".join(sources)
    known_names = names(said) | {term for speaker in speakers for term in names(speaker.title())}
    folded = said.casefold()
    strange = {name for name in names(claim) - known_names if name not in folded and _root(name) not in folded}
    # the first word of a sentence is capitalised whatever it is, and a claim about a speaker often starts with a label
    first = claim.split(maxsplit=1)[0].strip(".,:;'’s").casefold() if claim.split() else ""
    strange -= {first, "user", "assistant", "speaker"}
    return (
        word_share(claim, sources, also=[*speakers, "user", "assistant"]),
        numbers_in(claim) <= numbers_in(said),
        not strange,
    )


@dataclass(frozen=True, slots=True)
class GroundingCheck:
    """Decides by words first and embeds only where they leave it open."""

    embedder: Embedder

    async def holds(self, claim: str, sources: Sequence[str], *, speakers: Sequence[str] = ()) -> bool:
        """Raises ModelUnavailable: the embedding model is away and words do not decide."""
        if not sources:
            return False
        words, numbers, named = lexical(claim, sources, speakers=speakers)
        if not numbers or not named or words < PARTLY:
            return False
        if words >= MOSTLY:
            return True
        vectors = await self.embedder.embed([claim, *sources], role="passage")
        best = self.embedder.profile.calibrated(float(np.max(vectors[1:] @ vectors[0])))
        return best >= CLOSE


def _root(word: str) -> str:
    return word[: max(4, len(word) - 2)]
