"""What the sweep after an erasure removes: jobs from before it, whatever the clocks say, and no others."""

from datetime import datetime, timedelta

from tests.doubles.core import core_over
from tests.doubles.jobs import SimulatedClock
from tests.doubles.small_stores import MemoryStores
from tests.doubles.vector_index import MemoryVectorIndex
from tests.integration.stores.stores_support import ANN, BOB, PROFILE, START, WordEmbedder
from trustgraph_react_mem.bus.envelope import seal_payload
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.erasure.sweep import ErasureSweeper
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.memory.fencing import close_scope
from trustgraph_react_mem.memory.ports import Job, JobEntry
from trustgraph_react_mem.memory.scope import Scope


class World:
    def __init__(self) -> None:
        self.clock = SimulatedClock(START)
        self.stores = MemoryStores(self.clock)
        core = core_over(self.stores, MemoryVectorIndex(PROFILE), WordEmbedder(), clock=self.clock)
        self.sweeper = ErasureSweeper(core, Reconciler(core))

    async def deferred(self, job_id: str, *, at: datetime, scope: Scope = ANN) -> JobEntry:
        job = Job(id=job_id, kind="extract", scope=scope, payload={"question": "tea?"}, created_at=at)
        sealed = await seal_payload(self.stores.keyring, job)
        return entry_from_job(job, "deferred", at=self.clock.now(), not_before=self.clock.now(), sealed=sealed)

    async def erase(self) -> None:
        async with close_scope(self.stores.fence, ANN, erasing=True):
            await self.stores.keyring.destroy(ANN)
            await self.stores.job_store.forget_scope(ANN)

    async def left(self, scope: Scope = ANN) -> set[str]:
        return {entry.job_id for entry in await self.stores.job_store.listing(scope)}


async def test_a_job_from_before_an_erasure_is_removed() -> None:
    world = World()
    late = await world.deferred("late", at=world.clock.now())
    other = await world.deferred("other", at=world.clock.now(), scope=BOB)
    world.clock.advance(1)
    await world.erase()
    await world.stores.job_store.save([late, other])  # by a writer that began before
    world.clock.advance(61)
    assert await world.sweeper.run() == 1
    assert await world.left() == set()
    assert await world.left(BOB) == {"other"}


async def test_a_job_published_after_an_erasure_by_a_host_whose_clock_is_slow_is_kept() -> None:
    world = World()
    await world.erase()
    world.clock.advance(1)
    await world.stores.job_store.save([await world.deferred("new", at=START - timedelta(minutes=5))])
    world.clock.advance(61)
    assert await world.sweeper.run() == 1
    assert await world.left() == {"new"}
