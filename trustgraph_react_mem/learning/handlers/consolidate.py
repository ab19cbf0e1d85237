"""The ``consolidate`` job: merges entries that say the same.  That one has outdated another is said by ``understand``.

The model sees groups of related entries with their dates and speakers, and says which to merge; it may say "none".  The code
checks form and source: only entries of one shown group, of one speaker and trust, are merged, and the text has no number that
they do not have, and all numbers of the newest.  The merged entry has the date of its newest source.  Its sources stay, with
history and undo, and are not former.

An automatic run makes one call.  Source: semantic router memory, section 7.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...jobs.delivery import JobOutcome, read_int
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import JsonValue, Matrix
from ...memory.records import TOPIC, Fact, derived_id
from ...memory.sizes import split_by_size
from ...memory.tokens import count_tokens
from ...memory.trust.owner_seal import VERIFIED, OwnerSeal
from ..checks import rank_of, unknown_numbers
from ..context import Work, learns
from ..llm_call import ask, json_items
from ..progress import NOT_DUE, find_new, is_automatic, skip_without_model
from ..understanding.window import entry_time, show_entry

LARGEST_GROUP, MOST_GROUPS = 8, 8  # entries of a group, and groups of a call
MOST_MEMORIES = 500
MOST_TOKENS, TOKENS_SHARE = 3000, 0.4  # of the entries of a call, at most, and of the context window
LONGEST = 1000  # characters of a merged text
RELATED = 0.2  # calibrated similarity below that of near duplicates
LEAST_SOURCES = 2
DUE_AFTER = 20  # new facts


@learns("consolidate", queue="model", submit="person")
@skip_without_model
async def consolidate(work: Work) -> JobOutcome:
    """Payload: optional ``limit`` (entries that are read)."""
    limit = min(MOST_MEMORIES, read_int(work.job, "limit", MOST_MEMORIES))
    found = await work.core.facts.graph.listing(work.scope, kinds=("semantic",), limit=limit)
    facts = [fact for fact in found if not fact.superseded_by]  # what ends on a known day needs no further change
    fresh = {fact.id for fact in await find_new(work, facts)}
    if is_automatic(work.job) and len(fresh) < DUE_AFTER:
        return JobOutcome(counts={"new": len(fresh)}, note=NOT_DUE)
    # An earlier run has already asked the model about a group without anything new.
    groups = [group for group in await _find_groups(work, facts) if not fresh.isdisjoint(fact.id for fact in group)]
    counts: Counter[str] = Counter(groups=0)
    most = int(min(MOST_TOKENS, TOKENS_SHARE * work.settings.context_window))
    for batch in split_by_size(groups, _count_tokens, most=MOST_GROUPS, most_size=most):
        if is_automatic(work.job) and counts["groups"]:
            counts["left"] = len(groups) - counts["groups"]
            break
        counts["groups"] += len(batch)
        numbers = iter(range(sum(map(len, batch))))
        numbered = [{next(numbers): fact for fact in group} for group in batch]
        shown = [{"entries": [show_entry(number, fact) for number, fact in group.items()]} for group in numbered]
        said = await ask(work, "memory-consolidate", {"groups": shown}, lambda said: json_items(said, "groups"))
        for item in said:
            counts[await _apply(work, item, numbered)] += 1
    return JobOutcome(counts=counts)


async def _find_groups(work: Work, facts: Sequence[Fact]) -> list[list[Fact]]:
    """Groups of entries that may say the same, each oldest first: similar ones, then others with the same topic."""
    by_id = {fact.id: fact for fact in facts if fact.trust in ("user", "assistant", "import")}
    space = await work.core.facts.router.read_index(work.scope)
    points = await space.index.fetch(work.scope, sorted(by_id), with_vectors=True)
    keyed = [point for point in points if "text" in point.vectors]
    groups = list[list[str]]()
    if len(keyed) >= LEAST_SOURCES:
        vectors = np.stack([point.vectors["text"] for point in keyed])
        groups = group_related([point.id for point in keyed], vectors, space.profile)
    taken = {record_id for group in groups for record_id in group}
    topics: dict[tuple[str, str], list[str]] = {}
    for fact in by_id.values():
        if fact.id not in taken and (topic := fact.metadata.get(TOPIC, "")):
            topics.setdefault((fact.speaker.casefold(), topic.casefold()), []).append(fact.id)
    groups += [ids[:LARGEST_GROUP] for ids in topics.values() if len(ids) >= LEAST_SOURCES]
    return [sorted((by_id[each] for each in group), key=lambda fact: (entry_time(fact), fact.id)) for group in groups]


async def _apply(work: Work, item: Mapping[str, JsonValue], groups: Sequence[Mapping[int, Fact]]) -> str:
    """Carry out one item of the answer.  Returns what became of it."""
    memory, sources = work.core.facts, _read_sources(item, groups)
    if not sources:
        return "unusable"
    ids = [fact.id for fact in sources]
    # Read again: entries may have changed while the model was answering.
    now = {fact.id: (fact.version, fact.status) for fact in await memory.graph.get(work.scope, ids)}
    if any(now.get(fact.id) != (fact.version, fact.status) for fact in sources):
        return "changed"
    text = item.get("text")
    screened = (await work.policy()).screen(" ".join(text.split()) if isinstance(text, str) else "")
    if screened.dropped or not _may_merge(sources, screened.text, work.core.graph.owner_seal):
        return "refused"
    merged = _merge(work, sources, screened.text)
    if await memory.graph.get(work.scope, [merged.id]):
        return "known"  # and undone since
    until = merged.valid_from or entry_time(merged)
    await memory.supersede(work.scope, ids, merged, until=until, by=work.job.id, trigger=work.job.trigger)
    return "merged"


def group_related(ids: Sequence[str], vectors: Matrix, profile: EmbeddingProfile) -> list[list[str]]:
    """Groups of 2 to 8 ids whose members are all similar to the group's first.  Each id occurs at most once.

    ``vectors``: (n, d) rows of unit length.
    """
    least = profile.calibrate(profile.near_duplicate) - RELATED
    floor = profile.unrelated + least * (1.0 - profile.unrelated)
    alike = vectors @ vectors.T >= floor
    free, groups = np.ones(len(ids), dtype=bool), []
    for row in np.argsort(-alike.sum(axis=1), kind="stable"):
        if free[row]:
            near = [int(i) for i in np.flatnonzero(alike[row] & free)][:LARGEST_GROUP]
            free[near] = False
            if len(near) >= LEAST_SOURCES:
                groups.append([ids[i] for i in near])
    return groups


def _count_tokens(group: Sequence[Fact]) -> int:
    return sum(count_tokens(str(show_entry(0, fact))) for fact in group)


def _read_sources(item: Mapping[str, JsonValue], groups: Sequence[Mapping[int, Fact]]) -> list[Fact]:
    """The entries to merge, oldest first.  Empty: they were not shown in one group, or are fewer than two."""
    said = item.get("merge")
    numbers = said if isinstance(said, list) else []
    named = {number for number in numbers if isinstance(number, int) and not isinstance(number, bool)}
    group = next((group for group in groups if named <= group.keys()), {})
    return [fact for number, fact in group.items() if number in named] if len(named) >= LEAST_SOURCES else []


def _may_merge(facts: Sequence[Fact], text: str, seal: OwnerSeal) -> bool:
    """Whether the entries are of one speaker and trust, and the text says no other numbers than they do."""
    if not 0 < len(text) <= LONGEST:
        return False
    said_by = {
        (fact.trust, fact.speaker.casefold(), seal.person(fact.scope, fact.speaker, fact.content, fact.metadata), rank_of(fact))
        for fact in facts
    }
    invented = unknown_numbers(text, [fact.content for fact in facts], None)
    return len(said_by) == 1 and not invented and not unknown_numbers(facts[-1].content, [text], None)


def _merge(work: Work, facts: Sequence[Fact], text: str) -> Fact:
    """The merged entry.  It is the newest one with another text and more sources."""
    newest = facts[-1]
    return replace(
        newest,
        id=derived_id("consolidated", *sorted(fact.id for fact in facts)),
        content=text,
        created_at=work.core.clock.now(),
        said_at=entry_time(newest),
        importance=max(fact.importance for fact in facts),
        entities=tuple(dict.fromkeys(name for fact in facts for name in fact.entities)),
        turn_ids=tuple(dict.fromkeys(turn for fact in facts for turn in fact.turn_ids)),
        version=1,
        uses=0,
        last_used_at=None,
        indexed=False,
        job_id=work.job.id,
        trigger=work.job.trigger,
        metadata={key: value for key, value in newest.metadata.items() if key != VERIFIED}
        | {"sources": ",".join(fact.id for fact in facts)},
    )
