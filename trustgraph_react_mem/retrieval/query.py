"""What is asked of the retriever, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..memory.ports import Vector
from ..rerank import BASE_FEATURE
from ..schema import Fact
from .features import FEATURE_NAMES

Rerank = Literal["off", "paper", "calibrated"]
POLICY_FEATURES: tuple[str, ...] = (BASE_FEATURE, *FEATURE_NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQuery:
    """A question, and which memories to answer it with.

    ``vector`` (d,): the question's embedding; None: it is embedded here.  ``top_k`` memories are shown of the ``candidates``
    that are ranked; ``rules`` procedural ones come beside them.  ``kinds`` empty: all.  ``threshold``: minimum calibrated
    similarity.
    ``sampling``: those shown are a Gumbel sample of ``seed``, not the best.  ``language``: the question's, BCP 47 or "auto".
    ``exclude``: record ids.  ``conversation_id``: the running conversation, whose newest turns are in the prompt already.
    ``patience_s``: how long to wait for the embedding before words alone decide; 0: until the model gives up.
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
    language: str = "auto"
    asked_at: datetime | None = None
    exclude: Sequence[str] = ()
    conversation_id: str = ""
    patience_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """``features`` is (K, F) float32, rows as ``candidate_ids`` (retrieval order), columns as ``feature_names``.

    ``abstained``: there were records, but none as similar as the threshold asks.  ``unranked``: why the learned order could not
    be used ("not-finite", "dimension") and retrieval's own stands; empty when it was used, or nothing is learned.
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
