"""Looking at jobs and taking hold of what is stuck."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadRequest, NotFound
from ..memory.ports import Clock, Job, JobEntry, JobState, JobStore, KeyRing
from ..memory.scope import Scope
from .delayed import DelayedJobs
from .delivery import NO_WORK, same_scope
from .entries import entry_of
from .group_commit import GroupCommitJobStore
from .worker_state import WorkerState


class JobAdmin:
    def __init__(
        self,
        books: WorkerState,
        deferral: DelayedJobs,
        job_store: JobStore,
        grouped: GroupCommitJobStore,
        keyring: KeyRing,
        clock: Clock,
    ) -> None:
        self._books, self._deferral = books, deferral
        self._ledger, self._grouped = job_store, grouped
        self._keyring, self._clock = keyring, clock

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        """Jobs known to the ledger and those that this process holds, newest first; None = all scopes."""
        now = self._clock.now()
        held = [entry_of(job, "running", at=now) for job in self._books.heads.values()]
        held += [entry_of(job, "queued", at=now) for job in self._books.queued.values()]
        here = {entry.job_id: entry for entry in held if same_scope(scope, entry.scope) and entry.kind not in NO_WORK}
        stored = await self._ledger.listing(scope, states=states, limit=limit)
        there = [entry for entry in stored if entry.job_id not in here and entry.kind not in NO_WORK]
        rows = [entry for entry in here.values() if not states or entry.state in states] + there
        return sorted(rows, key=lambda entry: (entry.created_at, entry.job_id), reverse=True)[:limit]

    async def find(self, scope: Scope, job_id: str) -> JobEntry:
        """Raises NotFound."""
        held: tuple[tuple[Job | None, JobState], ...] = (
            (self._books.heads.get(job_id), "running"),
            (self._books.queued.get(job_id), "queued"),
        )
        for head, state in held:
            if head is not None and head.scope == scope:
                return entry_of(head, state, at=self._clock.now())
        for entry in await self._ledger.get([job_id]):
            if entry.scope == scope:
                return entry
        expected = self._books.expected.get(job_id)  # published, and not yet back from the broker
        if expected is not None and expected.scope == scope:
            return entry_of(expected, "queued", at=self._clock.now())
        raise NotFound(f"no job {job_id!r} in this scope: list the jobs for their ids")

    async def cancel(self, scope: Scope, job_id: str) -> JobEntry:
        """Stop a job that is not over; what it has written stays.  Raises NotFound, BadRequest (it is over)."""
        entry = await self.find(scope, job_id)
        if entry.state in ("queued", "running"):
            self._books.cancelled.add(job_id)
            running = self._books.running.get(job_id)
            if running is not None:
                running.cancel()
            return replace(entry, state="cancelled")
        if entry.state != "deferred":
            raise BadRequest(f"job {job_id} is {entry.state}: only a queued, running or deferred one can be cancelled")
        return await self._deferral.closed(entry)

    async def replay(self, scope: Scope, job_id: str) -> JobEntry:
        """Run a dead or deferred job again at once.  Raises NotFound, BadRequest (it is neither), ScopeErased."""
        entry = await self.find(scope, job_id)
        if entry.state not in ("dead", "deferred"):
            raise BadRequest(f"job {job_id} is {entry.state}: only a dead or deferred one can be replayed")
        await self._keyring.open(scope, entry.sealed_payload)
        due = replace(entry, state="deferred", not_before=self._clock.now(), updated_at=self._clock.now(), attempt=1)
        self._books.model_rests.pop(scope.workspace, None)
        await self._grouped.save(due)
        self._books.note_deferred(due)
        self._books.republished.pop(job_id, None)
        await self._deferral.sweep()
        return due

    async def drop(self, scope: Scope, job_id: str) -> JobEntry:
        """Give up a dead or deferred job and its payload.  Raises NotFound, BadRequest."""
        entry = await self.find(scope, job_id)
        if entry.state not in ("dead", "deferred"):
            raise BadRequest(f"job {job_id} is {entry.state}: only a dead or deferred one can be dropped")
        return await self._deferral.closed(entry)

    def stats(self) -> dict[str, str]:
        """Numbers since the start of this process, and what it holds now."""
        now = {
            "queued": len(self._books.queued),
            "running": len(self._books.running),
            "deferred_now": sum(len(entries) for entries in self._books.deferred.values()),
        }
        return {name: str(number) for name, number in {**self._books.counts, **now}.items()}
