"""Fits the weights of the retrieval features: ``python -m bench weights FILE``.

Weights are fitted with leave-one-out over the dialogues of a LoCoMo file, so no result is on questions that were used for
fitting.  The results of the frozen weights are printed for comparison.  Nothing is written: change retrieval/weighting.py by
hand.

The loss is -log(p + 0.01) for each evidence turn, where p is its softmax among the top 80 other turns by the frozen weights.
The constant limits the influence of turns that are out of reach.  A ridge penalty keeps the weights near the frozen ones.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.retrieval.features import Question, columns
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, WEIGHTS

from .bank import open_bank
from .cached_embedder import open_embedder
from .recall import CATEGORIES

Floats = NDArray[np.float64]
KS = (5, 10, 20)
MULTI_HOP = "1"
OTHERS, UNREACHED = 80, 0.01


@dataclass(slots=True)
class Case:
    """A question with its scope: (F, n) columns and the indexes of the evidence."""

    dialogue: int
    category: str
    table: NDArray[np.float32]
    evidence: NDArray[np.int64]

    def covered(self, scores: Floats) -> list[float]:
        order = np.argsort(-scores, kind="stable")[: KS[-1]]
        return [100 * float(np.isin(self.evidence, order[:k]).mean()) for k in KS]


@dataclass(frozen=True, slots=True)
class Rows:
    """One row per evidence turn: (R, 1 + OTHERS, F) features of the turn (first) and of its competitors."""

    columns: Floats
    dialogue: NDArray[np.int64]
    weight: Floats  # the turns of a question have a total weight of 1

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Rows":
        found, dialogue, weight = [], [], []
        for case in cases:
            table = case.table.astype(np.float64)
            order = np.argsort(-(WEIGHTS @ case.table))
            others = order[~np.isin(order, case.evidence)][:OTHERS]
            others = np.resize(others, OTHERS)  # in a smaller scope, competitors are repeated
            for turn in case.evidence:
                found.append(table[:, [turn, *others]].T)
                dialogue.append(case.dialogue)
                weight.append(1 / len(case.evidence))
        return cls(np.stack(found), np.array(dialogue), np.array(weight))

    def only(self, wanted: NDArray[np.bool_]) -> "Rows":
        return Rows(self.columns[wanted], self.dialogue[wanted], self.weight[wanted])


def fitted(rows: Rows, start: Floats, ridge: Floats, steps: int = 20) -> Floats:
    """Fit by Newton's method with step halving.  ``ridge`` (F,) is per unit of a column's standard deviation."""
    hold = ridge * rows.columns.std(axis=(0, 1)) ** 2 * rows.weight.sum()

    def chances(weights: Floats) -> Floats:
        scores = rows.columns @ weights
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return np.asarray(p)

    def loss(weights: Floats, p: Floats) -> float:
        return float(-rows.weight @ np.log(p[:, 0] + UNREACHED) + hold @ (weights - start) ** 2 / 2)

    weights, p = start.copy(), chances(start)
    for _ in range(steps):
        counts = rows.weight * p[:, 0] / (p[:, 0] + UNREACHED)
        mean = np.einsum("rk,rkf->rf", p, rows.columns)
        slope = -(counts[:, None] * (rows.columns[:, 0] - mean)).sum(axis=0) + hold * (weights - start)
        weighted = (p * counts[:, None])[:, :, None] * rows.columns
        curve = np.einsum("rkf,rkg->fg", weighted, rows.columns, optimize=True)
        curve -= np.einsum("r,rf,rg->fg", counts, mean, mean, optimize=True)
        step = np.linalg.solve(curve + np.diag(hold + 1e-6), slope)
        before = loss(weights, p)
        while np.abs(step).max() > 1e-3:
            moved, there = weights - step, chances(weights - step)
            if loss(moved, there) < before:
                weights, p = moved, there
                break
            step = step / 2
        else:
            break
    return weights


def leave_one_out(cases: Sequence[Case], ridge: float) -> tuple[Floats, Floats]:
    """(Q, 3) coverage of each question with weights fitted without its dialogue, and the (D, F) weights."""
    rows = Rows.of(cases)
    start, held = WEIGHTS.astype(np.float64), np.full(len(WEIGHTS), ridge)
    dialogues = sorted({case.dialogue for case in cases})
    weights = {number: fitted(rows.only(rows.dialogue != number), start, held) for number in dialogues}
    covered = [case.covered(weights[case.dialogue] @ case.table.astype(np.float64)) for case in cases]
    return np.array(covered), np.array(list(weights.values()))


async def gathered(data: Path, model: str) -> list[Case]:
    cases: list[Case] = []
    async with open_embedder(model) as embedder, open_bank(embedder) as bank:
        for number, transcript in enumerate(read_asked_transcripts(data)):
            await bank.add(transcript)
            hot = await bank.columns(transcript)
            asked = [question for question in transcript.questions if question.evidence and question.category in CATEGORIES]
            vectors = await embedder.embed([question.text for question in asked], role="query")
            slots = {bank.turns[record_id]: slot for record_id, slot in hot.slots.items()}
            for question, vector in zip(asked, vectors, strict=True):
                evidence = np.array([slots[turn] for turn in question.evidence])
                table = columns(hot, Question.read(question.text, vector))
                cases.append(Case(number, question.category, table, evidence))
            print(f"{transcript.id}: {len(asked)} questions", flush=True)
    return cases


def report(name: str, covered: Floats, frozen: Floats, cases: Sequence[Case]) -> None:
    """Print coverage in percent, the change from the frozen weights with its bootstrap standard error, and by dialogue."""
    change = covered - frozen
    rng = np.random.default_rng(0)
    error = np.std([change[rng.integers(0, len(change), len(change))].mean(axis=0) for _ in range(1000)], axis=0)
    dialogue = np.array([case.dialogue for case in cases])
    hops = np.array([case.category == MULTI_HOP for case in cases])
    parts = [
        "/".join(f"{value:.1f}" for value in covered.mean(axis=0)),
        "/".join(f"{value:+.1f}±{spread:.1f}" for value, spread in zip(change.mean(axis=0), error, strict=True)),
        "by dialogue @5 " + " ".join(f"{change[dialogue == each, 0].mean():+.1f}" for each in np.unique(dialogue)),
        "@10 " + " ".join(f"{change[dialogue == each, 1].mean():+.1f}" for each in np.unique(dialogue)),
    ]
    if hops.any():
        parts.append("multi-hop " + "/".join(f"{value:.1f}" for value in covered[hops].mean(axis=0)))
    print(f"{name:10} " + "  ".join(parts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench weights", description=__doc__)
    parser.add_argument("data", type=Path, help="a LoCoMo file of several dialogues")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument(
        "--ridge", type=float, default=1.0, help="strength of the penalty that keeps weights near the frozen ones (default 1)"
    )
    arguments = parser.parse_args()
    cases = asyncio.run(gathered(arguments.data, arguments.embeddings))
    if len({case.dialogue for case in cases}) < 2:
        raise SystemExit(f"{arguments.data} has one dialogue: at least two are needed, one of them for the test")
    frozen = np.array([case.covered((WEIGHTS @ case.table).astype(np.float64)) for case in cases])
    print(f"coverage@{'/'.join(map(str, KS))} in percent, and the change from the frozen weights")
    report("frozen", frozen, frozen, cases)
    covered, weights = leave_one_out(cases, arguments.ridge)
    report("refitted", covered, frozen, cases)
    print("weights: mean and range over the left-out dialogues:")
    for name, column in zip(FEATURE_NAMES, weights.T, strict=True):
        if np.abs(column).max() >= 0.005:
            print(f"  {name:16} {column.mean():+.2f}  {column.min():+.2f} .. {column.max():+.2f}")
