"""Time to rank, time to learn and size of the ranking policy at d = 1536, K = 20, M = 5, after 1,000 applied updates.

The baseline is the dense form of equation 1, measured in the same run: full matrices, every candidate transformed, one outer
product per matrix and turn.  Each side has one core, as in a deployment where every core runs a separate process.
"""

import time
from collections.abc import Callable, Set
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from trustgraph_react_mem.rerank import CALIBRATED, PAPER, Candidates, Experience, Hyperparameters, Weights, learn, rank

from .row import Row, percentile

NAMES = ("rerank_1536", "update_1536", "weights_bytes_1536")
D, K, M, F = 1536, 20, 5, 24
UPDATES, TURNS_MEASURED, POOL = 1000, 400, 64
ROOT = np.float32(np.sqrt(D))  # a float64 would convert all vectors to float64
Array = NDArray[np.float32]


def _turns(rng: np.random.Generator) -> list[Experience]:
    """Turns whose cited records share a direction, so that there is something to learn.  Ids repeat after 4,000."""
    liked = rng.standard_normal(D).astype(np.float32) / ROOT
    made = []
    for number in range(POOL):
        vectors = rng.standard_normal((K, D)).astype(np.float32) / ROOT + np.float32(0.5) / ROOT
        chosen = rng.integers(0, K, 3)
        vectors[chosen] += liked * np.float32(0.3)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        query = rng.standard_normal(D).astype(np.float32) / ROOT
        found = Candidates(
            ids=tuple(f"record-{rng.integers(4000):04d}-{place}" for place in range(K)),
            vectors=vectors,
            base=rng.standard_normal(K),
            features=rng.standard_normal((K, F)),
            feature_names=tuple(f"feature_{place}" for place in range(F)),
        )
        shown = tuple(np.argsort(-found.base)[:M].tolist())
        cited = tuple(place for place, index in enumerate(shown) if index in chosen) or (0,)
        made.append(
            Experience(job_id=str(number), query=query, candidates=found, shown=shown, cited=cited, state="cited", seed=number)
        )
    return made


def learned(hyper: Hyperparameters, turns: list[Experience], updates: int = UPDATES) -> tuple[Weights, list[float]]:
    """The weights after ``updates`` applied batches, and the microseconds of the last turns."""
    weights = Weights.start(hyper, profile="bench", dimension=D)
    took: list[float] = []
    total = updates * hyper.batch + hyper.batch - 1  # plus a pending batch, the worst case for the stored size
    for number in range(total):
        turn = replace(turns[number % POOL], job_id=str(number))
        started = time.perf_counter()
        weights, _ = learn(weights, turn)
        if number >= total - TURNS_MEASURED:
            took.append(1e6 * (time.perf_counter() - started))
    return weights, took


def _microseconds(work: Callable[[Experience], object], turns: list[Experience], rounds: int) -> list[float]:
    took = []
    for number in range(rounds):
        started = time.perf_counter()
        work(turns[number % POOL])
        took.append(1e6 * (time.perf_counter() - started))
    return took[rounds // 10 :]


class Dense:
    """Direct implementation of equations 1 and 3, in float32."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.wq, self.wm = (rng.standard_normal((D, D)).astype(np.float32) * np.float32(0.01) for _ in range(2))

    def rank(self, turn: Experience) -> NDArray[np.intp]:
        adapted = turn.query + self.wq @ turn.query
        memories = turn.candidates.vectors + turn.candidates.vectors @ self.wm.T
        return np.argsort(-(memories @ adapted))

    def learn(self, turn: Experience) -> None:
        adapted = turn.query + self.wq @ turn.query
        memories = turn.candidates.vectors + turn.candidates.vectors @ self.wm.T
        scores = memories @ adapted
        p = np.exp((scores - scores.max()) / np.float32(0.5))
        a = -p / p.sum()
        a[list(turn.shown)] += np.float32(1)
        self.wq += np.float32(1e-6) * np.outer(a @ memories, turn.query)
        self.wm += np.float32(1e-6) * np.outer(adapted, a @ turn.candidates.vectors)


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    turns = _turns(rng)
    weights, update_us = learned(CALIBRATED, turns)
    dense = Dense(rng)
    ranked = _microseconds(lambda t: rank(weights, t.query, t.candidates, top_m=M), turns, 2000)
    rank_note = f"us p50 after {weights.updates} updates, p99 {percentile(ranked, 99):.0f}; d 1536, K 20"
    update_note = f"us per turn, mean of {len(update_us)}, a fourth of which apply a batch"
    # Random initial weights are stored as a seed: they would cost time here, but no bytes.  The rank soon is at its bound.
    paper, _ = learned(replace(PAPER, start_deviation=0.0), turns, 2 * PAPER.newest_products // PAPER.batch - 1)
    ours, papers = len(weights.to_bytes()), len(paper.to_bytes())
    size_note = f"the larger of calibrated ({ours:,}) and paper ({papers:,}); dense float32 beside it"
    dense_rank_us = percentile(_microseconds(dense.rank, turns, 60), 50)
    dense_update_us = percentile(_microseconds(dense.learn, turns, 40), 50)
    return [
        Row("rerank_1536", percentile(ranked, 50), "us", rank_note, baseline=dense_rank_us),
        Row("update_1536", sum(update_us) / len(update_us), "us", update_note, baseline=dense_update_us),
        Row("weights_bytes_1536", float(max(ours, papers)), "bytes", size_note, baseline=float(2 * D * D * 4)),
    ]


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    with threadpool_limits(limits=1, user_api="blas"):
        return [row for row in measure() if row.name in names]
