"""What a manager works on: the stores of a data directory, the stack that serves it, or a deployment.

Invariants:
- The managers of one process share the stores of a directory, which are closed with the last of them.
- A directory that a stack serves is never opened: requests go to the stack.
- Everything here runs on the thread of the stores (``portal``).
"""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..bootstrap import operator_key
from ..bus.address import BusAddress
from ..bus.external_client import MemoryBus
from ..errors import ConfigurationError, EngineUnavailable
from ..flow_settings import TYPE, settings_of
from ..memory.policies import KEPT, DataPolicy
from ..memory.ports import Clock, Embedder
from ..memory.requests import Request
from ..memory.scope import Scope
from ..models.chat import ChatModel
from ..settings import AgentMemSettings
from ..stack_state import FLOW, running_stack
from ..store_settings import StoreSettings
from .local import LocalServices

Response = TypeVar("Response")

_shared: dict[Path, asyncio.Task[LocalServices]] = {}  # open stores by directory; only the thread of the stores uses it
_opener = 0  # the process that first opened something


@dataclass(slots=True, kw_only=True)
class Connection:
    """To a directory, or to the ``flow`` of a deployment that has the ``address``.

    Opened by the first request.  ``close`` ends it for all managers that share it.
    """

    clock: Clock
    directory: Path | None = None
    embedder: Embedder | None = None
    model: str | ChatModel = ""
    address: BusAddress | None = None
    flow: str = FLOW
    closed: bool = False
    _local: LocalServices | None = None
    _stack_learns: bool = True
    _buses: dict[str, MemoryBus] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def call(self, request: Request[Response], scope: Scope, settings: AgentMemSettings, timeout_s: float) -> Response:
        """Run a request in this process, or send it.  ``settings``: of this process; a stack uses its own.

        Raises: the errors of the operation; ConfigurationError, EngineUnavailable (nothing could be opened).
        """
        opened = await self._open(scope.workspace)
        try:
            if isinstance(opened, LocalServices):
                return await opened.call(request, scope, settings)
            return await opened.call(request, timeout_s)
        except EngineUnavailable:
            self._check_open()
            raise

    async def settings(self, workspace: str, own: AgentMemSettings) -> AgentMemSettings:
        """The settings that apply to requests."""
        opened = await self._open(workspace)
        if isinstance(opened, LocalServices):
            return own
        return settings_of(opened.flow, await opened.config_get(TYPE))

    async def policy(self, scope: Scope, own: AgentMemSettings) -> DataPolicy:
        """The policy that this process applies before it sends a text.  A stack applies its own one, too.

        Hashes need the key of the scope, which never leaves the stores.  So a stack hashes; one with other settings is sent
        redacted texts.
        """
        if own.personal_data in KEPT:
            return DataPolicy()
        opened = await self._open(scope.workspace)
        if isinstance(opened, LocalServices):
            return await opened.policy(scope, own)
        hashed = own.personal_data == "hash" and (await self.settings(scope.workspace, own)).personal_data == "hash"
        return DataPolicy(personal_data="keep" if hashed else own.personal_data)

    async def learns(self, workspace: str) -> bool:
        """Whether a language model is configured.  A deployment does not say so: there it is assumed."""
        opened = await self._open(workspace)
        return opened.learns if isinstance(opened, LocalServices) else self._stack_learns

    async def close(self) -> None:
        self.closed = True
        if _opener != os.getpid():
            return  # nothing is open, or what this process cannot use
        async with self._opening:
            buses, self._buses = self._buses, {}
            for bus in buses.values():
                await bus.close()
            if (local := self._local) is not None:
                self._local = None
                local.users -= 1
                if not local.users:
                    try:
                        await local.close()
                    finally:
                        del _shared[local.directory]

    def _check_open(self) -> None:
        """Raises: ConfigurationError."""
        if self.closed:
            raise ConfigurationError("this memory was closed while the request was waiting: open it again")

    async def _open(self, workspace: str) -> LocalServices | MemoryBus:
        """Raises: ConfigurationError, also in a process that was forked later: the threads of engines and clients are not."""
        global _opener
        if _opener not in (0, os.getpid()):
            raise ConfigurationError(
                "this process was forked after a memory was opened, which does not survive that: open memories after the fork "
                "only, or start processes with the method 'spawn'"
            )
        _opener = os.getpid()
        async with self._opening:
            self._check_open()
            if self._local is not None:
                return self._local
            if workspace in self._buses:
                if not self._buses[workspace].is_lost:
                    return self._buses[workspace]
                await self._buses.pop(workspace).close()
            address, flow = self.address, self.flow
            if self.directory is not None:
                running = running_stack(self.directory) if self.directory not in _shared else None
                if running is None:
                    self._local = await self._share(self.directory)
                    return self._local
                address, flow = running.address, running.flow
                self._stack_learns = running.description.get("model") != "none"
            assert address is not None  # as there is no directory
            bus = await MemoryBus.connect(address, workspace, flow)
            bus.find_operator_key = lambda: operator_key(StoreSettings())
            try:
                await bus.check()
            except BaseException:
                await bus.close()
                raise
            self._buses[workspace] = bus
            return bus

    async def _share(self, directory: Path) -> LocalServices:
        """Raises: ConfigurationError (they are open with another embedder), or as ``LocalServices.open``."""
        if (opening := _shared.get(directory)) is None:
            opened = LocalServices.open(directory, embedder=self.embedder, clock=self.clock, model=self.model)
            opening = _shared[directory] = asyncio.create_task(opened)
        try:
            local = await asyncio.shield(opening)
        except BaseException:
            if opening.done() and _shared.get(directory) is opening:
                del _shared[directory]
            raise
        own, first = self.embedder, local.embedder
        if own is not None and first is not own and (first is None or first.profile != own.profile):
            raise ConfigurationError(
                f"{directory} is open in this program with another embedding model: use the same one, or close the other memory"
            )
        local.users += 1
        return local
