"""Stores lessons as rules.

- A lesson that is known only adds its sources.  Its words and counters stay, and its importance rises with each task that
  taught it.
- A lesson that was retired, or that a person undid, is not learned again.
- What may be a tool's or a person's advice is quarantined, beside what is known.  It becomes active if a task teaches the same
  words to the agent itself.

Two lessons are the same if their words are equal, or if they are near duplicates for the embedding model and each has the
numbers of the other and what it names of calls: "use customs before ship" is not "use stamp before ship".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ...indexing.embedding import embed_rows
from ...memory.digest import content_digest
from ...memory.policies import DataPolicy
from ...memory.ports import Job
from ...memory.records import (
    CALLS,
    FACT_STATUSES,
    LESSON,
    Fact,
    Trust,
    derived_id,
    in_language,
    sources_of,
)
from ...memory.trust.quarantine import status_of
from ...settings import is_personal
from ...telemetry.metrics import lessons as lesson_outcomes
from ..checks.digits import unknown_numbers
from ..context import HandlerContext
from .advice import Task
from .lessons import Lesson, is_lesson
from .words import split_words

LONGEST, LONGEST_TITLE = 1000, 80
IMPORTANCE, RISE = 0.5, 0.1  # of a new lesson, and for each further task that taught it
NEIGHBOURS, MOST_GIVEN_UP = 8, 20  # lessons that a new one is compared with by embedding


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the lessons of a job come from.  ``turn_ids``: of the verbatim records.  ``at``: when the task ended."""

    conversation_id: str
    invocation_id: str
    turn_ids: tuple[str, ...]
    at: datetime


def screen_lesson(lesson: Lesson, policy: DataPolicy) -> Lesson | None:
    """The lesson as it may be stored; None: it may not, or it is too long."""
    screened = [policy.screen(part) for part in (lesson.title[:LONGEST_TITLE], lesson.when, lesson.what)]
    if any(part.dropped for part in screened) or len(lesson.when) + len(lesson.what) > LONGEST:
        return None
    title, when, what = (part.text for part in screened)
    return Lesson(title=title, when=when, what=what) if when and what else None


async def keep_lessons(
    context: HandlerContext, job: Job, task: Task, lessons: Sequence[Lesson], origin: Origin, counts: Counter[str]
) -> None:
    """Store screened lessons of a task and count what became of each.  Raises: EngineUnavailable, ModelUnavailable."""
    for index, lesson in enumerate(lessons):
        new = _fact(context, job, task, lesson, origin, index)
        result = await _keep(context, job, new)
        counts[result] += 1
        if result == "added":
            lesson_outcomes.labels("learned").inc()


async def _keep(context: HandlerContext, job: Job, new: Fact) -> str:
    if await context.was_written(job.scope, [new.id]):
        return "known"
    same = await _find_same(context, job, new)
    if any([await _was_given_up(context, old) for old in same]):
        return "known"
    for old in same:
        if old.status == "active" or (old.status == "quarantined" and old.content == new.content):
            return await _join(context, job, old, new)
    [stored] = await context.core.facts.store(job.scope, [new], by=job.id, trigger=job.trigger)
    if stored.status == "undone":
        return "known"
    if stored.id != new.id:
        return await _join(context, job, stored, new)
    return "added" if new.status == "active" else "quarantined"


async def _join(context: HandlerContext, job: Job, old: Fact, new: Fact) -> str:
    """What a lesson adds that is stored already."""
    if new.status != "active":
        return "known"
    if old.status == "active":
        return await _support(context, job, old, new)
    freed = replace(new, id=old.id, created_at=old.created_at)
    await context.core.facts.update(job.scope, freed, by=job.id, trigger=job.trigger)
    return "released"


