"""What a scope has learned about ranking, for reading: a report of it, and an export of its weights.

The job handler (``reward``) writes; everyone else reads here.
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

_EXPORT_FORMAT = "trustgraph-react-mem weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedWeights:
    version: int  # 0 = nothing stored
    weights: Weights | None


class LearningStatus:
    def __init__(self, core: MemoryCore) -> None:
        self._store = core.graph.weights
        self._spaces = core.facts.router

    async def load(self, scope: Scope, profile: EmbeddingProfile) -> LoadedWeights:
        """``profile``: of the model that the scope is read by; what another one's weights hold for it is carried over."""
        stored = await self._store.load(scope)
        if stored is None:
            return LoadedWeights(version=0, weights=None)
        weights = Weights.from_bytes(stored.blob, profile=profile.name, dimension=profile.dimension, carry=True)
        return LoadedWeights(version=stored.version, weights=weights)

    async def learn_status(self, scope: Scope, *, limit: int = 1000) -> dict[str, Any]:
        """The newest ``limit`` rewarded turns, and what is learned now: see ``learning_status``."""
        rows = await self._store.rewards(scope, limit=limit)
        stored = await self.load(scope, (await self._spaces.read_index(scope)).profile)
        return learning_status(rows, stored.version, stored.weights)

    async def export_weights(self, scope: Scope) -> str:
        """JSON that another scope of the same embedding model can import: directions and factors, no record and no turn.

        Raises:
            NotFound: nothing was learned yet.
        """
        stored = await self.load(scope, (await self._spaces.read_index(scope)).profile)
        if stored.weights is None:
            raise NotFound("this scope has no ranking weights yet: they appear after the first cited answer")
        blob = _without_turns(stored.weights).to_bytes()
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
        """Raises:
        BadRequest: these are no exported weights.
        ConfigurationError: they belong to another embedding model, or are damaged.
        """
        profile = self._spaces.current.profile
        try:
            outer = json.loads(text) if isinstance(text, str) else dict(text)
            if outer["format"] != _EXPORT_FORMAT:
                raise ValueError
            blob = base64.b64decode(outer["blob"], validate=True)
            named = (str(outer["profile"]), int(outer["dimension"]))
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise BadRequest(f"these are no exported ranking weights: expected JSON with format {_EXPORT_FORMAT!r}") from None
        if named != (profile.name, profile.dimension):
            raise ConfigurationError(
                f"these weights belong to {named[0]} (dimension {named[1]}), the memories to {profile.name} (dimension "
                f"{profile.dimension}): import weights of this model"
            )
        return _without_turns(Weights.from_bytes(blob, profile=profile.name, dimension=profile.dimension))


def _without_turns(weights: Weights) -> Weights:
    """Without anything that names a turn or a record: what may leave a scope."""
    return replace(weights, pending=(), seen=(), repeats=(), archive=())
