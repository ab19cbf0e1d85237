"""The store of the job broker is replaced while clients of other processes ask."""

import asyncio
from pathlib import Path

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.memory.requests import ListFacts, StoreFact
from trustgraph_react_mem.processors.rotation import BusRotation
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

USERS = tuple(f"user{number}" for number in range(12))
ROTATIONS = 10


async def test_no_request_is_lost_while_the_store_of_jobs_is_replaced(tmp_path: Path) -> None:
    settings = StoreSettings(keys=tmp_path / "keys")
    async with (
        EmbeddedStack(tmp_path / "data", model="none", embeddings=HashedEmbedder(), settings=settings) as stack,
        await MemoryBus.connect(stack.address) as bus,
    ):
        over = asyncio.Event()

        async def stores_without_pause(user: str) -> int:
            count = 0
            while not over.is_set():
                await bus.call(StoreFact(user=user, content=f"The box {count} of {user} is in the attic."))
                count += 1
            return count

        storing = [asyncio.create_task(stores_without_pause(user)) for user in USERS]
        assert stack.job_broker is not None
        assert stack.memory is not None
        rotation = BusRotation(stack.job_broker, stack.memory)
        for _ in range(ROTATIONS):
            await rotation.rotate(stack.processors["agent-memory-jobs"])
        over.set()
        counts = await asyncio.gather(*storing)
        kept = [len((await bus.call(ListFacts(user=user, limit=10_000))).facts) for user in USERS]
    assert kept == counts
    assert min(counts) > ROTATIONS
