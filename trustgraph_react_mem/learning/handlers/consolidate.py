"""The ``consolidate`` and ``insight`` jobs.

``consolidate`` merges groups of related facts into one fact that names its sources.  ``insight`` extracts patterns from many
memories.  The end of a conversation publishes both jobs; they do nothing unless there are enough new memories since their last
run.  Facts are superseded only if the new text is supported by them, so an empty, invented or malformed answer of the model
changes nothing.  Source: semantic router memory, section 7 and appendix A.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import numpy as np

from ...errors import NoModel
from ...indexing.text.quantities import supports_numbers
from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int
from ...jobs.registry import job_handler
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import Completion, Job, JsonValue, Matrix
from ...memory.records import Fact, derived_id, in_language
from ..checks.grounding import GroundingCheck, word_share
from ..checks.relation import BAND
from ..context import HandlerContext
from ..llm_call import json_items, json_object

LARGEST_GROUP = 8
MOST_MEMORIES = 500
MOST_GROUPS = 8  # limit of an automatic run, one model call each; other groups wait for a manual run or a new fact
INSIGHT_MEMORIES = 40
NOT_DUE, NO_MODEL = "not-due", "no-model"  # notes of jobs that did nothing
LEAST_SOURCES = 2
ABOUT_SOURCES = 0.2  # minimum share of an insight's words that occur in its sources


@job_handler("consolidate", queue="model", submit="person")
class ConsolidateHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        try:
            return await self._merge_groups(job)
        except NoModel:
            return JobOutcome(note=NO_MODEL)

    async def _merge_groups(self, job: Job) -> JobOutcome:
        context, counts = self._context, Counter[str]()
        facts = await context.core.facts.graph.listing(
            job.scope, kinds=("semantic",), limit=min(MOST_MEMORIES, read_int(job, "limit", MOST_MEMORIES))
        )
        fresh = {fact.id for fact in facts}
        if _only_if_due(job):
            since = await _previous_run(context, job)
            fresh = {fact.id for fact in facts if since is None or fact.created_at > since}
            if len(fresh) < context.settings(job).consolidate_after_facts:
                return JobOutcome(counts={"new": len(fresh)}, note=NOT_DUE)
        by_id = {fact.id: fact for fact in facts if fact.trust in ("user", "assistant", "import")}
        space = await context.core.facts.router.read_index(job.scope)
        points = await space.index.fetch(job.scope, sorted(by_id), with_vectors=True)
        keyed = [point for point in points if "text" in point.vectors]
        if len(keyed) < LEAST_SOURCES:
            return JobOutcome(counts={"groups": 0})
        vectors = np.stack([point.vectors["text"] for point in keyed])
        for group in group_related([point.id for point in keyed], vectors, space.profile):
            members = sorted((by_id[fact_id] for fact_id in group), key=lambda fact: (fact.said_at or fact.created_at, fact.id))
            if any(fact.trust == "user" for fact in members):  # the assistant's words never replace a person's
                members = [fact for fact in members if fact.trust == "user"]
            if len(members) < LEAST_SOURCES or len({fact.speaker for fact in members}) > 1:
                continue  # statements of two people are never merged
            if fresh.isdisjoint(group):
                continue  # an earlier run has already asked the model about this group
            if _only_if_due(job) and counts["groups"] == MOST_GROUPS:
                counts["left"] += 1
                continue
            counts["groups"] += 1
            counts[await self._consolidate(job, members)] += 1
        return JobOutcome(counts=counts)

    async def _consolidate(self, job: Job, members: Sequence[Fact]) -> Literal["merged", "kept", "known"]:
        context = self._context
        new_id = derived_id("consolidated", *sorted(fact.id for fact in members))
        if await context.was_written(job.scope, [new_id]):
            return "known"
        texts = [fact.content for fact in members]
        variables: dict[str, JsonValue] = {"facts": [{"number": i, "text": text} for i, text in enumerate(texts)]}
        summary = await context.model(job).ask("memory-consolidate", variables, _summary)
        summary = (await context.policy(job)).screen(summary).text
        check = GroundingCheck(context.core.facts.embedder)
        last = members[-1]
        if (
            not summary
            or not await check.is_supported(summary, texts, speakers=[last.speaker])
            # The summary must contain the newest value, otherwise an old one would become current again.
            or not supports_numbers(last.content, [summary])
        ):
            return "kept"
        new = Fact(
            id=new_id,
            scope=job.scope,
            kind="semantic",
            content=summary,
            created_at=context.core.clock.now(),
            trust="user" if all(fact.trust == "user" for fact in members) else "assistant",
            speaker=last.speaker,
            source=last.source,
            said_at=last.said_at,
            valid_from=min((fact.valid_from for fact in members if fact.valid_from), default=None),
            importance=max(fact.importance for fact in members),
            entities=tuple(dict.fromkeys(name for fact in members for name in fact.entities)),
            turn_ids=tuple(dict.fromkeys(turn for fact in members for turn in fact.turn_ids)),
            job_id=job.id,
            trigger=job.trigger,
            metadata={"sources": ",".join(fact.id for fact in members)},
        )
        new = in_language(new, context.settings(job).language)
        await context.core.facts.supersede(job.scope, [fact.id for fact in members], new, by=job.id, trigger=job.trigger)
        return "merged"


def group_related(ids: Sequence[str], vectors: Matrix, profile: EmbeddingProfile) -> list[list[str]]:
    """Groups of 2 to 8 ids whose members are all similar to the group's first.  Each id occurs at most once.

    ``vectors``: (n, d) rows of unit length.
    """
    least = profile.calibrate(profile.near_duplicate) - BAND
    floor = profile.unrelated + least * (1.0 - profile.unrelated)
    alike = vectors @ vectors.T >= floor
    free, groups = np.ones(len(ids), dtype=bool), []
    for row in np.argsort(-alike.sum(axis=1), kind="stable"):
        if free[row]:
            near = [int(i) for i in np.flatnonzero(alike[row] & free)][:LARGEST_GROUP]
            free[near] = False
            if len(near) >= LEAST_SOURCES:
                groups.append([ids[i] for i in near])
    return groups


@job_handler("insight", queue="model", submit="person")
class InsightHandler:
    """Creates reflective memories: patterns and lessons of a scope, each with the memories that support it."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        try:
            return await self._find_patterns(job)
        except NoModel:
            return JobOutcome(note=NO_MODEL)

    async def _find_patterns(self, job: Job) -> JobOutcome:
        context, counts = self._context, Counter[str]()
        if _only_if_due(job):
            wanted, since = context.settings(job).insight_after_episodes, await _previous_run(context, job)
            newest = await context.core.episodes.graph.listing(job.scope, limit=wanted)
            fresh = sum(since is None or episode.created_at > since for episode in newest)
            if fresh < wanted:
                return JobOutcome(counts={"new": fresh}, note=NOT_DUE)
        limit = read_int(job, "limit", INSIGHT_MEMORIES)
        facts = await context.core.facts.graph.listing(job.scope, kinds=("semantic", "topic", "procedural"), limit=limit)
        episodes = await context.core.episodes.graph.listing(job.scope, limit=max(1, limit // 4))
        sources: list[tuple[str, str, tuple[str, ...]]] = [
            (fact.id, fact.content, fact.turn_ids) for fact in sorted(facts, key=lambda fact: (fact.created_at, fact.id))
        ]
        sources += [(e.id, f"{e.goal} -> {e.outcome} {e.lessons}".strip(), ()) for e in reversed(episodes)]
        if len(sources) < LEAST_SOURCES:
            return JobOutcome(counts={"memories": len(sources)})
        variables: dict[str, JsonValue] = {"memories": [{"number": i, "text": s[1][:300]} for i, s in enumerate(sources)]}
        for index, item in enumerate(await context.model(job).ask("memory-insight", variables, _insights)):
            text, numbers = item.get("insight"), item.get("sources")
            chosen = sorted({n for n in numbers if isinstance(n, int)}) if isinstance(numbers, list) else []
            support = [sources[n] for n in chosen if 0 <= n < len(sources)]
            if not isinstance(text, str) or len(support) < LEAST_SOURCES or not _is_about(text, [s[1] for s in support]):
                counts["unsupported"] += 1
                continue
            screened = (await context.policy(job)).screen(" ".join(text.split())[:500])
            if screened.dropped:
                counts["unusable"] += 1
                continue
            new = Fact(
                id=derived_id("insight", job.id, index),
                scope=job.scope,
                kind="reflective",
                content=screened.text,
                created_at=context.core.clock.now(),
                trust="assistant",
                importance=0.6,
                turn_ids=tuple(dict.fromkeys(turn for s in support for turn in s[2])),
                job_id=job.id,
                trigger=job.trigger,
                metadata={"sources": ",".join(s[0] for s in support)},
            )
            # Read again: an episode may have been undone while the model was answering.
            if any(episode.undone_at for episode in await context.core.episodes.graph.get(job.scope, [s[0] for s in support])):
                counts["undone"] += 1
                continue
            new = in_language(new, context.settings(job).language)
            stored = await context.core.facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
            counts["added" if stored[0].id == new.id else "known"] += 1
        return JobOutcome(counts=counts)


async def _previous_run(context: HandlerContext, job: Job) -> datetime | None:
    """Time of the last job of this kind in the scope that was not skipped, as far as the job store goes back."""
    entry = await context.core.graph.job_store.last_done(job.scope, job.kind, without=(NOT_DUE, NO_MODEL))
    return entry.updated_at if entry else None


def _only_if_due(job: Job) -> bool:
    """Whether the end of a conversation published the job.  A job submitted by a user always runs."""
    return job.payload.get("when_due") is True


def _is_about(text: str, sources: Sequence[str]) -> bool:
    """Whether all numbers of an insight (except the number of its sources) and enough of its words occur in the sources."""
    return supports_numbers(text, [*sources, str(len(sources))]) and word_share(text, sources) >= ABOUT_SOURCES


def _summary(completion: Completion) -> str:
    summary = json_object(completion).get("summary")
    if not isinstance(summary, str):
        raise ValueError('an object with a string "summary" is needed')
    return " ".join(summary.split())[:1000]


def _insights(completion: Completion) -> list[dict[str, JsonValue]]:
    return [dict(item) for item in json_items(completion, "insights")]
