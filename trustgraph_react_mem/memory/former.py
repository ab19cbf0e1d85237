"""When an entry is former: a later one has taken its place.

- A verbatim turn is never former.  What was merged into another entry is none, either: its words are still true.
- A replacement that was announced for a later date needs no further write: the old entry stays active until that date.
- An end of its own (``valid_to`` without ``superseded_by``) hides nothing that was derived from what was said.  It is shown.
- Only a rule is former after its own last day.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, cast

from ..schema import Fact as WireFact
from .ports import JsonValue
from .records import Fact, FactStatus
from .timefmt import format_time, parse_time

Record = Fact | WireFact | Mapping[str, JsonValue]  # a record, its form on the wire, or its payload in the index
REPLACEMENT_CHARS = 120


def former_since(record: Record, now: datetime) -> datetime | None:
    """From when on the record is former.  None: it is not, or not yet.

    The caller rules out merges (``is_merge``), which only the newer record shows.
    """
    kind, status, until = _read(record, "kind"), _read(record, "status") or "active", _time(_read(record, "valid_to"))
    if not _read(record, "superseded_by"):
        if kind != "procedural" or status != "active" or until is None or until.year == datetime.max.year:
            return None
        ends = until + timedelta(days=1)
        return ends if ends <= now else None
    if kind == "turn":
        return None
    begun = until if until is not None and until <= now else None
    if status == "superseded":
        return begun or _time(_read(record, "superseded_at")) or now
    return begun if status == "active" else None


def status_at(record: Record, now: datetime) -> FactStatus:
    """The status of a record at a time: an active one is superseded from the date of its replacement on."""
    status = cast(FactStatus, _read(record, "status") or "active")
    return "superseded" if status == "active" and former_since(record, now) else status


def is_merge(newer: Mapping[str, Any], old_id: str) -> bool:
    """Whether the newer record, given by its metadata, was merged from the old one and so says it still."""
    return old_id in str(newer.get("sources") or "").split(",")


def has_begun(record: Record, now: datetime) -> bool:
    """Whether the first day on which it holds, if that is known, has come."""
    begins = _time(_read(record, "valid_from"))
    return begins is None or begins <= now


def recalled_until(record: Record) -> datetime | None:
    """When a record is recalled no longer; None: without end.

    Only for what was stored as it is: whoever stores it may say how long it is wanted.  An entry that was derived from what
    was said keeps its end as a part of what it says, and so does what had ended when it was said ("until 2019").
    """
    if _read(record, "superseded_by") or _read(record, "turn_ids") or _read(record, "metadata", {}).get("sources"):
        return None
    until = _time(_read(record, "valid_to"))
    said = _time(_read(record, "said_at") or _read(record, "created_at"))
    return None if until is not None and said is not None and until < said else until


def mark_former(fact: WireFact, since: datetime, newer: str) -> None:
    """Say on the wire that the fact is former.  ``newer``: the text of what took its place."""
    fact.former_since = format_time(since)
    text = " ".join(newer.split())
    fact.replacement = text if len(text) <= REPLACEMENT_CHARS else text[: REPLACEMENT_CHARS - 1].rstrip() + "…"


def until_note(fact: WireFact, *, zone: tzinfo = UTC, numbers: Mapping[str, int] | None = None) -> str:
    """How a former fact is marked wherever it is shown; "" if it is not former.

    ``numbers``: of the memories shown, by id.

    >>> moved = WireFact(id="a", former_since="2026-11-21T00:00:00+00:00", superseded_by="b", replacement="Lives in Lund.")
    >>> until_note(moved), until_note(moved, numbers={"b": 1})
    ('until 2026-11-21, then: Lives in Lund.', 'until 2026-11-21, then [1]')
    """
    return compose_note(day_of(fact.former_since, zone), (numbers or {}).get(fact.superseded_by), fact.replacement)


def compose_note(day: str, number: int | None, text: str) -> str:
    """The mark of a memory that is former since ``day``; "" without one.  ``number``, ``text``: of what took its place."""
    if not day:
        return ""
    if number is not None:
        return f"until {day}, then [{number}]"
    return f"until {day}, then: {text}" if text else f"until {day}"


def when_note(fact: WireFact, *, zone: tzinfo = UTC) -> str:
    """The day of a fact, and from when to when it holds, as far as that is known and differs.

    >>> when_note(WireFact(timestamp="2026-02-01T10:00:00+00:00", valid_from="2026-03-01", valid_to="2026-06-30"))
    '2026-03-01 to 2026-06-30'
    >>> when_note(WireFact(timestamp="2026-02-01T10:00:00+00:00", valid_from="2026-03-01"))
    '2026-02-01, from 2026-03-01'
    """
    said = fact.timestamp[:10]
    begins = day_of(fact.valid_from, zone)
    ends = "" if fact.former_since else day_of(fact.valid_to, zone)
    if begins and ends:
        return begins if begins == ends else f"{begins} to {ends}"
    bounds = [f"from {begins}" if begins not in ("", said) else "", f"to {ends}" if ends else ""]
    return ", ".join(part for part in (said, *bounds) if part)


def day_of(time: str, zone: tzinfo) -> str:
    """The day of a time in a zone.  Midnight in UTC stands for a date without a time of day, which has no zone."""
    at = parse_time(time)
    if at is None:
        return ""
    whole = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return (at if whole else at.astimezone(zone)).date().isoformat()


def _read(record: Record, name: str, default: Any = "") -> Any:
    if isinstance(record, Mapping):
        return record.get(name) or default
    # The time at which a turn was said has another name on the wire.
    return getattr(record, "timestamp" if name == "said_at" and isinstance(record, WireFact) else name) or default


def _time(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else parse_time(value)
