"""Publishing jobs and waiting until they are over."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from random import Random

from ..errors import EngineUnavailable
from ..memory.ports import Clock, Job, JobPublisher, JobStore
from ..memory.records import derived_id
from ..memory.scope import Scope
from .delivery import BARRIERS, NO_WORK, LaneName, lane_of, without_payload
from .worker_state import WorkerState

MOST_EXPECTED = 50_000  # jobs published here and not known to be over: beyond it the oldest are no longer waited for
ASK_EVERY_S = 0.25  # how often whoever waits asks the ledger for jobs that ended in another process
ASKED_AT_ONCE = 500
LOOKED_THROUGH = 200  # newest entries of a scope; barriers are among them


class PendingJobs:
    """Knows the jobs that this process has published and that are not over.  ``shared``: others publish and work, too."""

    def __init__(
        self, books: WorkerState, job_store: JobStore, publisher: JobPublisher, clock: Clock, random: Random, *, shared: bool
    ) -> None:
        self._shared = shared
        self._books, self._ledger, self._publisher = books, job_store, publisher
        self._clock, self._random = clock, random
        self._asked_at = float("-inf")  # loop time at which the ledger was last asked for what ended elsewhere

    async def submit(self, job: Job) -> None:
        """Publish a job and count it among those that ``wait_idle`` waits for.  Raises EngineUnavailable."""
        self.expect([job])
        try:
            await self._publisher.publish([job])
        except EngineUnavailable:
            self._books.expected.pop(job.id, None)
            raise

    def expect(self, jobs: Sequence[Job]) -> None:
        expected = self._books.expected
        for job in jobs:
            if job.id not in self._books.finished:
                expected[job.id] = without_payload(job)
        while len(expected) > MOST_EXPECTED:
            del expected[next(iter(expected))]

    async def wait_idle(self, scope: Scope, *, timeout_s: float, writes_only: bool = False) -> int:
        """Wait until everything published for the scope so far, and what follows from it, is over; deferred counts as over.

        A barrier travels through each lane behind what was published before it.  What follows from a job is published before
        the job is over, so where other processes work, too, barriers are sent again until none of the scope's jobs has ended
        between one round and the next.

        ``writes_only``: do not wait for jobs that call a model or embed a scope anew.
        Returns how many jobs are known to be open after ``timeout_s`` seconds, at least 1; 0 = idle.
        """
        lanes: tuple[LaneName, ...] = ("write", "model", "index") if self._shared and not writes_only else ("write",)
        try:
            async with asyncio.timeout(timeout_s):
                before = await self._newest_end(scope, writes_only)
                while True:
                    for lane in lanes:
                        await self.submit(self._barrier(scope, lane))
                    while next(self._open_jobs(scope, writes_only), None) is not None:
                        await self._moved_on()
                    now = await self._newest_end(scope, writes_only)
                    if now == before:
                        return 0
                    before = now
        except TimeoutError:
            return max(1, len(set(self._open_jobs(scope, writes_only))))

    def _barrier(self, scope: Scope, lane: LaneName) -> Job:
        now = self._clock.now()
        name = derived_id("barrier", scope.key, lane, now.isoformat(), self._random.getrandbits(64))
        return Job(id=name, kind=BARRIERS[lane], scope=scope, payload={}, created_at=now)

    async def _newest_end(self, scope: Scope, writes_only: bool) -> tuple[str, datetime] | None:
        """The job of the scope whose entry in the ledger changed last; nobody else changes it where there is one process."""
        if not self._shared:
            return None
        for entry in await self._ledger.listing(scope, limit=LOOKED_THROUGH):
            if entry.kind not in NO_WORK and not (writes_only and lane_of(entry.kind) != "write"):
                return entry.job_id, entry.updated_at
        return None

    async def wait_for(self, job_id: str, *, timeout_s: float) -> bool:
        """Whether a job that was submitted here is over within ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while job_id in self._books.expected:
                    await self._moved_on()
        return job_id not in self._books.expected

    async def drop_ended(self) -> None:
        """No longer expect what another process has brought to its end.  Raises EngineUnavailable."""
        books = self._books
        asked = [job_id for job_id in books.expected if not books.in_hand(job_id)][:ASKED_AT_ONCE]
        if not asked:
            return
        for job_id in asked:  # to the end of the row: the next time the others are asked for
            books.expected[job_id] = books.expected.pop(job_id)
        for entry in await self._ledger.get(asked):
            if entry.state in ("queued", "running"):  # what an erasure has found so far
                continue
            sent_again = books.republished.get(entry.job_id, self._clock.now()) > self._clock.now()
            if not books.in_hand(entry.job_id) and not (entry.state == "deferred" and sent_again):
                books.expected.pop(entry.job_id, None)
                books.republished.pop(entry.job_id, None)
        books.moved()

    def _open_jobs(self, scope: Scope, writes_only: bool) -> Iterator[str]:
        books = self._books
        for jobs in (books.expected, books.queued, books.heads):
            for job_id, job in jobs.items():
                if job.scope == scope and not (writes_only and lane_of(job.kind) != "write"):
                    yield job_id

    async def _moved_on(self) -> None:
        """Wait until something changes here, at most until it is time to ask what has ended elsewhere."""
        self._books.progress.clear()
        loop = asyncio.get_running_loop()
        self._asked_at = max(self._asked_at, loop.time() - ASK_EVERY_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._asked_at + ASK_EVERY_S):
                await self._books.progress.wait()
        if loop.time() >= self._asked_at + ASK_EVERY_S:
            self._asked_at = loop.time()
            with contextlib.suppress(EngineUnavailable):  # asked again
                await self.drop_ended()
