"""The ``reembed`` job: write missing vectors of the current embedding model (docs/adr/0014).

A scope with points in previous indexes is moved to the current one.  An interrupted job continues by skipping records that
have vectors.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..indexing.document import is_without_vector
from ..indexing.token_signs import TOKENS
from ..jobs.delivery import JobOutcome, follow_up, inherit_payload
from ..jobs.registry import job_handler
from ..memory.ports import Job, JobPublisher, TokenEmbedder
from ..memory.records import FactStatus, derived_id
from ..memory.scope import Scope
from ..repositories.core import HasCore, MemoryCore
from ..repositories.facts import FactMemory
from ..repositories.pages import read_pages
from ..repositories.records import RecordMemory

logger = logging.getLogger(__name__)

BATCH = 32  # records per embedding call; small, because a question that arrives meanwhile waits for the call
EVERY: tuple[FactStatus, ...] = ("active", "quarantined", "superseded")
TRIGGER = "embedding-model"


async def move_scope(core: MemoryCore, scope: Scope) -> Counter[str]:
    """Write the points that only previous indexes have to the current one, then delete them from the previous ones.

    Returns the counts ``embedded`` and ``had`` (indexed before).

    Raises:
        ModelUnavailable: the current model does not answer; finished batches are kept.
        EngineUnavailable: an engine does not answer.
    """
    counts = Counter[str]()
    for memory in core.memories:
        for space in await memory.router.write_indexes(scope):
            if space is not memory.router.current:
                async for points in space.index.scan(scope, batch=BATCH):
                    counts += await _add_missing(memory, scope, [point.id for point in points])
                await space.index.delete_scope(scope)
                await core.notifier.changed(scope, memory.store_name)
    return counts


async def _add_missing(memory: RecordMemory[Any, Any], scope: Scope, ids: Sequence[str]) -> Counter[str]:
    shows_tokens = isinstance(memory, FactMemory) and isinstance(memory.router.current.embedder, TokenEmbedder)
    there = {
        point.id
        for point in await memory.index.fetch(scope, ids)
        if not is_without_vector(point) and (TOKENS in point.payload or not shows_tokens)
    }
    missing = [record_id for record_id in ids if record_id not in there]
    counts = Counter(had=len(there))
    for start in range(0, len(missing), BATCH):
        counts["embedded"] += await memory.reembed(scope, missing[start : start + BATCH])
    return counts


@job_handler("reembed", queue="index", submit="person")
class ReembedHandler:
    """Runs a ``reembed`` job, depending on its payload:

    - ``{"workspace": true}``: publish a job for each scope of the workspace
    - ``{"next": true}``: move this scope, then publish a job for the next scope of the workspace to move
    - otherwise: move this scope if needed, and add vectors of records that no index has
    """

    def __init__(self, context: HasCore) -> None:
        self._core = context.core

    async def __call__(self, job: Job) -> JobOutcome:
        if job.payload.get("workspace") is True:
            scopes = await self._core.graph.scopes.scopes(job.scope.workspace)
            jobs = [_job_for(job, scope) for scope in scopes]
            return JobOutcome(counts={"scopes": len(jobs)}, follow_ups=tuple(jobs))
        counts = await move_scope(self._core, job.scope)
        if job.payload.get("next") is True:
            # One scope at a time, so that many scopes neither fill memory nor delay other jobs.
            waiting = await self._core.models.waiting()
            behind = [each for each in waiting if each.workspace == job.scope.workspace and each.key > job.scope.key]
            return JobOutcome(counts=counts, follow_ups=tuple(_job_for(job, scope, next=True) for scope in behind[:1]))
        facts, episodes = self._core.facts, self._core.episodes
        async for page in read_pages(facts.graph.listing, job.scope, statuses=EVERY):
            counts += await _add_missing(facts, job.scope, [fact.id for fact in page])
        async for told in read_pages(episodes.graph.listing, job.scope):
            counts += await _add_missing(episodes, job.scope, [episode.id for episode in told])
        return JobOutcome(counts=counts)


def _job_for(parent: Job, scope: Scope, **payload: bool) -> Job:
    given = {**inherit_payload(parent), **payload}
    one = follow_up(parent, "reembed", given, trigger=parent.trigger, at=parent.created_at, discriminator=scope.key)
    return replace(one, scope=scope)


class MigrationScheduler:
    """Starts jobs until every scope is moved to the current embedding model, then drops the previous indexes.

    Each job of a workspace publishes the next one.  The scheduler starts the chain, and restarts it if it made no progress
    between two calls.
    """

    def __init__(self, core: MemoryCore, publisher: JobPublisher) -> None:
        self._core = core
        self._publisher = publisher
        self._seen: dict[str, dict[Scope, int]] = {}

    async def tick(self, workspaces: Sequence[str]) -> None:
        """Call this periodically.  Raises EngineUnavailable."""
        models = self._core.models
        if not models.previous:
            return
        if dropped := await models.drop_empty():
            logger.info("re-embedding finished with %s; dropped the index of %s", models.current.profile.name, dropped)
            return
        waiting = await models.waiting()
        for workspace in workspaces:
            before = self._seen.get(workspace)
            now = self._seen[workspace] = {scope: left for scope, left in waiting.items() if scope.workspace == workspace}
            if before is None or before == now:
                await self._start(now)

    async def _start(self, scopes: Iterable[Scope]) -> None:
        """Publish the job of the first scope that has no deferred or dead one: those are retried later, or by an operator."""
        for scope in scopes:
            stopped = await self._core.graph.job_store.listing(scope, states=("deferred", "dead"), limit=1000)
            if not any(entry.kind == "reembed" for entry in stopped):
                await self._publisher.publish([self._first_job(scope)])
                return

    def _first_job(self, scope: Scope) -> Job:
        now = self._core.clock.now()
        return Job(
            id=derived_id("job", "reembed", scope.key, self._core.models.current.profile.key, now.isoformat()),
            kind="reembed",
            scope=scope,
            payload={"next": True},
            created_at=now,
            trigger=TRIGGER,
        )
