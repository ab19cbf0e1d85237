"""In-memory state of a worker.  Disposable: it is rebuilt from the topic and the job store.

A job is *held* from its delivery until its acknowledgement, *expected* from its publication by this process until it is known
to have finished, and *delayed* while it is deferred in the job store.
"""

import asyncio
import contextlib
from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice

from ..memory.clock import TOLERANCE, is_ahead
from ..memory.ports import Job, JobEntry, JobRef
from ..memory.scope import Scope
from .delivery import Delivery
from .entries import is_from_future, job_from_entry
from .registry import is_barrier, is_long, partition_key, queue_of

LEASE = timedelta(minutes=2)  # minimum time between two publications of the same deferred job
LONG_AGO = datetime.min.replace(tzinfo=UTC)
MAX_EXPECTED = 50_000  # above this number, waiting calls ignore the oldest expected jobs


Place = tuple[datetime, str]  # sort key of a deferred job: created_at, job id


@dataclass(slots=True)
class DelayedQueue:
    """The deferred jobs of one partition, oldest first, without their payloads.

    There may be ten thousand, and each job of the partition asks whether an older one is waiting.  Therefore no method that
    they call scans the whole queue.
    """

    _entries: dict[str, JobEntry] = field(default_factory=dict)
    _order: list[Place] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[JobEntry]:
        """Oldest first."""
        return (self._entries[job_id] for _, job_id in self._order)

    @property
    def scope(self) -> Scope | None:
        """The scope of the partition; None when the queue is empty."""
        return next((entry.scope for entry in self), None)

    @property
    def oldest_at(self) -> datetime | None:
        """When the oldest job was created; None when the queue is empty."""
        return self._order[0][0] if self._order else None

    def put(self, entry: JobEntry) -> None:
        """Insert an entry, or replace the entry of the same job."""
        self.remove(entry.job_id)
        self._entries[entry.job_id] = entry
        insort(self._order, (entry.created_at, entry.job_id))

    def remove(self, job_id: str) -> None:
        entry = self._entries.pop(job_id, None)
        if entry is not None:
            del self._order[bisect_left(self._order, (entry.created_at, job_id))]

    def oldest_before(self, place: Place) -> JobEntry | None:
        return self._entries[self._order[0][1]] if self._order and self._order[0] < place else None


@dataclass(slots=True, eq=False)
class HeldJob:
    """A job with all messages that delivered it.  They are acknowledged together when the job has finished."""

    job: Job
    deliveries: list[Delivery]
    started: bool = False
    running: bool = False  # its handler runs now: it neither waits for a slot nor pauses
    task: asyncio.Task[JobEntry | None] | None = None  # runs the handler with its retries and pauses


