"""Comparing two methods on the same questions."""

import math
import random
from collections.abc import Sequence


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
