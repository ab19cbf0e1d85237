"""The three identities, each against the plain dense form: one adapted query, rank one, replay.  And the gradients."""

from dataclasses import replace
from typing import Any

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from tests.unit.rerank_reference import DensePolicy, dense_form, experience, objective, update
from trustgraph_react_mem.rerank import CALIBRATED, CHANGED, PAPER, Hyperparameters, Weights, learn, rank
from trustgraph_react_mem.rerank.policy import fold_matrices
from trustgraph_react_mem.rerank.reinforce import coefficients
from trustgraph_react_mem.rerank.weights import dense_start

pytestmark = pytest.mark.later

D, K = 24, 12
FREE: dict[str, Any] = {
    "decay": 0.01,
    "turn_limit": 1e6,
    "vector_radius": 1e6,
    "feature_radius": 1e6,
    "repeat_memory": 0,
    "reach": 1e9,
}
# Without the bounds, which the plain form does not have; the paper's start small enough for a lively gradient at d = 24.
FORMS = {
    "calibrated": replace(CALIBRATED, check=False, **FREE),
    "calibrated, pairwise": replace(CALIBRATED, check=False, log_probability="pairwise", **FREE),
    "calibrated, softmax": replace(
        CALIBRATED, check=False, log_probability="softmax", feature_log_probability="softmax", **FREE
    ),
    "paper": replace(PAPER, newest_products=400),
    "paper, larger step": replace(PAPER, newest_products=400, matrix_step=0.02),
    "paper, variance": replace(PAPER, newest_products=400, start_deviation=0.1),
}
SAMPLED = ("calibrated, softmax", "paper", "paper, variance")  # of these, turns are served by a Gumbel sample


def pair(hyper: Hyperparameters) -> tuple[Weights, DensePolicy]:
    weights = Weights.start(hyper, profile="p", dimension=D, seed=3)
    start = dense_start(3, D, hyper.start_deviation) if hyper.start_deviation else (None, None)
    return weights, DensePolicy.start(hyper, D, 4, *start)


@pytest.mark.parametrize("form", FORMS)
def test_compact_and_dense_agree_within_1e_5_over_a_long_session(form: str) -> None:
    rng = np.random.default_rng(11)
    weights, dense = pair(FORMS[form])
    for number in range(120):
        cited = tuple(sorted({int(i) for i in rng.integers(0, 5, size=number % 3)}))
        turn = replace(experience(rng, job=f"{form}{number}", cited=cited), sampled=form in SAMPLED)
        got = rank(weights, turn.query, turn.candidates, top_m=5, seed=turn.seed)
        assert got.fallback == ""
        np.testing.assert_allclose(got.logits, dense.logits(turn.query, turn.candidates), atol=1e-5, rtol=1e-5)
        weights, learned = learn(weights, turn)
        assert learned in CHANGED
        dense.learn(turn)
    start = weights.start_matrices() or (np.zeros((D, D), np.float32), np.zeros((D, D), np.float32))
    np.testing.assert_allclose(dense_form(weights.wq) + start[0], dense.wq, atol=1e-5)
    np.testing.assert_allclose(dense_form(weights.wm) + start[1], dense.wm, atol=1e-5)
    np.testing.assert_allclose(weights.vector, dense.u, atol=1e-5)
    np.testing.assert_allclose([weights.theta.get(f"f{i}", 0.0) for i in range(4)], dense.theta, atol=1e-5)
    assert weights.updates == 30
    moved = float(np.linalg.norm(dense.wm - start[1] if weights.hyper.use_matrices else dense.u))
    assert moved > 1e-3, "the comparison means nothing if nothing was learned"


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
    adapted = weights.vector + (fold_matrices(weights, turn.query) if weights.hyper.use_matrices else 0)
    learned = ranking.parts["vector"] + ranking.parts["matrix"]
    np.testing.assert_allclose(weights.hyper.scale * vectors @ adapted, learned, atol=1e-5)


# -- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_coefficients_equal_finite_differences(form: str) -> None:
    hyper = FORMS[form]
    rng = np.random.default_rng(7)
    logits, shown, advantages = rng.normal(size=K), [3, 0, 7, 5, 1], rng.normal(size=5)
    seed = 9 if form in SAMPLED else None
    a = coefficients(hyper, logits, shown, advantages, seed)
    step = 1e-6
    for j in range(K):
        up, down = logits.copy(), logits.copy()
        up[j] += step
        down[j] -= step
        slope = (objective(hyper, up, shown, advantages, seed) - objective(hyper, down, shown, advantages, seed)) / (2 * step)
        assert a[j] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_one_turns_gradient_equals_autodiff(form: str) -> None:
    hyper = FORMS[form]
    rng = np.random.default_rng(8)
    weights, dense = pair(hyper)
    weights = update(weights, [experience(rng, job=str(i)) for i in range(8)])
    turn = replace(experience(rng, job="probe", cited=(0, 3)), sampled=form in SAMPLED)
    d_start = weights.start_matrices() or (np.zeros((D, D), np.float32), np.zeros((D, D), np.float32))
    wq, wm = dense_form(weights.wq) + d_start[0], dense_form(weights.wm) + d_start[1]
    theta = np.array([weights.theta.get(f"f{i}", 0.0) for i in range(4)])
    u = weights.vector.astype(np.float64)
    # What the policy sees of query and memories while it learns; its logits themselves are those of serving.
    dense.memory_mean, dense.memories = weights.memory_mean.astype(np.float64), weights.memory_count
    q = turn.query.astype(np.float64)
    memories = dense._seen(turn.candidates.vectors.astype(np.float64), learning=True)
    served = rank(weights, turn.query, turn.candidates, top_m=5).logits
    advantages = turn.rewards() - hyper.baseline

    def climbed(wq: np.ndarray, wm: np.ndarray, u: np.ndarray, theta: np.ndarray, likelihood: str) -> Any:
        adapted = q + anp.dot(wq, q)
        lifted = memories + anp.dot(memories, wm.T)
        equation = anp.dot(lifted, adapted) if hyper.use_matrices else 0.0
        logits = hyper.scale * (equation + anp.dot(memories, u)) + anp.dot(turn.candidates.features, theta)
        logits = logits + constant  # makes the value of the logits that of serving; the slope is untouched
        return objective(hyper, logits, turn.shown, advantages, turn.seed if turn.sampled else None, likelihood)

    constant = np.zeros(K)
    adapted = q + wq @ q
    equation = (memories + memories @ wm.T) @ adapted if hyper.use_matrices else 0.0
    plain = hyper.scale * (equation + memories @ u) + turn.candidates.features @ theta
    constant = served - plain
    slopes = [grad(climbed, at)(wq, wm, u, theta, hyper.log_probability) for at in range(3)]
    slopes.append(grad(climbed, 3)(wq, wm, u, theta, hyper.feature_log_probability))
    grown, _ = learn(replace(weights, hyper=replace(hyper, batch=100)), turn)
    got = grown.pending[-1]
    if hyper.use_matrices:
        assert got.matrices is not None
        np.testing.assert_allclose(np.outer(got.matrices.adapted, got.memories), slopes[1], atol=2e-5)
        np.testing.assert_allclose(np.outer(got.matrices.lifted, got.matrices.query), slopes[0], atol=2e-5)
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
        assert said == "seen"
        # A crash between the save and the acknowledgement: the job comes again and finds itself in what was saved.
        second = Weights.from_bytes(second.to_bytes(), profile="p", dimension=D)
        again, said = learn(second, turn)
        assert said == "seen"
    assert first.to_bytes() == second.to_bytes()