async def _support(context: HandlerContext, job: Job, old: Fact, new: Fact) -> str:
    """Add the sources of the new lesson to the known one."""
    [old] = await context.core.facts.graph.get(job.scope, [old.id])  # its counters may have changed since
    sources = tuple(dict.fromkeys((*sources_of(old), *sources_of(new))))
    if set(sources) == set(sources_of(old)):
        return "known"
    joined = replace(
        old,
        turn_ids=tuple(dict.fromkeys((*old.turn_ids, *new.turn_ids))),
        importance=min(1.0, old.importance + RISE),
        metadata={**old.metadata, "sources": ",".join(sources)},
    )
    await context.core.facts.update(job.scope, joined, by=job.id, trigger=job.trigger)
    return "updated"


async def _was_given_up(context: HandlerContext, old: Fact) -> bool:
    """Whether the lesson was retired, or a person undid it, and not with its turn."""
    if old.status == "superseded":
        return not old.superseded_by
    turns = await context.core.facts.graph.get(old.scope, old.turn_ids) if old.status == "undone" else []
    return any(turn.status == "active" for turn in turns)


async def _find_same(context: HandlerContext, job: Job, new: Fact) -> list[Fact]:
    """The same lesson as it is stored, in any status: equal words first, then near duplicates."""
    facts = context.core.facts
    space = await facts.router.read_index(job.scope)
    undone = await facts.graph.listing(job.scope, kinds=("procedural",), statuses=("undone",), limit=MOST_GIVEN_UP)
    vectors = await embed_rows(space.embedder, [new.condition], role="passage")  # what the index has of a lesson
    hits = await space.index.search_dense(
        job.scope, "text", vectors[0], limit=NEIGHBOURS, match={"kind": ["procedural"], "status": list(FACT_STATUSES)}
    )
    near = await facts.graph.get(job.scope, [hit.id for hit in hits])
    known = [fact for fact in (*near, *undone) if is_lesson(fact) and fact.id != new.id]
    contents = await embed_rows(space.embedder, [new.content, *(fact.content for fact in known)], role="passage")
    least = space.profile.near_duplicate
    digest = content_digest(new.content)
    equal = [fact for fact in known if content_digest(fact.content) == digest]
    cosines = zip(known, contents[1:] @ contents[0], strict=True)
    alike = [fact for fact, cosine in cosines if cosine >= least and fact not in equal and _name_the_same(new, fact)]
    return [*equal, *alike]


def _name_the_same(one: Fact, other: Fact) -> bool:
    """Whether each lesson has the numbers of the other, and its words of calls."""
    for first, second in ((one, other), (other, one)):
        words = split_words(second.content)
        if not set(first.metadata.get(CALLS, "").split()) <= set(words) or unknown_numbers(
            first.content, [second.content], None
        ):
            return False
    return True


def _fact(context: HandlerContext, job: Job, task: Task, lesson: Lesson, origin: Origin, index: int) -> Fact:
    settings = context.settings(job)
    shared = not is_personal(settings, job.scope.user, job.scope.collection)
    source = task.source_of(lesson.what, when=lesson.when, title=lesson.title)
    trust: Trust = "tool" if source == "tool" else "assistant"
    metadata = {LESSON: lesson.title or lesson.when, "sources": task.episode}
    if calls := task.words_of_calls(lesson.what):
        metadata[CALLS] = " ".join(calls)
    fact = Fact(
        id=derived_id("fact", job.id, f"rule:{index}"),
        scope=job.scope,
        kind="procedural",
        content=f"{lesson.when}: {lesson.what}",
        created_at=context.core.clock.now(),
        status=status_of("procedural", trust, shared=shared and not settings.share_lessons, said=source == "own"),
        trust=trust,
        source=origin.conversation_id,
        invocation_id=origin.invocation_id,
        said_at=origin.at,
        importance=IMPORTANCE,
        turn_ids=origin.turn_ids,
        condition=lesson.when,
        action=lesson.what,
        job_id=job.id,
        trigger=job.trigger,
        metadata=metadata,
    )
    return in_language(fact, settings.language)
