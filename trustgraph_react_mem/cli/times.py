"""Parse times as people type them."""

import re
from datetime import UTC, datetime, timedelta

import tzlocal

from ..errors import BadRequest

_UNITS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_AGO = re.compile(r"(\d+)\s*(minute|hour|day|week)s?\s+ago")


def local_zone() -> str:
    """The time zone of this machine: its IANA name, or its present offset if it has none."""
    try:
        return tzlocal.get_localzone_name() or ""
    except (ValueError, LookupError, OSError):  # TZ is a rule instead of a name, or names contradict one another
        offset = datetime.now().astimezone().strftime("%z")
        return f"{offset[:3]}:{offset[3:5]}"


def parse_past_time(text: str, now: datetime | None = None) -> datetime:
    """ISO 8601 (local time if it has no zone), "N minutes|hours|days|weeks ago", or "yesterday" (24 hours ago).

    Raises:
        BadRequest: any other text, or a time in the future.
    """
    moment = now or datetime.now(UTC)
    wanted = text.strip().lower()
    ago = _AGO.fullmatch(wanted)
    if ago:
        try:
            return moment - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
        except (OverflowError, ValueError):
            raise BadRequest(f"{text!r} is not a time: it is before year 1") from None
    if wanted == "yesterday":
        return moment - timedelta(days=1)
    try:
        at = datetime.fromisoformat(text.strip()).astimezone(UTC)
    except ValueError:
        raise BadRequest(f"{text!r} is not a time: write it as 2026-03-01T12:00 or '2 hours ago'") from None
    if at > moment:
        raise BadRequest(f"{text!r} is in the future: pass a time in the past")
    return at
