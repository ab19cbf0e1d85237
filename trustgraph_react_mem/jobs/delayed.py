"""Deferred jobs: they wait in the job store, block younger jobs of their partition, and are published again when due.

Invariants:
- the job store keeps a deferred job until the job has run, so a crash at any point loses nothing;
- a younger job of a partition does not run while an older one is deferred.  Erasures do not wait.
"""

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from ..errors import (
    BadRequest,
    BudgetExhausted,
    EngineUnavailable,
    MemoryServiceError,
    ModelUnavailable,
    NewerVersion,
    ScopeChanged,
    ScopeClosed,
    ScopeErased,
)
from ..memory.clock import is_ahead
from ..memory.fencing import with_token
from ..memory.json_object import read_json_object
from ..memory.ports import Clock, Job, JobEntry, JobRef, JobStore, KeyRing, ScopeFence
from ..memory.scope import Scope
from .barrier import PendingJobs
from .delivery import Delivery, StoredDelivery
from .entries import entry_from_job, job_from_entry
from .interrupted import InterruptedRuns
from .registry import calls_model, is_erasure, partition_key
from .retry import RetryPolicy
from .scope_gate import ScopeGate
from .worker_state import WorkerState

logger = logging.getLogger(__name__)

READ_STORE_EVERY = timedelta(minutes=1)
PRUNE_EVERY = timedelta(hours=1)
LONGEST_PAUSE = timedelta(hours=1)  # of a model: longer than any deferral
MAX_DEFERRED = 100_000
SETTLE_S = 1.0  # the broker has delivered what it held at the start if it delivers nothing for so long
LONGEST_SETTLING_S = 60
SPREAD_S = 300  # jobs that waited for the next day's budget start at random times within this many seconds


