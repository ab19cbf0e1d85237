"""Ranking: computes one logit for each candidate and selects the M records to show (RMM equations 1 and 2).

With q' = (I + Wq) q and m' = (I + Wm) m, every score q'.m' equals v.m for ONE adapted query

    v = (I + Wm)^T (I + Wq) q

so no memory vector is ever transformed.  A learned vector u is simply added to v.  The learned part of each matrix is a sum of
r outer products, so computing v takes O(d r) in addition to the seeded start matrices.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .ranking import Candidates, Fallback, Floats, Ranking
from .weights import Vector, Weights

_FLAT = 1e-9  # scores with a standard deviation below this count as equal


@dataclass(frozen=True, slots=True)
class Scored:
    """Parts of the logits (K,), before trust.  ``parts``: the contributions to ``learned`` by name."""

    prior: Floats
    learned: Floats
    parts: Mapping[str, Floats]


def gumbel_noise(seed: int, k: int) -> Floats:
    """(k,) draws of ``-log(-log(u))``, u uniform on (0, 1).  ``seed``: any integer.

    The noise depends only on the seed, so a reward job can reproduce the sample that was served.  NumPy's legacy generator is
    used because its stream is frozen (NEP 19): a newer NumPy draws the same numbers.
    """
    uniform = np.random.RandomState(seed & 0xFFFFFFFF).random_sample(k)
    tiny = np.finfo(np.float64).tiny
    noise: Floats = -np.log(-np.log(np.maximum(uniform, tiny)))
    return noise


def softmax(logits: Floats, temperature: float = 1.0) -> Floats:
    """Probabilities (k,) that sum to 1; numerically stable for large logits."""
    if not logits.size:
        return logits
    shifted = np.exp((logits - logits.max()) / temperature)
    result: Floats = shifted / shifted.sum()
    return result


def top(scores: Floats, m: int) -> NDArray[np.intp]:
    """Indices of the m highest scores, best first; equal scores keep their order."""
    return np.argsort(-scores, kind="stable")[:m]


def standardise(base: Floats) -> Floats:
    """Retrieval scores with mean 0 and standard deviation 1 over the candidates; equal scores become 0."""
    centred = base - base.sum() / max(base.size, 1)
    spread = float((centred @ centred / max(centred.size, 1)) ** 0.5)
    if not spread > _FLAT:  # true for NaN, too: then the scores are returned unchanged and ``rank`` falls back
        return np.zeros_like(base) if spread == spread else base
    scaled: Floats = centred / spread
    return scaled


def adapt_query(weights: Weights, query: Vector) -> Vector:
    """q' = (I + Wq) q, (d,).  Source: RMM eq. 1."""
    start = weights.start_matrices()
    result: Vector = query + weights.wq.dot(query)
    return result + start[0] @ query if start else result


def adapt_memory(weights: Weights, memory: Vector) -> Vector:
    """m' = (I + Wm) m, (d,).  Source: RMM eq. 1."""
    start = weights.start_matrices()
    result: Vector = memory + weights.wm.dot(memory)
    return result + start[1] @ memory if start else result


def fold_matrices(weights: Weights, query: Vector) -> Vector:
    """v = (I + Wm)^T (I + Wq) q, (d,): both transformations of equation 1, applied to the query."""
    start = weights.start_matrices()
    query = adapt_query(weights, query)
    result: Vector = query + weights.wm.transposed_dot(query)
    return result + query @ start[1] if start else result


def score(weights: Weights, query: Vector, candidates: Candidates) -> Scored:
    """All parts of the logits.  Values that are not finite are returned as they are; the caller checks for them."""
    hyper = weights.hyper
    k = len(candidates)
    vectors, mean = candidates.vectors, weights.memory_mean
    parts = {"vector": np.zeros(k), "matrix": np.zeros(k)}  # of u; of the matrices (equation 1)
    if hyper.use_matrices:
        parts["matrix"][:] = hyper.scale * (vectors @ fold_matrices(weights, query))
    if hyper.centred:
        # u.(m - mean) / |m - mean| for unit vectors m, computed from dot products to avoid a (K, d) copy of the vectors.
        scale = hyper.scale / np.sqrt(np.maximum(1 + mean @ mean - 2 * (vectors @ mean), _FLAT))
        np.multiply(vectors @ weights.vector - weights.vector @ mean, scale, out=parts["vector"])
    else:
        np.multiply(vectors @ weights.vector, hyper.scale, out=parts["vector"])
    learned = parts["vector"] + parts["matrix"]
    if hyper.use_features and weights.theta:
        theta = np.array([weights.theta.get(name, 0.0) for name in candidates.feature_names])
        head = candidates.features * theta
        learned += head.sum(axis=1)
        parts |= {f"f:{name}": column for name, column in zip(candidates.feature_names, head.T, strict=True)}
    # Trust region: retrieval's scores have standard deviation 1, so learning can reorder close candidates but cannot overrule
    # a clear lead.
    middle = float(learned.sum()) / k
    furthest = max(float(learned.max()) - middle, middle - float(learned.min()))
    factor = float(hyper.reach / furthest) if furthest > hyper.reach else 1.0
    prior = standardise(candidates.base) if hyper.use_base else np.zeros(k)
    return Scored(prior, factor * learned, {name: factor * part for name, part in parts.items()})


def rank(
    weights: Weights | None, query: Vector, candidates: Candidates, *, top_m: int, sample: bool = False, seed: int = 0
) -> Ranking:
    """Order the candidates and select the ``top_m`` to show: the best, or with ``sample`` a Gumbel sample drawn from ``seed``.

    ``query`` (d,).  Never raises for unusable numbers: without weights, with another dimension or with values that are not
    finite, the result is retrieval's own order, and ``fallback`` names the reason.
    """
    if not len(candidates):
        nothing = np.zeros(0)
        return Ranking(order=(), selected=(), prior=nothing, logits=nothing, probabilities=nothing, fallback="empty")
    if weights is None:
        return _retrieval_order(candidates, top_m, "no-weights")
    if query.shape != (weights.dimension,) or candidates.vectors.shape[1] != weights.dimension:
        return _retrieval_order(candidates, top_m, "dimension")
    with np.errstate(all="ignore"):
        scored = score(weights, query, candidates)
        logits = scored.prior + weights.trust * scored.learned
    if not np.isfinite(logits).all():
        return _retrieval_order(candidates, top_m, "not-finite")
    keys = logits + gumbel_noise(seed, logits.size) if sample else logits  # RMM eq. 2
    order = tuple(top(keys, len(candidates)).tolist())
    return Ranking(
        order=order,
        selected=order[:top_m],
        prior=scored.prior,
        logits=logits,
        probabilities=softmax(keys, weights.hyper.temperature),
        parts={name: weights.trust * part for name, part in scored.parts.items()},
    )


def _retrieval_order(candidates: Candidates, top_m: int, reason: Fallback) -> Ranking:
    """Retrieval's own order; scores that are not finite come last."""
    base = np.where(np.isfinite(candidates.base), candidates.base, -np.inf)
    order = tuple(top(base, len(candidates)).tolist())
    known = base[np.isfinite(base)]
    prior = standardise(np.where(np.isfinite(base), base, known.min() if known.size else 0.0))
    return Ranking(
        order=order, selected=order[:top_m], prior=prior, logits=prior, probabilities=softmax(prior), fallback=reason
    )
