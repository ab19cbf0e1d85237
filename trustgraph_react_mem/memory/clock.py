"""The system clock.  Code takes a ``Clock`` as a parameter, so that tests and simulations can replace it."""

import asyncio
from datetime import UTC, datetime, timedelta

#: Stored times that are further ahead than this were written by a clock that has been set back since.
TOLERANCE = timedelta(minutes=5)


class SystemClock:
    """``Clock`` of the operating system."""

    def now(self) -> datetime:
        """The current time as an aware datetime in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def is_ahead(until: datetime, now: datetime, longest: timedelta) -> bool:
    """Whether ``until``, which was set for at most ``longest``, is still ahead.

    A time further ahead was set before the clock was set back: it counts as passed, so that nothing waits for a day.
    """
    return now < until <= now + longest


def oldest_kept(ttl_days: int, now: datetime) -> datetime | None:
    """Memories created before this time have expired; recall leaves them out until the sweep deletes them.  None: none has."""
    return now - timedelta(days=ttl_days) if ttl_days else None
