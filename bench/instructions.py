"""Fits the weights that recognise standing instructions, and measures them: ``python -m bench instructions [--write]``.

Messages in ``bench/instructions.tsv`` are for fitting, those in ``bench/fresh_instructions.tsv`` for measuring only.  Precision
and recall are printed by cross-validation and for the fresh messages; a message counts as found if any of its sentences is.
``--chat FILE`` counts the sentences that would be rules in a text file with a message a line, none of them an instruction.  The
same messages give the same weights.
"""

import argparse
import csv
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trustgraph_react_mem.learning.rules.keeping import (
    LEAST_LIKELIHOOD,
    LONGEST,
    SCALE,
    SIZE,
    WEIGHTS,
    features,
    split_sentences,
)

FITTED, FRESH = (Path(__file__).with_name(name) for name in ("instructions.tsv", "fresh_instructions.tsv"))
RIDGE, STEPS, RATE = 2.5e-6, 300, 0.1
FOLDS = 5
THRESHOLDS = (0.5, 0.6, LEAST_LIKELIHOOD, 0.8)
WANTED = "instruction (1) or not (0)"  # a column
Floats = NDArray[np.float64]
Sentence = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message: whether it has an instruction, and the features of its sentences."""

    language: str
    wanted: bool
    sentences: tuple[Sentence, ...]


def read_labelled(path: Path) -> list[Labelled]:
    """The messages of a table whose first line names its columns."""
    rows = csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Labelled(row["language"], row[WANTED] == "1", _sentences(row["text"])) for row in rows]


def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(features(sentence) for sentence in split_sentences(text) if len(sentence) <= LONGEST)


def fit(messages: Sequence[Labelled]) -> Floats:
    """Logistic regression with a ridge penalty, by Adam over all sentences at once.

    A message of several sentences that has an instruction is left out: it is not known which sentence it is.
    """
    used = [(each, sentence) for each in messages for sentence in each.sentences if not each.wanted or len(each.sentences) == 1]
    index = np.concatenate([sentence for _, sentence in used])
    lengths = np.array([len(sentence) for _, sentence in used])
    starts, values = np.concatenate([[0], np.cumsum(lengths)[:-1]]), np.repeat(lengths**-0.5, lengths)
    wanted = np.array([each.wanted for each, _ in used], np.float64)
    weights, mean, square = np.zeros(SIZE), np.zeros(SIZE), np.zeros(SIZE)
    for step in range(1, STEPS + 1):
        told = 1 / (1 + np.exp(-np.add.reduceat(weights[index] * values, starts)))
        errors = np.repeat((told - wanted) / len(used), lengths) * values
        slope = np.bincount(index, weights=errors, minlength=SIZE) + RIDGE * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        rate = RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        weights -= rate * mean / (np.sqrt(square) + 1e-8)
    return weights


def likelihood(weights: Floats, sentences: Sequence[Sentence]) -> float:
    """Of the likeliest sentence."""
    return max((float(1 / (1 + np.exp(-weights[each].sum() * len(each) ** -0.5))) for each in sentences), default=0.0)


def _report(name: str, messages: Sequence[Labelled], likely: Floats) -> None:
    for language in ("en", "other"):
        chosen = [at for at, each in enumerate(messages) if (each.language == "en") == (language == "en")]
        for least in THRESHOLDS:
            found = [messages[at].wanted for at in chosen if likely[at] >= least]
            wanted = sum(messages[at].wanted for at in chosen)
            precision, recall = sum(found) / max(1, len(found)), sum(found) / max(1, wanted)
            print(f"{name:18} {language:6} at {least:.2f}: precision {precision:.3f}, recall {recall:.3f} ({len(chosen)})")


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chat", type=Path, help="messages that are no instructions, one a line")
    parser.add_argument("--write", action="store_true", help="store the weights in the package")
    arguments = parser.parse_args()
    messages = read_labelled(FITTED)
    likely = np.zeros(len(messages))
    for fold in range(FOLDS):
        weights = fit([each for at, each in enumerate(messages) if at % FOLDS != fold])
        mine = range(fold, len(messages), FOLDS)
        likely[mine] = [likelihood(weights, messages[at].sentences) for at in mine]
    _report("cross-validation", messages, likely)
    stored = np.clip(np.rint(fit(messages) * SCALE), -127, 127).astype(np.int8)
    weights, fresh = stored / SCALE, read_labelled(FRESH)
    _report("fresh", fresh, np.array([likelihood(weights, each.sentences) for each in fresh]))
    if arguments.chat:
        said = [sentence for line in arguments.chat.read_text("utf-8").splitlines() for sentence in _sentences(line)]
        found = [likelihood(weights, [sentence]) for sentence in said]
        for least in THRESHOLDS:
            print(f"{'chat':25} at {least:.2f}: {sum(each >= least for each in found)} of {len(said)} sentences")
    if arguments.write:
        WEIGHTS.write_bytes(lzma.compress(stored.tobytes(), preset=9))
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size} bytes")
