"""The entries of memory that new lines may concern: all rules of the scope, and the facts nearest to any line.

The nearest are taken by rank, never by a least similarity: what changes an entry may be said in quite other words.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from ...indexing.document import query_sparse, with_speaker
from ...indexing.embedding import embed_rows
from ...memory.former import former_since
from ...memory.records import INSTRUCTION, ONLY_IN, TOPIC, Fact
from ...memory.scope import Scope
from ...repositories.facts import FactMemory
from ..dialogue import DialogueLine

MOST_NEAREST, MOST_ENTRIES, MOST_RULES = 22, 30, 40
MOST_RULES_READ = 200  # lessons among them, which are no rules of a person
PER_LINE = 40  # records that are looked up for a line by vector, and as many by words
MOST_SEARCHED = 40  # lines
RANK_OFFSET = 10.0  # of the sum of reciprocal ranks
_MATCH = {"kind": ["semantic", "reflective", "topic"], "status": ["active", "quarantined"]}


async def find_entries(
    facts: FactMemory, scope: Scope, lines: Sequence[DialogueLine], *, conversation_id: str, now: datetime
) -> dict[str, Fact]:
    """The entries by the names that the prompt gives them: R1, R2, ... and F1, F2, ...  Raises: ModelUnavailable."""
    rules = await facts.graph.listing(scope, kinds=("procedural",), statuses=("active", "quarantined"), limit=MOST_RULES_READ)
    rules = [rule for rule in rules if INSTRUCTION in rule.metadata and former_since(rule, now) is None]
    held = [rule for rule in rules if _is_known(rule, conversation_id)][:MOST_RULES]
    near = [fact for fact in await _find_near(facts, scope, lines) if former_since(fact, now) is None]
    named = {f"R{number}": rule for number, rule in enumerate(held, start=1)}
    return named | {f"F{number}": fact for number, fact in enumerate(_choose(near), start=1)}


def _is_known(fact: Fact, conversation_id: str) -> bool:
    """Whether it is active here, or waits for the words of another person."""
    if fact.metadata.get(ONLY_IN, "") not in ("", conversation_id):
        return False
    return fact.status == "active" or (fact.status == "quarantined" and fact.trust == "user")


async def _find_near(facts: FactMemory, scope: Scope, lines: Sequence[DialogueLine]) -> list[Fact]:
    """Facts, best first: active ones, and what a person said that waits for another person's confirmation."""
    said = [line for line in lines if line.role != "tool"][-MOST_SEARCHED:]
    if not said:
        return []
    space = await facts.router.read_index(scope)
    points = await space.index.fetch(scope, [line.turn_id for line in said if line.turn_id], with_vectors=True)
    known = {point.id: point.vectors["text"] for point in points if "text" in point.vectors}
    missing = [line for line in said if line.turn_id not in known]
    rows = await embed_rows(space.embedder, [with_speaker(line.speaker, line.shown) for line in missing], role="passage")
    vectors = [known[line.turn_id] for line in said if line.turn_id in known] + [row for row in rows if row.any()]
    words = [query for line in said if (query := query_sparse(line.shown)).indices]
    searches = [space.index.search_dense(scope, "text", vector, limit=PER_LINE, match=_MATCH) for vector in vectors]
    searches += [space.index.search_sparse(scope, "words", query, limit=PER_LINE, match=_MATCH) for query in words]
    scores: dict[str, float] = {}
    for hits in await asyncio.gather(*searches):
        for rank, hit in enumerate(hits):
            scores[hit.id] = max(scores.get(hit.id, 0.0), 1.0 / (RANK_OFFSET + rank)) + 1e-3 / (RANK_OFFSET + rank)
    order = sorted(scores, key=lambda record_id: (-scores[record_id], record_id))[: 2 * PER_LINE]
    records: Mapping[str, Fact] = {fact.id: fact for fact in await facts.graph.get(scope, order)}
    return [fact for record_id in order if (fact := records.get(record_id)) is not None and _is_known(fact, "")]


def _choose(near: Sequence[Fact]) -> list[Fact]:
    """The nearest, and further ones of the same owner about the same topic as one of them."""
    chosen, others = list(near[:MOST_NEAREST]), near[MOST_NEAREST:]
    about = {(fact.speaker.casefold(), topic.casefold()) for fact in chosen if (topic := fact.metadata.get(TOPIC, ""))}
    chosen += [fact for fact in others if (fact.speaker.casefold(), fact.metadata.get(TOPIC, "").casefold()) in about]
    return chosen[:MOST_ENTRIES]
