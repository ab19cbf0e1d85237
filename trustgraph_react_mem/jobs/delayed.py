"""Jobs that wait in the ledger: what is put off, what waits behind it, and the sweep that brings it back."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from ..errors import BudgetExhausted, EngineUnavailable, MemoryServiceError, ScopeChanged, ScopeClosed, ScopeErased
from ..memory.fencing import with_token
from ..memory.json_object import read_json_object
from ..memory.ports import Clock, Job, JobEntry, JobPublisher, JobStore, KeyRing, ScopeFence
from ..memory.scope import Scope
from .barrier import PendingJobs
from .delivery import MODEL_KINDS, Delivery, lane
from .engine_retry import EngineRetry
from .entries import entry_of
from .group_commit import GroupCommitJobStore
from .retry import Retry
from .scope_pause import ScopeGate
from .worker_state import WorkerState, head_of

LOOK_ELSEWHERE = timedelta(minutes=1)
LEASE = timedelta(minutes=2)  # a deferred job that was republished is not republished again for so long
MOST_DEFERRED = 100_000


class DelayedJobs:
    """``room``: deliveries of model lanes that may be in memory at once."""

    def __init__(
        self,
        books: WorkerState,
        stillness: ScopeGate,
        waiting: PendingJobs,
        job_store: JobStore,
        grouped: GroupCommitJobStore,
        publisher: JobPublisher,
        keyring: KeyRing,
        clock: Clock,
        fence: ScopeFence,
        patience: EngineRetry,
        *,
        retry: Retry,
        room: int,
        random: Random,
    ) -> None:
        self._books, self._stillness, self._waiting = books, stillness, waiting
        self._ledger, self._grouped, self._publisher = job_store, grouped, publisher
        self._keyring, self._clock, self._epochs, self._patience = keyring, clock, fence, patience
        self._retry, self._room, self._random = retry, room, random

    async def load(self) -> None:
        """Learn from the ledger what waits there."""
        for entry in await self._patience(lambda: self._ledger.listing(None, states=("deferred",), limit=MOST_DEFERRED)):
            self._books.note_deferred(entry)

    async def look_up(self, scope: Scope) -> None:
        """Before a lane of the scope begins: what another process, which had it before, has deferred in it."""
        if self._epochs.shared:
            for entry in await self._patience(lambda: self._ledger.listing(scope, states=("deferred",), limit=MOST_DEFERRED)):
                self._books.note_deferred(entry)

    def put_off(self, delivery: Delivery, deferrals: int, error: MemoryServiceError) -> JobEntry:
        """The job waits until the day's budget is a new one, or a while that doubles with each deferral."""
        head, now = delivery.head, self._clock.now()
        if isinstance(error, BudgetExhausted):
            tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            not_before = tomorrow + timedelta(seconds=300 * self._random.random())
        else:
            not_before = now + timedelta(seconds=self._retry.delay_s(deferrals, self._random) or 0.0)
            if head.kind in MODEL_KINDS:
                self._books.model_rests[head.scope.workspace] = not_before
        return entry_of(
            head,
            "deferred",
            at=now,
            attempt=deferrals,
            not_before=not_before,
            error=f"{error.wire_type}: {error}",
            sealed=delivery.sealed,
        )

    async def held_until(self, delivery: Delivery, now: datetime) -> datetime | None:
        """Not None when an older job of the lane is deferred, or the workspace's model is being left alone."""
        head = delivery.head
        place = (head.created_at, head.id)
        while (waiting := self._books.deferred.get(delivery.key)) and (oldest := waiting.oldest_before(place)):
            until = waiting.latest_before(place)
            if await self._still_deferred(oldest.job_id):
                return max(now, until or now)
            self._books.forget_deferred(delivery.key, oldest.job_id)
        rests = self._books.model_rests.get(head.scope.workspace)
        return rests if head.kind in MODEL_KINDS and rests is not None and rests > now else None

    async def _still_deferred(self, job_id: str) -> bool:
        """The ledger knows: a forgetting may have closed it since, or a worker in another process may have done it."""
        if self._books.in_hand(job_id):
            return True
        found = await self._patience(lambda: self._grouped.get(job_id))
        return found is not None and found.state == "deferred"

    # ------------------------------------------------------------------------------------------------ bringing back

    async def sweeping(self, every_s: float, keep_done: timedelta) -> None:
        """Sweep for ever, and from time to time forget what is done for longer than ``keep_done``."""
        pruned_at = looked_at = self._clock.now()
        while True:
            await self._clock.sleep(every_s)
            with contextlib.suppress(EngineUnavailable):  # the next sweep comes anyway
                # what waits is known here, but for what a worker that is gone has left: the ledger is read for it now and then
                if self._books.deferred or self._clock.now() >= looked_at + LOOK_ELSEWHERE:
                    looked_at = self._clock.now()
                    await self.sweep()
                await self._waiting.drop_ended()
                if self._clock.now() - pruned_at > timedelta(hours=1):
                    pruned_at = self._clock.now()
                    await self._ledger.prune(pruned_at - keep_done)

    async def sweep(self) -> int:
        """Publish deferred jobs whose time has come, oldest first; the number of them.  Raises EngineUnavailable.

        The ledger is not changed here: it keeps the job until it has run, so a crash in between loses nothing.
        """
        books, now = self._books, self._clock.now()
        room = self._room - len(books.queued_models)
        if room <= 0:
            return 0
        due = [
            entry
            for entry in await self._ledger.due(now, limit=room)
            if not books.in_hand(entry.job_id)
            and not self._stillness.is_erasing(entry.scope)
            and books.republished.get(entry.job_id, now) <= now
        ]
        sent = 0
        for scope in dict.fromkeys(entry.scope for entry in due):
            own = [entry for entry in due if entry.scope == scope]
            own.sort(key=lambda entry: (entry.created_at, entry.job_id))
            with contextlib.suppress(ScopeClosed, ScopeChanged):  # forgotten, or the next sweep's
                sent += await self._send_again(scope, own, now)
        return sent

    async def _send_again(self, scope: Scope, entries: Sequence[JobEntry], now: datetime) -> int:
        """Under a claim: what is opened with the key of now must not be sealed with one that is made after an erasure."""
        with with_token(await self._epochs.claim(scope)):
            jobs = [job for entry in entries if (job := await self._reopened(entry)) is not None]
            for job in jobs:
                self._books.republished[job.id] = now + LEASE
            if jobs:
                self._waiting.expect(jobs)
                await self._publisher.publish(jobs)
            return len(jobs)

    async def _reopened(self, entry: JobEntry) -> Job | None:
        try:
            payload = await self._keyring.open(entry.scope, entry.sealed_payload)
        except ScopeErased:
            # only this one: the scope may be in use again, with deferred jobs of its own.  An erasure that came in between
            # has removed it, and it must not be written again.
            if await self._ledger.get([entry.job_id]):
                await self.closed(entry)
            return None
        return replace(head_of(entry), payload=read_json_object(payload, f"the payload of job {entry.job_id}"))

    async def closed(self, entry: JobEntry) -> JobEntry:
        """A dead or deferred job is given up, with its payload."""
        closed = replace(entry, state="cancelled", sealed_payload="", not_before=None, error="", updated_at=self._clock.now())
        with self._books.being_saved(closed.job_id):
            await self._grouped.save(closed)
        self._books.forget_deferred(lane(head_of(entry)), entry.job_id)
        self._books.moved()
        return closed
