"""The conversations service: stores and returns the questions and answers of each conversation."""

from typing import Any

from ..bootstrap import MemoryServices
from .operations.conversations import ConversationOperations
from .service import MemoryProcessor, Operations

default_ident = "agent-conversations"


class Processor(MemoryProcessor):
    service = default_ident

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        return ConversationOperations(memory, self.settings.for_flow(flow.workspace, flow.name), flow.name).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
