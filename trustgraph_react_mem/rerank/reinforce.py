"""Learning: REINFORCE on the citations of a turn (RMM equation 3), in rank-one steps.

With a_i = d(sum of advantage-weighted log-probabilities)/d(logit_i), b_i the same for the head, one turn's whole gradient is

    dtheta = sum b_i f_i      du = s sum a_i m_i      dWm = q' (s sum a_i m_i)^T      dWq = ((I + Wm) s sum a_i m_i) q^T

because the score q'.m' is linear in each of theta, u, Wm and Wq.  Each matrix gets one outer product, so a turn's gradient is a
handful of vectors.  Four turns make a batch.  Turns of an incomplete batch are stored with the weights, so a crash loses none.
Every function here is pure: the same weights and experience give the same result.

Protection against false citations: advantages and each turn's gradient are clipped; learned weights decay and stay within a
radius; a record's n-th citation among the newest counts 1/n; records that imitate a citation get no reward; and the learned
part is weighted by ``trust``, its past success against the prior order on the same citations.
"""

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from .archive import encode
from .hyperparameters import Hyperparameters, Likelihood
from .policy import adapt_memory, adapt_query, gumbel_noise, score, softmax
from .ranking import Experience, Floats
from .weights import NEUTRAL_TRUST, Matrix, MatrixGradient, TurnGradient, Vector, Weights

Outcome = Literal["accumulated", "applied", "seen", "malformed", "absent", "empty", "not-finite", "dimension", "out-of-range"]
CHANGED: Collection[Outcome] = ("accumulated", "applied")  # outcomes that changed the weights

_MAX_SEEN = 512  # number of newest job ids remembered
_MEAN_MEMORY = 4000.0  # approximate window of the running mean, in vectors
_EVIDENCE_DECAY = 0.98  # factor on ``won`` and ``lost`` before each new comparison


