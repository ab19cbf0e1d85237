"""Offline training from archived turns.  It is contrastive: cited records against all other candidates of the same turn.

Several passes with a smaller step and early stopping: a fifth of the turns is held out, and the pass with the best mean
reciprocal rank on them is kept.  If no pass is better than the start, nothing changes, so a policy never gets worse on the
held-out turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .policy import rank
from .ranking import Experience
from .reinforce import flush, learn
from .weights import Weights

_STEP_FACTOR = 0.6  # step size relative to online learning
_HELD_OUT = 5  # every fifth turn is held out
_LEARNED = ("vector", "theta", "wq", "wm", "memory_mean", "memory_count", "updates")
_MIN_TURNS = 10  # with fewer turns nothing is learned


@dataclass(frozen=True, slots=True, kw_only=True)
class Pretrained:
    """Result of a training: number of turns used, passes kept, and mean reciprocal rank on the held-out turns before and
    after."""

    turns: int
    passes: int
    before: float
    after: float


def reciprocal_rank(weights: Weights | None, experiences: Sequence[Experience]) -> float:
    """Mean over turns of 1 / (rank of the first cited record among all K), 0 to 1; 0 without turns."""
    ranks: list[float] = []
    for turn in experiences:
        order = rank(weights, turn.query, turn.candidates, top_m=len(turn.shown)).order
        cited = {turn.shown[position] for position in turn.cited}
        ranks.append(1.0 / (1 + next(place for place, index in enumerate(order) if index in cited)))
    return float(np.mean(ranks)) if ranks else 0.0


def pretrain(weights: Weights, experiences: Sequence[Experience], *, passes: int = 5) -> tuple[Weights, Pretrained]:
    """Train on the turns with citations.  Counters, archive and pending turns of the weights are not changed."""
    usable = [turn for turn in experiences if turn.state == "cited" and turn.cited]
    if len(usable) < _MIN_TURNS:
        return weights, Pretrained(turns=len(usable), passes=0, before=0.0, after=0.0)
    held = usable[::_HELD_OUT]
    used = [turn for at, turn in enumerate(usable) if at % _HELD_OUT]
    hyper = weights.hyper
    contrastive = replace(
        hyper.with_rate(_STEP_FACTOR), log_probability="softmax", baseline=-1.0, check=False, repeat_memory=0, archive=0
    )
    training = replace(weights, hyper=contrastive, pending=())
    best, before = weights, reciprocal_rank(weights, held)
    kept, after = 0, before
    for number in range(1, passes + 1):
        for turn in used:
            training, _ = learn(training, replace(turn, job_id=f"pass {number}: {turn.job_id}", sampled=False))
        training = flush(training)
        reached = reciprocal_rank(training, held)
        if reached > after:
            kept, after = number, reached
            best = replace(weights, **{name: getattr(training, name) for name in _LEARNED})
    return best, Pretrained(turns=len(usable), passes=kept, before=before, after=after)
