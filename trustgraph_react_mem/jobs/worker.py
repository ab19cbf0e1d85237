"""The worker of background jobs.

Invariants:
- Jobs of one partition key run one after another in the order they arrived.  Partitions run concurrently.  Each queue has its
  own slots, so slow model calls never delay recording.  A slot is taken only while a handler runs.
- The number of jobs in memory is bounded.  The others stay with the broker.
- A delivery is acknowledged after its follow-ups were published and the job store has the job's entry: as done or cancelled, or
  as deferred or dead with its payload.  A crash before that repeats the job.  Records written by a job have ids derived from
  the job, so a repeated job writes the same records.
- A job that is done never runs again, even if it is delivered again.
- While an older job of a partition is deferred, younger ones are deferred behind it, except erasures.
- A job of an erased scope leaves no entry in the job store.

Duplicates are suppressed only here.  A second delivery of a job that is held is added to the first.  A later delivery finds the
job's entry in the job store, because a job is released only after its entry was saved.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from ..memory.ports import Clock, GraphPorts, JobEntry, JobKind, JobPublisher
from ..telemetry.metrics import jobs as job_runs
from .admin import JobAdmin
from .barrier import PendingJobs
from .delayed import DelayedJobs
from .delivery import Delivery, Handler, JobSource
from .entries import entry_from_job
from .executor import JobExecutor
from .registry import QueueName, is_barrier, is_long, is_pipelined, partition_key, queue_of
from .retry import RetryPolicy, WorkerLimits
from .scope_gate import ScopeGate

MAX_UNSAVED = 256  # maximum number of finished jobs of a partition whose entries are still being saved


@dataclass(slots=True)
class _Partition:
    queue: deque[tuple[Delivery, asyncio.Task[JobEntry | None]]] = field(default_factory=deque)  # with its entry in the store
    unsaved: set[asyncio.Task[None]] = field(default_factory=set)


class JobWorker:
    """Runs the jobs that a source delivers.

    ``pending`` publishes jobs and waits for them, ``delayed`` publishes deferred jobs again, ``gate``, which the handlers have
    too, stops a scope's jobs during an erasure, ``admin`` lists and manages jobs.
    """

    def __init__(
        self,
        *,
        source: JobSource,
        gate: ScopeGate,
        handlers: Mapping[JobKind, Handler],
        graph: GraphPorts,
        publisher: JobPublisher,
        clock: Clock,
        random: Random | None = None,
        limits: WorkerLimits | None = None,
    ) -> None:
        random, limits = random or Random(), limits or WorkerLimits()
        job_store, keyring, fence = graph.job_store, graph.keyring, graph.fence
        retry = RetryPolicy(clock, limits, random)
        state, self.gate = gate.state, gate
        self.pending = PendingJobs(state, job_store, publisher, clock, random, shared=fence.shared)
        self.delayed = DelayedJobs(state, self.gate, self.pending, job_store, keyring, fence, clock, retry)
        self.admin = JobAdmin(state, self.delayed, job_store, keyring, clock)
        self._executor = JobExecutor(state, self.gate, self.pending, self.delayed, handlers, fence, clock, retry)
        self._source, self._job_store, self._clock = source, job_store, clock
        self._state, self._retry, self._limits = state, retry, limits
        self._slots: dict[QueueName, asyncio.Semaphore] = {
            "write": asyncio.Semaphore(limits.write_slots),
            "model": asyncio.Semaphore(limits.model_slots),
            "index": asyncio.Semaphore(limits.index_slots),
        }
        self._partitions: dict[str, _Partition] = {}
        self._shared = fence.shared  # other processes run jobs, too
        for kind in handlers:  # Prometheus sees no increase in a series that begins with its first count
            job_runs.labels(kind, "dead")

    async def run(self) -> None:
        """Receive and run jobs until cancelled.  A restart after a failure begins with an empty state."""
        self._partitions.clear()
        self._state.reset()
        self.delayed.interrupted.start()
        await self.delayed.load()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.delayed.run_sweeps())
            while True:
                await self._state.wait_for_room(self._limits.held, self._limits.held_bytes)
                delivery = await self._retry.until_available(self._source.receive)
                self._accept(delivery, tasks)
                # Yield to the event loop: a burst of deliveries must not starve the partitions.
                await asyncio.sleep(0)

    def _accept(self, delivery: Delivery, tasks: asyncio.TaskGroup) -> None:
        head, state = delivery.head, self._state
        if not state.hold(delivery):
            return
        # Started now, so that the entry is usually loaded before the job's turn comes.
        stored = tasks.create_task(self.delayed.find(head.ref))
        if is_long(head.kind):
            if len(state.backlog) >= self._limits.model_backlog:
                # Marked as delayed before the first await, so that a younger job of the partition cannot overtake it.
                entry = entry_from_job(
                    head, "deferred", at=self._clock.now(), not_before=self._clock.now(), sealed=delivery.sealed
                )
                state.delay(entry)
                tasks.create_task(self._spill(delivery, stored, entry))
                return
            state.backlog.add(head.ref)
        partition = self._partitions.get(delivery.key)
        if partition is None:
            partition = self._partitions[delivery.key] = _Partition()
            tasks.create_task(self._run_partition(delivery.key, partition, tasks))
        partition.queue.append((delivery, stored))

    async def _run_partition(self, key: str, partition: _Partition, tasks: asyncio.TaskGroup) -> None:
        if self._shared:  # the partition's previous owner may have deferred jobs
            await self.delayed.load(partition.queue[0][0].head.scope)
        while partition.queue:
            await self._step(*partition.queue.popleft(), partition, tasks)
            if not partition.queue and partition.unsaved:
                await asyncio.wait(partition.unsaved)
        # No await since the queue was found empty, so no delivery can have been added in between.
        del self._partitions[key]

    async def _step(
        self, delivery: Delivery, finding: asyncio.Task[JobEntry | None], partition: _Partition, tasks: asyncio.TaskGroup
    ) -> None:
        stored, kind = await finding, delivery.head.kind
        pipelined = is_pipelined(kind)
        if partition.unsaved and (not pipelined or len(partition.unsaved) >= MAX_UNSAVED):
            await asyncio.wait(partition.unsaved)
        # A barrier has no effect, so it takes a write slot: slots of the other queues may be occupied for minutes.
        slot = self._slots["write" if is_barrier(kind) else queue_of(kind)]
        erasures = self.gate.erasures[delivery.head.scope]
        entry = await self._executor.execute(delivery, stored, slot)
        if entry is not None and entry.state == "deferred":
            # Before the entry is saved: the next job may start meanwhile, and must not overtake this one.
            self.delayed.hold_back(entry)
        finish = self._finish(delivery, entry, erasures)
        if pipelined:
            task = tasks.create_task(finish)
            partition.unsaved.add(task)
            task.add_done_callback(partition.unsaved.discard)
        else:
            await finish

    async def _spill(self, delivery: Delivery, stored: asyncio.Task[JobEntry | None], entry: JobEntry) -> None:
        """Move a job that exceeds the backlog to the job store.  A sweep publishes it again."""
        erasures = self.gate.erasures[delivery.head.scope]
        over = self._executor.is_over(await stored) or await self._executor.is_erased(delivery)
        await self._finish(delivery, None if over else entry, erasures)

    async def _finish(self, delivery: Delivery, entry: JobEntry | None, erasures: int) -> None:
        """Save the entry, then acknowledge, then release.

        After a crash in between, the job is delivered again; it then runs again, or its saved entry shows that it has finished.
        ``erasures``: the scope's erasure count before the job began.
        """
        head, state = delivery.head, self._state
        if head.scope in self.gate.erasing or self.gate.erasures[head.scope] != erasures:
            entry = None  # the job began before the erasure: its entry must not be saved
        if entry is not None and entry.state == "deferred" and head.ref in state.cancelled:
            entry = entry_from_job(head, "cancelled", at=self._clock.now())
        if entry is not None:
            saved = entry
            with state.save(saved):
                await self._retry.until_available(lambda: self._job_store.save([saved]))
        state.end_delay(partition_key(head), head.id)
        if entry is not None:
            if entry.state == "deferred":
                self.delayed.hold_back(entry)
            state.counts[entry.state] += 1
            job_runs.labels(head.kind, entry.state).inc()
        for each in state.held[head.ref].deliveries:  # not of a copy: others may be added meanwhile
            await self._retry.until_available(each.ack)
        state.release(head.ref)
