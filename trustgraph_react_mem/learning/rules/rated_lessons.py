"""What a person's rating says about lessons."""

import json
from collections import Counter
from collections.abc import Mapping

from ...memory.records import Fact
from ...memory.scope import Scope
from ...repositories.core import MemoryCore
from .lessons import count_for, count_lessons, is_lesson, shown_rules


async def count_ratings(core: MemoryCore, scope: Scope, ratings: Mapping[str, int], *, by: str) -> Counter[str]:
    """Count ratings of lessons, and of answers that followed lessons.

    ``ratings``: 1 or -1 by the id of a record; the record of an answer stands for the whole answer.  ``by``: id of the job.
    """
    counts: Counter[str] = Counter()
    for fact in await core.facts.graph.get(scope, list(ratings)):
        good = ratings[fact.id] > 0
        if is_lesson(fact):
            counts += await count_for(core.facts, scope, [fact], answer=f"{by}/{fact.id}", good=good, by=by)
        elif fact.kind == "turn" and fact.trust == "assistant":
            counts += await _count_answer(core, scope, fact, good=good, by=by)
    return counts


async def _count_answer(core: MemoryCore, scope: Scope, answer: Fact, *, good: bool, by: str) -> Counter[str]:
    talk = await core.graph.conversations.get(scope, answer.source, limit=1)
    kept = talk.metadata.get(f"why:{answer.invocation_id}", "") if talk is not None else ""
    shown = shown_rules(json.loads(kept)) if kept else []
    if not shown:
        return Counter()
    said = await core.graph.conversations.invocations(scope, [answer.invocation_id])
    done = [answer.content, *(step.partition(" -> ")[0] for each in said for step in each.steps)]
    return await count_lessons(core.facts, scope, shown, answer=answer.invocation_id, done=done, good=good, by=by)
