"""The worker of background jobs.

Invariants:
- Jobs of one lane (partition key) run one after another in the order they arrived; lanes run side by side, and a lane that
  calls models never takes a place from one that records.
- A delivery is acknowledged after the ledger holds its end (done, cancelled) or the job itself (deferred, dead), and after
  the jobs that follow from it were published.  A crash before that repeats the job; its effects have derived ids.
- A job that is done is never run again, however often it is delivered.
- While an older job of a lane is deferred, the younger ones are deferred behind it.
- A job of an erased scope leaves no trace, not even in the ledger.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from ..memory.ports import Clock, JobEntry, JobKind, JobPublisher, JobStore, KeyRing, ScopeFence
from .admin import JobAdmin
from .barrier import PendingJobs
from .delayed import DelayedJobs
from .delivery import LONG_KINDS, NO_WORK, Delivery, Handler, JobSource, LaneName, lane_of, no_operation
from .engine_retry import EngineRetry
from .entries import entry_of
from .executor import JobExecutor
from .group_commit import GroupCommitJobStore
from .retry import DEFERRAL, ENGINE_AWAY, IN_PLACE, Retry
from .scope_pause import ScopeGate
from .worker_state import WorkerState

#: Kinds whose effects are the same whether or not a later job of the lane has run: their ledger entry may be written while
#: the next job of the lane is already running.
PIPELINED: frozenset[JobKind] = frozenset({"record", "noop"})
MOST_UNCOMMITTED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """``model_backlog``: deliveries of the slow lanes held in memory; what comes beyond waits in the ledger."""

    write_lanes: int = 16
    model_lanes: int = 2
    index_lanes: int = 1
    model_backlog: int = 1000
    sweep_every_s: float = 5.0
    keep_done: timedelta = timedelta(days=7)


@dataclass(slots=True)
class _Waiting:
    delivery: Delivery
    known: asyncio.Task[JobEntry | None]


@dataclass(slots=True)
class _Lane:
    queue: deque[_Waiting] = field(default_factory=deque)
    uncommitted: set[asyncio.Task[None]] = field(default_factory=set)


class JobWorker:
    """Runs what a source delivers.  ``run`` ends only by cancellation, or when something breaks that must not go on.

    It is put together here: ``books`` are shared, ``JobExecutor`` bring a job to its end, ``DelayedJobs`` keeps what waits,
    ``ScopeGate`` stops a scope's jobs while it is erased, ``PendingJobs`` publishes and waits, ``JobAdmin`` manages.
    """

    def __init__(
        self,
        *,
        source: JobSource,
        handlers: Mapping[JobKind, Handler],
        job_store: JobStore,
        publisher: JobPublisher,
        keyring: KeyRing,
        fence: ScopeFence,
        clock: Clock,
        retry: Retry = IN_PLACE,
        deferral: Retry = DEFERRAL,
        engine_away: Retry = ENGINE_AWAY,
        limits: WorkerLimits | None = None,
        random: Random | None = None,
    ) -> None:
        self._source, self._clock = source, clock
        self._limits = limits or WorkerLimits()
        random = random or Random()
        self._grouped = grouped = GroupCommitJobStore(job_store)
        self._patience = patience = EngineRetry(clock, engine_away, random)
        self.books = books = WorkerState()
        self._stillness = stillness = ScopeGate(books)
        self._places: dict[LaneName, asyncio.Semaphore] = {
            "write": asyncio.Semaphore(self._limits.write_lanes),
            "model": asyncio.Semaphore(self._limits.model_lanes),
            "index": asyncio.Semaphore(self._limits.index_lanes),
        }
        self._lanes: dict[str, _Lane] = {}
        self.waiting = waiting = PendingJobs(books, job_store, publisher, clock, random, shared=fence.shared)
        self._deferral = DelayedJobs(
            books,
            stillness,
            waiting,
            job_store,
            grouped,
            publisher,
            keyring,
            clock,
            fence,
            patience,
            retry=deferral,
            room=self._limits.model_backlog,
            random=random,
        )
        self._attempts = JobExecutor(
            books,
            stillness,
            waiting,
            self._deferral,
            {**dict.fromkeys(NO_WORK, no_operation), **handlers},
            grouped,
            publisher,
            fence,
            clock,
            patience,
            retry=retry,
            random=random,
        )
        desk = JobAdmin(books, self._deferral, job_store, grouped, keyring, clock)
        self.quiet, self.paused = stillness.quiet, stillness.paused
        self.submit, self.wait_idle, self.wait_for = waiting.submit, waiting.wait_idle, waiting.wait_for
        self.sweep = self._deferral.sweep
        self.listing, self.find, self.stats = desk.listing, desk.find, desk.stats
        self.cancel, self.replay, self.drop = desk.cancel, desk.replay, desk.drop

    async def run(self) -> None:
        """Receive and run until cancelled.  Started again after a fault, it begins with empty books."""
        self._lanes.clear()
        self.books.begin_anew()
        await self._deferral.load()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._deferral.sweeping(self._limits.sweep_every_s, self._limits.keep_done))
            while True:
                delivery = await self._patience(self._source.receive)
                self._accept(delivery, tasks)
                # a burst of deliveries must not keep the lanes from running
                await asyncio.sleep(0)

    def _accept(self, delivery: Delivery, tasks: asyncio.TaskGroup) -> None:
        head, books = delivery.head, self.books
        if books.in_hand(head.id):
            # the one in hand answers for both: it is acknowledged only when the job is over
            books.counts["duplicate"] += 1
            tasks.create_task(self._patience(delivery.ack))
            return
        known = tasks.create_task(self._patience(lambda: self._grouped.get(head.id)))
        books.queued[head.id] = head
        if head.kind in LONG_KINDS:
            if len(books.queued_models) >= self._limits.model_backlog:
                # noted at once, so that a younger job of the lane cannot overtake it while the ledger is asked
                waits = entry_of(head, "deferred", at=self._clock.now(), not_before=self._clock.now(), sealed=delivery.sealed)
                books.note_deferred(waits)
                tasks.create_task(self._spill(delivery, known, waits))
                return
            books.queued_models.add(head.id)
        own = self._lanes.get(delivery.key)
        if own is None:
            own = self._lanes[delivery.key] = _Lane()
            tasks.create_task(self._run_lane(delivery.key, own, tasks))
        own.queue.append(_Waiting(delivery, known))

    async def _run_lane(self, key: str, own: _Lane, tasks: asyncio.TaskGroup) -> None:
        await self._deferral.look_up(own.queue[0].delivery.head.scope)
        while own.queue:
            waiting = own.queue.popleft()
            kind = waiting.delivery.head.kind
            async with self._places["write" if kind in NO_WORK else lane_of(kind)]:
                await self._step(waiting, own, tasks)
            if not own.queue and own.uncommitted:
                await asyncio.wait(own.uncommitted)
        # no await between the last look at the queue and this: a delivery cannot slip in
        del self._lanes[key]

    async def _step(self, waiting: _Waiting, own: _Lane, tasks: asyncio.TaskGroup) -> None:
        delivery, known = waiting.delivery, await waiting.known
        pipelined = delivery.head.kind in PIPELINED
        if own.uncommitted and (not pipelined or len(own.uncommitted) >= MOST_UNCOMMITTED):
            await asyncio.wait(own.uncommitted)
        entry = await self._attempts.end_of(delivery, known)
        commit = self._commit(delivery, entry, self._stillness.erasures[delivery.head.scope])
        if pipelined:
            task = tasks.create_task(commit)
            own.uncommitted.add(task)
            task.add_done_callback(own.uncommitted.discard)
        else:
            await commit

    async def _spill(self, delivery: Delivery, known: asyncio.Task[JobEntry | None], waits: JobEntry) -> None:
        """Put a model job that does not fit into memory into the ledger; a sweep brings it back."""
        over = await self._attempts.is_over(delivery.head, await known) or await self._attempts.is_erased(delivery)
        await self._commit(delivery, None if over else waits, self._stillness.erasures[delivery.head.scope])

    async def _commit(self, delivery: Delivery, entry: JobEntry | None, erasures: int) -> None:
        """The ledger first, then the broker; then the job is off the worker's own books.

        ``erasures``: of its scope, when the entry was made.
        """
        head, books = delivery.head, self.books
        if self._stillness.is_erasing(head.scope) or self._stillness.erasures[head.scope] != erasures:
            entry = None  # it began before the erasure and leaves no trace
        if entry is not None:
            saved = entry
            with books.being_saved(saved.job_id):
                await self._patience(lambda: self._grouped.save(saved))
        books.forget_deferred(delivery.key, head.id)
        if entry is not None:
            if entry.state == "deferred":
                books.note_deferred(entry)
            elif entry.state != "dead":
                books.note_finished(head)
            books.counts[entry.state] += 1
        await self._patience(delivery.ack)
        books.strike_out(head.id)
