"""The ``reembed`` job: vectors of the embedding model in use for every record that has none of it (docs/adr/0010).

A scope that a former model's index answers for is moved to the one in use; of any other, what its index lacks is made.  The
graph is the truth, so a job that is interrupted goes on where it was: what has its vectors is passed over.
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
    """Payload ``{"workspace": true}``: a job for each scope of the workspace; else this job's scope.

    ``{"next": true}``: move the scope, and then the workspace's next one that a former model is read for.
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
            jobs = [self._of(job, scope) for scope in scopes]
            return JobOutcome(counts={"scopes": len(jobs)}, follow_ups=tuple(jobs))
        counts = Counter[str]() + await self._backfill.move(job.scope)  # without what is 0
        if job.payload.get("next") is True:
            return JobOutcome(counts=counts, follow_ups=await self._next(job))
        await self._facts(job.scope, counts)
        await self._episodes(job.scope, counts)
        return JobOutcome(counts=counts)

    def _of(self, job: Job, scope: Scope) -> Job:
        one = follow_up(job, "reembed", inherit_payload(job), trigger=job.trigger, at=job.created_at, discriminator=scope.key)
        return replace(one, scope=scope)

    async def _next(self, job: Job) -> tuple[Job, ...]:
        """One at a time: many scopes must not fill the worker's memory, nor keep other jobs waiting."""
        behind = [scope for scope in await _waiting(self._core.models, job.scope.workspace) if scope.key > job.scope.key]
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


async def _waiting(models: EmbeddingModels, workspace: str) -> list[Scope]:
    """The workspace's scopes that a former model is read for, in the order they are moved."""
    waiting = await models.waiting()
    return sorted((scope for scope in waiting if scope.workspace == workspace), key=lambda scope: scope.key)


class MigrationScheduler:
    """Sees to it that every scope is moved, and that former indexes go when none is left.

    Jobs of one workspace follow one another; a row of them begins at the start, and again when one has stopped.
    """

    def __init__(self, core: MemoryCore, publisher: JobPublisher) -> None:
        self._models = core.models
        self._job_store = core.graph.job_store
        self._clock = core.clock
        self._publisher = publisher
        self._seen: dict[str, tuple[list[Scope], int]] = {}

    async def tend(self, workspaces: Sequence[str]) -> None:
        """To be called from time to time.  Raises EngineUnavailable."""
        models = self._models
        if not models.formers:
            return
        dropped = await models.drop_empty()
        if dropped:
            logger.info("Every scope is embedded anew", extra={"model": models.current.profile.name, "dropped": dropped})
            return
        for workspace in workspaces:
            scopes = await _waiting(models, workspace)
            if not scopes:
                self._seen.pop(workspace, None)
                continue
            before, now = self._seen.get(workspace), (scopes, await models.current.facts.count(scopes[0]))
            self._seen[workspace] = now
            if before is None or (before == now and (scopes := [each for each in scopes if not await self._stopped(each)])):
                await self._publisher.publish([self._first(scopes[0])])

    def _first(self, scope: Scope) -> Job:
        now = self._clock.now()
        return Job(
            id=derived_id("job", "reembed", scope.key, self._models.current.key, now.isoformat()),
            kind="reembed",
            scope=scope,
            payload={"next": True},
            created_at=now,
            trigger=TRIGGER,
        )

    async def _stopped(self, scope: Scope) -> bool:
        """Its job waits for the model, or has failed: a person may replay it."""
        waiting = await self._job_store.listing(scope, states=("deferred", "dead"), limit=1000)
        return any(entry.kind == "reembed" for entry in waiting)
