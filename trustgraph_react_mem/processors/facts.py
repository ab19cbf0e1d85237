"""The facts service: long-term memories, found by several keys, ranked by what was learned from citations."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from ..bootstrap import MemoryServices
from ..erasure.reconcile import Reconciler
from ..errors import MemoryServiceError
from ..schema import FactsRequest, FactsResponse
from .operations.facts import FactOperations
from .service import MemoryProcessor, Operation

default_ident = "agent-facts"
logger = logging.getLogger(__name__)

UPKEEP_EVERY_S = 600.0


class Processor(MemoryProcessor):
    service = default_ident
    request_schema = FactsRequest
    response_schema = FactsResponse
    reading = frozenset({"retrieve", "get", "list", "history"})
    writing = frozenset({"store", "import", "update", "undo", "rollback", "switch"})

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._upkeep: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await super().start()
        self._upkeep = asyncio.create_task(self._keep_up(), name="upkeep of the stores")

    async def stop(self) -> None:
        if self._upkeep is not None:
            self._upkeep.cancel()
            await asyncio.gather(self._upkeep, return_exceptions=True)
        await super().stop()

    async def _keep_up(self) -> None:
        """Finish what a crash cut short, and let the engines tidy up; never on a request's path."""
        stores = self.memory.stores
        reconciler = Reconciler(self.memory, fence=self.memory.stores.graph.fence)
        while True:
            try:
                await reconciler.repair()
                for index in (stores.fact_index, stores.episode_index):
                    await index.maintain()
            except MemoryServiceError as error:
                logger.warning("the stores could not be kept up; trying again later", extra={"cause": str(error)})
            await asyncio.sleep(UPKEEP_EVERY_S)

    def operations(self, memory: MemoryServices, flow: Any) -> Mapping[str, Operation]:
        return FactOperations(memory, self.settings.of(flow.workspace, flow.name), flow.name).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
