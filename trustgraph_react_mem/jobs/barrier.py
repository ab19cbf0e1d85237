"""Publishing jobs and waiting until they are over."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import datetime
from random import Random

from ..errors import EngineUnavailable
from ..memory.ports import Clock, Job, JobPublisher, JobStore
from ..memory.records import derived_id
from ..memory.scope import Scope
from .registry import BARRIERS, QueueName, is_barrier, queue_of
from .worker_state import WorkerState

ASK_EVERY_S = 0.25  # how often a waiting call asks the job store for jobs that ended in another process
ASKED_AT_ONCE = 500
LOOKED_THROUGH = 200  # newest entries of a scope; barriers are among them


class PendingJobs:
    """Jobs that this process has published and that are not over.  ``shared``: other processes publish and work, too."""

    def __init__(
        self, state: WorkerState, job_store: JobStore, publisher: JobPublisher, clock: Clock, random: Random, *, shared: bool
    ) -> None:
        self._shared = shared
        self._state, self._job_store, self._publisher = state, job_store, publisher
        self._clock, self._random = clock, random
        self._asked_at = float("-inf")  # loop time of the last question to the job store

    async def submit(self, job: Job) -> None:
        """Publish one job.  A job that cannot be published is not waited for.  Raises EngineUnavailable."""
        try:
            await self.publish([job])
        except EngineUnavailable:
            self._state.stop_expecting(job.id)
            raise

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Jobs published here count among those that ``wait_idle`` waits for.  Raises EngineUnavailable."""
        self._state.expect(jobs)  # first: they may be over before the broker has confirmed them
        await self._publisher.publish(jobs)

    async def wait_idle(self, scope: Scope, *, timeout_s: float, writes_only: bool = False) -> int:
        """Wait until everything published for the scope so far, and what follows from it, is over; deferred counts as over.

        A barrier goes through each queue behind what was published before it.  A job's follow-ups are published before the job
        is over, so where other processes work, too, barriers are sent again until none of the scope's jobs has ended between
        one round and the next.

        ``writes_only``: do not wait for jobs that call a model or embed a whole scope.
        Returns how many jobs are known to be open after ``timeout_s`` seconds, at least 1; 0 = idle.
        """
        queues: tuple[QueueName, ...] = ("write", "model", "index") if self._shared and not writes_only else ("write",)
        try:
            async with asyncio.timeout(timeout_s):
                before = await self._newest_end(scope, writes_only)
                while True:
                    for queue in queues:
                        await self.submit(self._barrier(scope, queue))
                    while next(self._state.open_jobs(scope, writes_only=writes_only), None) is not None:
                        await self._wait_for_progress()
                    now = await self._newest_end(scope, writes_only)
                    if now == before:
                        return 0
                    before = now
        except TimeoutError:
            return max(1, len(set(self._state.open_jobs(scope, writes_only=writes_only))))

    def _barrier(self, scope: Scope, queue: QueueName) -> Job:
        now = self._clock.now()
        job_id = derived_id("barrier", scope.key, queue, now.isoformat(), self._random.getrandbits(64))
        return Job(id=job_id, kind=BARRIERS[queue], scope=scope, payload={}, created_at=now)

    async def _newest_end(self, scope: Scope, writes_only: bool) -> tuple[str, datetime] | None:
        """The scope's job whose entry changed last.  None where one process works alone: its own state is enough."""
        if not self._shared:
            return None
        for entry in await self._job_store.listing(scope, limit=LOOKED_THROUGH):
            if not is_barrier(entry.kind) and not (writes_only and queue_of(entry.kind) != "write"):
                return entry.job_id, entry.updated_at
        return None

    async def wait_for(self, job_id: str, *, timeout_s: float) -> bool:
        """Whether a job that was submitted here is over within ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._state.expected(job_id):
                    await self._wait_for_progress()
        return self._state.expected(job_id) is None

    async def drop_ended(self) -> None:
        """No longer expect jobs that ended in another process.  Raises EngineUnavailable."""
        state = self._state
        asked = state.expected_elsewhere(ASKED_AT_ONCE)
        if not asked:
            return
        for entry in await self._job_store.get(asked):
            if entry.state in ("queued", "running"):  # progress that an erasure has saved
                continue
            on_its_way = entry.state == "deferred" and state.is_resent(entry.job_id, self._clock.now())
            if not state.is_held(entry.job_id) and not on_its_way:
                state.stop_expecting(entry.job_id)
                state.forget_resent(entry.job_id)
        state.notify()

    async def _wait_for_progress(self) -> None:
        """Wait until something changes here, at most until it is time to ask what has ended elsewhere."""
        loop = asyncio.get_running_loop()
        self._asked_at = max(self._asked_at, loop.time() - ASK_EVERY_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._asked_at + ASK_EVERY_S):
                await self._state.wait_for_change()
        if loop.time() >= self._asked_at + ASK_EVERY_S:
            self._asked_at = loop.time()
            with contextlib.suppress(EngineUnavailable):  # asked again
                await self.drop_ended()
