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
import contextlib
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from ..errors import (
    BadRequest,
    BudgetExhausted,
    ConfigurationError,
    EngineUnavailable,
    MemoryServiceError,
    ModelUnavailable,
    NotFound,
    ScopeErased,
)
from ..memory.ports import Clock, Job, JobKind, JobLedger, JobPublisher, JobState, KeyRing, LedgerEntry
from ..memory.records import derived_id
from ..memory.scope import Scope
from .commit import GroupedLedger
from .delivery import MODEL_KINDS, Delivery, Handler, JobSource, Outcome, lane, same_scope, without_payload
from .ledger import decoded_payload, entry_of
from .retry import DEFERRAL, ENGINE_AWAY, IN_PLACE, Retry

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: Kinds whose effects are the same whether or not a later job of the lane has run: their ledger entry may be written while
#: the next job of the lane is already running.
PIPELINED: frozenset[JobKind] = frozenset({"record", "noop"})
REMEMBERED = 50_000  # ids of finished jobs kept in memory, against duplicates that are already on their way
LEASE = timedelta(minutes=2)  # a deferred job that was republished is not republished again for so long
MOST_UNCOMMITTED = 256
MOST_EXPECTED = 50_000  # jobs published here and not known to be over: beyond it the oldest are no longer waited for
ASK_EVERY_S = 1.0  # how often whoever waits asks the ledger for jobs that ended in another process
ASKED_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """``model_backlog``: deliveries of model lanes held in memory; what comes beyond waits in the ledger."""

    write_lanes: int = 16
    model_lanes: int = 2
    model_backlog: int = 1000
    sweep_every_s: float = 5.0
    keep_done: timedelta = timedelta(days=7)


@dataclass(slots=True)
class _Waiting:
    delivery: Delivery
    known: asyncio.Task[LedgerEntry | None]


@dataclass(slots=True)
class _Lane:
    queue: deque[_Waiting] = field(default_factory=deque)
    uncommitted: set[asyncio.Task[None]] = field(default_factory=set)


