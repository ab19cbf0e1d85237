"""The ``understand`` job: one call of the model says how memory must change after a part of a conversation.

It reads the lines that no earlier job of the conversation has read, and is shown the entries that they may concern.  The code
checks form, source and authority of each item (``understanding``); it does not judge what a sentence means.  While the model
fails, nothing is written and the job waits; the turns stay recallable.

Source: RMM, section 5 (prospective reflection by topics); agentic memory specification, Invocation End and Conversation End.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...errors import ModelAnswerError, UnusableAnswer
from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text
from ...jobs.registry import job_handler
from ...memory.model_json import read_items
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Conversation
from ...settings import is_personal
from ...telemetry.metrics import understood as understood_items
from ..context import HandlerContext
from ..dialogue import DialogueLine, number_lines, split_into_windows
from ..episodes import keep_conversation_episode
from ..progress import Session, sessions
from ..understanding.entries import find_entries
from ..understanding.items import Item, read_item
from ..understanding.ledger import Ledger
from ..understanding.window import MOST_CONTEXT, fit_window, most_line_tokens

PROMPT = "memory-understand"
NOT_UNDERSTOOD = "understanding-off"  # note of a job that did nothing: the setting or the small model
MOST_ITEMS = 40  # of an answer; limits a model that repeats itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A model's answer.  ``episode``: of a conversation that has ended; None if it was no task."""

    items: Sequence[JsonValue]
    episode: Mapping[str, JsonValue] | None


# Jobs of the first four kinds were published by versions before 0.2.  Those of profiles have no effect any more.
@job_handler("profile", queue="model")
@job_handler("extract", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
@job_handler("reflect", queue="model", required=("conversation_id",), obeys_switch=True)
@job_handler("promote", queue="model", required=("conversation_id",), obeys_switch=True)
@job_handler("understand", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
class UnderstandHandler:
    """Payload: ``conversation_id``; optional ``from`` and ``to`` (positions of invocations, inclusive) and ``ended``.

    Without ``from``, it begins where the last job ended.
    """

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        if job.kind == "profile":
            return JobOutcome(note="retired")
        conversation_id = read_text(job, "conversation_id", needed=True)
        if context.settings(job).small_model:
            return JobOutcome(note=NOT_UNDERSTOOD)
        counts: Counter[str] = Counter(lines=0)
        async for session in sessions(context.core, job, conversation_id):
            await self._read_session(job, conversation_id, session, counts)
        return JobOutcome(counts=counts)

    async def _read_session(self, job: Job, conversation_id: str, session: Session, counts: Counter[str]) -> None:
        context = self._context
        lines, conversation = await read_part(context, job, conversation_id, session.first, session.last)
        if not any(line.role != "tool" for line in lines):
            return
        counts["lines"] += len(lines)
        ended = job.payload.get("ended") is True or job.kind == "promote"
        most = most_line_tokens(context.settings(job).context_window)
        windows = list(split_into_windows(lines, most_tokens=most))
        before = await self._lines_before(job, conversation_id, session)
        ledger = await self._ledger(job, conversation_id, lines)
        episode: Mapping[str, JsonValue] | None = None
        for number, window in enumerate(windows):
            said = await self._understand(job, window, before, ledger, ended=ended and number + 1 == len(windows))
            counts.update(said[1])
            episode = said[0].episode or episode
            before = [*before, *window][-MOST_CONTEXT:]
        if episode is not None and conversation is not None:
            await keep_conversation_episode(context, job, conversation, episode, counts)

    async def _understand(
        self,
        job: Job,
        lines: Sequence[DialogueLine],
        before: Sequence[DialogueLine],
        ledger: Ledger,
        *,
        ended: bool,
    ) -> tuple[Understood, Counter[str]]:
        """Ask the model about one window, and carry out what it says.  Counts the items by result."""
        context = self._context
        entries = await find_entries(
            context.core.facts, job.scope, lines, conversation_id=ledger.conversation_id, now=ledger.now
        )
        shown = fit_window(lines, before, entries, context_window=context.settings(job).context_window)
        try:
            said = await context.model(job).ask(PROMPT, shown.variables(ended=ended), read_answer)
        except ModelAnswerError as error:
            raise UnusableAnswer(str(error)) from None
        policy = await context.policy(job)
        counts: Counter[str] = Counter(items=len(said.items))
        if more := len(said.items[MOST_ITEMS:]):
            counts["dropped_many"] = more
            understood_items.labels("dropped_many").inc(more)
        for raw in said.items[:MOST_ITEMS]:
            item = read_item(raw, shown, policy) if isinstance(raw, Mapping) else "form"
            result = await ledger.apply(item) if isinstance(item, Item) else f"dropped_{item}"
            counts[result] += 1
            understood_items.labels(result).inc()
        return said, counts

    async def _ledger(self, job: Job, conversation_id: str, lines: Sequence[DialogueLine]) -> Ledger:
        context, settings = self._context, self._context.settings(job)
        shared = not is_personal(settings, job.scope.user, job.scope.collection)
        people = {line.speaker.casefold() for line in lines if line.role == "user"}
        return Ledger(
            facts=context.core.facts,
            seal=context.core.graph.owner_seal,
            job=job,
            conversation_id=conversation_id,
            now=context.core.clock.now(),
            shared=shared,
            only_in=conversation_id if len(people) > 1 and not shared else "",
        )

    async def _lines_before(self, job: Job, conversation_id: str, session: Session) -> list[DialogueLine]:
        first = 2 * session.first
        if first <= 0:
            return []
        graph = self._context.core.facts.graph
        turns = await graph.turns_near(job.scope, conversation_id, max(0, first - MOST_CONTEXT), first - 1)
        return number_lines([turn for turn in turns if turn.status == "active"])[-MOST_CONTEXT:]


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


def read_answer(completion: Completion) -> Understood:
    """Raises ValueError: there is no list of items, or none of them is one.  A mere text is read as its ``op``."""
    items = read_items(completion.object, "items", "op")
    if items is None or (items and not any(isinstance(item, dict) and item.keys() > {"op"} for item in items)):
        raise ValueError('a JSON object with a list "items" of objects is needed')
    episode = completion.object.get("episode") if isinstance(completion.object, dict) else None
    return Understood(items=items, episode=episode if isinstance(episode, dict) else None)
