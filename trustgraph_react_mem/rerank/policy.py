"""Ranking: computes one logit for each candidate and selects the M records to show (RMM equations 1 and 2).

With q' = (I + Wq) q and m' = (I + Wm) m, every score q'.m' equals v.m for ONE adapted query

    v = (I + Wm)^T (I + Wq) q

so no memory vector is ever transformed.  A learned vector u is simply added to v.  The learned part of each matrix is a sum of
r outer products, so computing v takes O(d r) in addition to the seeded start matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .gumbel import gumbel_softmax, softmax, top
from .ranking import Candidates, Fallback, Floats, Ranking
from .weights import Vector, Weights

_FLAT = 1e-9  # scores with a standard deviation below this count as equal


@dataclass(frozen=True, slots=True)
class Scored:
    """Parts of the logits, before trust.  ``prior`` and ``learned`` (K,).  ``added`` (K, 2) and ``head`` (K, F) are before
    ``factor``."""

    prior: Floats
    learned: Floats
    added: Floats  # contribution of u; contribution of the matrices (equation 1)
    head: Floats | None
    factor: float  # shrinks the learned part so that it stays within ``reach``
    adapted_query: Vector


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


def feature_weights(weights: Weights, names: Sequence[str]) -> Floats:
    """theta in the order of ``names``; 0 for features without a learned weight."""
    return np.array([weights.theta.get(name, 0.0) for name in names])


def score(weights: Weights, query: Vector, candidates: Candidates) -> Scored:
    """All parts of the logits.  Values that are not finite are returned as they are; the caller checks for them."""
    hyper = weights.hyper
    k = len(candidates)
    vectors, mean, adapted_query = candidates.vectors, weights.memory_mean, weights.vector
    added = np.zeros((k, 2))
    if hyper.use_matrices:
        matrix_query = fold_matrices(weights, query)
        added[:, 1] = hyper.scale * (vectors @ matrix_query)
        adapted_query = adapted_query + matrix_query
    if hyper.centred:
        # u.(m - mean) / |m - mean| for unit vectors m, computed from dot products to avoid a (K, d) copy of the vectors.
        scale = hyper.scale / np.sqrt(np.maximum(1 + mean @ mean - 2 * (vectors @ mean), _FLAT))
        np.multiply(vectors @ weights.vector - weights.vector @ mean, scale, out=added[:, 0])
    else:
        np.multiply(vectors @ weights.vector, hyper.scale, out=added[:, 0])
    learned = added[:, 0] + added[:, 1]
    features = None
    if hyper.use_features and weights.theta:
        features = candidates.features * feature_weights(weights, candidates.feature_names)
        learned += features.sum(axis=1)
    # Trust region: retrieval's scores have standard deviation 1, so learning can reorder close candidates but cannot overrule
    # a clear lead.
    middle = float(learned.sum()) / k
    furthest = max(float(learned.max()) - middle, middle - float(learned.min()))
    factor = float(hyper.reach / furthest) if furthest > hyper.reach else 1.0
    return Scored(
        standardise(candidates.base) if hyper.use_base else np.zeros(k),
        factor * learned,
        added,
        features,
        factor,
        np.float32(factor) * adapted_query,
    )


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
    hyper = weights.hyper
    if sample:
        keys, probabilities = gumbel_softmax(logits, seed, hyper.temperature)
    else:
        keys, probabilities = logits, softmax(logits, hyper.temperature)
    order = tuple(top(keys, len(candidates)).tolist())
    return Ranking(
        order=order,
        selected=order[:top_m],
        prior=scored.prior,
        logits=logits,
        probabilities=probabilities,
        adapted_query=scored.adapted_query,
        added=scored.added,
        head=scored.head,
        feature_names=candidates.feature_names,
        share=weights.trust * scored.factor,
    )


def _retrieval_order(candidates: Candidates, top_m: int, reason: Fallback) -> Ranking:
    """Retrieval's own order; scores that are not finite come last."""
    base = np.where(np.isfinite(candidates.base), candidates.base, -np.inf)
    order = tuple(top(base, len(candidates)).tolist())
    finite: NDArray[np.float64] = np.where(
        np.isfinite(base), base, base[np.isfinite(base)].min() if np.isfinite(base).any() else 0.0
    )
    prior = standardise(finite)
    return Ranking(
        order=order,
        selected=order[:top_m],
        prior=prior,
        logits=prior,
        probabilities=softmax(prior),
        fallback=reason,
    )