class JobWorker:
    """Runs what a source delivers.  ``run`` ends only by cancellation, or when something breaks that must not go on."""

    def __init__(
        self,
        *,
        source: JobSource,
        handlers: Mapping[JobKind, Handler],
        ledger: JobLedger,
        publisher: JobPublisher,
        keyring: KeyRing,
        clock: Clock,
        retry: Retry = IN_PLACE,
        deferral: Retry = DEFERRAL,
        engine_away: Retry = ENGINE_AWAY,
        limits: WorkerLimits | None = None,
        random: Random | None = None,
    ) -> None:
        self._source = source
        self._handlers = dict(handlers)
        self._ledger = ledger
        self._grouped = GroupedLedger(ledger)
        self._publisher = publisher
        self._keyring = keyring
        self._clock = clock
        self._retry, self._deferral, self._engine_away = retry, deferral, engine_away
        self._limits = limits or WorkerLimits()
        self._random = random or Random()
        self._places = {
            False: asyncio.Semaphore(self._limits.write_lanes),
            True: asyncio.Semaphore(self._limits.model_lanes),
        }
        self._lanes: dict[str, _Lane] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._queued: dict[str, Job] = {}
        self._queued_models: set[str] = set()
        self._running: dict[str, asyncio.Task[Outcome]] = {}
        self._heads: dict[str, Job] = {}
        self._expected: dict[str, Job] = {}  # published by this process and not yet finished
        self._finished: OrderedDict[str, Scope] = OrderedDict()
        self._cancelled: set[str] = set()
        self._deferred: dict[str, dict[str, LedgerEntry]] = {}  # lane -> job id -> entry
        self._republished: dict[str, datetime] = {}
        self._model_rests: dict[str, datetime] = {}  # workspace -> until when its model is left alone
        self._counts: Counter[str] = Counter()
        self._erasing: dict[Scope, asyncio.Event] = {}  # set when the erasure is over
        self._paused: dict[Scope, asyncio.Event] = {}  # model jobs wait for it
        self._interruptions: Counter[Scope] = Counter()  # erasures and pauses so far
        self._erasures: Counter[Scope] = Counter()
        self._saving: set[str] = set()  # jobs whose end is on its way into the ledger
        self._progress = asyncio.Event()
        self._asked_at = float("-inf")  # loop time at which the ledger was last asked for what ended elsewhere

    # ------------------------------------------------------------------------------------------------ running

    async def run(self) -> None:
        """Receive and run until cancelled.  Started again after a fault, it begins with empty books."""
        for book in (self._lanes, self._queued, self._queued_models, self._running, self._heads, self._deferred):
            book.clear()
        for entry in await self._patiently(lambda: self._ledger.listing(None, states=("deferred",), limit=100_000)):
            self._remember_deferred(entry)
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            tasks.create_task(self._sweeping())
            while True:
                delivery = await self._patiently(self._source.receive)
                self._accept(delivery, tasks)
                # a burst of deliveries must not keep the lanes from running
                await asyncio.sleep(0)

    def _accept(self, delivery: Delivery, tasks: asyncio.TaskGroup) -> None:
        head = delivery.head
        if head.id in self._queued or head.id in self._heads:
            # the one in hand answers for both: it is acknowledged only when the job is over
            self._counts["duplicate"] += 1
            tasks.create_task(self._patiently(delivery.ack))
            return
        known = tasks.create_task(self._patiently(lambda: self._grouped.get(head.id)))
        self._queued[head.id] = head
        if head.kind in MODEL_KINDS:
            if len(self._queued_models) >= self._limits.model_backlog:
                # noted at once, so that a younger job of the lane cannot overtake it while the ledger is asked
                waits = entry_of(head, "deferred", at=self._clock.now(), not_before=self._clock.now(), sealed=delivery.sealed)
                self._remember_deferred(waits)
                tasks.create_task(self._spill(delivery, known, waits))
                return
            self._queued_models.add(head.id)
        own = self._lanes.get(delivery.key)
        if own is None:
            own = self._lanes[delivery.key] = _Lane()
            tasks.create_task(self._run_lane(delivery.key, own, tasks))
        own.queue.append(_Waiting(delivery, known))

    async def _run_lane(self, key: str, own: _Lane, tasks: asyncio.TaskGroup) -> None:
        while own.queue:
            waiting = own.queue.popleft()
            async with self._places[waiting.delivery.head.kind in MODEL_KINDS]:
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
        entry = await self._end_of(delivery, known)
        commit = self._commit(delivery, entry, self._erasures[delivery.head.scope])
        if pipelined:
            task = tasks.create_task(commit)
            own.uncommitted.add(task)
            task.add_done_callback(own.uncommitted.discard)
        else:
            await commit

    async def _spill(self, delivery: Delivery, known: asyncio.Task[LedgerEntry | None], waits: LedgerEntry) -> None:
        """Put a model job that does not fit into memory into the ledger; a sweep brings it back."""
        before = await known
        over = delivery.head.id in self._finished or (before is not None and before.state in ("done", "cancelled", "dead"))
        over = over or await self._is_erased(delivery)
        await self._commit(delivery, None if over else waits, self._erasures[delivery.head.scope])

    async def _commit(self, delivery: Delivery, entry: LedgerEntry | None, erasures: int) -> None:
        """The ledger first, then the broker; then the job is off the worker's own books.

        ``erasures``: of its scope, when the entry was made.
        """
        head = delivery.head
        if entry is not None and (head.scope in self._erasing or self._erasures[head.scope] != erasures):
            entry = None  # it began before the erasure and leaves no trace
        if entry is not None:
            await self._saved(entry)
        self._forget_deferred(delivery.key, head.id)
        if entry is not None:
            if entry.state == "deferred":
                self._remember_deferred(entry)
            elif entry.state != "dead":
                self._finished[head.id] = head.scope
                if len(self._finished) > REMEMBERED:
                    self._finished.popitem(last=False)
            self._counts[entry.state] += 1
        await self._patiently(delivery.ack)
        self._dequeue(head.id)
        self._heads.pop(head.id, None)
        self._expected.pop(head.id, None)
        self._cancelled.discard(head.id)
        self._republished.pop(head.id, None)
        self._moved()

    async def _saved(self, entry: LedgerEntry) -> None:
        self._saving.add(entry.job_id)
        try:
            await self._patiently(lambda: self._grouped.save(entry))
        finally:
            self._saving.discard(entry.job_id)
            self._moved()

    # ------------------------------------------------------------------------------------------------ one job

    async def _end_of(self, delivery: Delivery, known: LedgerEntry | None) -> LedgerEntry | None:
        """Run the job if it is its turn.  None: it is over already, or its scope is erased."""
        head, now = delivery.head, self._clock.now()
        self._heads[head.id] = head
        self._dequeue(head.id)
        if head.id in self._finished or (known is not None and known.state in ("done", "cancelled", "dead")):
            self._counts["duplicate"] += 1
            return None
        attempt = 1
        if known is not None and known.state == "deferred":
            if known.not_before is not None and known.not_before > now:
                self._counts["duplicate"] += 1
                return known  # it will be sent again when its time has come
            attempt = known.attempt + 1
        if head.id in self._cancelled:
            return entry_of(head, "cancelled", at=now)
        held_until = await self._held_until(delivery, now)
        if held_until is not None and await self._is_erased(delivery):
            self._counts["erased"] += 1
            return None
        if held_until is not None:
            return entry_of(
                head, "deferred", at=now, attempt=max(1, attempt - 1), not_before=held_until, sealed=delivery.sealed
            )
        return await self._tried(delivery, attempt)

    async def _is_erased(self, delivery: Delivery) -> bool:
        """What can never be read again must not wait in the ledger either."""
        while True:
            before = self._erasures[delivery.head.scope]
            try:
                await self._patiently(delivery.open)
            except ScopeErased:
                return True
            except MemoryServiceError:
                return False  # it fails when its turn comes, and is told there
            if self._erasures[delivery.head.scope] == before:
                return False

    async def _held_until(self, delivery: Delivery, now: datetime) -> datetime | None:
        """Not None when an older job of the lane is deferred, or the workspace's model is being left alone."""
        head = delivery.head
        while older := self._older_deferred(delivery):
            oldest = min(older, key=lambda entry: (entry.created_at, entry.job_id))
            if await self._still_deferred(oldest.job_id):
                return max([now, *(entry.not_before for entry in older if entry.not_before is not None)])
            self._forget_deferred(delivery.key, oldest.job_id)
        rests = self._model_rests.get(head.scope.workspace)
        return rests if head.kind in MODEL_KINDS and rests is not None and rests > now else None

    def _older_deferred(self, delivery: Delivery) -> list[LedgerEntry]:
        head = delivery.head
        return [
            entry
            for entry in self._deferred.get(delivery.key, {}).values()
            if (entry.created_at, entry.job_id) < (head.created_at, head.id)
        ]

    async def _still_deferred(self, job_id: str) -> bool:
        """The ledger knows: a forgetting may have closed it since, or a worker in another process may have done it."""
        if job_id in self._queued or job_id in self._heads:
            return True
        found = await self._patiently(lambda: self._grouped.get(job_id))
        return found is not None and found.state == "deferred"

    async def _tried(self, delivery: Delivery, deferrals: int) -> LedgerEntry | None:
        head, attempt = delivery.head, 0
        engine_waits = 0
        while True:
            attempt += 1
            try:
                outcome = await self._run_handler(delivery)
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                if head.scope in self._paused and head.id not in self._cancelled:
                    attempt -= 1
                    continue
                if head.scope in self._erasing:
                    self._counts["erased"] += 1
                    return None
                if head.id not in self._cancelled:
                    raise
                return entry_of(head, "cancelled", at=self._clock.now())
            except ScopeErased:
                self._counts["erased"] += 1
                return None
            except (ModelUnavailable, BudgetExhausted) as error:
                return self._put_off(delivery, deferrals, error)
            except EngineUnavailable as error:
                attempt -= 1  # the job is not to blame
                engine_waits += 1
                await self._pause(self._engine_away.delay_s(engine_waits, self._random) or 0.0, head, error)
            except Exception as error:  # whatever a handler raises must not stop the lanes: it becomes a dead letter
                final = isinstance(error, BadRequest | ConfigurationError)
                delay = None if final else self._retry.delay_s(attempt, self._random)
                if delay is None:
                    return self._buried(delivery, attempt, error)
                await self._pause(delay, head, error)
            else:
                self._model_rests.pop(head.scope.workspace, None) if head.kind in MODEL_KINDS else None
                return entry_of(head, "done", at=self._clock.now(), attempt=deferrals, summary=outcome.summary)

    async def _run_handler(self, delivery: Delivery) -> Outcome:
        job = await self._opened(delivery)
        handler = self._handlers.get(job.kind)
        if handler is None:
            raise BadRequest(f"no handler for jobs of kind {job.kind!r}: known are {', '.join(sorted(self._handlers))}")
        task = asyncio.ensure_future(self._done_by(handler, job))
        self._running[job.id] = task
        try:
            return await task
        finally:
            self._running.pop(job.id, None)
            if not task.done():
                task.cancel()

    async def _done_by(self, handler: Handler, job: Job) -> Outcome:
        """What follows is published inside, so that an erasure which stops the job stops that too."""
        outcome = await handler(job)
        await self._publish_follow_ups(outcome)
        return outcome

    async def _opened(self, delivery: Delivery) -> Job:
        """Waits while the scope is erased (what was sealed before it cannot be opened then), or its model jobs rest.

        On return the job may run: nothing else ran since this was looked at.
        """
        while True:
            while (over := self._held_back(delivery.head)) is not None:
                await over.wait()
            before = self._interruptions[delivery.head.scope]
            job = await delivery.open()
            if self._interruptions[delivery.head.scope] == before:
                return job

    def _held_back(self, head: Job) -> asyncio.Event | None:
        erasing = self._erasing.get(head.scope)
        return self._paused.get(head.scope) if erasing is None and head.kind in MODEL_KINDS else erasing

    async def _publish_follow_ups(self, outcome: Outcome) -> None:
        if outcome.follow_ups:
            self._expect(outcome.follow_ups)
            await self._patiently(lambda: self._publisher.publish(outcome.follow_ups))

    def _put_off(self, delivery: Delivery, deferrals: int, error: MemoryServiceError) -> LedgerEntry:
        head, now = delivery.head, self._clock.now()
        if isinstance(error, BudgetExhausted):
            tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            not_before = tomorrow + timedelta(seconds=300 * self._random.random())
        else:
            not_before = now + timedelta(seconds=self._deferral.delay_s(deferrals, self._random) or 0.0)
            if head.kind in MODEL_KINDS:
                self._model_rests[head.scope.workspace] = not_before
        logger.info("Job deferred", extra={"job_id": head.id, "kind": head.kind, "cause": error.wire_type})
        return entry_of(
            head,
            "deferred",
            at=now,
            attempt=deferrals,
            not_before=not_before,
            error=f"{error.wire_type}: {error}",
            sealed=delivery.sealed,
        )

    def _buried(self, delivery: Delivery, attempt: int, error: Exception) -> LedgerEntry:
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
        self._counts["retried"] += 1
        await self._clock.sleep(delay_s)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat while an engine is away: without it nothing of this worker's can be made durable."""
        waits = 0
        while True:
            try:
                return await call()
            except EngineUnavailable as error:
                waits += 1
                logger.warning("An engine does not answer", extra={"cause": type(error).__name__, "waits": waits})
                await self._clock.sleep(self._engine_away.delay_s(waits, self._random) or 0.0)

    # ------------------------------------------------------------------------------------------------ deferred jobs

    async def _sweeping(self) -> None:
        pruned_at = self._clock.now()
        while True:
            await self._clock.sleep(self._limits.sweep_every_s)
            with contextlib.suppress(EngineUnavailable):  # the next sweep comes anyway
                await self.sweep()
                await self._drop_ended()
                if self._clock.now() - pruned_at > timedelta(hours=1):
                    pruned_at = self._clock.now()
                    await self._ledger.prune(pruned_at - self._limits.keep_done)

    async def sweep(self) -> int:
        """Publish deferred jobs whose time has come, oldest first; the number of them.  Raises EngineUnavailable.

        The ledger is not changed here: it keeps the job until it has run, so a crash in between loses nothing.
        """
        now = self._clock.now()
        room = self._limits.model_backlog - len(self._queued_models)
        if room <= 0:
            return 0
        before = self._interruptions.copy()
        due = [
            entry
            for entry in await self._ledger.due(now, limit=room)
            if entry.job_id not in self._queued
            and entry.job_id not in self._heads
            and entry.scope not in self._erasing
            and self._republished.get(entry.job_id, now) <= now
        ]
        jobs = []
        for entry in sorted(due, key=lambda entry: (entry.created_at, entry.job_id)):
            job = await self._reopened(entry, before)
            if job is not None:
                jobs.append(job)
                self._republished[job.id] = now + LEASE
        if jobs:
            self._expect(jobs)
            await self._publisher.publish(jobs)
        return len(jobs)

    async def _reopened(self, entry: LedgerEntry, before: Mapping[Scope, int]) -> Job | None:
        """``before``: erasures at the time when the entry was read."""
        try:
            payload = await self._keyring.open(entry.scope, entry.sealed_payload)
        except ScopeErased:
            # only this one: the scope may be in use again, with deferred jobs of its own.  An erasure that came in between
            # has removed it, and it must not be written again.
            if self._interruptions[entry.scope] == before.get(entry.scope, 0):
                await self._closed(entry)
            return None
        return replace(_head_of(entry), payload=decoded_payload(payload))

    def _remember_deferred(self, entry: LedgerEntry) -> None:
        self._deferred.setdefault(lane(_head_of(entry)), {})[entry.job_id] = replace(entry, sealed_payload="")

    def _forget_deferred(self, key: str, job_id: str) -> None:
        behind = self._deferred.get(key)
        if behind is not None:
            behind.pop(job_id, None)
            if not behind:
                del self._deferred[key]

    def _dequeue(self, job_id: str) -> None:
        self._queued.pop(job_id, None)
        self._queued_models.discard(job_id)

    # ------------------------------------------------------------------------------------------------ management

    async def submit(self, job: Job) -> None:
        """Publish a job and count it among those that ``wait_idle`` waits for.  Raises EngineUnavailable."""
        self._expect([job])
        try:
            await self._publisher.publish([job])
        except EngineUnavailable:
            self._expected.pop(job.id, None)
            raise

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[LedgerEntry]:
        """Jobs known to the ledger and those that this process holds, newest first; None = all scopes."""
        now = self._clock.now()
        held = [entry_of(job, "running", at=now) for job in self._heads.values()]
        held += [entry_of(job, "queued", at=now) for job in self._queued.values()]
        here = {entry.job_id: entry for entry in held if same_scope(scope, entry.scope) and entry.kind != "noop"}
        stored = await self._ledger.listing(scope, states=states, limit=limit)
        there = [entry for entry in stored if entry.job_id not in here and entry.kind != "noop"]
        rows = [entry for entry in here.values() if not states or entry.state in states] + there
        return sorted(rows, key=lambda entry: (entry.created_at, entry.job_id), reverse=True)[:limit]

    async def find(self, scope: Scope, job_id: str) -> LedgerEntry:
        """Raises NotFound."""
        held: tuple[tuple[Job | None, JobState], ...] = (
            (self._heads.get(job_id), "running"),
            (self._queued.get(job_id), "queued"),
        )
        for head, state in held:
            if head is not None and head.scope == scope:
                return entry_of(head, state, at=self._clock.now())
        for entry in await self._ledger.get([job_id]):
            if entry.scope == scope:
                return entry
        expected = self._expected.get(job_id)  # published, and not yet back from the broker
        if expected is not None and expected.scope == scope:
            return entry_of(expected, "queued", at=self._clock.now())
        raise NotFound(f"no job {job_id!r} in this scope: list the jobs for their ids")

    async def cancel(self, scope: Scope, job_id: str) -> LedgerEntry:
        """Stop a job that is not over; what it has written stays.  Raises NotFound, BadRequest (it is over)."""
        entry = await self.find(scope, job_id)
        if entry.state in ("queued", "running"):
            self._cancelled.add(job_id)
            running = self._running.get(job_id)
            if running is not None:
                running.cancel()
            return replace(entry, state="cancelled")
        if entry.state != "deferred":
            raise BadRequest(f"job {job_id} is {entry.state}: only a queued, running or deferred one can be cancelled")
        return await self._closed(entry)

    async def replay(self, scope: Scope, job_id: str) -> LedgerEntry:
        """Run a dead or deferred job again at once.  Raises NotFound, BadRequest (it is neither), ScopeErased."""
        entry = await self.find(scope, job_id)
        if entry.state not in ("dead", "deferred"):
            raise BadRequest(f"job {job_id} is {entry.state}: only a dead or deferred one can be replayed")
        await self._keyring.open(scope, entry.sealed_payload)
        due = replace(entry, state="deferred", not_before=self._clock.now(), updated_at=self._clock.now(), attempt=1)
        self._model_rests.pop(scope.workspace, None)
        await self._grouped.save(due)
        self._remember_deferred(due)
        self._republished.pop(job_id, None)
        await self.sweep()
        return due

    async def drop(self, scope: Scope, job_id: str) -> LedgerEntry:
        """Give up a dead or deferred job and its payload.  Raises NotFound, BadRequest."""
        entry = await self.find(scope, job_id)
        if entry.state not in ("dead", "deferred"):
            raise BadRequest(f"job {job_id} is {entry.state}: only a dead or deferred one can be dropped")
        return await self._closed(entry)

    async def _closed(self, entry: LedgerEntry) -> LedgerEntry:
        closed = replace(entry, state="cancelled", sealed_payload="", not_before=None, error="", updated_at=self._clock.now())
        self._saving.add(closed.job_id)
        try:
            await self._grouped.save(closed)
        finally:
            self._saving.discard(closed.job_id)
            self._moved()
        self._forget_deferred(lane(_head_of(entry)), entry.job_id)
        self._moved()
        return closed

    @contextlib.asynccontextmanager
    async def quiet(self, scope: Scope) -> AsyncIterator[None]:
        """While inside, nothing of the scope runs here, and what was running leaves no trace.  Others wait."""
        over = self._erasing[scope] = asyncio.Event()
        self._interruptions[scope] += 1
        self._erasures[scope] += 1
        try:
            await self._stopped([job_id for job_id in self._running if self._heads[job_id].scope == scope])
            # entries are saved in groups: one of this scope may be written again with those of others
            under_way = set(self._saving)
            while under_way & self._saving:
                self._progress.clear()
                await self._progress.wait()
            for key in [key for key, waiting in self._deferred.items() if _any_scope(waiting) == scope]:
                del self._deferred[key]
            # what is said anew in the scope may lead to jobs of the same ids
            for job_id in [job_id for job_id, owner in self._finished.items() if owner == scope]:
                del self._finished[job_id]
            yield
        finally:
            del self._erasing[scope]
            over.set()

    @contextlib.asynccontextmanager
    async def paused(self, scope: Scope) -> AsyncIterator[None]:
        """While inside, no job of the scope that calls a model runs here; those that were running begin anew afterwards."""
        over = self._paused[scope] = asyncio.Event()
        self._interruptions[scope] += 1
        try:
            running = [self._heads[job_id] for job_id in self._running]
            await self._stopped([head.id for head in running if head.scope == scope and head.kind in MODEL_KINDS])
            yield
        finally:
            del self._paused[scope]
            over.set()

    async def _stopped(self, job_ids: Sequence[str]) -> None:
        tasks = [self._running[job_id] for job_id in job_ids]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def wait_idle(self, scope: Scope, *, timeout_s: float, writes_only: bool = False) -> int:
        """Wait until everything published for the scope so far, and what follows from it, is over; deferred counts as over.

        ``writes_only``: do not wait for jobs that call a model.
        Returns how many jobs are still open after ``timeout_s`` seconds; 0 = idle.
        """
        barrier = Job(
            id=derived_id("barrier", scope.key, self._clock.now().isoformat(), self._random.getrandbits(64)),
            kind="noop",
            scope=scope,
            payload={},
            created_at=self._clock.now(),
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                # it travels behind all that was published before it, so when it is through, they are too
                await self.submit(barrier)
                while next(self._open_jobs(scope, writes_only), None) is not None:
                    await self._moved_on()
        return len(set(self._open_jobs(scope, writes_only)))

    async def wait_for(self, job_id: str, *, timeout_s: float) -> bool:
        """Whether a job that was submitted here is over within ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while job_id in self._expected:
                    await self._moved_on()
        return job_id not in self._expected

    def stats(self) -> dict[str, str]:
        """Numbers since the start of this process, and what it holds now."""
        now = {
            "queued": len(self._queued),
            "running": len(self._running),
            "deferred_now": sum(len(entries) for entries in self._deferred.values()),
        }
        return {name: str(number) for name, number in {**self._counts, **now}.items()}

    def _open_jobs(self, scope: Scope, writes_only: bool) -> Iterator[str]:
        for jobs in (self._expected, self._queued, self._heads):
            for job_id, job in jobs.items():
                if job.scope == scope and not (writes_only and job.kind in MODEL_KINDS):
                    yield job_id

    def _expect(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.id not in self._finished:
                self._expected[job.id] = without_payload(job)
        while len(self._expected) > MOST_EXPECTED:
            del self._expected[next(iter(self._expected))]

    async def _moved_on(self) -> None:
        """Wait until something changes here, at most until it is time to ask what has ended elsewhere."""
        self._progress.clear()
        loop = asyncio.get_running_loop()
        self._asked_at = max(self._asked_at, loop.time() - ASK_EVERY_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._asked_at + ASK_EVERY_S):
                await self._progress.wait()
        if loop.time() >= self._asked_at + ASK_EVERY_S:
            self._asked_at = loop.time()
            with contextlib.suppress(EngineUnavailable):  # asked again
                await self._drop_ended()

    async def _drop_ended(self) -> None:
        """No longer expect what another process has brought to its end.  Raises EngineUnavailable."""
        elsewhere = [job_id for job_id in self._expected if job_id not in self._queued and job_id not in self._heads]
        asked = elsewhere[:ASKED_AT_ONCE]
        if not asked:
            return
        for job_id in asked:  # to the end of the row: the next time the others are asked for
            self._expected[job_id] = self._expected.pop(job_id)
        for entry in await self._ledger.get(asked):
            here = entry.job_id in self._queued or entry.job_id in self._heads
            sent_again = self._republished.get(entry.job_id, self._clock.now()) > self._clock.now()
            if not here and not (entry.state == "deferred" and sent_again):
                self._expected.pop(entry.job_id, None)
                self._republished.pop(entry.job_id, None)
        self._moved()

    def _moved(self) -> None:
        self._progress.set()


def _is_cancelled() -> bool:
    """Whether the running task itself was told to end, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _any_scope(waiting: Mapping[str, LedgerEntry]) -> Scope | None:
    return next((entry.scope for entry in waiting.values()), None)


def _head_of(entry: LedgerEntry) -> Job:
    return Job(
        id=entry.job_id,
        kind=entry.kind,
        scope=entry.scope,
        payload={},
        created_at=entry.created_at,
        attempt=entry.attempt,
        trigger=entry.trigger,
    )
