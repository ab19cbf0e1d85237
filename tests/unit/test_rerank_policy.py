"""Serving and learning: where it starts, what a citation does, and every case in which nothing may change."""

import base64
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.rerank_reference import candidates, dense_form, experience, unit, update
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.rerank import (
    CALIBRATED,
    PAPER,
    Candidates,
    Experience,
    Weights,
    feedback,
    flush,
    hyperparameters,
    learn,
    rank,
)
from trustgraph_react_mem.rerank.archive import decode
from trustgraph_react_mem.rerank.policy import gumbel_noise, softmax, top
from trustgraph_react_mem.rerank.pretrain import pretrain, reciprocal_rank
from trustgraph_react_mem.rerank.weights import dense_start

D = 24


def fresh(form: str = "calibrated") -> Weights:
    return Weights.start(hyperparameters(form), profile="p", dimension=D)


def trained() -> Weights:
    rng = np.random.default_rng(1)
    return update(fresh(), [experience(rng, job=f"t{i}") for i in range(12)])


# -- where it starts ---------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 7))
def test_a_new_users_order_is_retrievals_own(seed: int, k: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    found = candidates(rng, k=k, d=D)
    ranking = rank(fresh(), unit(rng.normal(size=D)), found, top_m=m)
    assert list(ranking.order) == np.argsort(-found.base, kind="stable").tolist()
    assert ranking.order == rank(None, unit(rng.normal(size=D)), found, top_m=m).order
    assert ranking.selected == ranking.order[:m]
    assert ranking.probabilities.sum() == pytest.approx(1.0)


def test_the_papers_start_is_drawn_with_deviation_a_hundredth_and_is_the_same_for_ever() -> None:
    wq, wm = dense_start(0, 200, 0.01)
    assert wq.std() == pytest.approx(0.01, rel=0.02)
    assert abs(wm.mean()) < 0.0005
    assert not np.array_equal(wq, wm)
    # The first draws of the frozen legacy stream, seed 0: another NumPy must give the same, or stored factors mean nothing.
    np.testing.assert_allclose(wq[0, :3], [0.017640524, 0.004001572, 0.009787380], rtol=1e-6)
    assert PAPER.start_deviation == 0.01
    assert PAPER.baseline == 0.5
    assert PAPER.matrix_step == 1e-3
    assert PAPER.temperature == 0.5
    assert PAPER.batch == CALIBRATED.batch == 4


@pytest.mark.parametrize("form", ["calibrated", "paper"])
def test_serving_is_deterministic_and_samples_by_its_seed_only_when_asked(form: str) -> None:
    rng = np.random.default_rng(2)
    found, query = candidates(rng, k=20, d=D), unit(rng.normal(size=D))
    assert len({rank(fresh(form), query, found, top_m=5, seed=seed).order for seed in range(20)}) == 1
    first = rank(fresh(form), query, found, top_m=5, sample=True, seed=7)
    assert first.order == rank(fresh(form), query, found, top_m=5, sample=True, seed=7).order
    assert len({rank(fresh(form), query, found, top_m=5, sample=True, seed=seed).selected for seed in range(20)}) > 10
    expected = softmax(first.logits + gumbel_noise(7, first.logits.size), fresh(form).hyper.temperature)
    np.testing.assert_allclose(first.probabilities, expected)


def test_gumbel_top_1_follows_the_softmax_of_the_scores() -> None:
    scores = np.array([0.0, 1.0, 2.0, -1.0])
    draws = [int(top(scores + gumbel_noise(seed, 4), 1)[0]) for seed in range(6000)]
    shares = np.bincount(draws, minlength=4) / len(draws)
    np.testing.assert_allclose(shares, softmax(scores), atol=0.02)


def test_off_and_unknown_forms_have_no_policy() -> None:
    for form in ("off", "PAPER", ""):
        with pytest.raises(ConfigurationError, match="calibrated, paper"):
            hyperparameters(form)


# -- what a citation does ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["vector", "features", "matrices"])
def test_what_is_cited_rises_for_the_same_question(part: str) -> None:
    hyper = replace(CALIBRATED, use_vector=part == "vector", use_features=part == "features")
    if part == "matrices":
        hyper = replace(PAPER, matrix_step=0.05)
    turn = experience(np.random.default_rng(3), job="x", cited=(2,))
    weights = Weights.start(hyper, profile="p", dimension=D)
    before = rank(weights, turn.query, turn.candidates, top_m=5).logits
    after = rank(update(weights, [turn]), turn.query, turn.candidates, top_m=5).logits
    chosen = turn.shown[2]
    others = [index for index in turn.shown if index != chosen]
    gained = after - before
    assert gained[chosen] > np.mean(gained[others])


def test_no_cite_pushes_nothing_in_the_calibrated_form() -> None:
    grown = update(fresh(), [experience(np.random.default_rng(4), job="x", cited=())])
    assert grown.norm == 0.0
    assert grown.turns == 1


def test_no_cite_lowers_what_was_shown_in_the_paper_form() -> None:
    rng = np.random.default_rng(4)
    turn = experience(rng, job="x", cited=())
    weights = replace(fresh("paper"), hyper=replace(PAPER, matrix_step=0.05))
    before = rank(weights, turn.query, turn.candidates, top_m=5).logits
    after = rank(update(weights, [turn]), turn.query, turn.candidates, top_m=5).logits
    shown = list(turn.shown)
    assert (after - before)[shown].mean() < np.delete(after - before, shown).mean()


def test_four_turns_make_a_batch_and_a_session_end_applies_a_partial_one() -> None:
    rng = np.random.default_rng(5)
    weights = fresh()
    for number in range(3):
        weights, said = learn(weights, experience(rng, job=str(number)))
        assert said == "accumulated"
        assert weights.norm == 0.0
    partial = flush(weights)
    assert partial.updates == 1
    assert partial.pending == ()
    assert partial.norm > 0
    weights, said = learn(weights, experience(rng, job="3"))
    assert said == "applied"
    assert weights.updates == 1
    assert flush(weights) is weights


def test_feedback_moves_a_record_once_per_job() -> None:
    rng = np.random.default_rng(8)
    weights = trained()
    found = candidates(rng, k=10, d=D)
    query = unit(rng.normal(size=D))
    up, _ = feedback(weights, "job", found.vectors[4], 1)
    down, _ = feedback(weights, "job", found.vectors[4], -1)
    logits = [rank(w, query, found, top_m=5).logits[4] for w in (down, weights, up)]
    assert logits == sorted(logits)
    assert logits[0] < logits[2]
    assert feedback(up, "job", found.vectors[4], 1)[1] == "seen"
    assert feedback(weights, "x", np.full(D, np.nan, np.float32), 1)[0] is weights
    assert feedback(weights, "x", np.zeros(3, np.float32), 1)[1] == "dimension"


def test_offline_training_keeps_the_best_pass_and_never_a_worse_one() -> None:
    rng = np.random.default_rng(9)
    liked = rng.normal(size=D)

    def turn(number: int, *, honest: bool) -> Experience:
        found = candidates(rng, k=12, d=D, features=0)
        best = int(np.argmax(found.vectors @ liked)) if honest else int(rng.integers(12))
        shown = (best, *[i for i in range(12) if i != best][:4])
        return Experience(
            job_id=str(number), query=unit(rng.normal(size=D)), candidates=found, shown=shown, cited=(0,), state="cited"
        )

    for honest in (True, False):
        turns = [turn(number, honest=honest) for number in range(60)]
        grown, said = pretrain(fresh(), turns)
        assert said.after >= said.before
        assert reciprocal_rank(grown, turns[::5]) == pytest.approx(said.after)
        if honest:
            assert said.passes > 0
            assert said.after > said.before
    assert pretrain(fresh(), turns[:3])[1].passes == 0


# -- nothing may change: edge cases of candidates ----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["calibrated", "paper"])
@pytest.mark.parametrize("k", [1, 3])
def test_fewer_candidates_than_m_are_all_shown(form: str, k: int) -> None:
    rng = np.random.default_rng(12)
    found = candidates(rng, k=k, d=D)
    ranking = rank(fresh(form), unit(rng.normal(size=D)), found, top_m=5)
    assert sorted(ranking.selected) == list(range(k))
    turn = Experience(
        job_id="x", query=unit(rng.normal(size=D)), candidates=found, shown=ranking.selected, cited=(0,), state="cited"
    )
    assert np.isfinite(update(fresh(form), [turn]).norm)


def spoiled(found: Candidates, where: str, value: float) -> Candidates:
    array = getattr(found, where).copy()
    array.reshape(-1)[array.size // 2] = value
    return replace(found, **{where: array})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["vectors", "features", "base"])
def test_a_number_that_is_not_finite_means_raw_order_and_no_update(where: str, value: float) -> None:
    rng = np.random.default_rng(14)
    turn = experience(rng, job="x")
    broken = spoiled(turn.candidates, where, value)
    weights = trained()
    ranking = rank(weights, turn.query, broken, top_m=5)
    assert ranking.fallback == "not-finite"
    expected = np.where(np.isfinite(broken.base), broken.base, -np.inf)
    assert list(ranking.order) == np.argsort(-expected, kind="stable").tolist()
    assert np.isfinite(ranking.probabilities).all()
    same, said = learn(weights, replace(turn, candidates=broken))
    assert same is weights
    assert said == "not-finite"


# -- bytes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["calibrated", "paper"])
def test_weights_of_format_1_are_read_and_learned_from_further(form: str) -> None:
    """Nine turns of the version before matrices left the calibrated form: two batches applied, one turn waiting."""
    blob = base64.b64decode((Path(__file__).parent / f"weights_format_1_{form}.txt").read_text())
    weights = Weights.from_bytes(blob, profile="p", dimension=6)
    assert (weights.turns, weights.updates, len(weights.pending), len(weights.seen)) == (9, 2, 1, 9)
    if form == "calibrated":
        np.testing.assert_allclose(weights.vector[:3], [0.006040669, 0.045450024, 0.036665253], rtol=1e-6)
        assert weights.theta == pytest.approx({"f0": -0.004006990625716197, "f1": -0.0017841178734754556})
        assert weights.trust == pytest.approx(0.5838525491562421)
        assert (weights.wq.rank, weights.wm.rank) == (0, 0)
    else:
        np.testing.assert_allclose(dense_form(weights.wm)[0, :2], [0.002924423897638917, -0.0016461621271446347], rtol=1e-5)
        np.testing.assert_allclose(dense_form(weights.wq)[0, :2], [0.003351832740008831, -0.005393113009631634], rtol=1e-5)
    assert decode(weights.archive[0]).cited == (1,)
    assert Weights.from_bytes(weights.to_bytes(), profile="p", dimension=6).to_bytes() == weights.to_bytes()
    rng = np.random.default_rng(9)
    grown = update(weights, [experience(rng, job=f"new{i}", k=6, d=6, features=2) for i in range(3)])
    assert (grown.turns, grown.updates) == (12, 3)
    assert rank(grown, unit(rng.normal(size=6)), candidates(rng, k=6, d=6, features=2), top_m=5).fallback == ""


@pytest.mark.parametrize(("profile", "dimension"), [("other", D), ("p", D * 2)])
def test_weights_of_another_embedding_model_are_a_configuration_error(profile: str, dimension: int) -> None:
    with pytest.raises(ConfigurationError, match=r"belong to p \(dimension 24\).*forget them"):
        Weights.from_bytes(trained().to_bytes(), profile=profile, dimension=dimension)


@given(st.integers(0, 10**6), st.binary(max_size=6))
def test_damaged_bytes_are_refused_with_a_clear_error(cut: int, noise: bytes) -> None:
    blob = DAMAGED
    broken = blob[: cut % len(blob)] + noise
    if broken != blob:
        with pytest.raises(ConfigurationError):
            Weights.from_bytes(broken, profile="p", dimension=D)


DAMAGED = trained().to_bytes()