def id_hash(text: str) -> int:
    """A 48-bit digest of an id."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")


def coefficients(
    hyper: Hyperparameters,
    logits: Floats,
    shown: Sequence[int],
    advantages: Floats,
    seed: int | None = None,
    likelihood: Likelihood | None = None,
) -> Floats:
    """(K,) derivatives, by each logit, of the sum over the shown records of advantage times log-probability (equation 3).

    - softmax: log-probabilities of equation 2 with the Gumbel noise of ``seed`` (None: without noise).
    - plackett-luce: the shown records as an ordered sample without replacement.
    - pairwise: each shown record is preferred to each shown record of lower advantage.

    The first two treat candidates that were not shown as rejected.  Those have low scores, and the head's features are
    themselves scores, so the head would only reinforce the existing order.  Therefore the head learns from pairs.
    ``likelihood`` None: the one of vector and matrices.
    """
    likelihood = likelihood or hyper.log_probability
    if likelihood == "pairwise":
        return _pair_coefficients(logits, shown, advantages, hyper.temperature)
    if likelihood == "softmax":
        noisy = logits if seed is None else logits + gumbel_noise(seed, logits.size)
        probabilities = softmax(noisy, hyper.temperature)
        result = -advantages.sum() * probabilities
        np.add.at(result, list(shown), advantages)
        scaled: Floats = result / hyper.temperature
        return scaled
    result = np.zeros_like(logits)
    left = np.ones(len(logits), dtype=bool)
    for chosen, advantage in zip(shown, advantages, strict=True):
        if advantage:
            probabilities = softmax(np.where(left, logits, -np.inf), hyper.temperature)
            result -= advantage * probabilities
            result[chosen] += advantage
        left[chosen] = False
    scaled = result / hyper.temperature
    return scaled


def _pair_coefficients(logits: Floats, shown: Sequence[int], advantages: Floats, temperature: float) -> Floats:
    """The weight of a pair is the difference of its advantages, divided by the number of records worse than the better one."""
    result = np.zeros_like(logits)
    for i, high in zip(shown, advantages, strict=True):
        worse = [(j, float(high - low)) for j, low in zip(shown, advantages, strict=True) if low < high]
        for j, lead in worse:
            slope = lead / len(worse) / temperature / (1.0 + np.exp((logits[i] - logits[j]) / temperature))
            result[i] += slope
            result[j] -= slope
    return result


def compute_advantages(weights: Weights, experience: Experience) -> Floats:
    """(M,) clipped R - b, divided by 1 + earlier citations for cited records, 0 for muted records."""
    hyper = weights.hyper
    result = np.clip(experience.rewards() - hyper.baseline, -hyper.advantage_limit, hyper.advantage_limit)
    if hyper.repeat_memory and weights.repeats:
        for position in experience.cited:
            record = id_hash(experience.candidates.ids[experience.shown[position]])
            result[position] /= 1 + weights.repeats.count(record)
    for position, index in enumerate(experience.shown):
        if index in experience.muted:
            result[position] = 0.0
    return result


def learn(weights: Weights, experience: Experience) -> tuple[Weights, Outcome]:
    """Learn from one turn.  The last turn of a batch applies the batch's gradients.

    The weights do not change, and the outcome names the reason, if the turn was learned from before, its citations were
    malformed or absent, nothing was shown, or a number is not finite or a vector has another dimension.
    """
    problem = _problem(weights, experience)
    if problem:
        return weights, problem
    with np.errstate(all="ignore"):
        scored = score(weights, experience.query, experience.candidates)
        logits = scored.prior + scored.learned
        if not np.isfinite(logits).all():
            return weights, "not-finite"
        hyper, shown = weights.hyper, experience.shown
        seed = experience.seed if experience.sampled else None
        advantages = compute_advantages(weights, experience)
        a = coefficients(hyper, logits, shown, advantages, seed)
        b = coefficients(hyper, logits, shown, advantages, seed, hyper.feature_log_probability)
        turn = _turn_gradient(weights, experience, a, b)
    if turn is None:
        return weights, "not-finite"
    grown = replace(
        weights,
        pending=(*weights.pending, turn),
        turns=weights.turns + 1,
        seen=(*weights.seen, id_hash(experience.job_id))[-_MAX_SEEN:],
        repeats=_repeats(weights, experience),
        archive=(*weights.archive, encode(experience))[-hyper.archive :] if hyper.archive else (),
    )
    if hyper.check:
        grown = _compare(grown, experience, scored.prior, logits)
    if len(grown.pending) < hyper.batch:
        return grown, "accumulated"
    return flush(grown), "applied"


def flush(weights: Weights) -> Weights:
    """Apply the gradients of all pending turns, used at the end of a session.  Returns ``weights`` itself if there are none."""
    if not weights.pending:
        return weights
    hyper = weights.hyper
    kept = 1.0 - hyper.decay
    turns = weights.pending
    # Divided by the full batch size even for a partial batch, so that short sessions do not learn faster than long ones.
    share = 1.0 / hyper.batch if hyper.average else 1.0
    memories = np.stack([turn.memories for turn in turns])
    vector, theta = weights.vector, dict(weights.theta)
    if hyper.use_vector:
        vector = vector * np.float32(kept) + np.float32(share * hyper.vector_step) * memories.sum(axis=0)
        vector = vector * np.float32(_shrink_to(float(vector @ vector) ** 0.5, hyper.vector_radius))
    if hyper.use_features:
        theta = _step_features(theta, [turn.theta for turn in turns], hyper, kept, share)
    wq, wm = weights.wq, weights.wm
    matrices = [turn.matrices for turn in turns if turn.matrices is not None]
    if matrices:
        step = share * hyper.matrix_step
        lefts, rights = np.stack([each.lifted for each in matrices]), np.stack([each.query for each in matrices])
        wq = wq.plus(lefts, rights, step, hyper.newest_products)
        wm = wm.plus(np.stack([each.adapted for each in matrices]), memories, step, hyper.newest_products)
    moved = replace(weights, pending=(), vector=vector, theta=theta, wq=wq, wm=wm, updates=weights.updates + 1)
    if hyper.centred:
        moved = _update_mean(moved, turns)
    return _update_trust(moved) if hyper.check else moved


def feedback(weights: Weights, job_id: str, memory: Vector, rating: int) -> tuple[Weights, Outcome]:
    """Learn from a user's rating (+1 or -1) of one record: one bounded step of u along its vector, once per job id."""
    hyper = weights.hyper
    if id_hash(job_id) in weights.seen:
        return weights, "seen"
    if memory.shape != (weights.dimension,):
        return weights, "dimension"
    if not np.isfinite(memory).all():
        return weights, "not-finite"
    vector = weights.vector
    if hyper.use_vector:
        direction = memory
        if hyper.centred:
            moved = memory - weights.memory_mean
            direction = moved / np.float32(max(float(moved @ moved) ** 0.5, 1e-9))
        vector = vector + np.float32(hyper.vector_step * hyper.scale * hyper.advantage_limit * rating) * direction
        vector = vector * np.float32(_shrink_to(float(vector @ vector) ** 0.5, hyper.vector_radius))
    seen = (*weights.seen, id_hash(job_id))[-_MAX_SEEN:]
    return replace(weights, vector=vector, seen=seen, updates=weights.updates + 1), "applied"


# -- one turn ----------------------------------------------------------------------------------------------------


def _problem(weights: Weights, experience: Experience) -> Outcome | None:
    k = len(experience.candidates)
    if id_hash(experience.job_id) in weights.seen:
        return "seen"
    if experience.state == "malformed":
        return "malformed"
    if experience.state == "absent":
        return "absent"
    if not k or not experience.shown:
        return "empty"
    inside = all(0 <= index < k for index in experience.shown) and len(set(experience.shown)) == len(experience.shown)
    if not inside or any(not 0 <= position < len(experience.shown) for position in experience.cited):
        return "out-of-range"
    if experience.query.shape != (weights.dimension,) or experience.candidates.vectors.shape[1] != weights.dimension:
        return "dimension"
    return None


