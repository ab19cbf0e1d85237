"""The ``extract`` job: extracts facts and rules from a part of a conversation.

Statements that the dialogue does not support are dropped and counted.  Memories that had been recalled into the turn are not
learned again.  Statements that occur only in a tool result or document are quarantined.  When the model fails, nothing is
written; the turns remain stored, so nothing is lost.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int, read_text
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Conversation, Fact
from ...telemetry.metrics import count_lesson
from ..checks.advice import Task
from ..checks.grounded_facts import ground_candidate, ground_lesson, parse_candidate
from ..checks.grounding import ENOUGH_WORDS, GroundingCheck, word_share
from ..checks.merging import FactMerger
from ..context import HandlerContext
from ..dialogue import DialogueLine, number_lines, split_into_windows
from ..llm_call import json_items
from ..rules.instructions import find_instructions

WINDOW_CHARS = 2400  # about 600 tokens: a small model on a CPU answers within half a minute
MOST_FACTS = 20  # per window; limits a model that repeats itself


@job_handler("extract", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
class ExtractHandler:
    """Payload: ``conversation_id``; optional ``from`` and ``to`` (positions of invocations, inclusive)."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        first, last = read_int(job, "from", 0), read_int(job, "to", 1_000_000)
        lines, conversation = await read_part(context, job, conversation_id, first, last)
        if not any(line.role != "tool" for line in lines):
            return JobOutcome(counts={"turns": 0})
        counts: Counter[str] = Counter(turns=sum(1 for line in lines if line.turn_id))
        recalled = await recalled_texts(context, job, conversation, {line.invocation_id for line in lines})
        for number, window in enumerate(split_into_windows(lines, most_chars=WINDOW_CHARS)):
            items = await context.model(job).ask("memory-extract-facts", _variables(window), _facts)
            await check_and_store(context, job, items, window, place=f"{number}", recalled=recalled, counts=counts)
        return JobOutcome(counts=counts)


async def read_part(
    context: HandlerContext, job: Job, conversation_id: str, first: int, last: int
) -> tuple[list[DialogueLine], Conversation | None]:
    """The lines of these invocations (positions, both included), and the conversation with only these invocations."""
    graph = context.core.graph.conversations
    turns = await context.core.facts.graph.turns_near(job.scope, conversation_id, 2 * first, 2 * last + 1)
    turns = [turn for turn in turns if turn.status == "active"]
    conversation = await graph.get(job.scope, conversation_id, limit=1, undone=True)
    if conversation is None:
        return number_lines(turns), None
    # By id: the cost does not grow with the length of the conversation.
    found = await graph.invocations(job.scope, sorted({turn.invocation_id for turn in turns} - {""}))
    own = sorted((each for each in found if each.undone_at is None), key=lambda each: each.position)
    conversation = replace(conversation, invocations=tuple(own))
    return number_lines(turns, conversation), conversation


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


async def recalled_texts(
    context: HandlerContext, job: Job, conversation: Conversation | None, invocation_ids: set[str]
) -> list[str]:
    """Texts of the memories that were shown to the model in these invocations.  Repeating them in an answer is not new."""
    if conversation is None:
        return []
    ids = {recalled for item in conversation.invocations if item.id in invocation_ids for recalled in item.recalled_ids}
    facts: list[Fact] = await context.core.facts.graph.get(job.scope, sorted(ids)) if ids else []
    return [fact.content for fact in facts]


def _variables(window: Sequence[DialogueLine]) -> dict[str, JsonValue]:
    return {"lines": [line.payload() for line in window]}


def _facts(completion: Completion) -> list[Mapping[str, JsonValue]]:
    return json_items(completion, "facts", "fact")
