"""The memory of one process, without bus and language models: what services, job handlers, tests and benches share."""

from dataclasses import dataclass
from typing import Protocol

from ..indexing.routing import EmbeddingModels, ModelIndexes
from ..memory.ports import ChangeNotifier, Clock, GraphPorts
from .episodes import EpisodeMemory
from .facts import FactMemory


class HasCore(Protocol):
    """The context of handlers, as far as packages below ``learning`` need it."""

    @property
    def core(self) -> "MemoryCore": ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCore:
    """``graph``: the ports, for what has no rules of its own; facts and episodes are written by their repositories alone."""

    graph: GraphPorts
    models: EmbeddingModels
    facts: FactMemory
    episodes: EpisodeMemory
    notifier: ChangeNotifier
    clock: Clock

    @classmethod
    def over(
        cls, graph: GraphPorts, models: EmbeddingModels | ModelIndexes, notifier: ChangeNotifier, clock: Clock
    ) -> "MemoryCore":
        """The only place where repositories are made.  ``models``: indexes and embedder, of one model or of several."""
        if isinstance(models, ModelIndexes):
            models = EmbeddingModels([models], models.key, graph.marks)
        return MemoryCore(
            graph=graph,
            models=models,
            facts=FactMemory(graph.facts, models, notifier, clock),
            episodes=EpisodeMemory(graph.episodes, models, notifier),
            notifier=notifier,
            clock=clock,
        )
