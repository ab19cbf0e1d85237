"""Composition root of the memory layer, without bus and language models.  Used by services, job handlers and tests."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from ..indexing.routing import EmbeddingModels
from ..memory.ports import ChangeNotifier, Clock, GraphPorts
from ..memory.scope import Scope
from .episodes import EpisodeMemory
from .erased_files import FileRewriter
from .facts import FactMemory
from .records import RecordMemory


class HasCore(Protocol):
    """The part of the handler context that packages below ``learning`` need."""

    @property
    def core(self) -> "MemoryCore": ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCore:
    """Repositories and ports of one process.

    Facts and episodes must be written through their repositories.  Use the ports of ``graph`` for everything else.
    ``doubtful``: scopes whose graph and vectors may disagree, until they are repaired (``erasure.comparison``).  There recall
    checks each record against the graph.
    """

    graph: GraphPorts
    models: EmbeddingModels
    facts: FactMemory
    episodes: EpisodeMemory
    notifier: ChangeNotifier
    clock: Clock
    files: FileRewriter | None = None  # None: no engine has files
    doubtful: set[Scope] = field(default_factory=set)

    @property
    def memories(self) -> "tuple[RecordMemory[Any, Any], ...]":
        return self.facts, self.episodes

    @classmethod
    def over(
        cls,
        graph: GraphPorts,
        models: EmbeddingModels,
        notifier: ChangeNotifier,
        clock: Clock,
        files: FileRewriter | None = None,
    ) -> "MemoryCore":
        """Create the repositories.  ``models``: one model, or several during its change."""
        return MemoryCore(
            graph=graph,
            models=models,
            facts=FactMemory(graph.facts, models.facts, notifier, clock),
            episodes=EpisodeMemory(graph.episodes, models.episodes, notifier),
            notifier=notifier,
            clock=clock,
            files=files,
        )
