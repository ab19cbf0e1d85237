"""A memory core over whatever a test puts in the place of single ports."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from trustgraph_react_mem.indexing.routing import EmbeddingModels, ModelIndexes
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Clock, Embedder, VectorIndex
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore

from .vector_index import MemoryVectorIndex

PORTS = (
    *("facts", "episodes", "conversations", "refinements", "job_store", "weights"),
    *("switches", "keyring", "owner_seal", "scopes", "fence"),
)


class Silent:
    """``ChangeNotifier`` that nobody listens to."""

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        return None


def ports(stores: Any, **others: Any) -> Any:
    """``GraphPorts`` of the stores, with other ones in the place of those named."""
    return SimpleNamespace(**{name: getattr(stores, name) for name in PORTS} | others)


def core_over(
    stores: Any,
    index: VectorIndex,
    embedder: Embedder,
    *,
    episodes: VectorIndex | None = None,
    notifier: Any = None,
    clock: Clock | None = None,
) -> MemoryCore:
    """``episodes``: their index; one in memory unless it is given."""
    models = ModelIndexes(facts=index, episodes=episodes or MemoryVectorIndex(index.profile), embedder=embedder)
    return MemoryCore.over(stores, EmbeddingModels(models), notifier or Silent(), clock or SystemClock())
