"""Erase forgotten records and questions from the ranking weights of a scope that stays open."""

import logging
from dataclasses import replace

from ..errors import ConfigurationError, Conflict, EngineUnavailable
from ..memory.ports import StoredWeights
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..rerank.forgetting import Forgotten, count_forgotten, forget_turns
from ..rerank.weights import Weights

logger = logging.getLogger(__name__)

TRIES = 8


async def count_in_weights(core: MemoryCore, scope: Scope, forgotten: Forgotten) -> int:
    """Number of stored turns that contain something forgotten."""
    stored = await core.graph.weights.load(scope)
    weights = _read(stored) if stored else None
    return count_forgotten(weights, forgotten) if weights else 0


async def forget_in_weights(core: MemoryCore, scope: Scope, forgotten: Forgotten) -> None:
    """Remove what is forgotten.  Idempotent.  Raises EngineUnavailable: other writers kept changing the weights."""
    for _ in range(TRIES):
        stored = await core.graph.weights.load(scope)
        if stored is None:
            return
        weights = _read(stored)
        if weights is None:
            # The content of damaged weights is unknown, and they rank nothing.
            logger.warning("erasure found damaged ranking weights and removes them")
            await core.graph.weights.forget_scope(scope)
            await core.notifier.changed(scope, "weights")
            return
        left = forget_turns(weights, forgotten)
        if left is weights:
            return
        smaller = replace(stored, version=stored.version + 1, blob=left.to_bytes(), updated_at=core.clock.now())
        try:
            await core.graph.weights.save(scope, smaller, expected_version=stored.version)
        except Conflict:
            continue
        await core.notifier.changed(scope, "weights")
        return
    raise EngineUnavailable("erasure failed, will retry: other writers keep changing the ranking weights of the scope")


def _read(stored: StoredWeights) -> Weights | None:
    """None: the weights are damaged."""
    try:
        return Weights.from_bytes(stored.blob, profile=stored.profile, dimension=stored.dimension)
    except ConfigurationError:
        return None
