"""One job's way to its end: whether it is its turn, its attempts, and what becomes of it."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime
from random import Random

from ..errors import (
    BadRequest,
    BudgetExhausted,
    ConfigurationError,
    EngineUnavailable,
    MemoryServiceError,
    ModelUnavailable,
    ScopeChanged,
    ScopeErased,
)
from ..memory.fencing import with_token
from ..memory.ports import Clock, FencingToken, Job, JobEntry, JobKind, JobPublisher, ScopeFence
from .barrier import PendingJobs
from .delayed import DelayedJobs
from .delivery import MODEL_KINDS, Delivery, Handler, JobOutcome
from .engine_retry import EngineRetry
from .entries import entry_of
from .group_commit import GroupCommitJobStore
from .retry import Retry
from .scope_pause import ScopeGate
from .worker_state import WorkerState

logger = logging.getLogger(__name__)

OVER = ("done", "cancelled", "dead")


class JobExecutor:
    """Runs single jobs.  Ends are returned, not saved."""

    def __init__(
        self,
        books: WorkerState,
        stillness: ScopeGate,
        waiting: PendingJobs,
        deferral: DelayedJobs,
        handlers: Mapping[JobKind, Handler],
        grouped: GroupCommitJobStore,
        publisher: JobPublisher,
        fence: ScopeFence,
        clock: Clock,
        patience: EngineRetry,
        *,
        retry: Retry,
        random: Random,
    ) -> None:
        self._grouped, self._epochs = grouped, fence
        self._books, self._stillness, self._waiting, self._deferral = books, stillness, waiting, deferral
        self._handlers, self._publisher = dict(handlers), publisher
        self._clock, self._patience, self._retry, self._random = clock, patience, retry, random

    async def end_of(self, delivery: Delivery, known: JobEntry | None) -> JobEntry | None:
        """Run the job if it is its turn.  None: it is over already, or its scope is erased."""
        head, now = delivery.head, self._clock.now()
        self._books.heads[head.id] = head
        self._books.dequeue(head.id)
        if await self.is_over(head, known):
            self._books.counts["duplicate"] += 1
            return None
        attempt = 1
        if known is not None and known.state == "deferred":
            if known.not_before is not None and known.not_before > now:
                self._books.counts["duplicate"] += 1
                return known  # it will be sent again when its time has come
            attempt = known.attempt + 1
        if head.id in self._books.cancelled:
            return entry_of(head, "cancelled", at=now)
        held_until = await self._deferral.held_until(delivery, now)
        if held_until is not None and await self.is_erased(delivery):
            self._books.counts["erased"] += 1
            return None
        if held_until is not None:
            return self._behind(delivery, attempt, held_until, now)
        return await self._tried(delivery, attempt)

    async def is_over(self, head: Job, known: JobEntry | None) -> bool:
        """``known``: its entry when the delivery came; the end of an earlier delivery may have been written since."""
        if head.id in self._books.finished:
            # an erasure in another process may have removed it: what is said anew may lead to jobs of the same ids
            known = await self._patience(lambda: self._grouped.get(head.id))
        return known is not None and known.state in OVER

    async def is_erased(self, delivery: Delivery) -> bool:
        """What can never be read again must not wait in the ledger either."""
        erasures = self._stillness.erasures
        while True:
            before = erasures[delivery.head.scope]
            try:
                await self._patience(delivery.open)
            except ScopeErased:
                return True
            except MemoryServiceError:
                return False  # it fails when its turn comes, and is told there
            if erasures[delivery.head.scope] == before:
                return False

    @staticmethod
    def _behind(delivery: Delivery, attempt: int, held_until: datetime, now: datetime) -> JobEntry:
        return entry_of(
            delivery.head, "deferred", at=now, attempt=max(1, attempt - 1), not_before=held_until, sealed=delivery.sealed
        )

    async def _tried(self, delivery: Delivery, deferrals: int) -> JobEntry | None:
        head, attempt = delivery.head, 0
        engine_waits = 0
        while True:
            attempt += 1
            try:
                outcome = await self._run_handler(delivery)
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                if self._stillness.is_paused(head.scope) and head.id not in self._books.cancelled:
                    attempt -= 1
                    continue
                if self._stillness.is_erasing(head.scope):
                    self._books.counts["erased"] += 1
                    return None
                if head.id not in self._books.cancelled:
                    raise
                return entry_of(head, "cancelled", at=self._clock.now())
            except ScopeChanged:
                attempt -= 1  # it begins anew, with what is left
            except ScopeErased:
                self._books.counts["erased"] += 1
                return None
            except (ModelUnavailable, BudgetExhausted) as error:
                logger.info("Job deferred", extra={"job_id": head.id, "kind": head.kind, "cause": error.wire_type})
                return self._deferral.put_off(delivery, deferrals, error)
            except EngineUnavailable as error:
                attempt -= 1  # the job is not to blame
                engine_waits += 1
                await self._pause(self._patience.delay_s(engine_waits), head, error)
            except Exception as error:  # whatever a handler raises must not stop the lanes: it becomes a dead letter
                final = isinstance(error, BadRequest | ConfigurationError)
                delay = None if final else self._retry.delay_s(attempt, self._random)
                if delay is None:
                    return self._buried(delivery, attempt, error)
                await self._pause(delay, head, error)
            else:
                if head.kind in MODEL_KINDS:
                    self._books.model_rests.pop(head.scope.workspace, None)
                return entry_of(head, "done", at=self._clock.now(), attempt=deferrals, summary=outcome.summary)

    async def _run_handler(self, delivery: Delivery) -> JobOutcome:
        job, claim = await self._opened(delivery)
        handler = self._handlers.get(job.kind)
        if handler is None:
            raise BadRequest(f"no handler for jobs of kind {job.kind!r}: known are {', '.join(sorted(self._handlers))}")
        task = asyncio.ensure_future(self._done_by(handler, job, claim))
        self._books.running[job.id] = task
        try:
            return await task
        finally:
            self._books.running.pop(job.id, None)
            if not task.done():
                task.cancel()

    async def _done_by(self, handler: Handler, job: Job, claim: FencingToken) -> JobOutcome:
        """What follows is published inside, so that an erasure which stops the job stops that too."""
        with with_token(claim):
            outcome = await handler(job)
            if outcome.follow_ups:
                self._waiting.expect(outcome.follow_ups)
                await self._patience(lambda: self._publisher.publish(outcome.follow_ups))
            return outcome

    async def _opened(self, delivery: Delivery) -> tuple[Job, FencingToken]:
        """Waits while the scope is erased (what was sealed before it cannot be opened then), or its model jobs rest.

        On return the job may run: nothing else ran here since this was looked at.  The claim is taken before the payload is
        opened, so it is good for nothing once another process erases the scope.  Raises ScopeClosed, ScopeErased.
        """
        interruptions = self._stillness.interruptions
        while True:
            while (over := self._stillness.held_back(delivery.head)) is not None:
                await over.wait()
            before = interruptions[delivery.head.scope]
            claim = await self._epochs.claim(delivery.head.scope)
            job = await delivery.open()
            if interruptions[delivery.head.scope] == before:
                return job, claim

    def _buried(self, delivery: Delivery, attempt: int, error: Exception) -> JobEntry:
        head = delivery.head
        # only our own errors promise to hold no user text
        cause = f"{error.wire_type}: {error}" if isinstance(error, MemoryServiceError) else type(error).__name__
        logger.warning("Job failed for good", extra={"job_id": head.id, "kind": head.kind, "cause": type(error).__name__})
        logger.debug("Why the job failed", exc_info=error)
        return entry_of(head, "dead", at=self._clock.now(), attempt=attempt, error=cause, sealed=delivery.sealed)

    async def _pause(self, delay_s: float, head: Job, error: Exception) -> None:
        logger.info(
            "Job tried again", extra={"job_id": head.id, "kind": head.kind, "cause": type(error).__name__, "delay_s": delay_s}
        )
        self._books.counts["retried"] += 1
        await self._clock.sleep(delay_s)


def _is_cancelled() -> bool:
    """Whether the running task itself was told to end, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
