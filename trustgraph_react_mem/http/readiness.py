"""Whether the services behind the listener answer."""

import asyncio
import time

from ..bus.external_client import CHECK_TIMEOUT_S, PROBES
from ..errors import MemoryServiceError
from .access import Buses, Services

WORKSPACE = "default"
KEPT_S = 1.0  # so that frequent probes do not load the services


class Readiness:
    """Asks each service whether it answers, at most once a second."""

    def __init__(self) -> None:
        self._asking: asyncio.Task[dict[str, str]] | None = None
        self._asked_at = 0.0

    async def parts(self, buses: Buses) -> dict[str, str]:
        """Part -> "ok", or the kind of its error."""
        now = time.monotonic()
        if self._asking is None or (self._asking.done() and now - self._asked_at > KEPT_S):
            self._asked_at = now
            self._asking = asyncio.create_task(_ask(buses))
        return await asyncio.shield(self._asking)


async def _ask(buses: Buses) -> dict[str, str]:
    try:
        services = await buses.open(WORKSPACE)
    except MemoryServiceError as error:
        return {"bus": error.wire_type}
    states = await asyncio.gather(*(_state(services, name) for name in PROBES))
    return {"bus": "ok", **dict(zip(PROBES, states, strict=True))}


async def _state(services: Services, name: str) -> str:
    try:
        await services.call(PROBES[name], timeout_s=CHECK_TIMEOUT_S)
    except MemoryServiceError as error:
        return error.wire_type
    return "ok"
