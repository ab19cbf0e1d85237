"""Compaction of a scope's episodes and rules: the older ones are superseded, and a summary stands for the episodes.

Nothing is erased.  Superseded episodes are no longer recalled; they can be read by their ids, and `undo compact:...`, the
operation that the summary names in its metadata, restores them.  A later compaction continues the summary of the earlier one.
Ids derive from what is summarised, so a repeated job writes the same summary.
"""

from collections.abc import Sequence

from ..errors import BadRequest
from ..jobs.delivery import JobOutcome
from ..jobs.payload import read_int
from ..memory.ports import JsonValue
from ..memory.records import Episode, derived_id
from .context import Work
from .llm_call import ask_with_fallback, plain_text
from .local_summary import LONGEST, local_summary

KEEP_LAST = 10
PAGE = 500
MOST_ENTRIES = 30  # that the model is shown at once
SUMMARY = "summary"  # metadata key of an episode that is a summary


async def compact_layer(work: Work, layer: str) -> JobOutcome:
    """``condensed``: number of records superseded.  Raises: BadRequest (another layer, or a negative ``keep_last``)."""
    keep = read_int(work.job, "keep_last", KEEP_LAST)
    if keep < 0:
        raise BadRequest(f"keep_last is {keep}: it must be at least 0")
    if layer == "episodic":
        return await _compact_episodes(work, keep)
    if layer == "procedural":
        return await _compact_rules(work, keep)
    raise BadRequest(f"layer {layer!r} cannot be compacted by a job: use episodic or procedural")


async def _compact_rules(work: Work, keep: int) -> JobOutcome:
    facts, rules = work.core.facts, list[str]()
    while page := await facts.graph.listing(work.scope, kinds=("procedural",), limit=PAGE, offset=len(rules)):
        rules += [rule.id for rule in page]
    await facts.set_status(work.scope, rules[keep:], "superseded", by=work.job.id)
    return JobOutcome(counts={"condensed": len(rules[keep:])})


async def _compact_episodes(work: Work, keep: int) -> JobOutcome:
    episodes, scope, listed = work.core.episodes, work.scope, list[Episode]()
    while page := await episodes.graph.listing(scope, limit=PAGE, offset=len(listed)):
        listed += page
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
        exchanges = [show_exchange(each.goal, f"{each.outcome} {each.lessons}".strip()) for each in part]
        local = local_summary([describe_episode(each) for each in part], text)
        if work.job.payload.get("model") is False:  # the caller knows that there is none
            text = local
            continue
        text, more = await ask_with_fallback(
            work, local, "memory-compact", {"before": text, "exchanges": exchanges}, lambda said: plain_text(said, LONGEST)
        )
        counts |= more
    return text, counts


def describe_episode(episode: Episode) -> str:
    """One line: the goal and, in brackets, outcome, lessons and metadata."""
    parts = {"outcome": episode.outcome, "lessons": episode.lessons, **episode.metadata}
    marks = " ".join(f"{name}={value}" for name, value in parts.items() if value)
    return f"{episode.goal} [{marks}]" if marks else episode.goal


def show_exchange(query: str, result: str) -> dict[str, JsonValue]:
    """An exchange for the prompt of a summary."""
    return {"query": query[:600], "result": result[:3000]}
