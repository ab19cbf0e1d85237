"""Comparing two methods on the same questions."""

import math
import random
from collections.abc import Sequence


def exact_mcnemar(mine: Sequence[bool], others: Sequence[bool]) -> tuple[int, int, float]:
    """What only the first method has right, what only the second, and the two-sided p of a difference that large by chance.

    Source: McNemar (1947), with the exact binomial test, which also holds for few questions.

    >>> exact_mcnemar([True] * 6 + [False], [False] * 6 + [True])
    (6, 1, 0.125)
    """
    gained = sum(a and not b for a, b in zip(mine, others, strict=True))
    lost = sum(b and not a for a, b in zip(mine, others, strict=True))
    differing = gained + lost
    tail = sum(math.comb(differing, k) for k in range(min(gained, lost) + 1)) / 2**differing
    return gained, lost, min(1.0, 2 * tail)


def bootstrap_interval(
    mine: Sequence[float], others: Sequence[float], *, draws: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The 95 % interval of the mean difference, from samples of the pairs.  Source: Efron (1979), percentile method."""
    differences = [a - b for a, b in zip(mine, others, strict=True)]
    if not differences:
        return 0.0, 0.0
    draw = random.Random(seed)
    means = sorted(math.fsum(draw.choices(differences, k=len(differences))) / len(differences) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]
