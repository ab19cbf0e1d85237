"""Lessons: rules that the agent draws from its own work.  How they are counted, and when they are retired:

- An episode gives at most three lessons: a title, when it applies, and what to do.
- Each outcome of an answer that followed a lesson counts for it (helpful) or against it (harmful).  An answer counts once; a
  later rating of the same answer replaces what was counted for it.
- After five outcomes, a lesson with more harmful than helpful ones is retired: superseded, with its history.  If a person
  undoes that, it is not retired again.
- A lesson that was retired, or that a person undid, is not learned again (``kept_lessons``).

Counters and deltas instead of rewriting: Zhang et al., "Agentic Context Engineering" (arXiv 2510.04618).  At most three items
of a task, from successes and failures: Ouyang et al., "ReasoningBank" (arXiv 2509.25140).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...memory.digest import content_digest
from ...memory.ports import JsonValue
from ...memory.records import CALLS, COUNTED, HARMFUL, HELPFUL, LESSON, OUTCOME, Fact
from ...memory.scope import Scope
from ...repositories.facts import FactMemory
from ...telemetry.metrics import lessons as lesson_outcomes
from .words import Vocabulary, is_telling, split_words

MOST_LESSONS = 3  # of an episode
LEAST_USES = 5
ANSWERS_KEPT = 20  # newest answers that a lesson remembers as counted
FOLLOWED = 0.5  # more than this share of a lesson's words of calls stands in the calls of an answer that followed it
LONGEST_DIGEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a model drew from a task."""

    title: str
    when: str
    what: str


def read_lessons(value: JsonValue, most: int) -> tuple[Lesson, ...]:
    """The usable lessons in a model's list, at most ``most``.  A lesson needs ``when`` and ``what``."""
    items = [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
    read = [Lesson(**{name: one_line(item.get(name)) for name in ("title", "when", "what")}) for item in items]
    return tuple(lesson for lesson in read if lesson.when and lesson.what)[:most]


def is_lesson(fact: Fact) -> bool:
    return fact.kind == "procedural" and LESSON in fact.metadata


def outcomes(lesson: Fact) -> tuple[int, int]:
    """How many outcomes spoke for the lesson, and how many against it."""
    return _number(lesson, HELPFUL), _number(lesson, HARMFUL)


def is_harmful(lesson: Fact) -> bool:
    helpful, harmful = outcomes(lesson)
    return helpful + harmful >= LEAST_USES and harmful > helpful


def count_outcome(lesson: Fact, answer: str, *, good: bool) -> Fact:
    """The lesson with one more outcome, or itself if this one is counted already.  ``answer``: id of the answer."""
    mark, sign = content_digest(answer)[:LONGEST_DIGEST], "+" if good else "-"
    known = lesson.metadata.get(COUNTED, "").split()
    if sign + mark in known:
        return lesson
    helpful, harmful = outcomes(lesson)
    other = ("-" if good else "+") + mark
    if other in known:  # the answer was rated otherwise since
        helpful, harmful = (helpful, harmful - 1) if good else (helpful - 1, harmful)
    kept = [*(each for each in known if each != other), sign + mark][-ANSWERS_KEPT:]
    helpful, harmful = max(0, helpful) + good, max(0, harmful) + (not good)
    counters = {HELPFUL: str(helpful), HARMFUL: str(harmful), COUNTED: " ".join(kept)}
    return replace(lesson, metadata={**lesson.metadata, **counters})


def is_followed(lesson: Fact, calls: Sequence[str]) -> bool:
    """Whether the agent did what the lesson says: most of its names and values of calls stand in the calls.

    ``calls``: of tools, with their arguments.  A lesson that an earlier version stored does not name its words of calls.
    """
    wanted = lesson.metadata.get(CALLS, "").split() or [
        word for word in split_words(lesson.action or lesson.content) if is_telling(word)
    ]
    done = Vocabulary()
    for call in calls:
        done.add(split_words(call, humps=True))
    return bool(wanted) and sum(word in done for word in wanted) > FOLLOWED * len(wanted)


def shown_records(explanation: JsonValue, kind: Literal["rules", "episodes"]) -> list[str]:
    """Ids of the rules or episodes that an answer was shown, by its explanation."""
    recalled = explanation.get("recalled") if isinstance(explanation, Mapping) else None
    ids = recalled.get(kind) if isinstance(recalled, Mapping) else None
    return [str(record) for record in ids] if isinstance(ids, list) else []


async def count_lessons(
    facts: FactMemory,
    scope: Scope,
    ids: Collection[str],
    *,
    answer: str,
    calls: Sequence[str],
    good: bool,
    by: str,
    cited: Collection[str] = (),
) -> Counter[str]:
    """Count the outcome of an answer for those of its lessons that it followed or cited, and retire what does harm.

    ``ids``: records that the answer was shown.  ``answer``: id of the invocation.  ``calls``: of tools, with their arguments.
    ``by``: id of the job.
    """
    shown = await facts.graph.get(scope, sorted(ids)) if ids else []
    lessons = [fact for fact in shown if is_lesson(fact) and fact.status == "active"]
    used = [lesson for lesson in lessons if lesson.id in cited or is_followed(lesson, calls)]
    return await count_for(facts, scope, used, answer=answer, good=good, by=by)


async def count_for(
    facts: FactMemory, scope: Scope, lessons: Sequence[Fact], *, answer: str, good: bool, by: str
) -> Counter[str]:
    """Count an outcome for each of these lessons, and retire those that do harm."""
    counts: Counter[str] = Counter()
    for lesson in lessons:
        counted = count_outcome(lesson, answer, good=good)
        if counted is not lesson:
            await facts.update(scope, counted, by=by, trigger=OUTCOME)
            counts["lessons_helped" if good else "lessons_harmed"] += 1
            lesson_outcomes.labels("helped" if good else "harmed").inc()
        if is_harmful(counted) and not await _is_kept_by_a_person(facts, scope, lesson.id):
            await facts.set_status(scope, [lesson.id], "superseded", by=by)
            counts["lessons_retired"] += 1
            lesson_outcomes.labels("retired").inc()
    return counts


async def _is_kept_by_a_person(facts: FactMemory, scope: Scope, record_id: str) -> bool:
    return any(entry.trigger.startswith("undo:") for entry in await facts.graph.history(scope, record_id))


def _number(lesson: Fact, name: str) -> int:
    text = lesson.metadata.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def one_line(value: JsonValue) -> str:
    """A text without line breaks and repeated spaces.  "": the value is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""
