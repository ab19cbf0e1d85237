"""The facts service: long-term memories, found by several keys, ranked by what was learned from citations."""

import asyncio
import logging
from typing import Any

from ..bootstrap import MemoryCore
from ..erasure.reconcile import Reconciler
from ..errors import MemoryServiceError
from .operations.facts import fact_operations
from .service import MemoryProcessor, Operations

default_ident = "agent-facts"
logger = logging.getLogger(__name__)

UPKEEP_EVERY_S = 600.0


class Processor(MemoryProcessor):
    service = default_ident

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
        reconciler = Reconciler(self.memory.facts, self.memory.episodes, fence=self.memory.stores.graph.fence)
        while True:
            try:
                await reconciler.repair()
                for index in (stores.fact_index, stores.episode_index):
                    await index.maintain()
            except MemoryServiceError as error:
                logger.warning("store maintenance failed, retry in %g s: %s", UPKEEP_EVERY_S, error)
            await asyncio.sleep(UPKEEP_EVERY_S)

    def operations(self, memory: MemoryCore, flow: Any) -> Operations:
        return fact_operations(memory, self.settings.of(flow.workspace, flow.name), flow.name)


def run() -> None:
    Processor.launch(default_ident, __doc__)
