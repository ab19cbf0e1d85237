"""The facts service: long-term memories, found by several keys, ranked by what was learned from citations."""

from collections.abc import Mapping
from typing import Any

from ..bootstrap import MemoryServices
from ..schema import FactsRequest, FactsResponse
from .operations.facts import FactOperations
from .service import MemoryProcessor, Operation

default_ident = "agent-facts"


class Processor(MemoryProcessor):
    service = default_ident
    request_schema = FactsRequest
    response_schema = FactsResponse
    reading = frozenset({"retrieve", "get", "list", "history"})
    writing = frozenset({"store", "import", "update", "undo", "rollback", "switch"})

    def operations(self, memory: MemoryServices, flow: Any) -> Mapping[str, Operation]:
        return FactOperations(memory, self.settings.of(flow.workspace, flow.name), flow.name).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
