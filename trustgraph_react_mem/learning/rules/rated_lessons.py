"""What a person's rating says about lessons.

A rating of a lesson counts for that lesson.  A good rating of an answer counts for the lessons that it followed, a bad one
against all lessons that it was shown: its words do not say what was wrong.  A model may draw lessons from a bad rating.
"""

import json
from collections import Counter
from collections.abc import Mapping

from ...erasure.redaction import FORGOTTEN
from ...jobs.delivery import follow_up
from ...jobs.payload import inherit_payload
from ...memory.ports import Job
from ...memory.records import Fact
from ...memory.scope import Scope
from ...memory.timefmt import format_time
from ...repositories.core import MemoryCore
from ..invocation import read_step
from .lessons import count_for, count_lessons, is_lesson, shown_records


async def count_ratings(core: MemoryCore, scope: Scope, ratings: Mapping[str, int], *, by: str) -> Counter[str]:
    """Count ratings of lessons, and of answers that were shown lessons.

    ``ratings``: 1 or -1 by the id of a record; the record of an answer stands for the whole answer.  ``by``: id of the job.
    """
    counts: Counter[str] = Counter()
    for fact in await core.facts.graph.get(scope, list(ratings)):
        good = ratings[fact.id] > 0
        if is_lesson(fact):
            counts += await count_for(core.facts, scope, [fact], answer=f"{by}/{fact.id}", good=good, by=by)
        elif _is_answer(fact):
            counts += await _count_answer(core, scope, fact, good=good, by=by)
    return counts


async def lesson_jobs(core: MemoryCore, job: Job, ratings: Mapping[str, int]) -> tuple[Job, ...]:
    """A job for each answer that was rated as bad, in which a model may draw lessons from it."""
    bad = [record for record, rating in ratings.items() if rating < 0]
    answers = [fact for fact in await core.facts.graph.get(job.scope, bad) if _is_answer(fact) and fact.status == "active"]
    ids = [answer.invocation_id for answer in answers]
    said = await core.graph.conversations.invocations(job.scope, ids) if ids else []
    return tuple(
        follow_up(
            job,
            "episode",
            {
                **inherit_payload(job),
                "conversation_id": each.conversation_id,
                "invocation_id": each.id,
                "question": each.query,
                "answer": each.result,
                "succeeded": False,
                "rated": True,
                "steps": [read_step(line).payload() for line in each.steps],
                "at": format_time(job.created_at),
            },
            trigger="rating",
            at=job.created_at,
            discriminator=each.id,
        )
        for each in said
        if FORGOTTEN not in (each.query, each.result) and each.undone_at is None
    )


def _is_answer(fact: Fact) -> bool:
    return fact.kind == "turn" and fact.trust == "assistant"


async def _count_answer(core: MemoryCore, scope: Scope, answer: Fact, *, good: bool, by: str) -> Counter[str]:
    talk = await core.graph.conversations.get(scope, answer.source, limit=1)
    kept = talk.metadata.get(f"why:{answer.invocation_id}", "") if talk is not None else ""
    shown = shown_records(json.loads(kept), "rules") if kept else []
    if not shown:
        return Counter()
    said = await core.graph.conversations.invocations(scope, [answer.invocation_id])
    calls = [step.partition(" -> ")[0] for each in said for step in each.steps]
    blamed = () if good else shown
    return await count_lessons(
        core.facts, scope, shown, answer=answer.invocation_id, calls=calls, good=good, by=by, cited=blamed
    )
