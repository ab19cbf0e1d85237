"""The conversations service: stores and returns the questions and answers of each conversation, and refinement sessions."""

from typing import Any

from ..bootstrap import MemoryServices
from .operations.conversations import ConversationOperations
from .operations.refinements import RefinementOperations
from .service import MemoryProcessor, Operations

default_ident = "agent-conversations"


class Processor(MemoryProcessor):
    service = default_ident

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        settings = self.settings.for_flow(flow.workspace, flow.name)
        own = ConversationOperations(memory, settings, flow.name).table()
        return {**own, **RefinementOperations(memory, settings).table()}


def run() -> None:
    Processor.launch(default_ident, __doc__)
