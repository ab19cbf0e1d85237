"""What took the place of former entries, as far as the records at hand show it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from ..memory.former import former_since, is_merge
from ..memory.ports import JsonValue

Payload = Mapping[str, JsonValue]
Find = Callable[[str], Payload | None]  # the payload of a record by its id; None: it is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """``since``: from when on the record is former.  ``ids``: of what took its place, the newest first.  ``text``: of that.

    ``turns``: ids of the turns that said so.
    """

    since: datetime
    ids: tuple[str, ...]
    turns: tuple[str, ...]
    text: str


def find_replaced(
    records: Iterable[tuple[str, Payload]],
    entries_of: Callable[[str], Iterable[tuple[str, Payload]]],
    find: Find,
    now: datetime,
) -> dict[str, Replaced]:
    """What took the place of those of the records that are former, by id.  ``entries_of``: what was derived from a turn."""
    found = {}
    for record_id, payload in records:
        if payload.get("kind") == "turn":
            replaced = _find_outdating(entries_of(record_id), find, now)
        else:
            replaced = _find_replacement(record_id, payload, find, now)
        if replaced is not None:
            found[record_id] = replaced
    return found


def _find_replacement(record_id: str, payload: Payload, find: Find, now: datetime) -> Replaced | None:
    """What took the place of an entry.  None: it is not former, it was merged, or what replaced it is gone."""
    since = former_since(payload, now)
    newer_id = str(payload.get("superseded_by") or "")
    newer = find(newer_id) if since is not None else None
    if since is None or newer is None or is_merge(cast(Mapping[str, JsonValue], newer.get("metadata") or {}), record_id):
        return None
    known = cast(Sequence[str], payload.get("turn_ids") or ())  # a newer entry may rest on what the former one said, too
    turns = tuple(turn for turn in cast(Sequence[str], newer.get("turn_ids") or ()) if turn not in known)
    return Replaced(since=since, ids=(newer_id,), turns=turns, text=str(newer.get("content") or ""))


def _find_outdating(entries: Iterable[tuple[str, Payload]], find: Find, now: datetime) -> Replaced | None:
    """What took the place of everything that was derived from a turn.  None: some of it holds, or there is nothing."""
    found: list[Replaced] = []
    for record_id, payload in entries:
        if (payload.get("status") or "active") not in ("active", "superseded"):
            continue
        replaced = _find_replacement(record_id, payload, find, now)
        if replaced is None:
            return None
        found.append(replaced)
    found.sort(key=lambda each: each.since, reverse=True)
    ids = tuple(dict.fromkeys(record_id for each in found for record_id in each.ids))
    turns = tuple(dict.fromkeys(turn for each in found for turn in each.turns))
    return Replaced(since=found[0].since, ids=ids, turns=turns, text=found[0].text) if found else None
