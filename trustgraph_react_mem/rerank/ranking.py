"""Input of the ranking, its result, and the turn that a reward job learns from.

The policy never sees record ids.  It learns feature weights and directions, so no single record can raise its own rank.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import BadRequest
from .citations import CitationState

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]
BASE_FEATURE = "base"  # the column with the fusion score; not an input of the learned head

Fallback = Literal["", "no-weights", "empty", "not-finite", "dimension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """K retrieved records in retrieval order.

    ``vectors`` (K, d) float32: the records' "text" vectors, of unit length; d = 0 if they are not read yet.
    ``base`` (K,): fusion scores on any scale.
    ``features`` (K, F): each column has about unit spread.

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
        """Create candidates from a feature table whose column ``base`` is the fusion score, as in a service response.

        Raises:
            BadRequest: the column is missing, or the arrays do not agree in length.
        """
        names = list(feature_names)
        if BASE_FEATURE not in names:
            raise BadRequest(f"features {names} lack the column {BASE_FEATURE!r} with the fusion score: add it")
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
    """Result of the ranking.

    ``order``: all K indices, best first.  ``selected``: the M indices to show, in display order.
    ``prior`` (K,): logits before learning.  ``logits`` (K,): logits after learning.  ``probabilities`` (K,): their softmax,
    including the Gumbel noise if the ranking was sampled.
    ``parts``: learned contributions to the logits (K,) by source: vector, matrix, and each feature as ``f:name``.
    ``fallback``: why retrieval's own order is used; empty if the policy was applied.
    """

    order: tuple[int, ...]
    selected: tuple[int, ...]
    prior: Floats
    logits: Floats
    probabilities: Floats
    fallback: Fallback = ""
    parts: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """One answered turn, the unit of learning.

    ``query`` (d,).  ``shown``: candidate indices in the order in which they were numbered for citation.  ``cited``: positions
    in ``shown``.  ``muted``: candidate indices without reward (records that imitate a citation).  ``sampled``: the ranking was
    sampled with the Gumbel noise of ``seed``.  ``conversation_id``, ``invocation_id``: where the question was asked, so that
    forgetting it reaches the stored turn.
    """

    job_id: str
    query: Vectors
    candidates: Candidates
    shown: tuple[int, ...]
    cited: tuple[int, ...]
    state: CitationState
    seed: int = 0
    sampled: bool = False
    muted: frozenset[int] = frozenset()
    conversation_id: str = ""
    invocation_id: str = ""

    def with_vectors(self, vectors: Mapping[str, Vectors]) -> "Experience | None":
        """With the vectors of its records, by id, and without other records.  None: no record that was shown is left."""
        turn = self.without({*self.candidates.ids} - vectors.keys())
        if turn is None:
            return None
        rows = np.stack([vectors[record] for record in turn.candidates.ids])
        return replace(turn, candidates=replace(turn.candidates, vectors=rows))

    def without(self, records: Collection[str]) -> "Experience | None":
        """Without these records.  None: no record that was shown is left."""
        found = self.candidates
        kept = [index for index, record in enumerate(found.ids) if record not in records]
        place = {index: new for new, index in enumerate(kept)}
        positions = [position for position, index in enumerate(self.shown) if index in place]
        if not positions:
            return None
        return replace(
            self,
            candidates=replace(
                found,
                ids=tuple(found.ids[index] for index in kept),
                vectors=found.vectors[kept],
                base=found.base[kept],
                features=found.features[kept],
            ),
            shown=tuple(place[self.shown[position]] for position in positions),
            cited=tuple(new for new, position in enumerate(positions) if position in self.cited),
            muted=frozenset(place[index] for index in self.muted if index in place),
        )

    def rewards(self) -> Floats:
        """(M,): +1 for each cited record, -1 for each other shown record."""
        rewards = np.full(len(self.shown), -1.0)
        rewards[list(self.cited)] = 1.0
        return rewards
