"""The episodes service: stores and finds past tasks with their steps, outcome and lessons."""

from typing import Any

from ..bootstrap import MemoryServices
from .operations.episodes import EpisodeOperations
from .service import MemoryProcessor, Operations

default_ident = "agent-episodes"


class Processor(MemoryProcessor):
    service = default_ident

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        return EpisodeOperations(memory, self.settings.for_flow(flow.workspace, flow.name)).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
