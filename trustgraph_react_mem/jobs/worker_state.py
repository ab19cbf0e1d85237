"""In-memory state of a worker.  Disposable: it is rebuilt from the topic and the job store.

A job is *held* from its delivery until its acknowledgement, *expected* from its publication by this process until it is known
to have finished, and *delayed* while it is deferred in the job store.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from ..memory.ports import Job, JobEntry
from ..memory.scope import Scope
from .delayed_queue import DelayedQueue
from .delivery import Delivery, JobOutcome, without_payload
from .entries import job_from_entry
from .registry import is_long, partition_key, queue_of

MAX_EXPECTED = 50_000  # above this number, waiting calls ignore the oldest expected jobs


@dataclass(slots=True, eq=False)
class HeldJob:
    """A job with all messages that delivered it.  They are acknowledged together when the job has finished."""

    job: Job
    deliveries: list[Delivery]
    started: bool = False
    task: asyncio.Task[JobOutcome] | None = None  # set while its handler runs


@dataclass(slots=True)
class WorkerState:
    """Shared by the parts of one worker, which run in one event loop.  Changed only through its methods."""

    counts: Counter[str] = field(default_factory=Counter)  # jobs by final state, and events such as retries, since the start
    _held: dict[str, HeldJob] = field(default_factory=dict)
    _backlog: set[str] = field(default_factory=set)  # held jobs of the slow queues that have not started
    _expected: dict[str, Job] = field(default_factory=dict)
    _delayed: dict[str, DelayedQueue] = field(default_factory=dict)  # by partition key; none is empty
    _cancelled: set[str] = field(default_factory=set)
    _resent_until: dict[str, datetime] = field(default_factory=dict)  # job id -> time before which it is not published again
    _model_pauses: dict[str, datetime] = field(default_factory=dict)  # workspace -> time before which its model is not called
    _saving: dict[str, Scope] = field(default_factory=dict)  # jobs whose entry is being written to the job store
    _change: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Forget held and delayed jobs: the source delivers them again, the job store lists them."""
        for part in (self._held, self._backlog, self._delayed):
            part.clear()

    def notify(self) -> None:
        self._change.set()

    async def wait_for_change(self) -> None:
        self._change.clear()
        await self._change.wait()

    # ------------------------------------------------------------------------------------------------ held jobs

    def hold(self, delivery: Delivery) -> bool:
        """Start holding a job.  False: it is held already, and this delivery is acknowledged together with the first."""
        head = delivery.head
        held = self._held.get(head.id)
        if held is not None:
            held.deliveries.append(delivery)
            self.counts["duplicate"] += 1
            return False
        self._held[head.id] = HeldJob(head, [delivery])
        return True

    def add_to_backlog(self, job_id: str) -> None:
        self._backlog.add(job_id)

    @property
    def backlog(self) -> int:
        return len(self._backlog)

    def start(self, job_id: str) -> None:
        self._held[job_id].started = True
        self._backlog.discard(job_id)

    @contextlib.contextmanager
    def run(self, job_id: str, task: asyncio.Task[JobOutcome]) -> Iterator[None]:
        """Context manager: inside, ``task`` runs the job's handler and can be cancelled."""
        held = self._held[job_id]
        held.task = task
        try:
            yield
        finally:
            held.task = None

    def release(self, job_id: str) -> None:
        """Forget a job that has finished or is in the job store, and whose deliveries are all acknowledged."""
        self._held.pop(job_id, None)
        self._backlog.discard(job_id)
        self._expected.pop(job_id, None)
        self._cancelled.discard(job_id)
        self._resent_until.pop(job_id, None)
        self.notify()

    def is_held(self, job_id: str) -> bool:
        return job_id in self._held

    def held(self, job_id: str) -> HeldJob | None:
        return self._held.get(job_id)

    def held_jobs(self) -> Iterator[HeldJob]:
        return iter(self._held.values())

    def deliveries_of(self, job_id: str) -> Sequence[Delivery]:
        """The list itself, not a copy: another delivery may be added while the first ones are being acknowledged."""
        return self._held[job_id].deliveries

    def cancel(self, job_id: str) -> None:
        self._cancelled.add(job_id)
        held = self._held.get(job_id)
        if held is not None and held.task is not None:
            held.task.cancel()

    def is_cancelled(self, job_id: str) -> bool:
        return job_id in self._cancelled

    async def stop_running(self, scope: Scope, *, long_only: bool) -> None:
        """Cancel the running handlers of the scope's jobs and wait until they have ended."""
        tasks = [
            held.task
            for held in self._held.values()
            if held.task is not None and held.job.scope == scope and (is_long(held.job.kind) or not long_only)
        ]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # ------------------------------------------------------------------------------------------------ expected jobs

    def expect(self, jobs: Sequence[Job]) -> None:
        self._expected |= {job.id: without_payload(job) for job in jobs}
        while len(self._expected) > MAX_EXPECTED:
            del self._expected[next(iter(self._expected))]

    def stop_expecting(self, job_id: str) -> None:
        self._expected.pop(job_id, None)

    def expected(self, job_id: str) -> Job | None:
        return self._expected.get(job_id)

    def expected_elsewhere(self, limit: int) -> list[str]:
        """Ids of expected jobs that this process does not hold.  Returned ids move to the end: the next call returns others."""
        ids = [job_id for job_id in self._expected if job_id not in self._held][:limit]
        for job_id in ids:
            self._expected[job_id] = self._expected.pop(job_id)
        return ids

    def open_jobs(self, scope: Scope, *, writes_only: bool) -> Iterator[str]:
        """Ids of the scope's jobs that this process does not know to have finished.  An id may occur twice."""
        for job in chain(self._expected.values(), (held.job for held in self._held.values())):
            if job.scope == scope and not (writes_only and queue_of(job.kind) != "write"):
                yield job.id

    # ------------------------------------------------------------------------------------------------ delayed jobs

    def delay(self, entry: JobEntry) -> None:
        key = partition_key(job_from_entry(entry))
        self._delayed.setdefault(key, DelayedQueue()).put(replace(entry, sealed_payload=""))

    def end_delay(self, key: str, job_id: str) -> None:
        queue = self._delayed.get(key)
        if queue is not None:
            queue.remove(job_id)
            if not len(queue):
                del self._delayed[key]

    def delayed(self, key: str) -> DelayedQueue | None:
        return self._delayed.get(key)

    def count_delayed(self) -> int:
        return sum(len(queue) for queue in self._delayed.values())

    def forget_delayed(self, scope: Scope) -> None:
        self._delayed = {key: queue for key, queue in self._delayed.items() if queue.scope != scope}

    def mark_resent(self, job_id: str, until: datetime) -> None:
        self._resent_until[job_id] = until

    def is_resent(self, job_id: str, now: datetime) -> bool:
        """Whether the job was published again recently and may still be in transit."""
        return self._resent_until.get(job_id, now) > now

    def forget_resent(self, job_id: str) -> None:
        self._resent_until.pop(job_id, None)

    def pause_model(self, workspace: str, until: datetime) -> None:
        self._model_pauses[workspace] = until

    def resume_model(self, workspace: str) -> None:
        self._model_pauses.pop(workspace, None)

    def model_paused_until(self, workspace: str) -> datetime | None:
        return self._model_pauses.get(workspace)

    # ------------------------------------------------------------------------------------------------ entries being saved

    @contextlib.contextmanager
    def save(self, entry: JobEntry) -> Iterator[None]:
        """Context manager around writing the entry to the job store, for ``wait_until_saved``."""
        self._saving[entry.job_id] = entry.scope
        try:
            yield
        finally:
            self._saving.pop(entry.job_id, None)
            self.notify()

    async def wait_until_saved(self, scope: Scope) -> None:
        """Wait until the scope's entries that are being written now have been saved."""
        left = {job_id for job_id, owner in self._saving.items() if owner == scope}
        while left & self._saving.keys():
            await self.wait_for_change()