class DelayedJobs:
    """The deferred jobs of one worker."""

    def __init__(
        self,
        state: WorkerState,
        gate: ScopeGate,
        pending: PendingJobs,
        job_store: JobStore,
        keyring: KeyRing,
        fence: ScopeFence,
        clock: Clock,
        retry: RetryPolicy,
    ) -> None:
        self._state, self._gate, self._pending = state, gate, pending
        self._job_store, self._keyring, self._fence, self._clock = job_store, keyring, fence, clock
        self._retry, self._limits = retry, retry.limits
        self.interrupted = InterruptedRuns(job_store, clock, retry, most=retry.limits.interrupted_runs)
        self._pruned_at = datetime.min.replace(tzinfo=UTC)

    async def load(self, scope: Scope | None = None) -> None:
        """Read the deferred jobs from the job store.  ``scope`` None: of all scopes."""
        for entry in await self._retry.until_available(
            lambda: self._job_store.listing(scope, states=("deferred",), limit=MAX_DEFERRED)
        ):
            self.hold_back(entry)
        self._state.correct_times(self._clock.now())

    def hold_back(self, entry: JobEntry) -> None:
        """Let younger jobs of the partition wait for this deferred one.  Jobs for a newer version hold nothing back."""
        if not entry.error.startswith(f"{NewerVersion.wire_type}:"):
            self._state.delay(entry)

    async def find(self, ref: JobRef) -> JobEntry | None:
        """The job's entry in the job store."""
        found = await self._retry.until_available(lambda: self._job_store.get([ref]))
        return found[0] if found else None

    def with_stored_payload(self, delivery: Delivery, entry: JobEntry) -> Delivery:
        """The delivery of a deferred job with the payload of its entry."""
        unseal = partial(self._unseal, entry)
        return StoredDelivery(delivered=delivery, sealed=entry.sealed_payload, unseal=unseal)

    def defer(self, delivery: Delivery, deferrals: int, error: MemoryServiceError) -> JobEntry:
        """The entry of a deferred job.  It waits until the next day (UTC) if the budget is exhausted; otherwise the delay
        doubles with each deferral."""
        head, now = delivery.head, self._clock.now()
        engine, cause = error.consequence == "wait", f"{error.wire_type}: {error}"
        level = logging.INFO if isinstance(error, ModelUnavailable | BudgetExhausted) else logging.WARNING
        logger.log(level, "job %s (%s) failed, deferred: %s", head.id, head.kind, cause)
        if isinstance(error, BudgetExhausted):
            tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            not_before = tomorrow + timedelta(seconds=SPREAD_S * self._retry.random.random())
        else:
            not_before = now + timedelta(seconds=self._retry.deferral_delay_s(deferrals, engine=engine))
            if calls_model(head.kind) and isinstance(error, ModelUnavailable):
                # Other jobs of the workspace use the same model: without the pause each would wait for its own time-out.
                self._state.pause_model(head.scope.workspace, not_before, cause)
        return entry_from_job(
            head, "deferred", at=now, attempt=deferrals, not_before=not_before, error=cause, sealed=delivery.sealed
        )

    def may_be_replay(self, delivery: Delivery, now: datetime) -> bool:
        """Whether the message is older than the entries of finished jobs.  Without an entry, its job may be done."""
        sealed_at = self._keyring.read_sealing_time(delivery.sealed)
        return sealed_at is not None and sealed_at < now - self._limits.keep_done

    async def keep_summary(self, entry: JobEntry) -> JobEntry:
        """The entry with the summary that the handler saved while it ran: the next run of the job may need it."""
        found = await self.find(entry.ref)
        return replace(entry, summary=found.summary) if found else entry

    async def find_block(self, delivery: Delivery, now: datetime) -> datetime | None:
        """Time until which the job must wait, or None.

        A job waits while an older job of its partition is deferred, or while the workspace's model is paused.  An erasure
        does not: what it erases may be what cannot be stored.
        """
        head, key = delivery.head, partition_key(delivery.head)
        if is_erasure(head.kind):
            return None
        self._state.correct_times(now)
        place = (head.created_at, head.id)
        while (queue := self._state.delayed.get(key)) and (oldest := queue.oldest_before(place)):
            if await self._is_still_deferred(oldest.ref):
                return max(now, oldest.not_before or now)
            self._state.end_delay(key, oldest.job_id)
        if not calls_model(head.kind):
            return None
        paused_until, _ = self._state.model_pause(head.scope.workspace)
        return paused_until if paused_until is not None and is_ahead(paused_until, now, LONGEST_PAUSE) else None

    async def _is_still_deferred(self, ref: JobRef) -> bool:
        """Ask the job store: an erasure may have closed the job, or another process may have run it."""
        if ref in self._state.held:
            return True
        found = await self.find(ref)
        return found is not None and found.state == "deferred"

    async def close(self, entry: JobEntry) -> JobEntry:
        """Mark a dead or deferred job as cancelled and delete its payload."""
        closed = replace(entry, state="cancelled", sealed_payload="", not_before=None, error="", updated_at=self._clock.now())
        await self._end(closed)
        return closed

    async def _end(self, entry: JobEntry) -> None:
        """Save the last entry of a deferred job, and let younger jobs run."""
        with self._state.save(entry):
            await self._job_store.save([entry])
        self._state.end_delay(partition_key(job_from_entry(entry)), entry.job_id)
        self._state.notify()

    # ------------------------------------------------------------------------------------------------ publishing again

    async def run_sweeps(self) -> None:
        """Sweep until cancelled.  At the start and once an hour, delete old entries: a program may run only for a moment."""
        await self._prune()
        await self._settle()
        read_at = self._clock.now()
        while True:
            now = self._clock.now()
            await self._prune()
            with contextlib.suppress(EngineUnavailable):  # the next sweep tries again
                # This process knows the jobs that it deferred itself.  Reading the store finds those of a process that died.
                if self._state.count_delayed() or not is_ahead(read_at + READ_STORE_EVERY, now, READ_STORE_EVERY):
                    read_at = now
                    await self.sweep()
                await self._pending.drop_ended()
            await self._clock.sleep(self._limits.sweep_every_s)

    async def _prune(self) -> None:
        now = self._clock.now()
        if is_ahead(self._pruned_at + PRUNE_EVERY, now, PRUNE_EVERY):
            return
        with contextlib.suppress(EngineUnavailable):
            await self._job_store.prune(now - self._limits.keep_done, dead_before=now - self._limits.keep_dead)
            self._pruned_at = now

    async def _settle(self) -> None:
        """Wait until the broker has delivered what an earlier process did not acknowledge.

        Messages of jobs that are due may be among it, and a job that is held is not published again.  Without this, a process
        that always ends soon after its start would add a message for each of these jobs at each start.
        """
        for _ in range(LONGEST_SETTLING_S):
            received = self._state.received
            await self._clock.sleep(SETTLE_S)
            if self._state.received == received:
                return

    async def sweep(self) -> int:
        """Publish deferred jobs that are due, oldest first, and return their number.  Raises EngineUnavailable.

        It publishes no more than this worker can take: messages that it cannot receive yet would be published again and again.
        The job store is not changed: it keeps the job until the job has run, so a crash in between loses nothing.
        """
        state, now = self._state, self._clock.now()
        state.correct_times(now)
        room = min(self._limits.model_backlog - len(state.backlog), self._limits.held - len(state.held))
        if room <= 0:
            return 0
        due: dict[Scope, list[JobEntry]] = {}
        for entry in await self._job_store.due(now, limit=room):
            if not (entry.ref in state.held or state.is_resent(entry.ref, now) or entry.scope in self._gate.erasing):
                due.setdefault(entry.scope, []).append(entry)
        sent = 0
        for scope, entries in due.items():
            entries.sort(key=lambda entry: (entry.created_at, entry.job_id))
            with contextlib.suppress(ScopeClosed, ScopeChanged):  # an erasure is running: the next sweep tries again
                sent += await self._publish_again(scope, entries, now)
        return sent

    async def _publish_again(self, scope: Scope, entries: Sequence[JobEntry], now: datetime) -> int:
        """Publish with a fencing token: a payload decrypted with the current key must not be sealed again with a key that was
        created after an erasure."""
        with with_token(await self._fence.claim(scope)):
            jobs = [job for entry in entries if (job := await self._open(entry)) is not None]
            for job in jobs:
                self._state.mark_resent(job.ref, now)
            if jobs:
                await self._pending.publish(jobs)
            return len(jobs)

    async def _open(self, entry: JobEntry) -> Job | None:
        try:
            return await self._unseal(entry)
        except ScopeErased:
            found = await self._job_store.get([entry.ref])
            # If an erasure has removed the entry, it must not be written back.  If one has sealed it again since it was read,
            # without the words that were erased, the next sweep publishes it.  Otherwise close this entry only: the scope may
            # be in use again and have new deferred jobs.
            if found and found[0].sealed_payload == entry.sealed_payload:
                await self.close(entry)
        except BadRequest as error:
            await self._bury(entry, error)
        return None

    async def _unseal(self, entry: JobEntry) -> Job:
        payload = await self._keyring.open(entry.scope, entry.sealed_payload, binding=entry.binding)
        return replace(job_from_entry(entry), payload=read_json_object(payload, f"the payload of job {entry.job_id}"))

    async def _bury(self, entry: JobEntry, error: BadRequest) -> None:
        """Make a deferred job whose payload cannot be read a dead letter."""
        cause = f"{error.wire_type}: {error}"
        dead = replace(entry, state="dead", not_before=None, error=cause, updated_at=self._clock.now())
        logger.error("job %s (%s) failed, it is a dead letter now: %s", entry.job_id, entry.kind, cause)
        await self._end(dead)
