"""The ``insight`` job: finds patterns in many memories, each with the memories that show it.

The model says what they show together.  The code checks that at least two of the shown memories are named, and that each number
of the insight occurs in them.  A run makes one call.  Source: semantic router memory, section 7 and appendix A.
"""

from collections import Counter

from ...errors import NoModel
from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Fact, derived_id
from ..checks.digits import unknown_numbers
from ..context import HandlerContext
from ..llm_call import json_items
from ..progress import NO_MODEL, NOT_DUE, find_previous_run, is_automatic

MOST_MEMORIES = 40
LEAST_SOURCES = 2
DUE_AFTER = 10  # new episodes


@job_handler("insight", queue="model", submit="person")
class InsightHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        try:
            return await self._find_patterns(job)
        except NoModel:
            return JobOutcome(note=NO_MODEL)

    async def _find_patterns(self, job: Job) -> JobOutcome:
        context, counts = self._context, Counter[str]()
        if is_automatic(job):
            since = await find_previous_run(context.core, job)
            newest = await context.core.episodes.graph.listing(job.scope, limit=DUE_AFTER)
            fresh = sum(since is None or episode.created_at > since for episode in newest)
            if fresh < DUE_AFTER:
                return JobOutcome(counts={"new": fresh}, note=NOT_DUE)
        limit = read_int(job, "limit", MOST_MEMORIES)
        facts = await context.core.facts.graph.listing(job.scope, kinds=("semantic", "topic", "procedural"), limit=limit)
        episodes = await context.core.episodes.graph.listing(job.scope, limit=max(1, limit // 4))
        sources: list[tuple[str, str, tuple[str, ...]]] = [
            (fact.id, fact.content, fact.turn_ids) for fact in sorted(facts, key=lambda fact: (fact.created_at, fact.id))
        ]
        sources += [(e.id, f"{e.goal} -> {e.outcome} {e.lessons}".strip(), ()) for e in reversed(episodes)]
        if len(sources) < LEAST_SOURCES:
            return JobOutcome(counts={"memories": len(sources)})
        variables: dict[str, JsonValue] = {"memories": [{"number": i, "text": s[1][:300]} for i, s in enumerate(sources)]}
        for index, item in enumerate(await context.model(job).ask("memory-insight", variables, _read_insights)):
            text, numbers = item.get("insight"), item.get("sources")
            chosen = sorted({n for n in numbers if isinstance(n, int)}) if isinstance(numbers, list) else []
            support = [sources[n] for n in chosen if 0 <= n < len(sources)]
            said = [*(each[1] for each in support), str(len(support))]
            if not isinstance(text, str) or len(support) < LEAST_SOURCES or unknown_numbers(text, said, None):
                counts["unsupported"] += 1
                continue
            screened = (await context.policy(job)).screen(" ".join(text.split())[:500])
            if screened.dropped or not screened.text:
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
            stored = await context.core.facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
            counts["added" if stored[0].id == new.id else "known"] += 1
        return JobOutcome(counts=counts)


def _read_insights(completion: Completion) -> list[dict[str, JsonValue]]:
    return [dict(item) for item in json_items(completion, "insights")]
