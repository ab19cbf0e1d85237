"""Interfaces to engines, models, clock and bus.  The implementations are in ``stores`` and ``bus``.

Every method that touches records takes a Scope and sees only that scope.  Every method can raise ``EngineUnavailable``;
the docstrings do not repeat it.  Each port has one conformance suite in ``tests/integration``, which runs against all
implementations.
"""

from .base import ChangeNotifier, Clock, Completion, Embedder, JsonValue, LanguageModel, Matrix, Signs, TokenEmbedder, Vector
from .files import ErasedFiles, Rewritable
from .graph import ConversationGraph, EpisodeGraph, FactArchive, FactGraph, FactWithHistory, Place, RefinementGraph, Reversal
from .jobs import ENDED, UNDECODABLE, Job, JobEntry, JobKind, JobPublisher, JobRef, JobState, JobStore
from .keys import KeyStore
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
