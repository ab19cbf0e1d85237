"""The system clock.  Code takes a ``Clock`` as a parameter, so that tests and simulations can replace it."""

import asyncio
from datetime import UTC, datetime


class SystemClock:
    """``Clock`` of the operating system."""

    def now(self) -> datetime:
        """The current time as an aware datetime in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
