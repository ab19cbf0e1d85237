"""The ``reembed`` job: write missing vectors of the current embedding model (docs/adr/0010).

A scope that is read with a previous model is migrated to the current one.  In any other scope, missing vectors are added.
The graph is the system of record, so an interrupted job continues by skipping records that have vectors.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..indexing.routing import EmbeddingModels
from ..jobs.delivery import JobOutcome, follow_up
from ..jobs.payload import inherit_payload
from ..jobs.registry import job_handler
from ..memory.ports import Job, JobPublisher
from ..memory.records import FactStatus, derived_id
from ..memory.scope import Scope
from ..repositories.core import HasCore, MemoryCore
from .backfill import Backfill

logger = logging.getLogger(__name__)

BATCH = 200
EVERY: tuple[FactStatus, ...] = ("active", "quarantined", "superseded")
TRIGGER = "embedding-model"


@job_handler("reembed", queue="index", submit="person")
class ReembedHandler:
    """Runs a ``reembed`` job, depending on its payload:

    - ``{"workspace": true}``: publish a job for each scope of the workspace
    - ``{"next": true}``: migrate this scope, then publish a job for the next scope of the workspace to migrate
    - otherwise: migrate this scope if needed, and add missing vectors
    """

    def __init__(self, core: MemoryCore) -> None:
        self._core = core
        self._backfill = Backfill(core)

    @classmethod
    def from_context(cls, context: HasCore) -> "ReembedHandler":
        return cls(context.core)

    async def __call__(self, job: Job) -> JobOutcome:
        if job.payload.get("workspace") is True:
            scopes = await self._core.graph.scopes.scopes(job.scope.workspace)
            jobs = [self._job_for(job, scope) for scope in scopes]
            return JobOutcome(counts={"scopes": len(jobs)}, follow_ups=tuple(jobs))
        counts = Counter[str]() + await self._backfill.move(job.scope)  # adding drops counts of 0
        if job.payload.get("next") is True:
            return JobOutcome(counts=counts, follow_ups=await self._next(job))
        await self._facts(job.scope, counts)
        await self._episodes(job.scope, counts)
        return JobOutcome(counts=counts)

    def _job_for(self, job: Job, scope: Scope) -> Job:
        one = follow_up(job, "reembed", inherit_payload(job), trigger=job.trigger, at=job.created_at, discriminator=scope.key)
        return replace(one, scope=scope)

    async def _next(self, job: Job) -> tuple[Job, ...]:
        """The job for the next scope.  One at a time, so that many scopes neither fill memory nor delay other jobs."""
        behind = [
            scope for scope in await _scopes_to_migrate(self._core.models, job.scope.workspace) if scope.key > job.scope.key
        ]
        if not behind:
            return ()
        payload = {**inherit_payload(job), "next": True}
        one = follow_up(job, "reembed", payload, trigger=job.trigger, at=job.created_at, discriminator=behind[0].key)
        return (replace(one, scope=behind[0]),)

    async def _facts(self, scope: Scope, counts: Counter[str]) -> None:
        facts, seen = self._core.facts, 0
        while page := await facts.graph.listing(scope, statuses=EVERY, limit=BATCH, offset=seen):
            seen += len(page)
            there = {point.id for point in await facts.index.fetch(scope, [fact.id for fact in page])}
            missing = [fact for fact in page if fact.id not in there]
            if missing:
                await facts.finish_indexing(scope, missing)
            counts["facts"] += len(missing)
            counts["had"] += len(there)

    async def _episodes(self, scope: Scope, counts: Counter[str]) -> None:
        episodes, seen = self._core.episodes, 0
        while page := await episodes.graph.listing(scope, limit=BATCH, offset=seen):
            seen += len(page)
            there = {point.id for point in await episodes.index.fetch(scope, [episode.id for episode in page])}
            missing = [episode for episode in page if episode.id not in there]
            if missing:
                await episodes.finish_indexing(scope, missing)
            counts["episodes"] += len(missing)


async def _scopes_to_migrate(models: EmbeddingModels, workspace: str) -> list[Scope]:
    """Scopes of the workspace that are read with a previous model, in the order of migration."""
    waiting = await models.scopes_to_migrate()
    return sorted((scope for scope in waiting if scope.workspace == workspace), key=lambda scope: scope.key)


class MigrationScheduler:
    """Starts migration jobs until every scope is migrated, then drops the previous indexes.

    Each job of a workspace publishes the next one.  The scheduler starts the chain, and restarts it if it made no progress
    between two calls.
    """

    def __init__(self, core: MemoryCore, publisher: JobPublisher) -> None:
        self._models = core.models
        self._job_store = core.graph.job_store
        self._clock = core.clock
        self._publisher = publisher
        self._seen: dict[str, tuple[list[Scope], int]] = {}

    async def tick(self, workspaces: Sequence[str]) -> None:
        """Call this periodically.  Raises EngineUnavailable."""
        models = self._models
        if not models.previous_models:
            return
        dropped = await models.drop_empty()
        if dropped:
            logger.info("re-embedding finished with %s; dropped the index of %s", models.current.profile.name, dropped)
            return
        for workspace in workspaces:
            scopes = await _scopes_to_migrate(models, workspace)
            if not scopes:
                self._seen.pop(workspace, None)
                continue
            before, now = self._seen.get(workspace), (scopes, await models.current.facts.count(scopes[0]))
            self._seen[workspace] = now
            if before is None or (
                before == now and (scopes := [each for each in scopes if not await self._has_stopped_job(each)])
            ):
                await self._publisher.publish([self._first_job(scopes[0])])

    def _first_job(self, scope: Scope) -> Job:
        now = self._clock.now()
        return Job(
            id=derived_id("job", "reembed", scope.key, self._models.current.key, now.isoformat()),
            kind="reembed",
            scope=scope,
            payload={"next": True},
            created_at=now,
            trigger=TRIGGER,
        )

    async def _has_stopped_job(self, scope: Scope) -> bool:
        """Whether a job of the scope is deferred or dead.  Those are retried later, or replayed by an operator."""
        waiting = await self._job_store.listing(scope, states=("deferred", "dead"), limit=1000)
        return any(entry.kind == "reembed" for entry in waiting)
