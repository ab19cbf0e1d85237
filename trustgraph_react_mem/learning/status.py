"""Read access to a scope's learned ranking.

Only the handler of ``reward`` jobs writes the weights.
"""

from dataclasses import dataclass
from typing import Any

from ..memory.embedding import EmbeddingProfile
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..rerank import Weights
from .reward_log import learning_status

MOST_REWARDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedWeights:
    version: int  # 0 = nothing stored
    weights: Weights | None


class LearningStatus:
    """Reads stored weights and reward rows."""

    def __init__(self, core: MemoryCore) -> None:
        self._store = core.graph.weights
        self._spaces = core.facts.router

    async def load(self, scope: Scope, profile: EmbeddingProfile) -> LoadedWeights:
        """The stored weights of a scope.

        ``profile``: the embedding model that the scope is searched with.  Weights of another model are converted, see
        ``Weights.for_model``.  Raises ConfigurationError: the stored weights are damaged.
        """
        stored = await self._store.load(scope)
        if stored is None:
            return LoadedWeights(version=0, weights=None)
        weights = Weights.from_bytes(stored.blob, profile=profile.name, dimension=profile.dimension, carry=True)
        return LoadedWeights(version=stored.version, weights=weights)

    async def learn_status(self, scope: Scope) -> dict[str, Any]:
        """Report of the newest rewarded turns and the current weights, see ``reward_log.learning_status``."""
        rows = await self._store.rewards(scope, limit=MOST_REWARDS)
        stored = await self.load(scope, (await self._spaces.read_index(scope)).profile)
        return learning_status(rows, stored.version, stored.weights)
