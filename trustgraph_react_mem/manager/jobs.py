"""Background jobs of one process, without a bus.

Jobs wait in memory.  What is unfinished when the stores are closed is kept in the job store, as deferred jobs are, and the next
process that opens the data directory continues with it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..bus.envelope import open_job, seal_payload
from ..jobs.delivery import without_payload
from ..jobs.entries import entry_from_job
from ..jobs.registry import is_barrier, partition_key
from ..memory.ports import Clock, Job, JobRef, JobStore, KeyRing
from ..telemetry.propagation import TRACEPARENT, current_headers


@dataclass(frozen=True, slots=True)
class LocalDelivery:
    """``Delivery``."""

    queue: "LocalJobs"
    head: Job
    sealed: str

    @property
    def key(self) -> str:
        return partition_key(self.head)

    async def open(self) -> Job:
        return await open_job(self.queue.keyring, self.head, self.sealed)

    async def ack(self) -> None:
        self.queue.finish(self.head.ref)


class LocalJobs:
    """``JobPublisher`` and ``JobSource`` in one."""

    def __init__(self, keyring: KeyRing) -> None:
        self.keyring = keyring
        self._unfinished: dict[JobRef, LocalDelivery] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._waiting: asyncio.Queue[LocalDelivery] = asyncio.Queue()

    async def publish(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            # Sealed as on the bus, because the job store keeps the payload of a deferred job.
            head = replace(without_payload(job), traceparent=job.traceparent or current_headers().get(TRACEPARENT, ""))
            delivery = LocalDelivery(self, head, await seal_payload(self.keyring, job))
            self._unfinished[job.ref] = delivery
            self._idle.clear()
            self._waiting.put_nowait(delivery)

    async def receive(self) -> LocalDelivery:
        return await self._waiting.get()

    def deliver_again(self) -> None:
        """Deliver the unfinished jobs to a worker that starts again."""
        self._waiting = asyncio.Queue()
        for delivery in self._unfinished.values():
            self._waiting.put_nowait(delivery)

    def finish(self, ref: JobRef) -> None:
        self._unfinished.pop(ref, None)
        if not self._unfinished:
            self._idle.set()

    async def wait_idle(self) -> None:
        """Wait until no job is unfinished."""
        await self._idle.wait()

    async def keep(self, job_store: JobStore, clock: Clock) -> int:
        """Save the unfinished jobs, after the worker has stopped.  Returns their number."""
        now = clock.now()
        kept = [
            replace(
                entry_from_job(each.head, "deferred", at=now, not_before=now, sealed=each.sealed), attempt=each.head.attempt
            )
            for each in self._unfinished.values()
            if not is_barrier(each.head.kind)
        ]
        if kept:
            await job_store.save(kept)
        return len(kept)
