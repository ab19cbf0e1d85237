"""The ``retain`` job: deletes memories that are too old or exceed the quota, least useful first, and reports their number.

Usefulness falls with age and rises with importance and use.  Quotas count active memories only.  A quota that is exceeded is
enforced with some room to spare, so that the next memories do not make the job list the whole scope again.
Source: agentic memory specification, Resource Limits; semantic router memory, section 10.
"""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...erasure.redaction import Redaction
from ...erasure.weights import forget_in_weights
from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.expiry import oldest_kept
from ...memory.ports import Job
from ...memory.records import FACT_STATUSES, HELD_STATUSES, Episode, Fact, FactStatus, is_instruction
from ...memory.scope import Scope
from ...rerank.forgetting import Forgotten
from ...settings import AgentMemSettings
from ..context import HandlerContext

HALF_LIFE_DAYS = 90.0
PAGE = 1000
FORGET_BATCH = 500
ROOM = 20  # an exceeded quota is enforced down to 1 - 1 / ROOM of it


@job_handler("retain", queue="write", submit="person")
class RetainHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._core = context.core
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        settings, now = self._context.settings(job), self._core.clock.now()
        scope, counts = job.scope, Counter[str]()
        if settings.fact_quota or settings.fact_ttl_days:
            counts["facts_expired"] = await self._expire_facts(scope, settings, now)
            counts["refinements_expired"] = await self._expire_refinements(scope, settings, now)
            counts["facts_over_quota"] = await self._trim_facts(scope, settings.fact_quota, now)
        if settings.episode_quota or settings.episode_ttl_days:
            counts["episodes_expired"] = await self._expire_episodes(scope, settings, now)
            counts["episodes_over_quota"] = await self._trim_episodes(scope, settings.episode_quota, now)
        if settings.undone_ttl_days:
            counts["undone_expired"] = await self._forget_undone(scope, now - timedelta(days=settings.undone_ttl_days))
        return JobOutcome(counts=counts)

    async def _expire_facts(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        """Delete expired facts, also where a conversation repeats the words of an expired turn."""
        limit, count = oldest_kept(settings.fact_ttl_days, now), 0
        while limit is not None:
            page = await self._core.facts.graph.listing(scope, statuses=FACT_STATUSES, before=limit, limit=FORGET_BATCH)
            ids = [fact.id for fact in page]
            said_in = [fact.invocation_id for fact in page if fact.kind == "turn"]
            # Before the records are gone: a run that is interrupted here finds them again.
            await Redaction(self._core.graph, scope, ids, said_in).run()
            await forget_in_weights(self._core, scope, Forgotten(records=set(ids), invocations=set(said_in)))
            count += await self._core.facts.forget(scope, ids) if ids else 0
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _expire_refinements(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        """Delete refinement sessions without a newer event.  Those of agents lost the words of expired turns already."""
        limit, count = oldest_kept(settings.fact_ttl_days, now), 0
        while limit is not None:
            page = await self._core.graph.refinements.silent_since(scope, limit, limit=FORGET_BATCH)
            for session in page:
                await self._core.graph.conversations.forget(scope, session.id)
            count += len(page)
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _trim_facts(self, scope: Scope, quota: int, now: datetime) -> int:
        if not quota or sum((await self._core.facts.graph.count(scope)).values()) <= quota:
            return 0  # common case: one count query instead of listing all facts
        active = [fact for fact in await self._facts_of(scope, HELD_STATUSES) if fact.status == "active"]
        ranked = sorted(active, key=lambda fact: (is_instruction(fact), usefulness(fact, now), fact.id))
        excess = ranked[: _excess(len(active), quota)]
        await self._forget_facts(scope, excess)
        return len(excess)

    async def _expire_episodes(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        limit, count = oldest_kept(settings.episode_ttl_days, now), 0
        while limit is not None:
            page = await self._core.episodes.graph.listing(scope, undone=True, before=limit, limit=FORGET_BATCH)
            if page:
                await self._core.episodes.forget(scope, [episode.id for episode in page])
            count += len(page)
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _trim_episodes(self, scope: Scope, quota: int, now: datetime) -> int:
        if not quota or await self._core.episodes.graph.count(scope) <= quota:
            return 0
        episodes = await self._episodes_of(scope, undone=False)
        ranked = sorted(episodes, key=lambda e: (_decayed_importance(e.importance, e.created_at, now), e.id))
        excess = [episode.id for episode in ranked[: _excess(len(episodes), quota)]]
        await self._forget_episodes(scope, excess)
        return len(excess)

    async def _forget_undone(self, scope: Scope, limit: datetime) -> int:
        """Delete facts and episodes that were undone before ``limit``; returns their number."""
        undone = await self._facts_of(scope, ("undone",))
        facts = [fact for fact in undone if fact.superseded_at is not None and fact.superseded_at < limit]
        await self._forget_facts(scope, facts)
        marked = await self._episodes_of(scope, undone=True)
        episodes = [episode.id for episode in marked if episode.undone_at is not None and episode.undone_at < limit]
        await self._forget_episodes(scope, episodes)
        return len(facts) + len(episodes)

    async def _facts_of(self, scope: Scope, statuses: Sequence[FactStatus]) -> list[Fact]:
        found: list[Fact] = []
        while True:
            page = await self._core.facts.graph.listing(scope, statuses=statuses, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found

    async def _episodes_of(self, scope: Scope, *, undone: bool) -> list[Episode]:
        found: list[Episode] = []
        while True:
            page = await self._core.episodes.graph.listing(scope, undone=undone, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found

    async def _forget_facts(self, scope: Scope, facts: Sequence[Fact]) -> None:
        for start in range(0, len(facts), FORGET_BATCH):
            batch = facts[start : start + FORGET_BATCH]
            ids, said_in = [fact.id for fact in batch], {fact.invocation_id for fact in batch if fact.kind == "turn"}
            await forget_in_weights(self._core, scope, Forgotten(records=set(ids), invocations=said_in))
            await self._core.facts.forget(scope, ids)

    async def _forget_episodes(self, scope: Scope, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), FORGET_BATCH):
            await self._core.episodes.forget(scope, ids[start : start + FORGET_BATCH])


def usefulness(fact: Fact, now: datetime) -> float:
    """Importance with a half-life of 90 days since the last use, plus 0.25 ln(1 + uses).  The decayed part of verbatim turns
    counts half."""
    kind = 0.5 if fact.kind == "turn" else 1.0
    return kind * _decayed_importance(fact.importance, fact.last_used_at or fact.created_at, now) + 0.25 * math.log1p(fact.uses)


def _decayed_importance(importance: float, since: datetime, now: datetime) -> float:
    days = max(0.0, (now - since).total_seconds() / 86400)
    return (0.1 + importance) * math.exp2(-days / HALF_LIFE_DAYS)


def _excess(number: int, quota: int) -> int:
    return max(0, number - (quota - quota // ROOM))
