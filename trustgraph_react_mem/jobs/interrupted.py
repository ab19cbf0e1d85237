"""Jobs whose process ended while they ran.

A job that makes its process end, as when memory runs out, is delivered again at every start and would end each process.  So
before a job runs that an earlier process may have begun, its entry gets the number of runs that began and did not end.  After
three such runs the job becomes a dead letter.  A job that was published since this process started needs no entry: if the
process ends while it runs, the next process takes it for one that was begun once.

Jobs that ran at two such ends run one at a time, and only once the process has run for some seconds: of jobs that ran together,
only one is to blame, and who restarts or kills processes in quick succession does not make a job suspect.  The jobs of others
are done meanwhile.  One of those may end the process, too, and a job be blamed without reason.  An erasure, which was promised
to a person, may therefore run three times as often: what ends processes beside it becomes a dead letter first.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from ..errors import EngineUnavailable
from ..memory.ports import ENDED, Clock, Job, JobEntry, JobStore
from .entries import load_entry
from .registry import is_erasure
from .retry import RetryPolicy

SETTLED_S = 5.0
MORE_FOR_ERASURES = 3  # times the runs of other jobs
INTERRUPTED = "interrupted: this run of the job has not ended"


class InterruptedRuns:
    """Counts the runs of jobs that did not end."""

    def __init__(self, job_store: JobStore, clock: Clock, retry: RetryPolicy, *, most: int) -> None:
        self._job_store, self._clock, self._retry, self._most = job_store, clock, retry, most
        self._alone = asyncio.Lock()
        self._started_at: datetime = clock.now()

    def start(self) -> None:
        """A worker starts: an earlier one may have begun what was published before."""
        self._started_at = self._clock.now()

    def count(self, head: Job, stored: JobEntry | None) -> int:
        """The runs of the job that began and did not end.  ``stored``: its entry, if any."""
        if stored is None:
            return int(head.created_at < self._started_at)
        return stored.attempt if stored.error == INTERRUPTED else 0

    def has_too_many(self, head: Job, stored: JobEntry | None) -> bool:
        return self.count(head, stored) >= self._most * (MORE_FOR_ERASURES if is_erasure(head.kind) else 1)

    async def run(self, head: Job, stored: JobEntry | None, run: Callable[[], Awaitable[JobEntry | None]]) -> JobEntry | None:
        """Run the job, and count the run if the process ends meanwhile.

        A run that is cancelled is not counted, so neither is one of a process that ends in order.
        """
        begun = self.count(head, stored)
        if stored is None and not begun:
            return await run()
        async with self._settled() if begun > 1 else contextlib.nullcontext():
            await self._retry.until_available(lambda: self._note(head, begun + 1))
            try:
                ended = await run()
            except asyncio.CancelledError:
                with contextlib.suppress(EngineUnavailable):
                    await self._restore(head, stored)
                raise
            if ended is None:
                await self.forget(head)
            return ended

    async def forget(self, head: Job) -> None:
        """The job's scope was erased, and keeps no entry."""
        await self._retry.until_available(lambda: self._job_store.remove([head.ref]))

    @contextlib.asynccontextmanager
    async def _settled(self) -> AsyncIterator[None]:
        async with self._alone:
            running_s = (self._clock.now() - self._started_at).total_seconds()
            if 0 <= running_s < SETTLED_S:
                await self._clock.sleep(SETTLED_S - running_s)
            yield

    async def _note(self, head: Job, runs: int) -> None:
        """In the entry as it is now: an erasure may have changed its payload."""
        now = self._clock.now()
        entry = await load_entry(self._job_store, head, at=now)
        if entry.state not in ENDED:
            await self._job_store.save([replace(entry, attempt=runs, error=INTERRUPTED, updated_at=now)])

    async def _restore(self, head: Job, stored: JobEntry | None) -> None:
        for entry in await self._job_store.get([head.ref]):
            if entry.error != INTERRUPTED:
                continue
            if stored is None:
                await self._job_store.remove([head.ref])
            else:
                await self._job_store.save([replace(entry, attempt=stored.attempt, error=stored.error)])
