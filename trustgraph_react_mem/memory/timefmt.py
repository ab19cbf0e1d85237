"""Times as text: written in ISO 8601 and UTC, read back as aware UTC datetimes.

A time without a zone is taken as UTC, unless the caller says otherwise.
"""

from datetime import UTC, datetime
from typing import Literal


def format_time(at: datetime | None) -> str:
    """ISO 8601 in UTC, microseconds only where there are any; "" for None.

    >>> format_time(datetime(2026, 5, 7, 9, 30, tzinfo=UTC))
    '2026-05-07T09:30:00+00:00'
    """
    return at.astimezone(UTC).isoformat() if at else ""


def sortable_time(at: datetime | None) -> str:
    """As ``format_time``, always with microseconds: stores compare times as text, so all must have one width."""
    return at.astimezone(UTC).isoformat(timespec="microseconds") if at else ""


def require_time(text: object, *, without_zone: Literal["utc", "local", "refuse"] = "utc") -> datetime:
    """``without_zone``: what a time without a zone is taken for; "local": the zone of this machine.

    Raises: ValueError (anything but an ISO 8601 time in the years 1 to 9999 of UTC).
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not an ISO 8601 time")
    at = datetime.fromisoformat(text)
    if at.tzinfo is UTC:
        return at
    if at.tzinfo is None and without_zone == "refuse":
        raise ValueError(f"{text!r} has no time zone")
    try:
        return (at.replace(tzinfo=UTC) if at.tzinfo is None and without_zone == "utc" else at).astimezone(UTC)
    except OverflowError:  # such as 9999-12-31T23:59-05:00, which models write for "never"
        raise ValueError(f"{text!r} is outside the years 1 to 9999") from None


def parse_time(text: object) -> datetime | None:
    """As ``require_time``; None for an empty or unreadable text and for what is no text."""
    try:
        return require_time(text)
    except ValueError:
        return None
