"""The ``insight`` job: finds patterns in many memories, each with the memories that show it.

The model says what they show together.  The code checks that at least two of the shown memories are named, and that each number
of the insight occurs in them.  A run makes one call.  Source: semantic router memory, section 7 and appendix A.
"""

from collections import Counter

from ...jobs.delivery import JobOutcome, read_int
from ...memory.ports import JsonValue
from ...memory.records import Fact, derived_id
from ..checks import unknown_numbers
from ..context import Work, learns
from ..llm_call import ask, json_items
from ..progress import NOT_DUE, find_new, is_automatic, skip_without_model

MOST_MEMORIES = 40
LEAST_SOURCES = 2
DUE_AFTER = 10  # new episodes


@learns("insight", queue="model", submit="person")
@skip_without_model
async def find_insights(work: Work) -> JobOutcome:
    """Payload: optional ``limit`` (memories that are shown)."""
    facts, episodes, scope, counts = work.core.facts, work.core.episodes.graph, work.scope, Counter[str]()
    if is_automatic(work.job):
        fresh = await find_new(work, await episodes.listing(scope, limit=DUE_AFTER))
        if len(fresh) < DUE_AFTER:
            return JobOutcome(counts={"new": len(fresh)}, note=NOT_DUE)
    limit = read_int(work.job, "limit", MOST_MEMORIES)
    listed = await facts.graph.listing(scope, kinds=("semantic", "topic", "procedural"), limit=limit)
    done = await episodes.listing(scope, limit=max(1, limit // 4))
    sources: list[tuple[str, str, tuple[str, ...]]] = [
        (fact.id, fact.content, fact.turn_ids) for fact in sorted(listed, key=lambda fact: (fact.created_at, fact.id))
    ]
    sources += [(e.id, f"{e.goal} -> {e.outcome} {e.lessons}".strip(), ()) for e in reversed(done)]
    if len(sources) < LEAST_SOURCES:
        return JobOutcome(counts={"memories": len(sources)})
    variables: dict[str, JsonValue] = {"memories": [{"number": i, "text": s[1][:300]} for i, s in enumerate(sources)]}
    items = await ask(work, "memory-insight", variables, lambda said: json_items(said, "insights"))
    for index, item in enumerate(items):
        text, numbers = item.get("insight"), item.get("sources")
        chosen = sorted({n for n in numbers if isinstance(n, int)}) if isinstance(numbers, list) else []
        support = [sources[n] for n in chosen if 0 <= n < len(sources)]
        said = [*(each[1] for each in support), str(len(support))]
        if not isinstance(text, str) or len(support) < LEAST_SOURCES or unknown_numbers(text, said, None):
            counts["unsupported"] += 1
            continue
        screened = (await work.policy()).screen(" ".join(text.split())[:500])
        if screened.dropped or not screened.text:
            counts["unusable"] += 1
            continue
        # Read again: an episode may have been undone while the model was answering.
        if any(episode.undone_at for episode in await episodes.get(scope, [s[0] for s in support])):
            counts["undone"] += 1
            continue
        new = Fact(
            id=derived_id("insight", work.job.id, index),
            scope=scope,
            kind="reflective",
            content=screened.text,
            created_at=work.core.clock.now(),
            trust="assistant",
            importance=0.6,
            turn_ids=tuple(dict.fromkeys(turn for s in support for turn in s[2])),
            job_id=work.job.id,
            trigger=work.job.trigger,
            metadata={"sources": ",".join(s[0] for s in support)},
        )
        stored = await facts.store(scope, [new], by=work.job.id, trigger=work.job.trigger)
        counts["added" if stored[0].id == new.id else "known"] += 1
    return JobOutcome(counts=counts)
