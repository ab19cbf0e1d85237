"""The ``reembed`` job: vectors of the embedding model in use for every record that has none of it.

The graph is the truth and the index can be made anew from it, batch by batch: a job that is interrupted goes on where it was,
because what has its vectors is passed over.  Reads go on meanwhile, with what is there so far.
"""

from collections import Counter
from dataclasses import replace

from ..memory.ports import Job
from ..memory.records import FactStatus
from ..memory.scope import Scope
from .delivery import Outcome, follow_up
from .workshop import Workshop, carried

BATCH = 200
EVERY: tuple[FactStatus, ...] = ("active", "quarantined", "superseded")


class ReembedHandler:
    """Payload ``{"workspace": true}``: a job for each scope of the workspace; else this job's scope."""

    def __init__(self, workshop: Workshop) -> None:
        self._shop = workshop

    async def __call__(self, job: Job) -> Outcome:
        if job.payload.get("workspace") is True:
            scopes = await self._shop.scopes_of(job.scope.workspace)
            jobs = [self._of(job, scope) for scope in scopes]
            return Outcome(counts={"scopes": len(jobs)}, follow_ups=tuple(jobs))
        counts: Counter[str] = Counter()
        await self._facts(job.scope, counts)
        await self._episodes(job.scope, counts)
        return Outcome(counts=counts)

    def _of(self, job: Job, scope: Scope) -> Job:
        one = follow_up(job, "reembed", carried(job), trigger=job.trigger, at=job.created_at, discriminator=scope.key)
        return replace(one, scope=scope)

    async def _facts(self, scope: Scope, counts: Counter[str]) -> None:
        facts, seen = self._shop.facts, 0
        while page := await facts.listing(scope, statuses=EVERY, limit=BATCH, offset=seen):
            seen += len(page)
            there = {point.id for point in await facts.index.fetch(scope, [fact.id for fact in page])}
            missing = [fact for fact in page if fact.id not in there]
            if missing:
                await facts.finish_indexing(scope, missing)
            counts["facts"] += len(missing)
            counts["had"] += len(there)

    async def _episodes(self, scope: Scope, counts: Counter[str]) -> None:
        episodes, seen = self._shop.episodes, 0
        while page := await episodes.listing(scope, limit=BATCH, offset=seen):
            seen += len(page)
            there = {point.id for point in await episodes.index.fetch(scope, [episode.id for episode in page])}
            missing = [episode for episode in page if episode.id not in there]
            if missing:
                await episodes.finish_indexing(scope, missing)
            counts["episodes"] += len(missing)
