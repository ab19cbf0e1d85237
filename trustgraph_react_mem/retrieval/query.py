"""Query and result of the retriever."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..memory.ports import Vector
from ..rerank import BASE_FEATURE
from ..schema import Fact
from .weighting import FEATURE_NAMES

Rerank = Literal["off", "paper", "calibrated"]
POLICY_FEATURES: tuple[str, ...] = (BASE_FEATURE, *FEATURE_NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQuery:
    """A question, and which memories to retrieve for it.

    - ``vector`` (d,): the question's embedding; None: it is computed here.
    - ``candidates``: number of records to rank.  ``top_k``: number of records to show.
    - ``rules``: number of procedural memories to return in addition; if not 0, also all standing rules.  With an empty question
      only these.
    - ``kinds``: kinds of facts; empty = all.  ``exclude``: ids of records to leave out.
    - ``threshold``: minimum calibrated similarity, 0 to 1; 0: that of the embedding model (memory/embedding.py).
    - ``sampling``: show a Gumbel sample drawn with ``seed`` instead of the best records.
    - ``zone``: time zone of the asker, for ``asked_at``.
    - ``conversation_id``: the current conversation.  Rules that hold in another one alone are left out.
    - ``asker``: name of the person who asks, as the speaker of records; "" = unknown.
    - ``created_after``: records created before then have expired.  None: nothing expires.
    - ``patience_s``: seconds to wait for the embedding before only keywords are used; 0 = until the model fails.
    """

    question: str
    vector: Vector | None = None
    top_k: int = 5
    candidates: int = 20
    rules: int = 0
    kinds: Sequence[str] = ()
    threshold: float = 0.0
    rerank: Rerank = "calibrated"
    sampling: bool = False
    seed: int = 0
    asked_at: datetime | None = None
    zone: tzinfo = UTC
    exclude: Sequence[str] = ()
    conversation_id: str = ""
    asker: str = ""
    created_after: datetime | None = None
    patience_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Result of a query.

    ``features`` (K, F) float32: rows as ``candidate_ids`` (retrieval order), columns as ``feature_names``.
    ``abstained``: there were records, but none reached the similarity threshold.
    ``unranked``: why the learned policy could not be applied ("not-finite", "dimension"); empty if it was applied, or if there
    is none.
    """

    facts: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    candidate_ids: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = POLICY_FEATURES
    features: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, len(POLICY_FEATURES)), np.float32))
    policy_version: int = 0
    abstained: bool = False
    unranked: str = ""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
