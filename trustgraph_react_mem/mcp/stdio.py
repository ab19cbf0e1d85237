"""The MCP server over standard input and output, for the user of this account."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from ..bus.external_client import MemoryBus
from ..http.access import Access
from ..http.principal import Principal
from ..http.settings import McpSettings
from ..memory.text.well_formed import well_formed_json
from .server import build_server

Connect = Callable[[], Awaitable[MemoryBus]]


class LocalAccess:
    """The access of one user.  The bus is opened by the first call that needs it, and again after the stack was restarted.

    ``connect`` finds the running stack each time.  Raises: EngineUnavailable (with the command that starts one).
    """

    def __init__(self, connect: Connect, *, workspace: str, user: str, collection: str) -> None:
        self._connect = connect
        self._principal = Principal(key_id="local", kind="user", workspace=workspace, user=user)
        self._user, self._collection = user, collection
        self._bus: MemoryBus | None = None
        self._opening = asyncio.Lock()

    async def __call__(self, request: Any) -> Access:
        async with self._opening:
            if self._bus is not None and self._bus.find_loss():
                await self.close()
            if self._bus is None:
                self._bus = await self._connect()
        return Access(principal=self._principal, user=self._user, collection=self._collection, services=self._bus)

    async def close(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            await bus.close()


class _Lines:
    """The lines of standard input.  One with half a character would get no answer from the SDK, whose reader is strict."""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in anyio.wrap_file(sys.stdin.buffer):
            yield well_formed_json(line).decode("utf-8", "replace")


async def serve(access: LocalAccess, settings: McpSettings) -> None:
    """Serve until standard input ends."""
    server = build_server(access, settings)
    try:
        async with stdio_server(stdin=_Lines()) as (incoming, outgoing):  # type: ignore[arg-type]  # it only iterates
            await server.run_over(incoming, outgoing)
    finally:
        await access.close()
