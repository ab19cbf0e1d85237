"""The plain dense form of the policy, written from the equations alone: what the compact form must equal.

float64, every memory transformed by its own matrix product, gradients as full (d, d) matrices, no factors.  Also the makers
of random turns that the tests share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import grad
from numpy.typing import NDArray

from trustgraph_react_mem.rerank import Candidates, Experience, Hyperparameters, OuterProducts, Weights, flush, learn
from trustgraph_react_mem.rerank.policy import gumbel_noise

Array = NDArray[np.float64]


def unit(rows: Array) -> NDArray[np.float32]:
    result: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


def dense_form(factors: OuterProducts) -> NDArray[np.float32]:
    """The matrix (d, d) that its factors stand for."""
    result: NDArray[np.float32] = factors.left.T @ factors.right
    return result


def update(weights: Weights, batch: Sequence[Experience]) -> Weights:
    """Learn from several turns, and apply all gradients, those of a partial batch, too."""
    for turn in batch:
        weights, _ = learn(weights, turn)
    return flush(weights)


def candidates(rng: np.random.Generator, *, k: int, d: int, features: int = 4, name: str = "r") -> Candidates:
    return Candidates(
        ids=tuple(f"{name}{rng.integers(10**6)}-{i}" for i in range(k)),
        vectors=unit(rng.normal(size=(k, d)) + 0.7),
        base=rng.normal(size=k),
        features=rng.normal(size=(k, features)),
        feature_names=tuple(f"f{i}" for i in range(features)),
    )


def experience(
    rng: np.random.Generator,
    *,
    job: str,
    k: int = 12,
    d: int = 24,
    features: int = 4,
    cited: tuple[int, ...] = (1,),
) -> Experience:
    return Experience(
        job_id=job,
        query=unit(rng.normal(size=d) + 0.7),
        candidates=candidates(rng, k=k, d=d, features=features, name=job),
        shown=tuple(int(i) for i in rng.permutation(k)[:5]),
        cited=cited,
        state="cited" if cited else "none",
        seed=int(rng.integers(2**31)),
    )


def objective(
    hyper: Hyperparameters, logits: Array, shown: Sequence[int], advantages: Array, seed: int | None, likelihood: str = ""
) -> Any:
    """Sum over the shown of advantage times log-probability: what a step climbs.  ``seed``: of the noise of a sampled turn.

    Written for autograd, which differentiates it.
    """

    def log_softmax(values: Array) -> Array:
        scaled = values / hyper.temperature
        shifted: Array = scaled - anp.max(scaled)
        result: Array = shifted - anp.log(anp.sum(anp.exp(shifted)))
        return result

    likelihood = likelihood or hyper.log_probability
    if likelihood == "pairwise":
        total: Any = 0.0
        for i, high in zip(shown, advantages, strict=True):
            worse = [(j, low) for j, low in zip(shown, advantages, strict=True) if low < high]
            for j, low in worse:
                total -= (high - low) / len(worse) * anp.log1p(anp.exp((logits[j] - logits[i]) / hyper.temperature))
        return total
    if likelihood == "softmax":
        noise = gumbel_noise(seed, len(logits)) if seed is not None else 0.0
        return anp.dot(advantages, log_softmax(logits + noise)[np.array(shown)])
    left, total = list(range(len(logits))), 0.0
    for chosen, advantage in zip(shown, advantages, strict=True):
        total += advantage * log_softmax(logits[np.array(left)])[left.index(chosen)]
        left.remove(chosen)
    return total


@dataclass
class DensePolicy:
    hyper: Hyperparameters
    wq: Array
    wm: Array
    u: Array
    theta: Array
    memory_mean: Array
    memories: int = 0
    gradients: list[tuple[Array, Array, Array, Array]] = field(default_factory=list)
    raws: list[Array] = field(default_factory=list)

    @classmethod
    def start(
        cls, hyper: Hyperparameters, d: int, features: int, wq: Array | None = None, wm: Array | None = None
    ) -> "DensePolicy":
        zero = np.zeros((d, d))
        return cls(
            hyper,
            zero.copy() if wq is None else wq.astype(np.float64),
            zero.copy() if wm is None else wm.astype(np.float64),
            np.zeros(d),
            np.zeros(features),
            np.zeros(d),
        )

    def _seen(self, memories: Array, *, learning: bool) -> Array:
        if not self.hyper.centred:
            return memories
        count, mean = self.memories, self.memory_mean
        if learning:
            count += len(memories)
            mean = (self.memory_mean * self.memories + memories.sum(axis=0)) / count
        moved = memories - mean
        result: Array = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        return result

    def logits(self, query: NDArray[np.floating[Any]], found: Candidates) -> Array:
        q, memories = query.astype(np.float64), self._seen(found.vectors.astype(np.float64), learning=False)
        adapted = q + self.wq @ q
        out = np.zeros(len(found))
        for i, memory in enumerate(memories):
            score = adapted @ (memory + self.wm @ memory) if self.hyper.use_matrices else 0.0
            out[i] = self.hyper.scale * (score + self.u @ memory)
        if self.hyper.use_features:
            out += found.features @ self.theta
        if self.hyper.use_base:
            out += (found.base - found.base.mean()) / found.base.std()
        return out

    def learn(self, turn: Experience) -> None:
        hyper = self.hyper
        logits = self.logits(turn.query, turn.candidates)
        advantages = turn.rewards() - hyper.baseline
        seed = turn.seed if turn.sampled else None
        slopes = grad(objective, 1)
        a = slopes(hyper, logits, turn.shown, advantages, seed, hyper.log_probability)
        b = slopes(hyper, logits, turn.shown, advantages, seed, hyper.feature_log_probability)
        q = turn.query.astype(np.float64)
        memories = self._seen(turn.candidates.vectors.astype(np.float64), learning=True)
        adapted = q + self.wq @ q
        dwq = sum(a[i] * hyper.scale * np.outer(m + self.wm @ m, q) for i, m in enumerate(memories))
        dwm = sum(a[i] * hyper.scale * np.outer(adapted, m) for i, m in enumerate(memories))
        self.gradients.append((np.asarray(dwq), np.asarray(dwm), hyper.scale * a @ memories, b @ turn.candidates.features))
        self.raws.append(turn.candidates.vectors.astype(np.float64))
        if len(self.gradients) == hyper.batch:
            self.apply()

    def apply(self) -> None:
        hyper = self.hyper
        for array in (self.wq, self.wm, self.u, self.theta):
            if hyper.decay:
                array *= 1 - hyper.decay
        share = 1 / hyper.batch if hyper.average else 1.0
        for dwq, dwm, du, dtheta in self.gradients:
            if hyper.use_matrices:
                self.wq += share * hyper.matrix_step * dwq
                self.wm += share * hyper.matrix_step * dwm
            if hyper.use_vector:
                self.u += share * hyper.vector_step * du
            if hyper.use_features:
                self.theta += share * hyper.feature_step * dtheta
        for memories in self.raws:
            self.memory_mean = (self.memory_mean * self.memories + memories.sum(axis=0)) / (self.memories + len(memories))
            self.memories += len(memories)
        self.gradients, self.raws = [], []
