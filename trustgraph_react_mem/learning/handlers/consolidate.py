"""The ``consolidate`` and ``insight`` jobs: related memories become one that names its sources; many become a pattern.

At the end of a conversation they are published, and do nothing unless enough is new since they last did something.  Nothing is
superseded unless the new text is supported by the memories it replaces: an answer that is empty, invented or in
the wrong form leaves the bank as it was.  Source: semantic router memory, section 7 and appendix A.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import numpy as np

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int
from ...jobs.registry import job_handler
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import Completion, Job, JsonValue, Matrix
from ...memory.records import Fact, derived_id, in_language
from ..context import HandlerContext
from ..grounding import GroundingCheck, numbers_in, word_share
from ..llm_call import json_items, json_object
from ..merging import here_before
from ..relation import BAND

LARGEST_GROUP = 8
MOST_MEMORIES = 500
MOST_GROUPS = 8  # a model call each; what is left over is asked for by hand, or when a new fact joins the group
INSIGHT_MEMORIES = 40
STORED_ENTRIES = 10_000
NOT_DUE, NO_MODEL = "not-due", "no-model"  # notes of jobs that did nothing
LEAST_SOURCES = 2
ABOUT_SOURCES = 0.2  # share of an insight's words that its sources use


@job_handler("consolidate", queue="model", submit="person")
class ConsolidateHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context, counts = self._context, Counter[str]()
        model = context.model(job)
        if not model.configured:
            return JobOutcome(note=NO_MODEL)
        facts = await context.core.facts.graph.listing(
            job.scope, kinds=("semantic",), limit=min(MOST_MEMORIES, read_int(job, "limit", MOST_MEMORIES))
        )
        fresh = {fact.id for fact in facts}
        if _when_due(job):
            since = await last_done(context, job)
            fresh = {fact.id for fact in facts if since is None or fact.created_at > since}
            if len(fresh) < context.settings(job).consolidate_after_facts:
                return JobOutcome(counts={"new": len(fresh)}, note=NOT_DUE)
        by_id = {fact.id: fact for fact in facts if fact.trust in ("user", "assistant", "import")}
        space = await context.core.facts.router.reading(job.scope)
        points = await space.index.fetch(job.scope, sorted(by_id), with_vectors=True)
        keyed = [point for point in points if "text" in point.vectors]
        if len(keyed) < LEAST_SOURCES:
            return JobOutcome(counts={"groups": 0})
        vectors = np.stack([point.vectors["text"] for point in keyed])
        for group in related([point.id for point in keyed], vectors, space.profile):
            members = sorted((by_id[fact_id] for fact_id in group), key=lambda fact: (fact.said_at or fact.created_at, fact.id))
            if len({fact.speaker for fact in members}) > 1:
                continue  # what two people said stays two memories
            if fresh.isdisjoint(group):
                continue  # the model has had its say on these
            if _when_due(job) and counts["groups"] == MOST_GROUPS:
                counts["left"] += 1
                continue
            counts["groups"] += 1
            counts[await self._consolidate(job, members)] += 1
        return JobOutcome(counts=counts)

    async def _consolidate(self, job: Job, members: Sequence[Fact]) -> Literal["merged", "kept", "known"]:
        context = self._context
        new_id = derived_id("consolidated", *sorted(fact.id for fact in members))
        if await here_before(context.core.facts, job.scope, [new_id]):
            return "known"
        texts = [fact.content for fact in members]
        variables: dict[str, JsonValue] = {"facts": [{"number": i, "text": text} for i, text in enumerate(texts)]}
        summary = await context.model(job).ask("memory-consolidate", variables, _summary)
        summary = context.policy(job).screen(summary).text
        check = GroundingCheck(context.core.facts.embedder)
        last = members[-1]
        if (
            not summary
            or not await check.holds(summary, texts, speakers=[last.speaker])
            # the newest value must be in it, or an old one would come back
            or not numbers_in(last.content) <= numbers_in(summary)
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


def related(ids: Sequence[str], vectors: Matrix, profile: EmbeddingProfile) -> list[list[str]]:
    """Groups of two to eight whose members all lie near the first; (n, d) rows of unit length.  Each id once, in order."""
    least = profile.calibrated(profile.near_duplicate) - BAND
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
    """Reflective memories: patterns and lessons over a scope, each with the memories it rests on."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context, counts = self._context, Counter[str]()
        if not context.model(job).configured:
            return JobOutcome(note=NO_MODEL)
        if _when_due(job):
            wanted, since = context.settings(job).insight_after_episodes, await last_done(context, job)
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
            rests = [sources[n] for n in chosen if 0 <= n < len(sources)]
            if not isinstance(text, str) or len(rests) < LEAST_SOURCES or not _about(text, [s[1] for s in rests]):
                counts["unsupported"] += 1
                continue
            screened = context.policy(job).screen(" ".join(text.split())[:500])
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
                turn_ids=tuple(dict.fromkeys(turn for s in rests for turn in s[2])),
                job_id=job.id,
                trigger=job.trigger,
                metadata={"sources": ",".join(s[0] for s in rests)},
            )
            if any(episode.undone_at for episode in await context.core.episodes.graph.get(job.scope, [s[0] for s in rests])):
                counts["undone"] += 1
                continue
            new = in_language(new, context.settings(job).language)
            stored = await context.core.facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
            counts["added" if stored[0].id == new.id else "known"] += 1
        return JobOutcome(counts=counts)


async def last_done(context: HandlerContext, job: Job) -> datetime | None:
    """When a job of this kind last did its work in the scope, as far as the job store remembers."""
    for entry in await context.core.graph.job_store.listing(job.scope, states=("done",), limit=STORED_ENTRIES):
        if entry.kind == job.kind and NOT_DUE not in entry.summary and NO_MODEL not in entry.summary:
            return entry.updated_at
    return None


def _when_due(job: Job) -> bool:
    """Whether the end of a conversation asked for it, and not a person."""
    return job.payload.get("when_due") is True


def _about(text: str, sources: Sequence[str]) -> bool:
    return (
        numbers_in(text) <= numbers_in(" ".join(sources)) | {str(len(sources))} and word_share(text, sources) >= ABOUT_SOURCES
    )


def _summary(completion: Completion) -> str:
    summary = json_object(completion).get("summary")
    if not isinstance(summary, str):
        raise ValueError('an object with a string "summary" is needed')
    return " ".join(summary.split())[:1000]


def _insights(completion: Completion) -> list[dict[str, JsonValue]]:
    return [dict(item) for item in json_items(completion, "insights")]
