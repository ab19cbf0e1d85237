"""The MCP server over standard input and output, for the user of this account."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server import MCPServer

from ..bus.external_client import MemoryBus
from ..errors import EngineUnavailable
from ..http.access import Access
from ..http.principal import Principal
from .server import build_server
from .settings import McpSettings

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


async def serve(access: LocalAccess, settings: McpSettings) -> None:
    """Serve until standard input ends."""
    server: MCPServer[Any] = build_server(access, settings)
    try:
        await server.run_stdio_async()
    finally:
        await access.close()


def no_stack(directory: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"no memory stack runs over {directory}: start one with `react-mem up`, or name a deployment with --bus "
        "(REACT_MEM_BUS) when this server is installed"
    )
