"""Read access to a scope's learned ranking: a report, and the export of its weights.

Only the handler of ``reward`` jobs writes the weights.
"""

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import Any

from ..errors import BadRequest, ConfigurationError, NotFound
from ..memory.embedding import EmbeddingProfile
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..rerank import Weights
from .reward_log import learning_status

MOST_REWARDS = 1000
_EXPORT_FORMAT = "trustgraph-react-mem weights"


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

    async def export_weights(self, scope: Scope) -> str:
        """The weights as JSON, for import into another scope with the same embedding model.

        The export contains directions and factors, but no record ids and no turns.

        Raises:
            NotFound: the scope has no weights yet.
        """
        stored = await self.load(scope, (await self._spaces.read_index(scope)).profile)
        if stored.weights is None:
            raise NotFound("this scope has no ranking weights yet: they appear after the first cited answer")
        blob = _strip_turns(stored.weights).to_bytes()
        return json.dumps(
            {
                "format": _EXPORT_FORMAT,
                "profile": stored.weights.profile,
                "dimension": stored.weights.dimension,
                "version": stored.version,
                "blob": base64.b64encode(blob).decode(),
            }
        )

    def read_export(self, text: Any) -> Weights:
        """Read exported weights.

        Raises:
            BadRequest: the text is not an export of weights.
            ConfigurationError: the weights belong to another embedding model, or are damaged.
        """
        profile = self._spaces.current.profile
        try:
            outer = json.loads(text) if isinstance(text, str) else dict(text)
            if outer["format"] != _EXPORT_FORMAT:
                raise ValueError
            blob = base64.b64decode(outer["blob"], validate=True)
            named = (str(outer["profile"]), int(outer["dimension"]))
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise BadRequest(f"this is not an export of ranking weights: use JSON with format {_EXPORT_FORMAT!r}") from None
        if named != (profile.name, profile.dimension):
            raise ConfigurationError(
                f"these weights belong to {named[0]} (dimension {named[1]}), the memories to {profile.name} (dimension "
                f"{profile.dimension}): import weights of this model"
            )
        return _strip_turns(Weights.from_bytes(blob, profile=profile.name, dimension=profile.dimension))


def _strip_turns(weights: Weights) -> Weights:
    """Remove everything that names a turn or a record.  The rest may be exported to other scopes."""
    return replace(weights, pending=(), seen=(), repeats=(), archive=())
