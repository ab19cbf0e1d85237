"""The three identities, each against the plain dense form: one adapted query, rank one, replay.  And the gradients."""

from dataclasses import replace
from typing import Any

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from tests.unit.rerank_reference import DensePolicy, experience
from trustgraph_react_mem.rerank import CALIBRATED, PAPER, Hyperparameters, LowRank, Weights, learn, rank, update
from trustgraph_react_mem.rerank.gumbel import gumbel_noise
from trustgraph_react_mem.rerank.reinforce import coefficients, objective
from trustgraph_react_mem.rerank.weights import dense_start

D, K = 24, 12
FREE: dict[str, Any] = {
    "decay": 0.01,
    "turn_limit": 1e6,
    "vector_radius": 1e6,
    "feature_radius": 1e6,
    "matrix_radius": 1e6,
    "repeat_memory": 0,
    "reach": 1e9,
}
# Without the bounds, which the plain form does not have; the paper's start small enough for a lively gradient at d = 24.
FORMS = {
    "calibrated": replace(CALIBRATED, check=False, max_rank=400, **FREE),
    "calibrated, both matrices": replace(CALIBRATED, check=False, max_rank=400, matrices="both", **FREE),
    "calibrated, pairwise": replace(CALIBRATED, check=False, max_rank=400, log_probability="pairwise", **FREE),
    "calibrated, softmax": replace(
        CALIBRATED, check=False, max_rank=400, log_probability="softmax", feature_log_probability="softmax", **FREE
    ),
    "paper": replace(PAPER, max_rank=400),
    "paper, larger step": replace(PAPER, max_rank=400, matrix_step=0.02),
}


def pair(hyper: Hyperparameters, seed: int = 3) -> tuple[Weights, DensePolicy]:
    weights = Weights.start(hyper, profile="p", dimension=D, seed=seed)
    start = dense_start(seed, D, hyper.start_variance) if hyper.start_variance else (None, None)
    return weights, DensePolicy.start(hyper, D, 4, *start)


@pytest.mark.parametrize("form", FORMS)
def test_compact_and_dense_agree_within_1e_5_over_a_long_session(form: str) -> None:
    rng = np.random.default_rng(11)
    weights, dense = pair(FORMS[form])
    for number in range(120):
        cited = tuple(sorted({int(i) for i in rng.integers(0, 5, size=number % 3)}))
        turn = experience(rng, job=f"{form}{number}", cited=cited)
        got = rank(weights, turn.query, turn.candidates, top_m=5, seed=turn.seed)
        assert got.fallback == ""
        np.testing.assert_allclose(got.logits, dense.logits(turn.query, turn.candidates), atol=1e-5, rtol=1e-5)
        weights, learned = learn(weights, turn)
        assert learned.changed
        dense.learn(turn)
    start = weights.start_matrices() or (np.zeros((D, D), np.float32), np.zeros((D, D), np.float32))
    np.testing.assert_allclose(weights.wq.dense() + start[0], dense.wq, atol=1e-5)
    np.testing.assert_allclose(weights.wm.dense() + start[1], dense.wm, atol=1e-5)
    np.testing.assert_allclose(weights.vector, dense.u, atol=1e-5)
    np.testing.assert_allclose([weights.theta.get(f"f{i}", 0.0) for i in range(4)], dense.theta, atol=1e-5)
    assert weights.updates == 30
    assert np.linalg.norm(dense.wm - start[1]) > 1e-3, "the comparison means nothing if nothing was learned"


@pytest.mark.parametrize("form", ["calibrated", "paper"])
def test_every_score_is_one_dot_product_with_the_adapted_query(form: str) -> None:
    rng = np.random.default_rng(5)
    weights, _ = pair(FORMS[form])
    weights = update(weights, [experience(rng, job=str(i)) for i in range(8)])
    turn = experience(rng, job="probe")
    ranking = rank(weights, turn.query, turn.candidates, top_m=5)
    vectors = turn.candidates.vectors
    if weights.hyper.centred:
        moved = vectors - weights.memory_mean
        vectors = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    assert ranking.adapted_query is not None
    learned = ranking.parts["vector"] + ranking.parts["matrix"]
    np.testing.assert_allclose(weights.hyper.scale * vectors @ ranking.adapted_query, learned, atol=1e-5)


def test_the_norm_of_a_sum_of_outer_products_is_kept_exactly() -> None:
    rng = np.random.default_rng(0)
    matrix = LowRank.zero(D)
    for _ in range(10):
        matrix = matrix.scaled(0.97).plus(
            rng.normal(size=(4, D)).astype(np.float32), rng.normal(size=(4, D)).astype(np.float32), 0.1
        )
    assert matrix.norm == pytest.approx(np.linalg.norm(matrix.dense()), rel=1e-5)


