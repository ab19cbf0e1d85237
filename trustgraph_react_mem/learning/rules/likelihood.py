"""How likely it is that a sentence is a standing instruction, by a linear model.

Features of a sentence are its words, their beginnings and endings, and pairs of them; in Chinese, Japanese and Korean, runs of
characters; and what all languages share, by the wordings of this package: whether it says "always", "this time" or "my boss
says", what an assistant writes, and so on.  They are hashed, as in Weinberger et al., "Feature Hashing for Large Scale
Multitask Learning" (ICML 2009).  ``python -m bench.instructions`` fits the weights to labelled sentences.
"""

import lzma
import math
import re
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .aspects import LANGUAGES, subject_of
from .sentences import compile_words, form, holds_on, is_task, pattern, without_opening
from .wordings import WORDINGS
from .wordings.common import COMPLAINT
from .wordings.east_asian import EastAsianWording, east_asian_wording
from .wordings.subjects import ANSWERING, FORM_WORDS, PRODUCED
from .wordings.wording import Wording

SIZE = 1 << 17  # number of weights
LONGEST = 300  # characters that are read
MOST_WORDS = 50
STEMS = ((4, 4), (6, 6))  # words longer than the first number: their beginning of the second
ENDING = 3
LENGTHS = (30, 60, 90, 120, 180)  # characters; few instructions are long
MOST_CHARACTERS = 4  # of a run of characters in Chinese, Japanese and Korean
WEIGHTS = Path(__file__).parent / "likelihood.xz"
SCALE = 127 / 16  # weights of -16 to 16 are stored as one byte each
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|\x00|[,:;]")
_PAUSE = re.compile(r"[\s。．.!！、，,…~～]+")
_PRODUCED = re.compile(PRODUCED)
_HABIT = re.compile(r"(?:i|we|ich|wir|je|nous|yo|nosotros|io|noi|eu|nós|ik|wij|we|я|мы|ja|my) ")
_TOWARDS_ME = re.compile(
    r"\b(?:me|my|mine|us|your|you|please|mich|mir|bitte|dein\w*|ihre\w*|moi|m'|mes|mon|tes|ton|te|vos|por favor|mis?"
    r"|tus?|mi|miei|tue|tuo|per favore|minhas?|suas?|mij|mijn|je|alsjeblieft|aub|мне|меня|мной|мо[йяеи]\w*|тво[йяеи]\w*"
    r"|сво[йяеи]\w*|пожалуйста|mnie|mi|mój|moj\w+|proszę)\b|m'"
)


def likelihood(sentence: str, *, introduced: bool = False) -> float:
    """The probability, from 0 to 1.  ``introduced``: "from now on:" precedes the sentence."""
    found = features(sentence, introduced=introduced)
    return 1 / (1 + math.exp(-float(_weights()[found].sum()) / math.sqrt(len(found))))


def features(sentence: str, *, introduced: bool = False) -> NDArray[np.int64]:
    """The numbers of the weights that apply to a sentence.  It has at least one feature."""
    lower = " ".join(sentence.casefold().replace("’", "'").split())[:LONGEST]
    lower = without_opening(lower) or lower
    names = {"@", *(f"@{name}" for name in _find_shared(lower))}
    names |= set(_of_words(lower) if east_asian_wording(lower) is None else _of_characters(lower))
    names |= {f"@long {length}" for length in LENGTHS if len(lower) > length}
    if introduced:
        names.add("@introduced")
    return np.array(sorted({zlib.crc32(name.encode()) % SIZE for name in names}), np.int64)


@cache
def _weights() -> NDArray[np.float64]:
    return np.frombuffer(lzma.decompress(WEIGHTS.read_bytes()), np.int8).astype(np.float64) / SCALE


def _of_characters(lower: str) -> Iterator[str]:
    words = _PAUSE.sub(" ", lower).strip()
    text = words.replace(" ", "")
    for length in range(1, MOST_CHARACTERS + 1):
        yield from (f"c{text[at : at + length]}" for at in range(len(text) - length + 1))
        yield f"^{text[:length]}"
    yield from (f"${text[-length:]}" for length in range(1, MOST_CHARACTERS + 3))
    yield from (f"w{word}" for word in words.split()[:MOST_WORDS])


def _of_words(lower: str) -> Iterator[str]:
    words = _WORD.findall(lower)[:MOST_WORDS]
    for word in words:
        yield f"w{word}"
        yield from (f"p{word[:kept]}" for longer, kept in STEMS if len(word) > longer)
        if len(word) > STEMS[0][0]:
            yield f"s{word[-ENDING:]}"
    yield from _pairs("b", ["^", *words, "$"])
    # The same with one name for all that an assistant writes: "keep my #" is learned from reports, and applies to replies.
    classes = ["#" if _PRODUCED.match(word) else word for word in words]
    bounded = ["^", *classes, "$"]
    yield from (pair for pair in _pairs("B", bounded) if "#" in pair)
    yield from (f"K{first} {second}" for first, second in zip(bounded, bounded[2:], strict=False) if "#" in (first, second))
    if "#" in classes[1:]:
        yield f"F{classes[0]}"


def _pairs(name: str, words: list[str]) -> Iterator[str]:
    return (f"{name}{first} {second}" for first, second in pairwise(words))


def _find_shared(lower: str) -> Iterator[str]:
    """What is said in any language."""
    plain = lower.strip(" .!…?,")
    for wording in WORDINGS:
        yield from (name for name, words in _anywhere(wording).items() if compile_words(words).search(plain))
        yield from (f"^{name}" for name, words in _at_start(wording).items() if pattern(words).match(plain))
    characters = east_asian_wording(lower)
    if characters is not None:
        ended = plain.strip(" 。！？、，,～~")
        yield from (name for name, words in _in_characters(characters).items() if re.search(words, ended))
    if subject := subject_of(lower):
        yield f"about {subject}"
    named = {
        "produced": _PRODUCED,
        "form": form(r"(?:{})", FORM_WORDS),
        "language": form(r"\b(?:{})", LANGUAGES),
        "answering": form(r"\b\w{{0,4}}(?:{})", ANSWERING),
        "towards me": _TOWARDS_ME,
    }
    yield from (name for name, words in named.items() if words.search(lower))
    if is_task(lower):
        yield "lasting task" if holds_on(lower) else "task"
    if form(r"(?:{})", COMPLAINT).match(lower):
        yield "complaint"
    if _HABIT.match(lower):
        yield "habit"
    if lower.rstrip(" \"')").endswith(("?", "？")):
        yield "question"


def _anywhere(w: Wording) -> dict[str, str]:
    return {
        "once": w.once,
        "report": w.report,
        "phrase": w.phrase,
        "early": w.early,
        "stop": w.stop,
        "verb": w.verb,
        "tail": w.tail,
    }


def _at_start(w: Wording) -> dict[str, str]:
    return {
        "want": w.want,
        "ask": w.ask,
        "never": w.never,
        "when": w.when,
        "whenever": w.whenever,
        "verb": w.verb,
        "name": w.name,
        "stop": w.stop,
    }


def _in_characters(w: EastAsianWording) -> dict[str, str]:
    return {"once": w.once, "report": w.other, "early": w.standing, "^verb": w.request, "^name": w.name}
