"""Calibrate an embedding model on sentences: the mean cosine of unrelated texts, and the cosine above which two texts say the
same.  The profiles in ``memory/embedding.py`` were measured with these sentences.
"""

import tomllib
from collections.abc import Sequence
from importlib import resources

import numpy as np

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix

_TABLE = tomllib.loads((resources.files(__package__) / "calibration.toml").read_text("utf-8"))
UNRELATED: Sequence[str] = _TABLE["unrelated"]
PARAPHRASES: Sequence[tuple[str, str]] = [(one, other) for one, other in _TABLE["paraphrases"]]
SENTENCES: Sequence[str] = [*UNRELATED, *(text for pair in PARAPHRASES for text in pair)]


def unrelated_mean(rows: Matrix) -> float:
    """Mean cosine over all pairs of UNRELATED's rows."""
    cosines = rows @ rows.T
    return float(cosines[np.triu_indices(len(rows), k=1)].mean())


def calibrate_profile(name: str, rows: Matrix) -> EmbeddingProfile:
    """``rows``: vectors of SENTENCES, each of unit length."""
    unrelated = unrelated_mean(rows[: len(UNRELATED)])
    pairs = rows[len(UNRELATED) :].reshape(len(PARAPHRASES), 2, -1)
    same = np.sort((pairs[:, 0] * pairs[:, 1]).sum(axis=1))
    return EmbeddingProfile(
        name=name,
        dimension=rows.shape[1],
        # Rounded, so that a restart gives the same value.
        unrelated=round(max(0.0, unrelated), 2),
        # The median: a duplicate too many is better than a lost fact.
        near_duplicate=round(float(np.median(same)), 2),
    )
