"""Interfaces to engines, models, clock and bus.  The implementations are in ``stores`` and ``bus``.

Every method that touches records takes a Scope and sees only that scope.  Every method can raise ``EngineUnavailable``;
the docstrings do not repeat it.  Each port has one conformance suite in ``tests/integration``, which runs against all
implementations.
"""

from .base import ChangeNotifier, Clock, Completion, Embedder, JsonValue, LanguageModel, Matrix, Vector
from .graph import ConversationGraph, EpisodeGraph, FactArchive, FactGraph, FactWithHistory, Place, Reversal
from .jobs import Job, JobEntry, JobKind, JobPublisher, JobState, JobStore
from .scopes import (
    FencingToken,
    KeyRing,
    LoggedReward,
    ScopeEpoch,
    ScopeFence,
    StoredWeights,
    Switches,
    SwitchStore,
    WeightStore,
)
from .stores import GraphPorts, ScopeDirectory
from .vectors import Hit, IndexPoint, PointReader, SparseVector, VectorIndex

__all__ = [
    "ChangeNotifier",
    "Clock",
    "Completion",
    "ConversationGraph",
    "Embedder",
    "EpisodeGraph",
    "FactArchive",
    "FactGraph",
    "FactWithHistory",
    "FencingToken",
    "GraphPorts",
    "Hit",
    "IndexPoint",
    "Job",
    "JobEntry",
    "JobKind",
    "JobPublisher",
    "JobState",
    "JobStore",
    "JsonValue",
    "KeyRing",
    "LanguageModel",
    "LoggedReward",
    "Matrix",
    "Place",
    "PointReader",
    "Reversal",
    "ScopeDirectory",
    "ScopeEpoch",
    "ScopeFence",
    "SparseVector",
    "StoredWeights",
    "SwitchStore",
    "Switches",
    "Vector",
    "VectorIndex",
    "WeightStore",
]
