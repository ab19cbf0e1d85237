"""Publishing jobs and waiting until they have finished.

A barrier is a job without effect.  Jobs of one queue run in order, so when the barrier has run, all jobs that were published
before it have run.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import datetime
from random import Random

from ..errors import EngineUnavailable
from ..memory.ports import Clock, Job, JobPublisher, JobRef, JobStore
from ..memory.records import derived_id
from ..memory.scope import Scope
from .registry import BARRIERS, QueueName, is_barrier, queue_of
from .worker_state import WorkerState

POLL_EVERY_S = 0.25  # how often a waiting call asks the job store which jobs ended in another process
POLL_BATCH = 500
LISTING_LIMIT = 200  # newest entries of a scope to look at; includes barriers, which are skipped


class PendingJobs:
    """Jobs that this process has published and that have not finished.

    ``shared``: other processes publish and run jobs of the same scopes.
    """

    def __init__(
        self, state: WorkerState, job_store: JobStore, publisher: JobPublisher, clock: Clock, random: Random, *, shared: bool
    ) -> None:
        self._shared = shared
        self._state, self._job_store, self._publisher = state, job_store, publisher
        self._clock, self._random = clock, random
        self._polled_at = float("-inf")  # event loop time of the last query to the job store

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Publish jobs that ``wait_idle`` waits for, unless this fails or is cancelled.

        Raises: EngineUnavailable, BadRequest (such as TooLarge), ScopeChanged.
        """
        self._state.expect(jobs)  # before publishing: a job may finish before the broker confirms the message
        try:
            await self._publisher.publish(jobs)
        except BaseException:
            for job in jobs:  # it may never arrive, and nothing else would end the wait for it
                self._state.expected.pop(job.ref, None)
            raise

    async def wait_idle(self, scope: Scope, *, timeout_s: float, writes_only: bool = False) -> int:
        """Wait until all jobs published so far for the scope, and their follow-ups, have finished or are deferred.

        A barrier is sent through each queue.  A job publishes its follow-ups before it ends, so they may be behind the
        barrier.  Where other processes run jobs, too, barriers are sent repeatedly until no job of the scope has ended between
        two rounds.

        ``writes_only``: do not wait for jobs that call a model or embed a whole scope.
        Returns 0 when the scope is idle, otherwise the number of jobs still open after ``timeout_s`` seconds (at least 1).
        """
        queues: tuple[QueueName, ...] = ("write", "model", "index") if self._shared and not writes_only else ("write",)
        try:
            async with asyncio.timeout(timeout_s):
                before = await self._newest_end(scope, writes_only)
                while True:
                    for queue in queues:
                        await self.publish([self._barrier(scope, queue)])
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
        """Id and time of the scope's job entry that changed last.  None with a single process: its own state is enough."""
        if not self._shared:
            return None
        for entry in await self._job_store.listing(scope, limit=LISTING_LIMIT):
            if not is_barrier(entry.kind) and not (writes_only and queue_of(entry.kind) != "write"):
                return entry.job_id, entry.updated_at
        return None

    async def wait_for(self, ref: JobRef, *, timeout_s: float) -> bool:
        """Wait for a job that was submitted here.  Returns whether it finished within ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._state.expected.get(ref):
                    await self._wait_for_progress()
        return self._state.expected.get(ref) is None

    async def drop_ended(self) -> None:
        """Stop waiting for jobs that ended in another process.  Raises EngineUnavailable."""
        state = self._state
        asked = state.expected_elsewhere(POLL_BATCH)
        if not asked:
            return
        for entry in await self._job_store.get(asked):
            if entry.state in ("queued", "running"):  # an erasure saves its progress in such an entry
                continue
            on_its_way = entry.state == "deferred" and state.is_resent(entry.ref, self._clock.now())
            if entry.ref not in state.held and not on_its_way:
                state.expected.pop(entry.ref, None)
                state.forget_resent(entry.ref)
        state.notify()

    async def _wait_for_progress(self) -> None:
        """Wait until the state of this process changes, at most until the next poll of the job store."""
        loop = asyncio.get_running_loop()
        self._polled_at = max(self._polled_at, loop.time() - POLL_EVERY_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._polled_at + POLL_EVERY_S):
                await self._state.wait_for_change()
        if loop.time() >= self._polled_at + POLL_EVERY_S:
            self._polled_at = loop.time()
            with contextlib.suppress(EngineUnavailable):  # the next poll tries again
                await self.drop_ended()
