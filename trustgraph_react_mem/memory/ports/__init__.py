"""What the rules need from the outside: engines, models, clock, bus.  Implementations live in ``stores`` and ``bus``.

Every method that touches records takes a Scope and sees only that scope.  All raise ``EngineUnavailable`` when the engine
does not answer; that is not repeated at each method.  Conformance suites in ``tests/integration`` are written once per port
and run over every implementation.
"""

from .base import ChangeNotifier, Clock, Completion, Embedder, JsonValue, LanguageModel, Matrix, Vector
from .graph import ConversationGraph, EpisodeGraph, FactArchive, FactGraph, KeptFact, Place, Reversal
from .jobs import Job, JobKind, JobLedger, JobPublisher, JobState, LedgerEntry
from .scopes import Claim, Epoch, Epochs, KeyRing, LoggedReward, StoredWeights, Switches, SwitchStore, WeightStore
from .vectors import EmbeddingMarks, Hit, IndexPoint, SparseVector, VectorIndex

__all__ = [
    "ChangeNotifier",
    "Claim",
    "Clock",
    "Completion",
    "ConversationGraph",
    "Embedder",
    "EmbeddingMarks",
    "EpisodeGraph",
    "Epoch",
    "Epochs",
    "FactArchive",
    "FactGraph",
    "Hit",
    "IndexPoint",
    "Job",
    "JobKind",
    "JobLedger",
    "JobPublisher",
    "JobState",
    "JsonValue",
    "KeptFact",
    "KeyRing",
    "LanguageModel",
    "LedgerEntry",
    "LoggedReward",
    "Matrix",
    "Place",
    "Reversal",
    "SparseVector",
    "StoredWeights",
    "SwitchStore",
    "Switches",
    "Vector",
    "VectorIndex",
    "WeightStore",
]
