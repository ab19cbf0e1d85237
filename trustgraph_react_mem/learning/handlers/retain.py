"""The ``retain`` job: deletes memories that are too old or exceed the quota, least useful first, and reports their number.

Usefulness falls with age and rises with importance and use.  Quotas count active memories only.  A quota that is exceeded is
enforced with some room to spare, so that the next memories do not make the job list the whole scope again.
Source: agentic memory specification, Resource Limits; semantic router memory, section 10.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar

from ...erasure.redaction import Redaction
from ...erasure.weights import forget_in_weights
from ...jobs.delivery import JobOutcome
from ...memory.clock import oldest_kept
from ...memory.records import FACT_STATUSES, HELD_STATUSES, Fact, is_instruction
from ...repositories.pages import read_pages
from ...rerank.forgetting import Forgotten
from ..context import Work, learns

T = TypeVar("T")
HALF_LIFE_DAYS = 90.0
FORGET_BATCH = 500
FACTS_OF_AN_EPISODE = 10  # the quota of episodes is a tenth of that of facts
ROOM = 20  # an exceeded quota is enforced down to 1 - 1 / ROOM of it


@learns("retain", queue="write", submit="person")
async def retain(work: Work) -> JobOutcome:
    settings, counts, scope, now = work.settings, Counter[str](), work.scope, work.core.clock.now()
    graph, episodes = work.core.graph, work.core.episodes
    if settings.fact_quota or settings.fact_ttl_days:
        limit, facts = oldest_kept(settings.fact_ttl_days, now), work.core.facts.graph
        counts.update(facts_expired=0, refinements_expired=0)
        async for old in _pages(limit, partial(facts.listing, scope, statuses=FACT_STATUSES, limit=FORGET_BATCH)):
            # Also where a conversation repeats the words of an expired turn.  Before the records are gone: a run that is
            # interrupted here finds them again.
            said_in = [fact.invocation_id for fact in old if fact.kind == "turn"]
            await Redaction(graph, scope, [fact.id for fact in old], said_in).run()
            await _forget_facts(work, old)
            counts["facts_expired"] += len(old)
        # Refinement sessions without a newer event.  Those of agents lost the words of expired turns already.
        async for silent in _pages(limit, partial(graph.refinements.silent_since, scope, limit=FORGET_BATCH)):
            for session in silent:
                await graph.conversations.forget(scope, session.id)
            counts["refinements_expired"] += len(silent)
        counts["facts_over_quota"] = await _trim_facts(work, now)
    if settings.fact_quota or settings.episode_ttl_days:
        limit = oldest_kept(settings.episode_ttl_days, now)
        counts.update(episodes_expired=0)
        async for done in _pages(limit, partial(episodes.graph.listing, scope, undone=True, limit=FORGET_BATCH)):
            await episodes.forget(scope, [episode.id for episode in done])
            counts["episodes_expired"] += len(done)
        counts["episodes_over_quota"] = await _trim_episodes(work, now)
    return JobOutcome(counts=counts)


async def _pages(limit: datetime | None, read: Callable[..., Awaitable[Sequence[T]]]) -> AsyncIterator[Sequence[T]]:
    """What is older than ``limit``, page by page.  The caller forgets each page before it asks for the next."""
    while limit and (page := await read(before=limit)):
        yield page
        if len(page) < FORGET_BATCH:
            break


async def _trim_facts(work: Work, now: datetime) -> int:
    graph, scope, quota = work.core.facts.graph, work.scope, work.settings.fact_quota
    if not quota or sum((await graph.count(scope)).values()) <= quota:
        return 0  # common case: one count query instead of listing all facts
    held = read_pages(graph.listing, scope, statuses=HELD_STATUSES)
    active = [fact async for page in held for fact in page if fact.status == "active"]
    ranked = sorted(active, key=lambda fact: (is_instruction(fact), usefulness(fact, now), fact.id))
    excess = ranked[: _excess(len(active), quota)]
    await _forget_facts(work, excess)
    return len(excess)


async def _trim_episodes(work: Work, now: datetime) -> int:
    graph, scope, quota = work.core.episodes.graph, work.scope, work.settings.fact_quota // FACTS_OF_AN_EPISODE
    if not quota or await graph.count(scope) <= quota:
        return 0
    episodes = [episode async for page in read_pages(graph.listing, scope, undone=False) for episode in page]
    ranked = sorted(episodes, key=lambda e: (_decayed_importance(e.importance, e.created_at, now), e.id))
    excess = [episode.id for episode in ranked[: _excess(len(episodes), quota)]]
    for start in range(0, len(excess), FORGET_BATCH):
        await work.core.episodes.forget(scope, excess[start : start + FORGET_BATCH])
    return len(excess)


async def _forget_facts(work: Work, facts: Sequence[Fact]) -> None:
    for start in range(0, len(facts), FORGET_BATCH):
        batch = facts[start : start + FORGET_BATCH]
        ids, said_in = [fact.id for fact in batch], {fact.invocation_id for fact in batch if fact.kind == "turn"}
        await forget_in_weights(work.core, work.scope, Forgotten(records=set(ids), invocations=said_in))
        await work.core.facts.forget(work.scope, ids)


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
