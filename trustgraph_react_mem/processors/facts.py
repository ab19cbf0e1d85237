"""The facts service: stores long-term memories and retrieves them, with a ranking that learns from citations."""

from typing import Any

from ..bootstrap import MemoryServices
from .operations.facts import fact_operations
from .service import MemoryProcessor, Operations

default_ident = "agent-facts"


class Processor(MemoryProcessor):
    service = default_ident

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        return fact_operations(memory, self.settings.for_flow(flow.workspace, flow.name), flow.name)


def run() -> None:
    Processor.launch(default_ident, __doc__)
