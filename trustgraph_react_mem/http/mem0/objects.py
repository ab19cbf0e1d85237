"""Our records as mem0's memory objects."""

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ...errors import BadRequest
from ...memory.requests import GetFacts
from ...memory.timefmt import format_time, parse_time
from ...schema import Fact, HistoryEntry
from ..access import Access
from ..client_metadata import AGENT, APP, CATEGORIES, LEARNED, unpack, unpack_list
from ..peer_records import changes
from ..request_body import quote

OWN_RUN = "mem0-"  # begins the conversations of requests that name no run
MOST_IDS = 5000
EVENTS = {"created": "ADD", "superseded": "DELETE", "undone": "DELETE", "forgotten": "DELETE", "quarantined": "DELETE"}


async def memory_objects(access: Access, facts: Sequence[Fact], known: Iterable[Fact] = ()) -> list[dict[str, Any]]:
    """The facts as memory objects, with the time of storing in place of that of the last change.

    A fact that was learned from words has the agent, the app, the categories and the metadata with which the words were added.
    ``known``: records that the caller has read already.
    """
    turns = {fact.id: fact for fact in known}
    missing = sorted({turn for fact in facts for turn in fact.turn_ids} - turns.keys())
    for start in range(0, len(missing), MOST_IDS):
        more = (await access.call(GetFacts(ids=missing[start : start + MOST_IDS]))).facts
        turns |= {fact.id: fact for fact in more}
    return [_memory(fact, access.user, [turns[turn] for turn in fact.turn_ids if turn in turns]) for fact in facts]


async def dated_object(access: Access, fact: Fact) -> dict[str, Any]:
    """The fact as a memory object, with the time of its last change."""
    return (await with_changes(access, [fact], await memory_objects(access, [fact])))[0]


async def with_changes(access: Access, facts: Sequence[Fact], objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects of these facts, with the times of their last changes.  Raises: BadRequest (too many have changed)."""
    changed = await changes(access, facts)
    return [
        {**memory, "updated_at": changed.get(fact.id) or memory["updated_at"]}
        for fact, memory in zip(facts, objects, strict=True)
    ]


def _memory(fact: Fact, user: str, turns: Sequence[Fact]) -> dict[str, Any]:
    labels: dict[str, str] = {}
    for record in (*turns, fact):
        hidden = LEARNED if record.turn_ids else frozenset()
        labels |= {name: value for name, value in record.metadata.items() if name not in hidden}
    end = parse_time(fact.valid_to) if fact.status == "active" else None
    run = None if not fact.source or fact.source.startswith(OWN_RUN) else fact.source
    return {
        "id": fact.id,
        "memory": fact.content,
        "hash": hashlib.md5(fact.content.encode(), usedforsecurity=False).hexdigest(),
        "user_id": user,
        "agent_id": labels.get(AGENT) or None,
        "app_id": labels.get(APP) or None,
        "run_id": run,
        "session_id": run,
        "metadata": unpack(labels),
        "categories": unpack_list(labels, CATEGORIES),
        "created_at": fact.created_at or fact.timestamp,
        "updated_at": fact.superseded_at or fact.created_at or fact.timestamp,
        "expiration_date": (end - timedelta(microseconds=1)).date().isoformat() if end else None,  # the last day
        "kind": fact.kind,
        "status": fact.status,
    }


def scores(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """The scores of facts, best first, from 0 to 1, that never rise.

    The order is that of our ranking, which weighs more than similarity.  The score is the calibrated similarity, raised to that
    of the best memory below.
    """
    raised = list(itertools.accumulate((min(1.0, fact.similarity) for fact in reversed(facts)), max, initial=0.0))[:0:-1]
    return [
        {"score": round(score, 6), "score_breakdown": {"semantic": round(fact.similarity, 6)}}
        for fact, score in zip(facts, raised, strict=True)
    ]


def read_expiration(value: object) -> str:
    """The end of the day of ``YYYY-MM-DD`` in UTC; "" for None.  Raises: BadRequest (no date, or a past one)."""
    if value is None:
        return ""
    try:
        day = datetime.strptime(str(value), "%Y-%m-%d").replace(tzinfo=UTC)
        end = day + timedelta(days=1)
    except (ValueError, OverflowError):
        raise BadRequest(f"expiration_date = {quote(value)} is not a date: write it as 2027-12-31") from None
    if end <= datetime.now(UTC):
        raise BadRequest(f"expiration_date = {quote(value)} is in the past: name a later day, or delete the memory")
    return format_time(end)


def is_expired(fact: Fact, now: datetime) -> bool:
    end = parse_time(fact.valid_to)
    return end is not None and end <= now


def history_objects(entries: Sequence[HistoryEntry], user: str, metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The changes of a record, oldest first, as mem0 lists them.  ``entries``: newest first."""
    found: list[dict[str, Any]] = []
    for before, entry in itertools.pairwise([None, *reversed(entries)]):
        assert entry is not None
        event = EVENTS.get(entry.change, "UPDATE")
        found.append(
            {
                "id": f"{entry.record_id}:{entry.version}",
                "memory_id": entry.record_id,
                "input": [],
                "old_memory": before.content if before else None,
                "new_memory": None if event == "DELETE" else entry.content,
                "event": event,
                "created_at": entry.at,
                "updated_at": entry.at,
                "metadata": dict(metadata),
                "user_id": user,
                "is_deleted": event == "DELETE",
                "actor_id": entry.by,
                "role": None,
            }
        )
    return found
