"""Gumbel noise and sampling without replacement (RMM equation 2).

The noise depends only on a seed, so a reward job can reproduce the sample that was served.  NumPy's legacy generator is used
because its stream is frozen (NEP 19): a newer NumPy draws the same numbers.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gumbel_noise(seed: int, k: int) -> Array:
    """(k,) draws of ``-log(-log(u))``, u uniform on (0, 1).  ``seed``: any integer."""
    uniform = np.random.RandomState(seed & 0xFFFFFFFF).random_sample(k)
    tiny = np.finfo(np.float64).tiny
    noise: Array = -np.log(-np.log(np.maximum(uniform, tiny)))
    return noise


def softmax(logits: Array, temperature: float = 1.0) -> Array:
    """Probabilities (k,) that sum to 1; numerically stable for large logits."""
    if not logits.size:
        return logits
    shifted = np.exp((logits - logits.max()) / temperature)
    result: Array = shifted / shifted.sum()
    return result


def top(scores: Array, m: int) -> NDArray[np.intp]:
    """Indices of the m highest scores, best first; equal scores keep their order."""
    return np.argsort(-scores, kind="stable")[:m]
