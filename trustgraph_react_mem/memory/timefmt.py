"""Times as text: written in ISO 8601 and UTC, read back as aware UTC datetimes.

The parsers take a time without a zone as UTC.
"""

from datetime import UTC, datetime


def format_time(at: datetime | None) -> str:
    """ISO 8601 in UTC, microseconds only where there are any; "" for None.

    >>> format_time(datetime(2026, 5, 7, 9, 30, tzinfo=UTC))
    '2026-05-07T09:30:00+00:00'
    """
    return at.astimezone(UTC).isoformat() if at else ""


def sortable_time(at: datetime | None) -> str:
    """As ``format_time``, always with microseconds: stores compare times as text, so all must have one width."""
    return at.astimezone(UTC).isoformat(timespec="microseconds") if at else ""


def require_time(text: object, *, local: bool = False) -> datetime:
    """``local``: a time without a zone is in the zone of this machine.

    Raises: ValueError (anything but an ISO 8601 time in the years 1 to 9999 of UTC).
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not an ISO 8601 time")
    at = datetime.fromisoformat(text)
    if at.tzinfo is UTC:
        return at
    try:
        return (at if at.tzinfo or local else at.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:  # such as 9999-12-31T23:59-05:00, which models write for "never"
        raise ValueError(f"{text!r} is outside the years 1 to 9999") from None


def parse_time(text: object) -> datetime | None:
    """As ``require_time``; None for an empty or unreadable text and for what is no text."""
    try:
        return require_time(text)
    except ValueError:
        return None
