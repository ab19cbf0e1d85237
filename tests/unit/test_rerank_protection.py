"""Rewards that lie, and simulated users: learning helps where feedback informs, and cannot do much harm where it does not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.rerank_reference import candidates, experience, unit
from trustgraph_react_mem.rerank import CALIBRATED, Candidates, Experience, Weights, flush, learn, rank

D, K, M = 32, 20, 5
Vector = NDArray[np.float32]


class SimulatedUser:
    """Asks; two of twenty candidates are useful, retrieval finds them with noise, and they share a direction and a feature."""

    def __init__(self, seed: int, *, taste: float = 1.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.liked = unit(self.rng.normal(size=D))
        self.taste = taste

    def ask(self) -> tuple[Vector, Candidates, set[int]]:
        useful = {int(i) for i in self.rng.choice(K, 2, replace=False)}
        mark = np.array([1.0 if i in useful else 0.0 for i in range(K)])
        vectors = self.rng.normal(size=(K, D)) / np.sqrt(D) + self.taste * 0.6 * mark[:, None] * self.liked + 0.3
        features = self.rng.normal(size=(K, 3))
        features[:, 1] += self.taste * mark
        found = Candidates(
            ids=tuple(f"r{self.rng.integers(10**9)}" for _ in range(K)),
            vectors=unit(vectors),
            base=self.rng.normal(size=K) + 1.2 * mark,
            features=features,
            feature_names=("a", "b", "c"),
        )
        return unit(self.rng.normal(size=D)), found, useful


def coverage(weights: Weights | None, user: SimulatedUser, turns: int = 300) -> float:
    total = 0.0
    for _ in range(turns):
        query, found, useful = user.ask()
        total += len(useful & set(rank(weights, query, found, top_m=M).selected)) / len(useful)
    return 100 * total / turns


def learn_from(
    weights: Weights, number: int, query: Vector, found: Candidates, shown: tuple[int, ...], cited: tuple[int, ...], **more: Any
) -> Weights:
    turn = Experience(
        job_id=str(number),
        query=query,
        candidates=found,
        shown=shown,
        cited=cited,
        state="cited" if cited else "none",
        **more,
    )
    return learn(weights, turn)[0]


def live(user: SimulatedUser, turns: int, *, lie: str = "") -> Weights:
    weights = Weights.start(CALIBRATED, profile="p", dimension=D)
    for number in range(turns):
        query, found, useful = user.ask()
        shown = rank(weights, query, found, top_m=M).selected
        if lie == "random":
            cited = tuple(p for p in range(M) if user.rng.random() < 0.5)
        elif lie == "last":
            cited = (M - 1,)
        else:
            cited = tuple(p for p, i in enumerate(shown) if (i in useful) != (lie == "inverted"))
        weights = learn_from(weights, number, query, found, shown, cited)
    return flush(weights)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_informative_citations_raise_recall_on_questions_not_learned_from(seed: int) -> None:
    user = SimulatedUser(seed)
    weights = live(user, 120)
    assert coverage(weights, user) > coverage(None, user) + 4


@pytest.mark.slow
@pytest.mark.parametrize("lie", ["random", "inverted", "last"])
def test_citations_that_lie_for_hundreds_of_turns_cost_a_few_points_at_most(lie: str) -> None:
    user = SimulatedUser(5, taste=0.0)
    weights = live(user, 400, lie=lie)
    plain = coverage(None, SimulatedUser(98, taste=0.0), 800)
    assert coverage(weights, SimulatedUser(98, taste=0.0), 800) > plain - 8


def test_a_muted_record_gains_nothing() -> None:
    """An attacker's record, on unrelated questions, before and after it was cited at every chance."""
    user = SimulatedUser(11, taste=0.0)
    planted = unit(user.rng.normal(size=D))

    def ask() -> tuple[Vector, Candidates]:
        query, found, _ = user.ask()
        vectors = found.vectors.copy()
        vectors[0] = planted
        base = found.base.copy()
        base[0] = 0.8  # relevant enough to be shown now and then
        return query, replace(found, ids=("planted", *found.ids[1:]), vectors=vectors, base=base)

    def mean_place(weights: Weights | None) -> float:
        return float(np.mean([rank(weights, *ask(), top_m=M).order.index(0) for _ in range(300)]))

    weights = Weights.start(CALIBRATED, profile="p", dimension=D)
    before = mean_place(None)
    for number in range(200):
        query, found = ask()
        shown = rank(weights, query, found, top_m=M).selected
        cited = tuple(p for p, i in enumerate(shown) if i == 0)
        weights = learn_from(weights, number, query, found, shown, cited, muted=frozenset({0}))
    assert mean_place(flush(weights)) >= before - 0.6  # within the noise of 300 questions


def test_one_turn_moves_the_policy_by_a_bounded_step() -> None:
    rng = np.random.default_rng(12)
    turn = experience(rng, job="x", k=K, d=D, cited=(0, 1, 2))
    huge = replace(turn.candidates, features=turn.candidates.features * 1e6)
    weights, _ = learn(Weights.start(CALIBRATED, profile="p", dimension=D), replace(turn, candidates=huge))
    moved = flush(weights)
    step = CALIBRATED.turn_limit / CALIBRATED.batch
    assert float(moved.vector @ moved.vector) ** 0.5 <= CALIBRATED.vector_step * step + 1e-6
    assert sum(v**2 for v in moved.theta.values()) ** 0.5 <= CALIBRATED.feature_step * step + 1e-9


def test_an_order_that_loses_against_the_prior_loses_its_say_and_wins_it_back() -> None:
    """The cited are those that the prior had in front and the learned order moved back, then the reverse."""
    rng = np.random.default_rng(13)
    weights = replace(
        Weights.start(CALIBRATED, profile="p", dimension=D),
        theta={"f0": 0.4},
        hyper=replace(CALIBRATED, feature_step=0.0, vector_step=0.0, decay=0.0),
    )

    def turn(number: int, *, for_prior: bool) -> Experience:
        found = candidates(rng, k=4, d=D, features=1)
        base, feature = np.array([0.1, 0.0, -1.0, -2.0]), np.array([[-3.0], [3.0], [0.0], [0.0]])
        return Experience(
            job_id=f"{number}{for_prior}",
            query=unit(rng.normal(size=D)),
            candidates=replace(found, base=base, features=feature),
            shown=(0, 1),
            cited=(0,) if for_prior else (1,),
            state="cited",
        )

    for number in range(60):
        weights, _ = learn(weights, turn(number, for_prior=True))
    low = weights.trust
    assert low < 0.2
    for number in range(400):
        weights, _ = learn(weights, turn(number, for_prior=False))
    assert weights.trust > 0.9


@pytest.mark.slow
def test_what_is_no_longer_confirmed_fades_towards_the_prior() -> None:
    user = SimulatedUser(14)
    weights = live(user, 80)
    norm = weights.norm
    rng = np.random.default_rng(15)
    for number in range(800):
        weights, _ = learn(weights, experience(rng, job=f"quiet{number}", k=K, d=D, cited=()))
    assert weights.norm < 0.5 * norm
