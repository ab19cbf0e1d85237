"""Listing, cancelling, replaying and dropping jobs."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadRequest, NotFound
from ..memory.ports import UNDECODABLE, Clock, JobEntry, JobState, JobStore, KeyRing
from ..memory.scope import Scope
from .delayed import DelayedJobs
from .entries import entry_from_job
from .registry import is_barrier
from .worker_state import HeldJob, WorkerState


class JobAdmin:
    """Operations on jobs for the jobs service.  Used by the process that runs the worker."""

    def __init__(self, state: WorkerState, delayed: DelayedJobs, job_store: JobStore, keyring: KeyRing, clock: Clock) -> None:
        self._state, self._delayed = state, delayed
        self._job_store, self._keyring, self._clock = job_store, keyring, clock

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        """Jobs in the job store, and those that this process holds or has published, last changed first.

        ``scope`` None: all scopes.
        """
        held = [self._entry(held) for held in self._state.held.values()]
        here = {entry.ref: entry for entry in held if scope in (None, entry.scope) and not is_barrier(entry.kind)}
        here |= {entry.ref: entry for entry in await self._not_delivered(scope, limit)}
        rows = [entry for entry in here.values() if not states or entry.state in states]
        there, read = list[JobEntry](), limit
        while True:  # barriers are stored as well, and do not count; dead ones are messages that could not be decoded
            stored = await self._job_store.listing(scope, states=states, limit=read)
            there = [entry for entry in stored if entry.ref not in here]
            there = [entry for entry in there if entry.state == "dead" or not is_barrier(entry.kind)]
            if len(stored) < read or len(there) >= limit:
                break
            read *= 4
        return sorted([*rows, *there], key=lambda entry: (entry.updated_at, entry.job_id), reverse=True)[:limit]

    async def _not_delivered(self, scope: Scope | None, limit: int) -> list[JobEntry]:
        """The newest jobs that were published here and that neither this process nor the job store has."""
        found = [job for job in self._state.jobs_on_their_way() if scope in (None, job.scope) and not is_barrier(job.kind)]
        newest = found[-limit:]
        known = {entry.ref for entry in await self._job_store.get([job.ref for job in newest])} if newest else set()
        return [entry_from_job(job, "queued", at=self._clock.now()) for job in newest if job.ref not in known]

    async def find(self, scope: Scope, job_id: str) -> JobEntry:
        """The entry of one job, from this process or from the job store.  Raises NotFound."""
        ref = (scope, job_id)
        held = self._state.held.get(ref)
        if held is not None:
            return self._entry(held)
        for entry in await self._job_store.get([ref]):
            return entry
        expected = self._state.expected.get(ref)  # published but not delivered yet
        if expected is not None:
            return entry_from_job(expected, "queued", at=self._clock.now())
        raise NotFound(f"no job {job_id!r} in this scope: list the jobs to see their ids")

    def _entry(self, held: HeldJob) -> JobEntry:
        return entry_from_job(held.job, "running" if held.started else "queued", at=self._clock.now())

    async def cancel(self, scope: Scope, job_id: str) -> JobEntry:
        """Stop a job that has not finished.  What it has written stays.

        Raises:
            NotFound: no such job in the scope.
            BadRequest: the job is finished or dead.
        """
        entry = await self.find(scope, job_id)
        if entry.state in ("queued", "running"):
            cancelled = replace(entry, state="cancelled")
            if entry.ref in self._state.held:
                self._state.cancel(entry.ref)
            else:  # on its way, or with another worker, which sees it before it runs the job
                await self._job_store.save([cancelled])
            return cancelled
        if entry.state != "deferred":
            raise BadRequest(f"job {job_id} is {entry.state}: only queued, running or deferred jobs can be cancelled")
        return await self._delayed.close(entry)

    async def replay(self, scope: Scope, job_id: str) -> JobEntry:
        """Run a dead or deferred job again now.

        Raises:
            NotFound: no such job in the scope.
            BadRequest: the job is neither dead nor deferred.
            ScopeErased: the payload can no longer be decrypted.
        """
        entry = await self._find_stuck(scope, job_id, "replayed")
        if entry.scope.collection == UNDECODABLE:
            raise BadRequest(f"job {job_id} is a message that could not be decoded: drop it, and publish the job again")
        # Checks that the payload is readable before anything changes.
        await self._keyring.open(scope, entry.sealed_payload, binding=entry.binding)
        due = replace(entry, state="deferred", not_before=self._clock.now(), updated_at=self._clock.now(), attempt=1)
        self._state.resume_model(scope.workspace)
        await self._job_store.save([due])
        self._delayed.hold_back(due)
        self._state.forget_resent(entry.ref)
        await self._delayed.sweep()
        return due

    async def drop(self, scope: Scope, job_id: str) -> JobEntry:
        """Discard a dead or deferred job and its payload.  Raises NotFound, BadRequest (neither dead nor deferred)."""
        return await self._delayed.close(await self._find_stuck(scope, job_id, "dropped"))

    async def _find_stuck(self, scope: Scope, job_id: str, what: str) -> JobEntry:
        entry = await self.find(scope, job_id)
        if entry.state not in ("dead", "deferred"):
            raise BadRequest(f"job {job_id} is {entry.state}: only dead or deferred jobs can be {what}")
        return entry

    def stats(self) -> dict[str, str]:
        """Counters since this process started, and the number of jobs that it holds now."""
        waiting = self.waiting()
        now = {"queued": waiting["queued"], "running": waiting["running"], "deferred_now": waiting["deferred"]}
        return {name: str(number) for name, number in {**self._state.counts, **now}.items()}

    def waiting(self) -> dict[str, int]:
        """Number of jobs that have not ended, by state: queued, running, deferred."""
        held = list(self._state.held.values())
        return {
            "queued": sum(not each.started for each in held),
            "running": sum(each.running for each in held),
            "deferred": self._state.count_delayed(),
        }

    def oldest_s(self) -> float:
        """Age of the oldest job that is not running, in seconds.  0: there is none."""
        oldest = self._state.oldest_waiting()
        return max(0.0, (self._clock.now() - oldest).total_seconds()) if oldest is not None else 0.0
