"""The ``extract`` job: facts and rules out of a piece of a conversation.

Only what was said counts.  What the model adds is dropped and counted; what had been recalled into the turn is not learned
again; what only a tool or a document says is quarantined.  When the model fails, nothing is written: the sources are the
conversation's own turns, and they stay.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int, read_text
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Conversation, Fact
from ..candidates import claim_from, self_learned, supported
from ..context import HandlerContext
from ..dialogue import DialogueLine, numbered, windows
from ..grounding import GroundingCheck
from ..llm_call import json_items
from ..merging import FactMerger

WINDOW_CHARS = 2400  # about 600 tokens: what a small model on a processor reads and answers within half a minute
MOST_FACTS = 20  # of one window: a model in a loop is cut off here


@job_handler("extract", queue="model", submit="person", required=("conversation_id",))
class ExtractHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        if not (await context.core.graph.switches.get(job.scope, conversation_id)).write:
            return JobOutcome(counts={"switched_off": 1})
        lines, conversation = await self._lines(job, conversation_id)
        if not any(line.role != "tool" for line in lines):
            return JobOutcome(counts={"turns": 0})
        counts: Counter[str] = Counter(turns=sum(1 for line in lines if line.turn_id))
        recalled = await recalled_texts(context, job, conversation, {line.invocation_id for line in lines})
        for number, window in enumerate(windows(lines, most_chars=WINDOW_CHARS)):
            items = await context.model(job).ask("memory-extract-facts", _variables(window), _facts)
            await learn(context, job, items, window, place=f"{number}", recalled=recalled, counts=counts)
        return JobOutcome(counts=counts)

    async def _lines(self, job: Job, conversation_id: str) -> tuple[list[DialogueLine], Conversation | None]:
        first, last = read_int(job, "from", 0), read_int(job, "to", 1_000_000)
        turns = await self._context.core.facts.graph.turns_near(job.scope, conversation_id, 2 * first, 2 * last + 1)
        conversation = await self._context.core.graph.conversations.get(job.scope, conversation_id)
        return numbered([turn for turn in turns if turn.status == "active"], conversation), conversation


async def learn(
    context: HandlerContext,
    job: Job,
    items: Sequence[Mapping[str, JsonValue]],
    lines: Sequence[DialogueLine],
    *,
    place: str,
    recalled: Sequence[str],
    counts: Counter[str],
    least_importance: float = 0.0,
    own_work: bool = False,
) -> None:
    """Check and keep what a model says it found in ``lines``; counts what became of each item.

    ``own_work``: rules drawn from the agent's own steps, which nobody need have said.
    """
    check = GroundingCheck(context.core.facts.embedder)
    keeper = FactMerger(facts=context.core.facts, settings=context.settings(job))
    shared = job.scope.user == ""
    for index, item in enumerate(items[:MOST_FACTS]):
        claim = claim_from(item, lines, context.policy(job))
        if claim is None:
            counts["unusable"] += 1
            continue
        if claim.importance < least_importance:
            counts["unimportant"] += 1
            continue
        if own_work:
            found = self_learned(claim, lines, shared=shared, dropped=counts)
        else:
            found = await supported(claim, lines, check, shared=shared, recalled=recalled, dropped=counts)
        if found is None:
            continue
        kept = await keeper.keep(
            job,
            found,
            f"{place}:{index}",
            at=context.core.clock.now(),
            source=read_text(job, "conversation_id"),
            shared=shared,
        )
        counts[kept] += 1


async def recalled_texts(
    context: HandlerContext, job: Job, conversation: Conversation | None, invocation_ids: set[str]
) -> list[str]:
    """What had been shown to the model in these invocations: its echo in an answer is no news."""
    if conversation is None:
        return []
    ids = {recalled for item in conversation.invocations if item.id in invocation_ids for recalled in item.recalled_ids}
    facts: list[Fact] = await context.core.facts.graph.get(job.scope, sorted(ids)) if ids else []
    return [fact.content for fact in facts]


def _variables(window: Sequence[DialogueLine]) -> dict[str, JsonValue]:
    return {"lines": [line.payload() for line in window]}


def _facts(completion: Completion) -> list[Mapping[str, JsonValue]]:
    return json_items(completion, "facts")
