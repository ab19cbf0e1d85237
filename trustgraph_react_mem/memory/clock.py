"""The machine's clock.  Rules get a ``Clock``, so that a test or a simulation can hand them its own."""

import asyncio
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        """Aware, UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