@dataclass(slots=True)
class WorkerState:
    """Shared by the parts of one worker, which run in one event loop.

    ``held`` changes through its methods only.  Who stops expecting a job removes it from ``expected``.
    """

    counts: Counter[str] = field(default_factory=Counter)  # jobs by final state, and events such as retries, since the start
    received: int = 0  # deliveries since the start
    held: dict[JobRef, HeldJob] = field(default_factory=dict)
    _held_bytes: int = 0  # size of the payloads of held jobs
    backlog: set[JobRef] = field(default_factory=set)  # held jobs of the slow queues that have not started
    expected: OrderedDict[JobRef, Job] = field(default_factory=OrderedDict)
    delayed: dict[str, DelayedQueue] = field(default_factory=dict)  # by partition key; none is empty
    _newest_update: datetime = LONG_AGO  # no delayed entry was changed after it
    cancelled: set[JobRef] = field(default_factory=set)
    _resent_until: dict[JobRef, datetime] = field(default_factory=dict)  # time before which a job is not published again
    # Workspace -> time before which its model is not called, and why.
    _model_pauses: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    _saving: set[JobRef] = field(default_factory=set)  # jobs whose entry is being written to the job store
    _change: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Forget held and delayed jobs: the source delivers them again, the job store lists them."""
        for part in (self.held, self.backlog, self.delayed):
            part.clear()
        self._held_bytes = 0

    def notify(self) -> None:
        self._change.set()

    async def wait_for_change(self) -> None:
        self._change.clear()
        await self._change.wait()

    # ------------------------------------------------------------------------------------------------ held jobs

    def hold(self, delivery: Delivery) -> bool:
        """Start holding a job.  False: it is held already, and this delivery is acknowledged together with the first."""
        head = delivery.head
        self.received += 1
        self._held_bytes += len(delivery.sealed)
        held = self.held.get(head.ref)
        if held is not None:
            held.deliveries.append(delivery)
            self.counts["duplicate"] += 1
            return False
        self.held[head.ref] = HeldJob(head, [delivery])
        return True

    async def wait_for_room(self, jobs: int, size: int) -> None:
        """Wait until fewer than ``jobs`` jobs are held, with less than ``size`` bytes of payload."""
        while len(self.held) >= jobs or self._held_bytes >= size:
            await self.wait_for_change()

    def start(self, ref: JobRef) -> None:
        self.held[ref].started = True
        self.backlog.discard(ref)

    @contextlib.contextmanager
    def run(self, ref: JobRef) -> Iterator[None]:
        """Context manager: inside, the job's handler runs."""
        held = self.held[ref]
        held.running = True
        try:
            yield
        finally:
            held.running = False

    def release(self, ref: JobRef) -> None:
        """Forget a job that has finished or is in the job store, and whose deliveries are all acknowledged."""
        held = self.held.pop(ref, None)
        if held is not None:
            self._held_bytes -= sum(len(delivery.sealed) for delivery in held.deliveries)
        self.backlog.discard(ref)
        self.expected.pop(ref, None)
        self.cancelled.discard(ref)
        self._resent_until.pop(ref, None)
        self.notify()

    def cancel(self, ref: JobRef) -> None:
        """Cancel a held job, at any time: while it runs, pauses between two attempts, or waits for its turn."""
        held = self.held.get(ref)
        if held is not None:
            self.cancelled.add(ref)
            if held.task is not None:
                held.task.cancel()

    async def stop_running(self, scope: Scope, *, long_only: bool) -> None:
        """Cancel the work on the scope's jobs and wait until it has ended."""
        tasks = [
            held.task
            for held in self.held.values()
            if held.task is not None and held.job.scope == scope and (is_long(held.job.kind) or not long_only)
        ]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # ------------------------------------------------------------------------------------------------ expected jobs

    def expect(self, jobs: Sequence[Job]) -> None:
        self.expected |= {job.ref: replace(job, payload={}) for job in jobs}
        while len(self.expected) > MAX_EXPECTED:
            self.expected.popitem(last=False)

    def jobs_on_their_way(self) -> Iterator[Job]:
        """Expected jobs that this process does not hold, oldest first."""
        return (job for ref, job in self.expected.items() if ref not in self.held)

    def expected_elsewhere(self, limit: int) -> list[JobRef]:
        """Jobs on their way.  Those returned move to the end: the next call returns others."""
        found = [job.ref for job in islice(self.jobs_on_their_way(), limit)]
        for ref in found:
            self.expected.move_to_end(ref)
        return found

    def open_jobs(self, scope: Scope, *, writes_only: bool) -> Iterator[str]:
        """Ids of the scope's jobs that this process does not know to have finished.  An id may occur twice."""
        for job in chain(self.expected.values(), (held.job for held in self.held.values())):
            if job.scope == scope and not (writes_only and queue_of(job.kind) != "write"):
                yield job.id

    # ------------------------------------------------------------------------------------------------ delayed jobs

    def delay(self, entry: JobEntry) -> None:
        key = partition_key(job_from_entry(entry))
        self._newest_update = max(self._newest_update, entry.updated_at)
        self.delayed.setdefault(key, DelayedQueue()).put(replace(entry, sealed_payload=""))

    def correct_times(self, now: datetime) -> None:
        """Let jobs run now that were deferred by a clock that has been set back since."""
        if self._newest_update <= now + TOLERANCE:
            return  # each job asks, and there may be many thousands of delayed ones
        self._newest_update = now
        for queue in self.delayed.values():
            for entry in [entry for entry in queue if is_from_future(entry, now)]:
                queue.put(replace(entry, not_before=now, updated_at=now))

    def end_delay(self, key: str, job_id: str) -> None:
        queue = self.delayed.get(key)
        if queue is not None:
            queue.remove(job_id)
            if not len(queue):
                del self.delayed[key]

    def count_delayed(self) -> int:
        return sum(len(queue) for queue in self.delayed.values())

    def oldest_waiting(self) -> datetime | None:
        """When the oldest job was created that is deferred, or held and not running.  None: there is none."""
        held = (each.job.created_at for each in self.held.values() if not each.running and not is_barrier(each.job.kind))
        delayed = (queue.oldest_at for queue in self.delayed.values())
        return min((at for at in chain(held, delayed) if at is not None), default=None)

    def forget_delayed(self, scope: Scope) -> None:
        self.delayed = {key: queue for key, queue in self.delayed.items() if queue.scope != scope}

    def mark_resent(self, ref: JobRef, now: datetime) -> None:
        self._resent_until[ref] = now + LEASE

    def is_resent(self, ref: JobRef, now: datetime) -> bool:
        """Whether the job was published again recently and may still be in transit."""
        return is_ahead(self._resent_until.get(ref, now), now, LEASE)

    def forget_resent(self, ref: JobRef) -> None:
        self._resent_until.pop(ref, None)

    def pause_model(self, workspace: str, until: datetime, cause: str) -> None:
        self._model_pauses[workspace] = until, cause

    def resume_model(self, workspace: str) -> None:
        self._model_pauses.pop(workspace, None)

    def model_pause(self, workspace: str) -> tuple[datetime | None, str]:
        """Until when the model is not called, and why it did not answer last, also after the pause."""
        return self._model_pauses.get(workspace, (None, ""))

    # ------------------------------------------------------------------------------------------------ entries being saved

    @contextlib.contextmanager
    def save(self, entry: JobEntry) -> Iterator[None]:
        """Context manager around writing the entry to the job store, for ``wait_until_saved``."""
        self._saving.add(entry.ref)
        try:
            yield
        finally:
            self._saving.discard(entry.ref)
            self.notify()

    async def wait_until_saved(self, scope: Scope) -> None:
        """Wait until the scope's entries that are being written now have been saved."""
        left = {ref for ref in self._saving if ref[0] == scope}
        while left & self._saving:
            await self.wait_for_change()