def test_recompression_drops_the_least_directions_and_says_how_much() -> None:
    rng = np.random.default_rng(1)
    left, right = (rng.normal(size=(20, 40)).astype(np.float32) for _ in range(2))
    full = LowRank.zero(40).plus(left, right, 0.1)
    small = full.recompressed(8)
    singular = np.linalg.svd(full.dense(), compute_uv=False)
    assert small.rank == 8
    assert small.error == pytest.approx(np.linalg.norm(singular[8:]), rel=1e-4)
    assert np.linalg.norm(full.dense() - small.dense()) == pytest.approx(small.error, rel=1e-4)
    assert small.norm == pytest.approx(np.linalg.norm(small.dense()), rel=1e-5)
    assert full.recompressed(20) is full, "nothing to drop: nothing is touched"


def test_the_reported_error_bounds_the_distance_to_the_exact_sum_over_many_recompressions() -> None:
    rng = np.random.default_rng(2)
    exact = np.zeros((40, 40))
    matrix = LowRank.zero(40)
    for _ in range(50):
        left, right = (rng.normal(size=(4, 40)).astype(np.float32) * 0.3 for _ in range(2))
        if matrix.rank + 4 > 16:
            matrix = matrix.recompressed(8)
        matrix = matrix.scaled(0.995).plus(left, right, 0.05)
        exact = 0.995 * exact + 0.05 * left.T.astype(np.float64) @ right
    missing = matrix.dense() - exact
    assert 0 < np.linalg.norm(missing) <= matrix.error * (1 + 1e-4)
    assert matrix.relative_error == pytest.approx(matrix.error / np.linalg.norm(matrix.dense()), rel=1e-4)
    for _ in range(20):  # no score of vectors of unit length is further off
        x, y = (vector / np.linalg.norm(vector) for vector in rng.normal(size=(2, 40)))
        assert abs(y @ missing @ x) <= matrix.error


def test_what_was_learned_is_exact_until_the_first_recompression() -> None:
    rng = np.random.default_rng(8)
    weights = Weights.start(CALIBRATED, profile="p", dimension=D)
    turns = CALIBRATED.max_rank // CALIBRATED.batch * CALIBRATED.batch
    for number in range(turns):
        weights, _ = learn(weights, experience(rng, job=f"{number}", cited=(number % 5,)))
    assert (weights.wm.rank, weights.wm.error) == (turns, 0.0)
    for number in range(turns, turns + CALIBRATED.batch):
        weights, _ = learn(weights, experience(rng, job=f"{number}", cited=(number % 5,)))
    # In 24 dimensions 48 directions hold everything: a recompression then drops rounding alone.
    assert weights.wm.rank == CALIBRATED.keep_rank + CALIBRATED.batch
    assert weights.wm.relative_error < 1e-6


def test_a_thousand_updates_at_1536_stay_below_two_megabytes() -> None:
    rng = np.random.default_rng(4)
    for hyper in (CALIBRATED, PAPER):
        d, rank_now = 1536, hyper.max_rank
        factors = LowRank.zero(d).plus(
            rng.normal(size=(rank_now, d)).astype(np.float32), rng.normal(size=(rank_now, d)).astype(np.float32), 1e-3
        )
        weights = Weights.start(hyper, profile="p", dimension=d)
        for number in range(hyper.archive + hyper.batch - 1):
            weights, _ = learn(weights, experience(rng, job=f"job-{number:032d}", k=50, d=d, features=24))
        full = replace(weights, wm=factors, wq=factors if hyper.matrices == "both" else weights.wq, updates=1000)
        assert len(full.pending) == hyper.batch - 1
        assert len(full.to_bytes()) < 2_000_000, hyper.form


