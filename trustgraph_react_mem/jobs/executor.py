"""Executes one job: waits until it may run, retries failures, and returns the job's final entry."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace

from ..errors import BadRequest, MemoryServiceError, NewerVersion, ScopeClosed, ScopeErased, UnusableAnswer
from ..failure_log import describe_error
from ..memory.fencing import with_token
from ..memory.ports import ENDED, Clock, FencingToken, Job, JobEntry, JobKind, ScopeFence
from ..schema.topics import JOBS
from ..telemetry.metrics import observe_job
from .barrier import PendingJobs
from .delayed import DelayedJobs
from .delivery import Delivery, Handler, JobOutcome
from .entries import entry_from_job, is_waiting
from .registry import calls_model, is_barrier
from .retry import RetryPolicy
from .scope_gate import ScopeGate
from .worker_state import WorkerState

logger = logging.getLogger(__name__)

MOST_UNUSABLE = 6  # deferrals of a job, the last two because of answers that cannot be used


class JobExecutor:
    """Runs single jobs and returns their entries.  The worker saves the entries."""

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

    async def execute(self, delivery: Delivery, stored: JobEntry | None, slot: asyncio.Semaphore) -> JobEntry | None:
        """Run the job unless it has to wait, and return its new entry.

        ``stored``: the job's entry in the job store, if any.  ``slot``: taken only while the handler runs, so that a job that
        waits or pauses delays no other.  Returns None when the job has already finished or its scope was erased: then nothing
        is saved.
        """
        head, now = delivery.head, self._clock.now()
        self._state.start(head.ref)
        if stored is not None and stored.state == "deferred":
            # Read again: since the delivery arrived, an erasure or a person may have closed the job.
            stored = await self._delayed.find(head.ref)
        if self.is_over(stored):
            self._state.counts["duplicate"] += 1
            return None
        if stored is None and self._delayed.may_be_replay(delivery, now):
            return self._give_up(
                delivery, 1, BadRequest("the message is too old, its job may be done already: replay or drop it")
            )
        deferrals = 1
        if stored is not None and stored.state == "deferred":
            if is_waiting(stored, now):
                self._state.counts["duplicate"] += 1
                return stored  # the sweep publishes it again when it is due
            deferrals = stored.attempt + 1
            delivery = self._delayed.with_stored_payload(delivery, stored)
        blocked_until = await self._delayed.find_block(delivery, now)
        if blocked_until is None:
            interrupted = self._delayed.interrupted
            if interrupted.has_too_many(head, stored) and not await self.is_erased(delivery):
                reason = "the process ended each time while this job ran: replay it once there is a remedy, or drop it"
                return self._give_up(delivery, interrupted.count(head, stored), BadRequest(reason))
            ended = await interrupted.run(head, stored, lambda: self._run_until_over(delivery, deferrals, slot))
            if ended is not None and _is_hopeless(ended, stored):
                ended = replace(ended, state="dead", not_before=None)
        else:
            ended = entry_from_job(
                head,
                "deferred",
                at=now,
                attempt=max(1, deferrals - 1),  # waiting behind another job does not count as a deferral
                not_before=blocked_until,
                error=self._state.model_pause(head.scope.workspace)[1] if calls_model(head.kind) else "",
                sealed=delivery.sealed,
            )
        if ended is None or ended.state not in ("deferred", "dead"):
            return ended
        if await self.is_erased(delivery):  # by another process, perhaps, while the job waited for an engine
            self._state.counts["erased"] += 1
            await self._delayed.interrupted.forget(head)  # the entry of the run that has just ended
            return None
        return await self._delayed.keep_summary(ended)

    @staticmethod
    def is_over(stored: JobEntry | None) -> bool:
        return stored is not None and stored.state in ENDED

    async def is_erased(self, delivery: Delivery) -> bool:
        """Whether the job's scope was erased.  A payload that can no longer be decrypted must not stay in the job store."""
        scope = delivery.head.scope
        while True:
            erasures = self._gate.erasures[scope]
            try:
                await self._retry.until_available(delivery.open)
            except ScopeErased:
                return True
            except MemoryServiceError:
                return False  # the job fails with the same error when it runs
            if self._gate.erasures[scope] == erasures:
                return False  # the key existed, and no erasure began during the lookup

    async def _run_until_over(self, delivery: Delivery, deferrals: int, slot: asyncio.Semaphore) -> JobEntry | None:
        head, held = delivery.head, self._state.held[delivery.head.ref]
        while head.ref not in self._state.cancelled:
            # A separate task, so that an erasure, a suspension or a user can stop it at any time without the worker: while
            # the handler runs, between two attempts, and while it waits for its turn.
            held.task = asyncio.ensure_future(self._attempt(delivery, deferrals, slot))
            try:
                return await held.task
            except asyncio.CancelledError:
                # Either the worker itself is stopping, or only the task was cancelled.
                if (own := asyncio.current_task()) is not None and own.cancelling():
                    raise
                if head.scope in self._gate.erasing and head.scope not in self._gate.suspended:
                    self._state.counts["erased"] += 1
                    return None
                if head.scope not in self._gate.suspended and head.ref not in self._state.cancelled:
                    raise
            finally:
                held.task.cancel()  # no effect on one that has ended
                held.task = None
        return entry_from_job(head, "cancelled", at=self._clock.now())

    async def _attempt(self, delivery: Delivery, deferrals: int, slot: asyncio.Semaphore) -> JobEntry | None:
        """Run the handler, with retries, until the job has ended or must be deferred."""
        head, failures, waits, closed = delivery.head, 0, 0, 0
        while True:
            try:
                outcome = await self._run_handler(delivery, slot)
            except MemoryServiceError as error:
                match error.consequence:
                    case "drop":
                        self._state.counts["erased"] += 1
                        return None
                    case "defer":
                        return self._delayed.defer(delivery, deferrals, error)
                    case "wait":  # an engine is unavailable: never counts as a failure of the job
                        waits += 1
                        closed += isinstance(error, ScopeClosed)  # ends with the erasure, and leaves no entry meanwhile
                        if waits - closed >= self._retry.limits.waits_in_place:
                            return self._delayed.defer(delivery, deferrals, error)
                        await self._pause(head, error, self._retry.engine_delay_s(waits))
                    case "retry" | "reply":
                        failures += 1
                        delay_s = self._retry.failure_delay_s(failures) if error.consequence == "retry" else None
                        if delay_s is None:
                            return self._give_up(delivery, failures, error)
                        await self._pause(head, error, delay_s)
            except Exception as error:  # a bug in a handler must fail its own job only, not the worker
                failures += 1
                delay_s = self._retry.failure_delay_s(failures)
                if delay_s is None:
                    return self._give_up(delivery, failures, error)
                await self._pause(head, error, delay_s)
            else:
                if calls_model(head.kind):
                    self._state.resume_model(head.scope.workspace)
                return entry_from_job(head, "done", at=self._clock.now(), attempt=deferrals, summary=outcome.summary)

    async def _run_handler(self, delivery: Delivery, slot: asyncio.Semaphore) -> JobOutcome:
        await self._gate.wait_until_open(delivery.head)
        async with slot:
            job, token = await self._open(delivery)
            if is_barrier(job.kind) and job.kind not in self._handlers:
                return JobOutcome()
            handler = self._handlers.get(job.kind)
            if handler is None:
                raise NewerVersion(f"jobs of kind {job.kind!r} are unknown to this version: start a worker of a newer one")
            # Follow-ups are published under the token, too: an erasure that stops the job also stops them.
            with self._state.run(job.ref), with_token(token), observe_job(JOBS, job.id, job.kind, job.traceparent):
                outcome = await handler(job)
                if outcome.follow_ups:
                    await self._retry.until_available(lambda: self._pending.publish(outcome.follow_ups))
                return outcome

    async def _open(self, delivery: Delivery) -> tuple[Job, FencingToken]:
        """Wait until the job may run, then return it with a fencing token.

        A job waits while its scope is being erased, or while its scope's long jobs are suspended.  An erasure or suspension
        that begins during the awaits below is noticed by the counter, and the job waits again.

        The token is claimed before the payload is decrypted, so an erasure by another process after that invalidates it.

        Raises: ScopeClosed, ScopeErased.
        """
        scope = delivery.head.scope
        while True:
            await self._gate.wait_until_open(delivery.head)
            before = self._gate.interruptions[scope]
            token = await self._fence.claim(scope)
            job = await delivery.open()
            if self._gate.interruptions[scope] == before:
                return job, token

    def _give_up(self, delivery: Delivery, attempt: int, error: Exception) -> JobEntry:
        head = delivery.head
        cause = describe_error(error)
        logger.warning("job %s (%s) failed, not retried: %s", head.id, head.kind, cause)
        logger.debug("error of the failed job", exc_info=error)
        return entry_from_job(head, "dead", at=self._clock.now(), attempt=attempt, error=cause, sealed=delivery.sealed)

    async def _pause(self, head: Job, error: Exception, delay_s: float) -> None:
        logger.info("job %s (%s) failed, will retry in %.1f s: %s", head.id, head.kind, delay_s, describe_error(error))
        self._state.counts["retried"] += 1
        await self._clock.sleep(delay_s)


def _is_hopeless(ended: JobEntry, stored: JobEntry | None) -> bool:
    """Whether the model answered in the wrong form again, after many deferrals.  Younger jobs wait for this one."""
    errors = [entry.error if entry is not None and entry.state == "deferred" else "" for entry in (ended, stored)]
    return ended.attempt >= MOST_UNUSABLE and all(error.startswith(f"{UnusableAnswer.wire_type}:") for error in errors)
