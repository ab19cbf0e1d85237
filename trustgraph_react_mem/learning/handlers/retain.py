"""The ``retain`` job: deletes memories that are too old or exceed the quota, least useful first, and reports their number.

Usefulness falls with age and rises with importance and use.  Quotas count active memories only.  A quota that is exceeded is
enforced with some room to spare, so that the next memories do not make the job list the whole scope again.
Source: agentic memory specification, Resource Limits; semantic router memory, section 10.
"""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

from ...erasure.redaction import Redaction
from ...erasure.weights import forget_in_weights
from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.expiry import oldest_kept
from ...memory.ports import Job
from ...memory.records import FACT_STATUSES, HELD_STATUSES, Fact, is_instruction
from ...memory.scope import Scope
from ...rerank.forgetting import Forgotten
from ...settings import AgentMemSettings
from ..context import HandlerContext

T = TypeVar("T")
HALF_LIFE_DAYS = 90.0
PAGE = 1000
FORGET_BATCH = 500
FACTS_OF_AN_EPISODE = 10  # the quota of episodes is a tenth of that of facts
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
        if settings.fact_quota or settings.episode_ttl_days:
            counts["episodes_expired"] = await self._expire_episodes(scope, settings, now)
            counts["episodes_over_quota"] = await self._trim_episodes(scope, settings.fact_quota // FACTS_OF_AN_EPISODE, now)
        return JobOutcome(counts=counts)

    async def _expire_facts(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        """Delete expired facts, also where a conversation repeats the words of an expired turn."""
        limit, graph, count = oldest_kept(settings.fact_ttl_days, now), self._core.facts.graph, 0
        while limit and (page := await graph.listing(scope, statuses=FACT_STATUSES, before=limit, limit=FORGET_BATCH)):
            # Before the records are gone: a run that is interrupted here finds them again.
            said_in = [fact.invocation_id for fact in page if fact.kind == "turn"]
            await Redaction(self._core.graph, scope, [fact.id for fact in page], said_in).run()
            count += len(page)
            await self._forget_facts(scope, page)
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _expire_refinements(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        """Delete refinement sessions without a newer event.  Those of agents lost the words of expired turns already."""
        limit, graph, count = oldest_kept(settings.fact_ttl_days, now), self._core.graph, 0
        while limit and (page := await graph.refinements.silent_since(scope, limit, limit=FORGET_BATCH)):
            for session in page:
                await graph.conversations.forget(scope, session.id)
            count += len(page)
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _trim_facts(self, scope: Scope, quota: int, now: datetime) -> int:
        graph = self._core.facts.graph
        if not quota or sum((await graph.count(scope)).values()) <= quota:
            return 0  # common case: one count query instead of listing all facts
        held = await _read_all(lambda start: graph.listing(scope, statuses=HELD_STATUSES, limit=PAGE, offset=start))
        active = [fact for fact in held if fact.status == "active"]
        ranked = sorted(active, key=lambda fact: (is_instruction(fact), usefulness(fact, now), fact.id))
        excess = ranked[: _excess(len(active), quota)]
        await self._forget_facts(scope, excess)
        return len(excess)

    async def _expire_episodes(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> int:
        limit, episodes, count = oldest_kept(settings.episode_ttl_days, now), self._core.episodes, 0
        while limit and (page := await episodes.graph.listing(scope, undone=True, before=limit, limit=FORGET_BATCH)):
            await episodes.forget(scope, [episode.id for episode in page])
            count += len(page)
            if len(page) < FORGET_BATCH:
                break
        return count

    async def _trim_episodes(self, scope: Scope, quota: int, now: datetime) -> int:
        graph = self._core.episodes.graph
        if not quota or await graph.count(scope) <= quota:
            return 0
        episodes = await _read_all(lambda start: graph.listing(scope, undone=False, limit=PAGE, offset=start))
        ranked = sorted(episodes, key=lambda e: (_decayed_importance(e.importance, e.created_at, now), e.id))
        excess = [episode.id for episode in ranked[: _excess(len(episodes), quota)]]
        for start in range(0, len(excess), FORGET_BATCH):
            await self._core.episodes.forget(scope, excess[start : start + FORGET_BATCH])
        return len(excess)

    async def _forget_facts(self, scope: Scope, facts: Sequence[Fact]) -> None:
        for start in range(0, len(facts), FORGET_BATCH):
            batch = facts[start : start + FORGET_BATCH]
            ids, said_in = [fact.id for fact in batch], {fact.invocation_id for fact in batch if fact.kind == "turn"}
            await forget_in_weights(self._core, scope, Forgotten(records=set(ids), invocations=said_in))
            await self._core.facts.forget(scope, ids)


async def _read_all(read_page: Callable[[int], Awaitable[Sequence[T]]]) -> list[T]:
    found: list[T] = []
    while page := await read_page(len(found)):
        found += page
    return found


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