# -- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_coefficients_equal_finite_differences(form: str) -> None:
    hyper = FORMS[form]
    rng = np.random.default_rng(7)
    logits, shown, advantages = rng.normal(size=K), [3, 0, 7, 5, 1], rng.normal(size=5)
    a = coefficients(hyper, logits, shown, advantages, seed=9)
    step = 1e-6
    for j in range(K):
        up, down = logits.copy(), logits.copy()
        up[j] += step
        down[j] -= step
        slope = (objective(hyper, up, shown, advantages, 9) - objective(hyper, down, shown, advantages, 9)) / (2 * step)
        assert a[j] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_one_turns_gradient_equals_autodiff(form: str) -> None:
    hyper = FORMS[form]
    rng = np.random.default_rng(8)
    weights, dense = pair(hyper)
    weights = update(weights, [experience(rng, job=str(i)) for i in range(8)])
    turn = experience(rng, job="probe", cited=(0, 3))
    d_start = weights.start_matrices() or (np.zeros((D, D), np.float32), np.zeros((D, D), np.float32))
    wq, wm = weights.wq.dense() + d_start[0], weights.wm.dense() + d_start[1]
    theta = np.array([weights.theta.get(f"f{i}", 0.0) for i in range(4)])
    u = weights.vector.astype(np.float64)
    # What the policy sees of query and memories while it learns; its logits themselves are those of serving.
    dense.memory_mean, dense.memories = weights.memory_mean.astype(np.float64), weights.memory_count
    dense.query_mean, dense.queries = weights.query_mean.astype(np.float64), weights.query_count
    q, memories = dense._seen(turn.query.astype(np.float64), turn.candidates.vectors.astype(np.float64), learning=True)
    served = rank(weights, turn.query, turn.candidates, top_m=5).logits
    advantages = turn.rewards() - hyper.baseline

    def climbed(wq: np.ndarray, wm: np.ndarray, u: np.ndarray, theta: np.ndarray, likelihood: str) -> float:
        adapted = q + anp.dot(wq, q)
        lifted = memories + anp.dot(memories, wm.T)
        logits = hyper.scale * (anp.dot(lifted, adapted) + anp.dot(memories, u)) + anp.dot(turn.candidates.features, theta)
        logits = logits + constant  # makes the value of the logits that of serving; the slope is untouched
        if likelihood == "softmax":
            noisy = logits + (gumbel_noise(turn.seed, K) if hyper.sample_while_serving else 0.0)
            scaled = noisy / hyper.temperature
            logs = scaled - anp.log(anp.sum(anp.exp(scaled)))
            summed: float = sum(advantage * logs[i] for advantage, i in zip(advantages, turn.shown, strict=True))
            return summed
        total, left = 0.0, list(range(K))
        if likelihood == "pairwise":
            for i, high in zip(turn.shown, advantages, strict=True):
                worse = [(j, low) for j, low in zip(turn.shown, advantages, strict=True) if low < high]
                for j, low in worse:
                    total = total - (high - low) / len(worse) * anp.log(1 + anp.exp(logits[j] - logits[i]))
            return total
        for advantage, i in zip(advantages, turn.shown, strict=True):
            scaled = logits / hyper.temperature
            total = total + advantage * (scaled[i] - anp.log(anp.sum(anp.exp(scaled[np.array(left)]))))
            left.remove(i)
        return total

    constant = np.zeros(K)
    adapted = q + wq @ q
    plain = hyper.scale * ((memories + memories @ wm.T) @ adapted + memories @ u) + turn.candidates.features @ theta
    constant = served - plain
    slopes = [grad(climbed, at)(wq, wm, u, theta, hyper.log_probability) for at in range(3)]
    slopes.append(grad(climbed, 3)(wq, wm, u, theta, hyper.feature_log_probability))
    grown, _ = learn(replace(weights, hyper=replace(hyper, batch=100)), turn)
    got = grown.pending[-1]
    np.testing.assert_allclose(np.outer(got.adapted, got.memories), slopes[1], atol=2e-5)
    if hyper.matrices == "both":
        np.testing.assert_allclose(np.outer(got.lifted, got.query), slopes[0], atol=2e-5)
    if hyper.use_vector:
        np.testing.assert_allclose(got.memories, slopes[2], atol=2e-5)
    if hyper.use_features:
        np.testing.assert_allclose([got.theta[f"f{i}"] for i in range(4)], slopes[3], atol=2e-5)


# -- replay ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["calibrated", "paper"])
def test_replay_gives_the_same_bytes_and_a_job_counts_once(form: str) -> None:
    rng = np.random.default_rng(13)
    turns = [experience(rng, job=f"job {i}") for i in range(11)]
    first = second = Weights.start({"calibrated": CALIBRATED, "paper": PAPER}[form], profile="p", dimension=D, seed=1)
    for turn in turns:
        first, _ = learn(first, turn)
    for turn in turns:
        second, _ = learn(second, turn)
        again, said = learn(second, turn)
        assert again is second
        assert said.outcome == "seen"
        # A crash between the save and the acknowledgement: the job comes again and finds itself in what was saved.
        second = Weights.from_bytes(second.to_bytes(), profile="p", dimension=D)
        again, said = learn(second, turn)
        assert said.outcome == "seen"
    assert first.to_bytes() == second.to_bytes()
