"""What is ranked, what came out, and what a reward job replays.

A record's id never reaches the policy: what is learned is about features and directions, so no single record can collect
rank for itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import BadRequest
from .citations import CitationState

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]
BASE_FEATURE = "base"  # the column that carries the fusion score; kept out of the head

Fallback = Literal["", "no-weights", "empty", "not-finite", "dimension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """K retrieved records in retrieval order.

    ``vectors`` (K, d) float32 of unit length, the records' own "text" key; ``base`` (K,) the fusion score, any scale;
    ``features`` (K, F), each column normalised over the query's candidates to about unit spread.

    Raises:
        BadRequest: the arrays do not agree in length.
    """

    ids: tuple[str, ...]
    vectors: Vectors
    base: Floats
    features: Floats
    feature_names: tuple[str, ...]

    def __post_init__(self) -> None:
        k = len(self.ids)
        if self.vectors.ndim != 2 or len(self.vectors) != k or self.base.shape != (k,):
            raise BadRequest(f"{k} candidates need {k} vectors and scores, not {self.vectors.shape} and {self.base.shape}")
        if self.features.shape != (k, len(self.feature_names)):
            raise BadRequest(
                f"{k} candidates with {len(self.feature_names)} feature names need features of that shape,"
                f" not {self.features.shape}"
            )

    @classmethod
    def of(cls, ids: Sequence[str], vectors: Vectors, features: Floats, feature_names: Sequence[str]) -> "Candidates":
        """With the fusion score in the feature column named ``base``, as it travels in a response.

        Raises:
            BadRequest: there is no such column.
        """
        names = list(feature_names)
        if BASE_FEATURE not in names:
            raise BadRequest(f"features {names} lack the column {BASE_FEATURE!r} that holds the fusion score: add it")
        table = np.asarray(features, dtype=np.float64).reshape(len(ids), len(names))
        at = names.index(BASE_FEATURE)
        return cls(
            ids=tuple(ids),
            vectors=np.asarray(vectors, dtype=np.float32),
            base=np.ascontiguousarray(table[:, at]),
            features=np.delete(table, at, axis=1),
            feature_names=tuple(names[:at] + names[at + 1 :]),
        )

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """``order``: all K indices, best first; ``selected``: the M to show, in the order to show them.

    ``prior`` (K,) is the logit before learning, ``logits`` (K,) after, ``probabilities`` (K,) their softmax (with the Gumbel
    noise of a sampled ranking).  ``fallback`` names why the order is retrieval's own, or is empty.
    """

    order: tuple[int, ...]
    selected: tuple[int, ...]
    prior: Floats
    logits: Floats
    probabilities: Floats
    adapted_query: Vectors | None = None
    fallback: Fallback = ""
    added: Floats | None = None  # (K, 2) what vector and matrix added, before ``share``
    head: Floats | None = None  # (K, F) what each feature added, before ``share``
    feature_names: tuple[str, ...] = ()
    share: float = 1.0  # of what was learned that was served

    @property
    def parts(self) -> Mapping[str, Floats]:
        """retrieval, vector, matrix -> (K,) what each added to the logits."""
        if self.added is None:
            return {"retrieval": self.prior}
        return {"retrieval": self.prior, "vector": self.share * self.added[:, 0], "matrix": self.share * self.added[:, 1]}

    def why(self, index: int) -> dict[str, float]:
        """What each part added to one candidate's logit, by name (features as ``f:name``); nothing below 0.0005."""
        found = {name: float(values[index]) for name, values in self.parts.items()}
        if self.head is not None:
            row = (self.share * self.head[index]).tolist()
            found |= {f"f:{name}": value for name, value in zip(self.feature_names, row, strict=True)}
        return {name: value for name, value in found.items() if abs(value) >= 5e-4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """One answered turn, as learning needs it.  ``shown``: candidate indices in the order they were numbered for citation;
    ``cited``: positions among the shown; ``muted``: candidate indices that earn nothing (records that ask to be cited);
    ``sampled``: the ranking was sampled with Gumbel noise of ``seed``."""

    job_id: str
    query: Vectors
    candidates: Candidates
    shown: tuple[int, ...]
    cited: tuple[int, ...]
    state: CitationState
    seed: int = 0
    sampled: bool = False
    muted: frozenset[int] = frozenset()

    def rewards(self) -> Floats:
        """(M,) +1 cited, -1 not."""
        rewards = np.full(len(self.shown), -1.0)
        rewards[list(self.cited)] = 1.0
        return rewards