def _weigh_memories(a: Floats, vectors: Matrix, mean: Vector | None) -> Vector:
    """sum a_i m_i over the memories, (d,).  With a mean, memories are centred and normalised first, as in ``policy.score``."""
    if mean is None:
        return a.astype(np.float32) @ vectors
    squares = 1 - 2 * (vectors @ mean) + mean @ mean
    shares = (a / np.sqrt(np.maximum(squares, 1e-9))).astype(np.float32)
    result: Vector = shares @ vectors - shares.sum() * mean
    return result


def _turn_gradient(weights: Weights, experience: Experience, a: Floats, b: Floats) -> TurnGradient | None:
    """The turn's gradient from the logit derivatives ``a`` (vector, matrices) and ``b`` (head); None if it is not finite."""
    hyper = weights.hyper
    candidates = experience.candidates
    total, mean = candidates.vectors.sum(axis=0), None
    if hyper.centred:
        # The running mean includes this turn's candidates, so that it exists before the first batch.
        count = weights.memory_count + len(candidates)
        mean = (weights.memory_mean * np.float32(weights.memory_count) + total) / np.float32(count)
    gradient = np.float32(hyper.scale) * _weigh_memories(a, candidates.vectors, mean)
    gradient = gradient * np.float32(_shrink_to(float(gradient @ gradient) ** 0.5, hyper.turn_limit))
    vectors = [gradient]
    matrices = None
    if hyper.use_matrices:
        query, right = experience.query.astype(np.float32), gradient.astype(np.float32)
        matrices = MatrixGradient(query=query, adapted=adapt_query(weights, query), lifted=adapt_memory(weights, right))
        vectors += [matrices.adapted, matrices.lifted]
    theta: dict[str, float] = {}
    if hyper.use_features and candidates.feature_names:
        slope = b @ candidates.features
        slope *= _shrink_to(float(slope @ slope) ** 0.5, hyper.turn_limit)
        vectors.append(slope)
        theta = dict(zip(candidates.feature_names, slope.tolist(), strict=True))
    if not all(np.isfinite(vector).all() for vector in vectors):
        return None
    return TurnGradient(
        memories=gradient.astype(np.float32),
        memory_sum=total.astype(np.float32),
        count=len(candidates),
        theta=theta,
        matrices=matrices,
        origin=id_hash(experience.job_id),
    )


def _repeats(weights: Weights, experience: Experience) -> tuple[int, ...]:
    if not weights.hyper.repeat_memory:
        return ()
    cited = [id_hash(experience.candidates.ids[experience.shown[position]]) for position in experience.cited]
    return (*weights.repeats, *cited)[-weights.hyper.repeat_memory :]


# -- one batch ---------------------------------------------------------------------------------------------------


def _shrink_to(norm: float, radius: float) -> float:
    """The factor that limits a norm to ``radius``."""
    return radius / norm if norm > radius else 1.0


def _step_features(
    theta: dict[str, float], slopes: Sequence[Mapping[str, float]], hyper: Hyperparameters, kept: float, share: float
) -> dict[str, float]:
    result = {name: value * kept for name, value in theta.items()}
    for slope in slopes:
        for name, value in slope.items():
            result[name] = result.get(name, 0.0) + share * hyper.feature_step * value
    factor = _shrink_to(sum(value**2 for value in result.values()) ** 0.5, hyper.feature_radius)
    return {name: value * factor for name, value in result.items()}


def _update_mean(weights: Weights, turns: Sequence[TurnGradient]) -> Weights:
    count = sum(turn.count for turn in turns)
    total = np.sum([turn.memory_sum for turn in turns], axis=0, dtype=np.float32)
    old = min(float(weights.memory_count), _MEAN_MEMORY)
    mean = (weights.memory_mean * np.float32(old) + total) / np.float32(old + count)
    return replace(weights, memory_mean=mean, memory_count=int(old) + count)


# -- does it help? -----------------------------------------------------------------------------------------------


def _compare(weights: Weights, experience: Experience, prior: Floats, learned: Floats) -> Weights:
    """Count pairs of a cited and an uncited record that only the learned order, or only the prior order, ranks correctly.

    Called with scores from before this turn was learned from, so that the comparison is fair.
    """
    won = lost = pairs = 0
    cited = set(experience.cited)
    for position in cited:
        i = experience.shown[position]
        if i in experience.muted:
            continue
        for other, j in enumerate(experience.shown):
            if other in cited or j in experience.muted:
                continue
            pairs += 1
            before, after = prior[i] > prior[j], learned[i] > learned[j]
            won += after and not before
            lost += before and not after
    if won == lost == 0:
        return weights
    return replace(weights, won=weights.won * _EVIDENCE_DECAY + won / pairs, lost=weights.lost * _EVIDENCE_DECAY + lost / pairs)


def _update_trust(weights: Weights) -> Weights:
    """Trust is 0.5 without evidence, 1 when learning is 4/3 standard deviations ahead, 0 when it is as far behind."""
    lead = (weights.won - weights.lost) / math.sqrt(weights.won + weights.lost + 1.0)
    return replace(weights, trust=min(1.0, max(0.0, NEUTRAL_TRUST * (1.0 + 0.75 * lead))))
