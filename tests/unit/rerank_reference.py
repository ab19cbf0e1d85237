"""The plain dense form of the policy, written from the equations alone: what the compact form must equal.

float64, every memory transformed by its own matrix product, gradients as full (d, d) matrices, no factors.  Also the makers
of random turns that the tests share.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustgraph_react_mem.rerank import Candidates, Experience, Hyperparameters
from trustgraph_react_mem.rerank.gumbel import gumbel_noise

Array = NDArray[np.float64]


def unit(rows: Array) -> NDArray[np.float32]:
    result: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


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
    m: int = 5,
    features: int = 4,
    cited: tuple[int, ...] = (1,),
) -> Experience:
    return Experience(
        job_id=job,
        query=unit(rng.normal(size=d) + 0.7),
        candidates=candidates(rng, k=k, d=d, features=features, name=job),
        shown=tuple(int(i) for i in rng.permutation(k)[:m]),
        cited=cited,
        state="cited" if cited else "none",
        seed=int(rng.integers(2**31)),
    )


@dataclass
class DensePolicy:
    hyper: Hyperparameters
    wq: Array
    wm: Array
    u: Array
    theta: Array
    memory_mean: Array
    query_mean: Array
    memories: int = 0
    queries: int = 0
    gradients: list[tuple[Array, Array, Array, Array]] = field(default_factory=list)
    raws: list[tuple[Array, Array]] = field(default_factory=list)

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
            np.zeros(d),
        )

    def _seen(self, query: Array, memories: Array, *, learning: bool) -> tuple[Array, Array]:
        if not self.hyper.centred:
            return query, memories
        count, mean = self.memories, self.memory_mean
        if learning:
            count += len(memories)
            mean = (self.memory_mean * self.memories + memories.sum(axis=0)) / count
        centre = (self.query_mean * self.queries + 8 * mean) / (self.queries + 8)
        query = query - centre
        moved = memories - mean
        return query / max(float(np.linalg.norm(query)), 1e-12), moved / np.linalg.norm(moved, axis=1, keepdims=True)

    def logits(self, query: NDArray[np.floating[Any]], found: Candidates, *, learning: bool = False) -> Array:
        q, memories = self._seen(query.astype(np.float64), found.vectors.astype(np.float64), learning=learning)
        adapted = q + self.wq @ q
        out = np.zeros(len(found))
        for i, memory in enumerate(memories):
            score = adapted @ (memory + self.wm @ memory)
            if not self.hyper.residual:
                score -= q @ memory
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
        a = self._slopes(hyper.log_probability, logits, advantages, turn)
        b = self._slopes(hyper.feature_log_probability, logits, advantages, turn)
        q, memories = self._seen(turn.query.astype(np.float64), turn.candidates.vectors.astype(np.float64), learning=True)
        adapted = q + self.wq @ q
        dwq = sum(a[i] * hyper.scale * np.outer(m + self.wm @ m, q) for i, m in enumerate(memories))
        dwm = sum(a[i] * hyper.scale * np.outer(adapted, m) for i, m in enumerate(memories))
        self.gradients.append((np.asarray(dwq), np.asarray(dwm), hyper.scale * a @ memories, b @ turn.candidates.features))
        self.raws.append((turn.query.astype(np.float64), turn.candidates.vectors.astype(np.float64)))
        if len(self.gradients) == hyper.batch:
            self.apply()

    def _slopes(self, likelihood: str, logits: Array, advantages: Array, turn: Experience) -> Array:
        hyper = self.hyper
        a = np.zeros(len(logits))
        if likelihood == "softmax":
            noisy = logits + gumbel_noise(turn.seed, len(logits)) if hyper.sample_while_serving else logits
            p = np.exp(noisy / hyper.temperature)
            p /= p.sum()
            for advantage, i in zip(advantages, turn.shown, strict=True):
                a += advantage * (np.eye(len(logits))[i] - p) / hyper.temperature
        elif likelihood == "pairwise":
            for high, i in zip(advantages, turn.shown, strict=True):
                worse = [(low, j) for low, j in zip(advantages, turn.shown, strict=True) if low < high]
                for low, j in worse:
                    pull = (high - low) / len(worse) * (1 - 1 / (1 + np.exp(logits[j] - logits[i])))
                    a[i] += pull
                    a[j] -= pull
        else:
            left = list(range(len(logits)))
            for advantage, i in zip(advantages, turn.shown, strict=True):
                p = np.exp(logits[left] / hyper.temperature)
                p /= p.sum()
                a[i] += advantage / hyper.temperature
                a[left] -= advantage * p / hyper.temperature
                left.remove(i)
        return a

    def apply(self) -> None:
        hyper = self.hyper
        for array in (self.wq, self.wm, self.u, self.theta):
            if hyper.decay:
                array *= 1 - hyper.decay
        share = 1 / hyper.batch if hyper.average else 1.0
        for dwq, dwm, du, dtheta in self.gradients:
            if hyper.matrices == "both":
                self.wq += share * hyper.matrix_step * dwq
            if hyper.matrices != "none":
                self.wm += share * hyper.matrix_step * dwm
            if hyper.use_vector:
                self.u += share * hyper.vector_step * du
            if hyper.use_features:
                self.theta += share * hyper.feature_step * dtheta
        for query, memories in self.raws:
            self.memory_mean = (self.memory_mean * self.memories + memories.sum(axis=0)) / (self.memories + len(memories))
            self.query_mean = (self.query_mean * self.queries + query) / (self.queries + 1)
            self.memories += len(memories)
            self.queries += 1
        self.gradients, self.raws = [], []
