"""The ``retain`` job: deletes memories that are too old or exceed the quota, least useful first, and reports their number.

Usefulness falls with age and rises with importance and use.  Quotas count active memories only.
Source: agentic memory specification, Resource Limits; semantic router memory, section 10.
"""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.ports import Job
from ...memory.records import FACT_STATUSES, HELD_STATUSES, Episode, Fact, FactStatus
from ..context import HandlerContext

HALF_LIFE_DAYS = 90.0
PAGE = 1000
FORGET_BATCH = 500


@job_handler("retain", queue="write", submit="person")
class RetainHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        settings, now = self._context.settings(job), self._context.core.clock.now()
        counts: Counter[str] = Counter()
        if settings.fact_quota or settings.fact_ttl_days:
            facts = await self._facts(job)
            old = [fact.id for fact in facts if _is_expired(fact.created_at, settings.fact_ttl_days, now)]
            rest = [fact for fact in facts if not _is_expired(fact.created_at, settings.fact_ttl_days, now)]
            active = [fact for fact in rest if fact.status == "active"]
            over = len(active) - settings.fact_quota if settings.fact_quota else 0
            least = sorted(active, key=lambda fact: (usefulness(fact, now), fact.id))[: max(0, over)]
            counts["facts_expired"], counts["facts_over_quota"] = len(old), len(least)
            await self._forget_facts(job, [*old, *(fact.id for fact in least)])
        if settings.episode_quota or settings.episode_ttl_days:
            episodes = await self._episodes(job)
            old = [episode.id for episode in episodes if _is_expired(episode.created_at, settings.episode_ttl_days, now)]
            gone = set(old)
            rest_episodes = [episode for episode in episodes if episode.id not in gone and episode.undone_at is None]
            over = len(rest_episodes) - settings.episode_quota if settings.episode_quota else 0
            ranked = sorted(rest_episodes, key=lambda e: (_decayed_importance(e.importance, e.created_at, now), e.id))
            excess = ranked[: max(0, over)]
            counts["episodes_expired"], counts["episodes_over_quota"] = len(old), len(excess)
            ids = [*old, *(episode.id for episode in excess)]
            for start in range(0, len(ids), FORGET_BATCH):
                await self._context.core.episodes.forget(job.scope, ids[start : start + FORGET_BATCH])
        if settings.undone_ttl_days:
            counts["undone_expired"] = await self._forget_undone(job, settings.undone_ttl_days, now)
        return JobOutcome(counts=counts)

    async def _forget_undone(self, job: Job, ttl_days: int, now: datetime) -> int:
        """Delete facts and episodes that were undone more than ``ttl_days`` days ago; returns their number."""
        facts = [
            fact.id
            for fact in await self._facts_of(job, ("undone",))
            if fact.superseded_at is not None and _is_expired(fact.superseded_at, ttl_days, now)
        ]
        await self._forget_facts(job, facts)
        episodes = [
            episode.id
            for episode in await self._episodes_of(job, undone=True)
            if episode.undone_at is not None and _is_expired(episode.undone_at, ttl_days, now)
        ]
        for start in range(0, len(episodes), FORGET_BATCH):
            await self._context.core.episodes.forget(job.scope, episodes[start : start + FORGET_BATCH])
        return len(facts) + len(episodes)

    async def _facts(self, job: Job) -> list[Fact]:
        settings = self._context.settings(job)
        if not settings.fact_ttl_days:
            counted = await self._context.core.facts.graph.count(job.scope)
            if sum(counted.values()) <= settings.fact_quota:
                return []  # common case: one count query instead of listing all facts
        return await self._facts_of(job, FACT_STATUSES if settings.fact_ttl_days else HELD_STATUSES)

    async def _facts_of(self, job: Job, statuses: Sequence[FactStatus]) -> list[Fact]:
        found: list[Fact] = []
        while True:
            page = await self._context.core.facts.graph.listing(job.scope, statuses=statuses, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found

    async def _episodes(self, job: Job) -> list[Episode]:
        settings = self._context.settings(job)
        if not settings.episode_ttl_days and await self._context.core.episodes.graph.count(job.scope) <= settings.episode_quota:
            return []
        return await self._episodes_of(job, undone=bool(settings.episode_ttl_days))

    async def _episodes_of(self, job: Job, *, undone: bool) -> list[Episode]:
        found: list[Episode] = []
        while True:
            page = await self._context.core.episodes.graph.listing(job.scope, undone=undone, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found

    async def _forget_facts(self, job: Job, ids: list[str]) -> None:
        for start in range(0, len(ids), FORGET_BATCH):
            await self._context.core.facts.forget(job.scope, ids[start : start + FORGET_BATCH])


def usefulness(fact: Fact, now: datetime) -> float:
    """Importance with a half-life of 90 days since the last use, plus 0.25 ln(1 + uses).  The decayed part of verbatim turns
    counts half."""
    kind = 0.5 if fact.kind == "turn" else 1.0
    return kind * _decayed_importance(fact.importance, fact.last_used_at or fact.created_at, now) + 0.25 * math.log1p(fact.uses)


def _decayed_importance(importance: float, since: datetime, now: datetime) -> float:
    days = max(0.0, (now - since).total_seconds() / 86400)
    return (0.1 + importance) * math.exp2(-days / HALF_LIFE_DAYS)


def _is_expired(created_at: datetime, ttl_days: int, now: datetime) -> bool:
    return bool(ttl_days) and now - created_at > timedelta(days=ttl_days)
