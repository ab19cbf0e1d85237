"""Stores lessons."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ...jobs.payload import read_text
from ...memory.ports import Job, JsonValue
from ...telemetry.metrics import count_lesson
from ..context import HandlerContext
from ..dialogue import DialogueLine
from ..rules.instructions import find_instructions
from .advice import Task
from .grounded_facts import ground_candidate, ground_lesson, parse_candidate
from .grounding import ENOUGH_WORDS, GroundingCheck, word_share
from .merging import FactMerger

MOST_FACTS = 20


async def check_and_store(
    context: HandlerContext,
    job: Job,
    items: Sequence[Mapping[str, JsonValue]],
    lines: Sequence[DialogueLine],
    *,
    place: str,
    recalled: Sequence[str],
    counts: Counter[str],
    least_importance: float = 0.0,
    task: Task | None = None,
) -> None:
    """Check the items of a model's answer against ``lines``, store the supported ones, and count the result of each item.

    ``place``: position within the job, part of the record ids.  ``recalled``: texts of memories recalled into these turns.
    ``task``: the items are lessons of it; they need not occur in the dialogue.
    """
    check = GroundingCheck(context.core.facts.embedder)
    seal = context.core.graph.owner_seal
    merger = FactMerger(facts=context.core.facts, settings=context.settings(job), model=context.model(job), seal=seal)
    shared = job.scope.user == ""
    for index, item in enumerate(items[:MOST_FACTS]):
        claim = parse_candidate(item, lines, await context.policy(job))
        if claim is None:
            counts["unusable"] += 1
            continue
        if claim.importance < least_importance:
            counts["unimportant"] += 1
            continue
        if task is not None:
            found = ground_lesson(claim, task, sharing=context.settings(job).share_lessons, dropped=counts)
        else:
            found = await ground_candidate(claim, lines, check, shared=shared, recalled=recalled, dropped=counts)
        if found is None:
            continue
        if found.trust == "user" and _is_kept_rule(claim.text, found.sources):
            counts["known"] += 1
            continue
        result = await merger.merge(
            job,
            found,
            f"{place}:{index}",
            at=context.core.clock.now(),
            source=read_text(job, "conversation_id"),
            shared=shared,
        )
        counts[result] += 1
        if task is not None and result == "added":
            count_lesson("learned")


def _is_kept_rule(text: str, sources: Sequence[DialogueLine]) -> bool:
    """Whether the statement only repeats an instruction, which became a rule when its turn was recorded."""
    given = [instruction.text for line in sources if line.role == "user" for instruction in find_instructions(line.text)]
    return bool(given) and word_share(text, given, also=[line.speaker for line in sources]) >= ENOUGH_WORDS
