"""The ``understand`` job: one call of the model says how memory must change after a part of a conversation.

It reads the lines that no earlier job of the conversation has read, and is shown the entries that they may concern.  The code
checks form, source and authority of each item (``understanding``); it does not judge what a sentence means.  While the model
fails, nothing is written and the job waits; the turns stay recallable.

Source: RMM, section 5 (prospective reflection by topics); agentic memory specification, Invocation End and Conversation End.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import ModelAnswerError, UnusableAnswer
from ...jobs.delivery import JobOutcome, read_text
from ...memory.model_json import read_items
from ...memory.ports import Completion, JsonValue
from ...memory.records import Conversation
from ...telemetry.metrics import understood as understood_items
from ..context import Work, learns
from ..dialogue import DialogueLine, lines_of, split_into_windows
from ..episodes import keep_conversation_episode
from ..llm_call import ask
from ..progress import sessions
from ..understanding.entries import find_entries
from ..understanding.items import Item, read_item
from ..understanding.ledger import Ledger
from ..understanding.window import MOST_CONTEXT, fit_window, most_line_tokens

PROMPT = "memory-understand"
NOT_UNDERSTOOD = "understanding-off"  # note of a job that did nothing: the setting or the small model
MOST_ITEMS = 40  # of an answer; limits a model that repeats itself


Report = Mapping[str, JsonValue]  # of an episode


# Jobs of the first four kinds were published by versions before 0.2.  Those of profiles have no effect any more.
@learns("profile", queue="model")
@learns("extract", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
@learns("reflect", queue="model", required=("conversation_id",), obeys_switch=True)
@learns("promote", queue="model", required=("conversation_id",), obeys_switch=True)
@learns("understand", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
async def understand(work: Work) -> JobOutcome:
    """Payload: ``conversation_id``; optional ``from`` and ``to`` (positions of invocations, inclusive) and ``ended``.

    Without ``from``, it begins where the last job ended.
    """
    if work.job.kind == "profile":
        return JobOutcome(note="retired")
    conversation_id = read_text(work.job, "conversation_id", needed=True)
    if work.settings.small_model:
        return JobOutcome(note=NOT_UNDERSTOOD)
    counts: Counter[str] = Counter(lines=0)
    async for first, last in sessions(work, conversation_id):
        await _read_session(work, conversation_id, first, last, counts)
    return JobOutcome(counts=counts)


async def _read_session(work: Work, conversation_id: str, first: int, last: int, counts: Counter[str]) -> None:
    before, lines, conversation = await _read_part(work, conversation_id, first, last)
    if not any(line.role != "tool" for line in lines):
        return
    counts["lines"] += len(lines)
    ended = work.job.payload.get("ended") is True or work.job.kind == "promote"
    windows = list(split_into_windows(lines, most_tokens=most_line_tokens(work.settings.context_window)))
    people = {line.speaker.casefold() for line in lines if line.role == "user"}
    ledger = Ledger(
        work=work,
        conversation_id=conversation_id,
        now=work.core.clock.now(),
        only_in=conversation_id if len(people) > 1 and not work.is_shared else "",
    )
    episode: Report | None = None
    for number, window in enumerate(windows):
        is_end = ended and number + 1 == len(windows)
        episode = await _understand(ledger, window, before, counts, ended=is_end) or episode
        before = [*before, *window][-MOST_CONTEXT:]
    if episode is not None and conversation is not None:
        counts["episodes"] += await keep_conversation_episode(work, conversation, episode)


async def _understand(
    ledger: Ledger, lines: Sequence[DialogueLine], before: Sequence[DialogueLine], counts: Counter[str], *, ended: bool
) -> Report | None:
    """Ask the model about one window, and carry out what it says.  Counts the items by result.

    Returns the episode of a conversation that has ended; None if it was no task.
    """
    work = ledger.work
    entries = await find_entries(work.core.facts, work.scope, lines, conversation_id=ledger.conversation_id, now=ledger.now)
    shown = fit_window(lines, before, entries, context_window=work.settings.context_window)
    try:
        items, episode = await ask(work, PROMPT, shown.variables(ended=ended), read_answer)
    except ModelAnswerError as error:
        raise UnusableAnswer(str(error)) from None
    policy = await work.policy()
    results = ["dropped_many"] * len(items[MOST_ITEMS:])
    for raw in items[:MOST_ITEMS]:
        item = read_item(raw, shown, policy) if isinstance(raw, Mapping) else "form"
        results.append(await ledger.apply(item) if isinstance(item, Item) else f"dropped_{item}")
    counts.update(items=len(items), **Counter(results))
    for result in results:
        understood_items.labels(result).inc()
    return episode


async def _read_part(
    work: Work, conversation_id: str, first: int, last: int
) -> tuple[list[DialogueLine], list[DialogueLine], Conversation | None]:
    """The newest lines before the session, its own lines, and the conversation with only the invocations of the session."""
    graph, scope, start = work.core.graph.conversations, work.scope, 2 * first
    turns = await work.core.facts.graph.turns_near(scope, conversation_id, max(0, start - MOST_CONTEXT), 2 * last + 1)
    before = lines_of([turn for turn in turns if turn.position < start])[-MOST_CONTEXT:]
    turns = [turn for turn in turns if turn.position >= start]
    conversation = await graph.get(scope, conversation_id, limit=1, undone=True)
    if conversation is not None:
        # By id: the cost does not grow with the length of the conversation.
        found = await graph.invocations(scope, sorted({turn.invocation_id for turn in turns} - {""}))
        own = sorted((each for each in found if each.undone_at is None), key=lambda each: each.position)
        conversation = replace(conversation, invocations=tuple(own))
    return before, lines_of(turns, conversation), conversation


def read_answer(completion: Completion) -> tuple[Sequence[JsonValue], Report | None]:
    """The items, of which a mere text is read as its ``op``, and the episode.

    Raises ValueError: there is no list of items, or none of them is one.
    """
    items = read_items(completion.object, "items", "op")
    if items is None or (items and not any(isinstance(item, dict) and item.keys() > {"op"} for item in items)):
        raise ValueError('a JSON object with a list "items" of objects is needed')
    episode = completion.object.get("episode") if isinstance(completion.object, dict) else None
    return items, episode if isinstance(episode, dict) else None
