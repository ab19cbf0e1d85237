"""Fits the weights that recognise standing instructions, and measures them: ``python -m bench.instructions [--write]``.

The labelled sentences are those in ``bench/instructions.tsv`` and in the table of ``tests/unit/test_instructions.py``.
Precision and recall are printed by cross-validation, and for the sentences in ``tests/unit/fresh_instructions.tsv``, which are
not used for fitting.  The same sentences give the same weights.
"""

import argparse
import csv
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trustgraph_react_mem.learning.rules.instructions import LEAST_LIKELIHOOD
from trustgraph_react_mem.learning.rules.likelihood import SCALE, SIZE, WEIGHTS, features
from trustgraph_react_mem.learning.rules.sentences import MASK, read_sentences

ROOT = Path(__file__).parents[1]
FITTED, TABLE = ROOT / "bench" / "instructions.tsv", ROOT / "tests" / "unit" / "instruction_cases.tsv"
FRESH = ROOT / "tests" / "unit" / "fresh_instructions.tsv"
RIDGE, STEPS, RATE = 2.5e-6, 300, 0.1
FOLDS = 5
WANTED = "instruction (1) or not (0)"  # a column
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence, and whether it is an instruction."""

    language: str
    wanted: bool
    found: NDArray[np.int64]


def read_labelled(path: Path) -> list[Labelled]:
    """The sentences of a table whose first line names its columns.

    A message of several sentences that has an instruction is left out: it is not known which sentence it is.
    """
    rows = csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [each for row in rows for each in _sentences(row["language"], row[WANTED] == "1", row["text"])]


def _sentences(language: str, wanted: bool, text: str) -> Iterator[Labelled]:
    sentences = [(sentence, introduced) for sentence, introduced in read_sentences(text)[0] if sentence != MASK]
    if not wanted or len(sentences) == 1:
        for sentence, introduced in sentences:
            yield Labelled(language, wanted, features(sentence, introduced=introduced))


def fit(sentences: Sequence[Labelled]) -> Floats:
    """Logistic regression with a ridge penalty, by Adam over all sentences at once."""
    index = np.concatenate([each.found for each in sentences])
    lengths = np.array([len(each.found) for each in sentences])
    starts, values = np.concatenate([[0], np.cumsum(lengths)[:-1]]), np.repeat(lengths**-0.5, lengths)
    wanted = np.array([each.wanted for each in sentences], np.float64)
    weights, mean, square = np.zeros(SIZE), np.zeros(SIZE), np.zeros(SIZE)
    for step in range(1, STEPS + 1):
        told = 1 / (1 + np.exp(-np.add.reduceat(weights[index] * values, starts)))
        errors = np.repeat((told - wanted) / len(sentences), lengths) * values
        slope = np.bincount(index, weights=errors, minlength=SIZE) + RIDGE * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        rate = RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        weights -= rate * mean / (np.sqrt(square) + 1e-8)
    return weights


def told(weights: Floats, sentences: Sequence[Labelled]) -> Floats:
    """The likelihood of each sentence."""
    return np.array([1 / (1 + np.exp(-weights[each.found].sum() * len(each.found) ** -0.5)) for each in sentences])


def _report(name: str, sentences: Sequence[Labelled], likely: Floats) -> None:
    for language in ("en", "other"):
        chosen = [at for at, each in enumerate(sentences) if (each.language == "en") == (language == "en")]
        for least in (0.5, LEAST_LIKELIHOOD, 0.7, 0.8):
            found = [sentences[at].wanted for at in chosen if likely[at] >= least]
            wanted = sum(sentences[at].wanted for at in chosen)
            precision, recall = sum(found) / max(1, len(found)), sum(found) / max(1, wanted)
            print(f"{name:18} {language:6} at {least:.2f}: precision {precision:.3f}, recall {recall:.3f} ({len(chosen)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="store the weights in the package")
    arguments = parser.parse_args()
    sentences = [*read_labelled(FITTED), *read_labelled(TABLE)]
    likely = np.zeros(len(sentences))
    for fold in range(FOLDS):
        others = [each for at, each in enumerate(sentences) if at % FOLDS != fold]
        mine = [at for at in range(len(sentences)) if at % FOLDS == fold]
        likely[mine] = told(fit(others), [sentences[at] for at in mine])
    _report("cross-validation", sentences, likely)
    weights = fit(sentences)
    _report("fitted", sentences, told(weights, sentences))
    fresh = read_labelled(FRESH)
    _report("fresh", fresh, told(weights, fresh))
    if arguments.write:
        WEIGHTS.write_bytes(lzma.compress(np.clip(np.rint(weights * SCALE), -127, 127).astype(np.int8).tobytes(), preset=9))
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
