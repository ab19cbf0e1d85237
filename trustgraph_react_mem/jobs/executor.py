"""Executes one job: waits for its turn, retries, and returns what becomes of it."""

import asyncio
import logging
from collections.abc import Mapping

from ..errors import BadRequest, MemoryServiceError, ScopeErased
from ..memory.fencing import with_token
from ..memory.ports import Clock, FencingToken, Job, JobEntry, JobKind, ScopeFence
from .barrier import PendingJobs
from .delayed import DelayedJobs
from .delivery import Delivery, Handler, JobOutcome
from .entries import entry_of
from .registry import calls_model, is_barrier
from .retry import RetryPolicy
from .scope_gate import ScopeGate
from .worker_state import WorkerState

logger = logging.getLogger(__name__)

OVER = ("done", "cancelled", "dead")


class JobExecutor:
    """Runs single jobs.  Their entries are returned, not saved."""

    def __init__(
        self,
        state: WorkerState,
        gate: ScopeGate,
        pending: PendingJobs,
        delayed: DelayedJobs,
        handlers: Mapping[JobKind, Handler],
        fence: ScopeFence,
        clock: Clock,
        retry: RetryPolicy,
    ) -> None:
        self._state, self._gate, self._pending, self._delayed = state, gate, pending, delayed
        self._handlers, self._fence, self._clock, self._retry = dict(handlers), fence, clock, retry

    async def execute(self, delivery: Delivery, stored: JobEntry | None) -> JobEntry | None:
        """Run the job if it is its turn.  ``stored``: its entry.  None: it is over already, or its scope is erased."""
        head, now = delivery.head, self._clock.now()
        self._state.start(head.id)
        if self.is_over(stored):
            self._state.counts["duplicate"] += 1
            return None
        deferrals = 1
        if stored is not None and stored.state == "deferred":
            if stored.not_before is not None and stored.not_before > now:
                self._state.counts["duplicate"] += 1
                return stored  # the sweep publishes it again when it is due
            deferrals = stored.attempt + 1
        if self._state.is_cancelled(head.id):
            return entry_of(head, "cancelled", at=now)
        blocked_until = await self._delayed.find_block(delivery, now)
        if blocked_until is None:
            return await self._run_until_over(delivery, deferrals)
        if await self.is_erased(delivery):
            self._state.counts["erased"] += 1
            return None
        attempt = max(1, deferrals - 1)  # waiting behind another job is no deferral of its own
        return entry_of(head, "deferred", at=now, attempt=attempt, not_before=blocked_until, sealed=delivery.sealed)

    @staticmethod
    def is_over(stored: JobEntry | None) -> bool:
        return stored is not None and stored.state in OVER

    async def is_erased(self, delivery: Delivery) -> bool:
        """A payload that can never be read again must not be kept in the job store either."""
        scope = delivery.head.scope
        while True:
            erasures = self._gate.erasures(scope)
            try:
                await self._retry.until_available(delivery.open)
            except ScopeErased:
                return True
            except MemoryServiceError:
                return False  # the job fails with it when its turn comes
            if self._gate.erasures(scope) == erasures:
                return False  # the key was there, and no erasure began while it was looked up

    async def _run_until_over(self, delivery: Delivery, deferrals: int) -> JobEntry | None:
        head, failures, waits = delivery.head, 0, 0
        while True:
            try:
                outcome = await self._run_handler(delivery)
            except asyncio.CancelledError:
                # Either the worker itself ends, or only the handler was stopped: by a suspension, an erasure or a person.
                if _is_ending():
                    raise
                if self._gate.is_suspended(head.scope) and not self._state.is_cancelled(head.id):
                    continue
                if self._gate.is_erasing(head.scope):
                    self._state.counts["erased"] += 1
                    return None
                if not self._state.is_cancelled(head.id):
                    raise
                return entry_of(head, "cancelled", at=self._clock.now())
            except MemoryServiceError as error:
                match error.consequence:
                    case "drop":
                        self._state.counts["erased"] += 1
                        return None
                    case "defer":
                        return self._delayed.defer(delivery, deferrals, error)
                    case "wait":  # does not count as a failure of the job, however often it comes
                        waits += 1
                        await self._pause(head, error, self._retry.engine_delay_s(waits))
                    case "retry" | "reply":
                        failures += 1
                        delay_s = self._retry.failure_delay_s(failures) if error.consequence == "retry" else None
                        if delay_s is None:
                            return self._give_up(delivery, failures, error)
                        await self._pause(head, error, delay_s)
            except Exception as error:  # a fault of the handler's code must stop its own job only, not the worker
                failures += 1
                delay_s = self._retry.failure_delay_s(failures)
                if delay_s is None:
                    return self._give_up(delivery, failures, error)
                await self._pause(head, error, delay_s)
            else:
                if calls_model(head.kind):
                    self._state.resume_model(head.scope.workspace)
                return entry_of(head, "done", at=self._clock.now(), attempt=deferrals, summary=outcome.summary)

    async def _run_handler(self, delivery: Delivery) -> JobOutcome:
        job, token = await self._open(delivery)
        if is_barrier(job.kind) and job.kind not in self._handlers:
            return JobOutcome()
        handler = self._handlers.get(job.kind)
        if handler is None:
            raise BadRequest(f"no handler for jobs of kind {job.kind!r}: known are {', '.join(sorted(self._handlers))}")
        # a task of its own, so that an erasure, a suspension or a person can stop the handler and not the worker
        task = asyncio.ensure_future(self._run_fenced(handler, job, token))
        with self._state.run(job.id, task):
            try:
                return await task
            finally:
                if not task.done():
                    task.cancel()

    async def _run_fenced(self, handler: Handler, job: Job, token: FencingToken) -> JobOutcome:
        """Follow-ups are published inside, so that an erasure which stops the job stops them, too."""
        with with_token(token):
            outcome = await handler(job)
            if outcome.follow_ups:
                await self._retry.until_available(lambda: self._pending.publish(outcome.follow_ups))
            return outcome

    async def _open(self, delivery: Delivery) -> tuple[Job, FencingToken]:
        """Waits while the scope is being erased (afterwards its key is another) or its long jobs are suspended.

        On return the job may run: nothing interrupted the scope since it was open.  The token is taken before the payload is
        opened, so that it is void once another process erases the scope.  Raises ScopeClosed, ScopeErased.
        """
        scope = delivery.head.scope
        while True:
            await self._gate.wait_until_open(delivery.head)
            before = self._gate.interruptions(scope)
            token = await self._fence.claim(scope)
            job = await delivery.open()
            if self._gate.interruptions(scope) == before:
                return job, token

    def _give_up(self, delivery: Delivery, attempt: int, error: Exception) -> JobEntry:
        head = delivery.head
        # only our own errors promise to hold no user text
        cause = f"{error.wire_type}: {error}" if isinstance(error, MemoryServiceError) else type(error).__name__
        logger.warning("job failed, not retried", extra={"job_id": head.id, "kind": head.kind, "cause": type(error).__name__})
        logger.debug("error of the failed job", exc_info=error)
        return entry_of(head, "dead", at=self._clock.now(), attempt=attempt, error=cause, sealed=delivery.sealed)

    async def _pause(self, head: Job, error: Exception, delay_s: float) -> None:
        logger.info(
            "job failed, will retry",
            extra={"job_id": head.id, "kind": head.kind, "cause": type(error).__name__, "delay_s": delay_s},
        )
        self._state.counts["retried"] += 1
        await self._clock.sleep(delay_s)


def _is_ending() -> bool:
    """Whether the running task itself was cancelled, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
