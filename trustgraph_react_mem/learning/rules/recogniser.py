"""Recognises standing instructions in a person's message without a language model: "Always answer in German".

A linear model, fitted to labelled messages in sixteen languages (``python -m bench instructions``).  It has no list of words:
features of a sentence are its words, their beginnings and endings, pairs of words, and its length; in Chinese, Japanese and
Korean, runs of characters.  They are hashed, as in Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
(ICML 2009).

- A rule is a sentence as it was said.  Its condition, if it has one, is part of it.
- Fenced blocks, lines quoted with ``>``, what follows a line that ends with a colon or the header of a mail, and all but the
  beginning of a long message are not read.
- A false rule does more harm than a missed one, so the threshold is high.
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

from ...memory.text.pasted import QUOTATION, split_pasted

MOST_INSTRUCTIONS = 5  # per message
LEAST_LIKELIHOOD = 0.7
MOST_CHARS = 4000  # of a message that are read
LONG_MESSAGE = 1200  # characters; a longer one is probably pasted, and only its first sentences are read
SENTENCES_OF_LONG = 2
LONGEST = 300  # characters of an instruction

SIZE = 1 << 19  # number of weights
MOST_WORDS = 50
STEMS = (4, 6)  # characters of the beginnings of longer words
ENDING = 3
LENGTHS = (30, 60, 90, 120, 180)  # characters; few instructions are long
MOST_CHARACTERS = 4  # of a run in Chinese, Japanese and Korean
WEIGHTS = Path(__file__).parent / "recogniser.xz"
SCALE = 127 / 16  # weights of -16 to 16 are stored as one byte each
QUOTE = "\x00"  # stands for a quotation of several words

#: A line that ends with a colon, or a line after the first that begins as the header of a mail does: "From: Carla".
_HANDED = re.compile(r"^[^\n]*[:：][ \t]*(?=\n)|(?<=\n)[ \t]*[^\W\d_]{2,20}[:：][ \t]", re.MULTILINE)
_END = re.compile(r"[.!?…؟۔।॥։።]+(?=\s|$)|[。！？]+|[\n\u2028\u2029]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[\x00,:;!?]")
_PAUSE = re.compile(r"[\s。．.!！、，,…~～]+")
_RUNS = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_AROUND = " \t*-•\"'.,;!…。！"


def find_instructions(message: str) -> list[str]:
    """The sentences of a person's message that are standing instructions, as they were said.

    >>> find_instructions("Thanks! From now on, always answer me in German.")
    ['From now on, always answer me in German']
    >>> find_instructions("I always answer in German at work.")
    []
    """
    found = (each for each in split_sentences(message) if likelihood(each) >= LEAST_LIKELIHOOD)
    return list(dict.fromkeys(each.strip(_AROUND) for each in found))[:MOST_INSTRUCTIONS]


def split_sentences(message: str) -> list[str]:
    """The sentences in a person's own words."""
    own = split_pasted(message[:MOST_CHARS])[0]
    sentences = list(_split(_HANDED.split(own, maxsplit=1)[0]))
    return sentences[:SENTENCES_OF_LONG] if len(message) > LONG_MESSAGE else sentences


def _split(text: str) -> Iterator[str]:
    quoted = [found.span() for found in QUOTATION.finditer(text)]
    start = 0
    for end in _END.finditer(text):
        if any(first < end.start() < last - 1 for first, last in quoted):
            continue
        sentence = " ".join(text[start : end.end()].split())
        start = end.end()
        if any(each.isalpha() for each in sentence):
            yield sentence
    rest = " ".join(text[start:].split())
    if any(each.isalpha() for each in rest):
        yield rest


def likelihood(sentence: str) -> float:
    """The probability that a sentence is a standing instruction, from 0 to 1."""
    if len(sentence) > LONGEST:
        return 0.0
    found = features(sentence)
    return 1 / (1 + math.exp(-float(_weights()[found].sum()) / math.sqrt(len(found))))


def features(sentence: str) -> NDArray[np.int64]:
    """The numbers of the weights that apply to a sentence.  It has at least one feature."""
    said = QUOTATION.sub(lambda found: QUOTE if " " in found.group().strip() else found.group()[1:-1], sentence)
    lower = " ".join(said.casefold().replace("’", "'").split())[:LONGEST]
    names = {"@", *(f"@long {length}" for length in LENGTHS if len(lower) > length)}
    names |= set(_of_characters(lower) if _RUNS.search(lower) else _of_words(lower))
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
        yield from (f"p{word[:length]}" for length in STEMS if len(word) > length)
        if len(word) > STEMS[0]:
            yield f"s{word[-ENDING:]}"
    bounded = ["^", *words, "$"]
    yield from (f"b{first} {second}" for first, second in pairwise(bounded))
    yield from (f"k{first} {third}" for first, third in zip(bounded, bounded[2:], strict=False))
    yield from (f"q{first[: STEMS[0]]} {second[: STEMS[0]]}" for first, second in pairwise(bounded))
