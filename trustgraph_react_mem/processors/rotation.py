"""Keeps the embedded broker's store small: replaces it by a fresh one when it has grown (``bus/storage/retirement.py``)."""

import asyncio
import logging
from pathlib import Path

from ..bootstrap import BusMemoryServices
from ..bus.broker import EmbeddedBroker
from ..bus.storage.retirement import Needed, Salvage, Salvaged, retire, retired_directories, stored_bytes
from ..errors import MemoryServiceError
from .jobs import Processor as JobsProcessor

logger = logging.getLogger(__name__)

ROTATE_BYTES = 16 * 2**20  # about 1,300 turns
ROTATE_BUSY_BYTES = 4 * ROTATE_BYTES  # then also while jobs run
CHECK_EVERY_S = 30.0


class BusRotation:
    """``await rotation.recover()`` before jobs are received, then ``run()``."""

    def __init__(self, broker: EmbeddedBroker, memory: BusMemoryServices) -> None:
        self._broker = broker
        self._salvage = Salvage(memory.publisher, memory.graph.job_store, memory.clock)

    @property
    def _directory(self) -> Path:
        return self._broker.directory

    async def recover(self) -> Salvaged:
        """Finish a rotation or a repair that was interrupted.  Raises: EngineUnavailable, OSError."""
        return await self._salvage.run(self._directory)

    async def run(self, jobs: JobsProcessor) -> None:
        """Check until cancelled."""
        while True:
            try:
                if retired_directories(self._directory):  # an earlier attempt could not publish
                    await self.recover()
                size = await asyncio.to_thread(stored_bytes, self._directory)
                if size > ROTATE_BUSY_BYTES or (size > ROTATE_BYTES and jobs.is_idle()):
                    await self.rotate(jobs)
            except (MemoryServiceError, OSError) as error:
                logger.warning("replacing the store of the embedded broker failed, will retry: %s", error)
            await asyncio.sleep(CHECK_EVERY_S)

    async def rotate(self, jobs: JobsProcessor) -> None:
        """Replace the store.  Publishing waits meanwhile, about a second.  Raises: EngineUnavailable, OSError."""

        async def replace(needed: Needed) -> None:
            await self._broker.renew(lambda: retire(self._directory, needed))

        async def salvage() -> None:
            await self._salvage.run(self._directory)

        # Shielded: a stop in the middle would leave the worker without its subscription.
        await asyncio.shield(asyncio.ensure_future(jobs.renew_bus(replace, salvage)))
