"""Our records as Hindsight's memories."""

from collections.abc import Sequence
from typing import Any

from ...memory.requests import GetFacts
from ...schema import Episode, Fact
from ..access import Access
from ..client_metadata import CONTEXT, DOCUMENT, TAGS, UPDATED, unpack, unpack_list

TYPES = ("world", "experience", "observation")
OBSERVATIONS = ("topic", "reflective")  # what background jobs concluded
MATCHES = ("any", "all", "any_strict", "all_strict", "exact")
LISTED = ("id", "text", "document_id", "mentioned_at", "occurred_start", "occurred_end", "tags", "metadata")
MOST_IDS = 5000


def type_of(fact: Fact) -> str:
    return "observation" if fact.kind in OBSERVATIONS else "world"


async def labels_of(access: Access, facts: Sequence[Fact]) -> list[dict[str, str]]:
    """The metadata of each fact, with that of the words it was learned from."""
    ids = sorted({turn for fact in facts for turn in fact.turn_ids})
    turns: dict[str, Fact] = {}
    for start in range(0, len(ids), MOST_IDS):
        turns |= {turn.id: turn for turn in (await access.call(GetFacts(ids=ids[start : start + MOST_IDS]))).facts}
    found = []
    for fact in facts:
        labels: dict[str, str] = {}
        for record in (*(turns[turn] for turn in fact.turn_ids if turn in turns), fact):
            labels |= record.metadata
        found.append(labels)
    return found


def has_tags(labels: dict[str, str], wanted: Sequence[str], match: str) -> bool:
    """``match``: one of ``MATCHES``.  ``any`` and ``all`` let memories without tags through, as in Hindsight."""
    tags = set(unpack_list(labels, TAGS))
    if match == "exact":
        return tags == set(wanted)
    if not wanted:
        return True
    if not tags:
        return not match.endswith("_strict")
    return bool(tags & set(wanted)) if match.startswith("any") else tags >= set(wanted)


def recall_result(fact: Fact, labels: dict[str, str]) -> dict[str, Any]:
    """As ``RecallResult`` of the client; metadata has texts only."""
    return {
        "id": fact.id,
        "text": fact.content,
        "type": type_of(fact),
        "entities": list(fact.entities),
        "context": labels.get(CONTEXT) or None,
        "occurred_start": fact.valid_from or None,
        "occurred_end": fact.valid_to or None,
        "mentioned_at": fact.timestamp or None,
        "document_id": labels.get(DOCUMENT) or None,
        "metadata": {name: value if isinstance(value, str) else str(value) for name, value in unpack(labels).items()},
        "tags": unpack_list(labels, TAGS),
        "source_fact_ids": list(fact.turn_ids),
    }


def episode_result(episode: Episode) -> dict[str, Any]:
    text = ". ".join(part for part in (episode.goal, episode.outcome, episode.lessons) if part)
    return {"id": episode.id, "text": text, "type": "experience", "mentioned_at": episode.timestamp or None, "tags": []}


def list_item(fact: Fact, labels: dict[str, str]) -> dict[str, Any]:
    """As ``MemoryUnitListItem`` of the client."""
    result = recall_result(fact, labels)
    return {
        **{name: result[name] for name in LISTED},
        "context": result["context"] or "",
        "date": fact.timestamp,
        "fact_type": result["type"],
        "entities": ", ".join(fact.entities),
        "proof_count": max(1, len(fact.turn_ids)),
        "state": "valid" if fact.status == "active" else "invalidated",
        "updated_at": fact.metadata.get(UPDATED) or fact.created_at or None,
        "source_memory_ids": list(fact.turn_ids),
    }
