"""Cache of the learned ranking policies.  An entry is dropped when the scope's stored weights change."""

from collections import OrderedDict

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import WeightStore
from ..memory.scope import Scope
from ..rerank import Weights, hyperparameters
from ..schema import MemoryChanged
from .query import Rerank

SCOPES_KEPT = 10_000


class PolicyCache:
    """``store`` None: learning is not used.  ``profile``: of the embedding model whose vectors are ranked."""

    def __init__(self, store: WeightStore | None, profile: EmbeddingProfile) -> None:
        self._store = store
        self._profile = profile
        self._known: OrderedDict[str, tuple[Weights | None, int]] = OrderedDict()
        self._changes = 0

    async def get(self, scope: Scope, form: Rerank) -> tuple[Weights | None, int]:
        """The policy and its stored version; None and 0 if retrieval's own order is used.

        Raises:
            EngineUnavailable: the weight store does not answer.
            ConfigurationError: the stored weights are damaged.
        """
        if form == "off":
            return None, 0
        weights, version = await self._read_stored(scope)
        if weights is not None and weights.hyper.form == form:
            return weights, version
        if form == "paper":  # unlike calibrated weights, the paper's start differs from retrieval's own order
            return Weights.start(hyperparameters("paper"), profile=self._profile.name, dimension=self._profile.dimension), 0
        return None, 0

    def changed(self, change: MemoryChanged | None) -> None:
        """Drop what a change affects.  ``change`` None: any weights may have changed."""
        if change is not None and change.store not in ("facts", "weights"):
            return
        if change is None or change.store == "weights":
            self._changes += 1
        if change is None or not change.collection:
            self._known.clear()
        elif change.store == "weights":
            self._known.pop(Scope(workspace=change.workspace, user=change.user, collection=change.collection).key, None)

    async def _read_stored(self, scope: Scope) -> tuple[Weights | None, int]:
        if self._store is None:
            return None, 0
        known = self._known.get(scope.key)
        if known is None:
            changes = self._changes
            stored = await self._store.load(scope)
            known = None, 0
            if stored is not None:
                name, dimension = self._profile.name, self._profile.dimension
                known = Weights.from_bytes(stored.blob, profile=name, dimension=dimension, carry=True), stored.version
            # If a change arrived during the read, the result may be outdated and must not be cached.
            if changes == self._changes:
                self._known[scope.key] = known
            if len(self._known) > SCOPES_KEPT:
                self._known.popitem(last=False)
        return known
