"""The ``compact`` job: summarises the older requests of a conversation, or the older episodes of a scope.

The requests themselves are kept.  The summary is stored in the conversation's metadata (``summary`` with ``summary_upto``), for
prompts that have no room for the full text.

With ``layer`` in its payload the job compacts the episodes or the rules of the scope: the older ones are superseded, and a
summary stands for the episodes.  Nothing is erased.  Superseded episodes are no longer recalled; they can be read by their ids,
and `undo compact:...`, the operation that the summary names in its metadata, restores them.  A later compaction continues the
summary of the earlier one.  Ids derive from what is summarised, so a repeated job writes the same summary.
"""

from collections.abc import Sequence

from ...errors import BadRequest
from ...jobs.delivery import JobOutcome, read_int, read_text
from ...memory.ports import Completion, JsonValue
from ...memory.records import Episode, Invocation, derived_id
from ...repositories.pages import read_pages
from ..context import Work, learns
from ..llm_call import ask_with_fallback
from ..local_summary import LONGEST, local_summary

KEEP_LAST = 10
LONGEST_OF_CONVERSATION = 2000  # characters
MOST_ENTRIES = 30  # that the model is shown at once
SUMMARY = "summary"  # metadata key of an episode that is a summary


@learns("compact", queue="model", submit="person", required=("conversation_id|layer",))
async def compact(work: Work) -> JobOutcome:
    """Payload: ``conversation_id``; optional ``keep_last`` (requests not summarised).

    Or ``layer`` (``episodic`` or ``procedural``), ``keep_last`` and ``summarize``.  ``condensed``: records superseded.
    Raises: BadRequest (another layer, or a negative ``keep_last`` of one).
    """
    keep, layer = read_int(work.job, "keep_last", KEEP_LAST), read_text(work.job, "layer")
    if not layer:
        return await _compact_conversation(work, max(0, keep))
    if keep < 0:
        raise BadRequest(f"keep_last is {keep}: it must be at least 0")
    if layer == "episodic":
        return await _compact_episodes(work, keep)
    if layer == "procedural":
        return await _compact_rules(work, keep)
    raise BadRequest(f"layer {layer!r} cannot be compacted by a job: use episodic or procedural")


async def _compact_conversation(work: Work, keep: int) -> JobOutcome:
    conversations, scope = work.core.graph.conversations, work.scope
    conversation_id = read_text(work.job, "conversation_id", needed=True)
    conversation = await conversations.get(scope, conversation_id)
    if conversation is None:
        return JobOutcome(counts={"invocations": 0})
    older = conversation.invocations[: max(0, len(conversation.invocations) - keep)]
    upto = conversation.metadata.get("summary_upto", "")
    if not older or upto == older[-1].id:
        return JobOutcome(counts={"condensed": 0})
    local = local_summary([f"{item.query} -> {item.result}" for item in older])
    exchanges = [(item.query, item.result) for item in _after(older, upto)[-MOST_ENTRIES:]]
    before = conversation.metadata.get("summary", "")
    text, counts = await _ask(work, local, before, exchanges, LONGEST_OF_CONVERSATION)
    values = {"summary": (await work.policy()).screen(text).text, "summary_upto": older[-1].id}
    # Not stored if one of its invocations was undone or forgotten while the model was writing.
    now = await conversations.get(scope, conversation_id)
    kept = now is not None and {item.id for item in older} <= {item.id for item in now.invocations}
    if kept:
        await conversations.set_metadata(scope, conversation_id, values)
    return JobOutcome(counts={"condensed": len(older) if kept else 0, **counts})


def _after(older: Sequence[Invocation], upto: str) -> Sequence[Invocation]:
    places = [place for place, item in enumerate(older) if item.id == upto]
    return older[places[0] + 1 :] if places else older


async def _compact_rules(work: Work, keep: int) -> JobOutcome:
    facts = work.core.facts
    pages = read_pages(facts.graph.listing, work.scope, kinds=("procedural",))
    rules = [rule.id async for page in pages for rule in page]
    await facts.set_status(work.scope, rules[keep:], "superseded", by=work.job.id)
    return JobOutcome(counts={"condensed": len(rules[keep:])})


async def _compact_episodes(work: Work, keep: int) -> JobOutcome:
    episodes, scope = work.core.episodes, work.scope
    listed = [episode async for page in read_pages(episodes.graph.listing, scope) for episode in page]
    older = listed[keep:][::-1]  # oldest first
    new = [episode for episode in older if episode.metadata.get(SUMMARY) != "true"]
    summarize = work.job.payload.get("summarize") is not False
    if not older or (summarize and not new):  # an earlier summary alone has nothing to add
        return JobOutcome(counts={"condensed": 0})
    operation = f"compact:{derived_id('compact', scope.key, *(episode.id for episode in older)).replace('-', '')[:12]}"
    counts: dict[str, int] = {}
    if summarize:
        before = "\n".join(episode.goal for episode in older if episode.metadata.get(SUMMARY) == "true")
        text, counts = await _summarise(work, before, new)
        total = sum(int(episode.metadata.get("of", "1")) for episode in older)
        summary = Episode(
            id=derived_id("summary", *(episode.id for episode in older)),
            scope=scope,
            goal=(await work.policy()).screen(text).text,
            steps=(),
            outcome="",
            lessons="",
            created_at=older[-1].created_at,
            operation=operation,
            metadata={SUMMARY: "true", "of": str(total), "operation": operation},
        )
        # The summary is stored first: after a crash in between, both exist, and nothing is lost.
        await episodes.store(scope, [summary])
    await episodes.mark_undone(scope, [episode.id for episode in older], work.core.clock.now(), operation)
    return JobOutcome(counts={"condensed": len(older), **counts})


async def _summarise(work: Work, text: str, episodes: Sequence[Episode]) -> tuple[str, dict[str, int]]:
    """The model's summary, or one without a model; both continue ``text``."""
    counts = dict[str, int]()
    for start in range(0, len(episodes), MOST_ENTRIES):
        part = episodes[start : start + MOST_ENTRIES]
        local = local_summary([_describe(each) for each in part], text)
        if work.job.payload.get("model") is False:  # the caller knows that there is none
            text = local
            continue
        exchanges = [(each.goal, f"{each.outcome} {each.lessons}".strip()) for each in part]
        text, more = await _ask(work, local, text, exchanges, LONGEST)
        counts |= more
    return text, counts


async def _ask(
    work: Work, local: str, before: str, exchanges: Sequence[tuple[str, str]], longest: int
) -> tuple[str, dict[str, int]]:
    """The model's summary of exchanges, each a request and its result; ``local`` if there is none.  And the job's counter."""

    def read(said: Completion) -> str:
        text = said.text.strip()
        if len(text) < 3:
            raise ValueError("a text is needed")
        return text[:longest]

    shown: list[JsonValue] = [{"query": query[:600], "result": result[:3000]} for query, result in exchanges]
    return await ask_with_fallback(work, local, "memory-compact", {"before": before, "exchanges": shown}, read)


def _describe(episode: Episode) -> str:
    """One line: the goal and, in brackets, outcome, lessons and metadata."""
    parts = {"outcome": episode.outcome, "lessons": episode.lessons, **episode.metadata}
    marks = " ".join(f"{name}={value}" for name, value in parts.items() if value)
    return f"{episode.goal} [{marks}]" if marks else episode.goal
