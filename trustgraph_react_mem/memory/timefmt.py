"""Format and parse times as ISO 8601 text.

Formatted times are in UTC.  Parsed times are aware datetimes in UTC.  A time without a zone is UTC unless the caller
chooses otherwise.
"""

import functools
import zoneinfo
from datetime import UTC, datetime, tzinfo
from typing import Literal

from ..errors import BadRequest


def format_time(at: datetime | None) -> str:
    """ISO 8601 in UTC, with microseconds only if they are not zero; "" for None.

    >>> format_time(datetime(2026, 5, 7, 9, 30, tzinfo=UTC))
    '2026-05-07T09:30:00+00:00'
    """
    return at.astimezone(UTC).isoformat() if at else ""


def sortable_time(at: datetime | None) -> str:
    """As ``format_time``, always with microseconds.  Stores compare times as text, so all must have the same width."""
    return at.astimezone(UTC).isoformat(timespec="microseconds") if at else ""


def require_time(text: object, *, without_zone: Literal["utc", "local", "refuse"] = "utc") -> datetime:
    """Parse an ISO 8601 time.

    ``without_zone``: how to read a time without a zone ("local": in the zone of this machine).

    Raises: ValueError (not an ISO 8601 time, or outside the years 1 to 9999 in UTC).
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
    """As ``require_time``, but None for anything that is not a time."""
    try:
        return require_time(text)
    except ValueError:
        return None


def read_time(name: str, text: str) -> datetime | None:
    """The time in the field ``name`` of a request, or None for an empty text.  Raises: BadRequest."""
    if not text:
        return None
    at = parse_time(text)
    if at is None:
        raise BadRequest(f"{name} = {text[:40]!r}: use ISO 8601, such as 2026-01-31T09:00:00Z")
    return at


@functools.lru_cache(maxsize=1024)
def read_zone(name: str) -> tzinfo:
    """The time zone of an IANA name, such as Asia/Tokyo, or of an offset, such as +09:00.  "" is UTC.

    Raises: ValueError.
    """
    if name in ("", "UTC", "Z"):
        return UTC
    try:
        if name[0] in "+-":
            zone = datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
            assert zone is not None
            return zone
        return zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):  # OSError: the name of a folder, such as "America"
        raise ValueError(f"{name[:40]!r} is not a time zone: use an IANA name such as Europe/Berlin, or +02:00") from None


def read_timezone(name: str) -> tzinfo:
    """As ``read_zone``, of a request.  Raises: BadRequest."""
    try:
        return read_zone(name)
    except ValueError as error:
        raise BadRequest(f"timezone: {error}") from None


def zone_of(at: datetime) -> str:
    """The time zone of a time, as ``read_zone`` takes it; of a time without one, that of this machine.
    "" for UTC: then the setting applies.

    >>> zone_of(datetime(2026, 5, 7, tzinfo=zoneinfo.ZoneInfo("Asia/Tokyo"))), zone_of(datetime(2026, 5, 7, tzinfo=UTC))
    ('Asia/Tokyo', '')
    """
    aware = at if at.tzinfo else at.astimezone()
    name: str = getattr(aware.tzinfo, "key", "")
    return name if name not in ("", "UTC") else offset_of(aware.isoformat())


def offset_of(text: str) -> str:
    """The offset of an ISO 8601 time, such as "+09:00"; "" if it has none, is in UTC, or is not a time."""
    try:
        offset = datetime.fromisoformat(text).strftime("%z")
    except ValueError:
        return ""
    return "" if int(offset or 0) == 0 else f"{offset[:3]}:{offset[3:5]}"
