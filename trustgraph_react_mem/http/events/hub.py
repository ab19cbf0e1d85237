"""What all clients of events share: the rings, their sources, and the number of open connections."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from ...bus.notify import BusChangeNotifier
from ...errors import Blame, MemoryServiceError
from ...memory.scope import Scope
from ..access import Buses
from ..principal import Principal
from .feed import Ring, Rings
from .sources import Sources


class TooManyConnections(MemoryServiceError):
    """The server, or one key, has as many open event streams as it may."""

    wire_type: ClassVar[str] = "too-many-requests"
    blame: ClassVar[Blame] = "caller"


@dataclass(eq=False, slots=True, kw_only=True)
class EventHub:
    """Its sources start with the first client.  ``close`` ends all streams.

    Numbers are of one listener, times in seconds.

    Attributes:
        connections: event streams.
        connections_a_key: of one credential.
        ping_s: between comments in a silent event stream.
        check_s: between checks that the credential of a stream is still valid.
    """

    connections: int = 256
    connections_a_key: int = 32
    ping_s: float = 20.0
    check_s: float = 2.0
    rings: Rings = field(default_factory=Rings, init=False)
    _open: Counter[str] = field(default_factory=Counter, init=False)  # streams by key
    _starting: asyncio.Task[contextlib.AsyncExitStack] | None = field(default=None, init=False)

    @contextlib.asynccontextmanager
    async def follow(self, scope: Scope, buses: Buses) -> AsyncIterator[Ring]:
        """The ring of a scope, kept up to date.  Raises: EngineUnavailable."""
        task = self._starting
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._starting = asyncio.create_task(self._start(buses))
        await asyncio.shield(task)
        with self.rings.follow(scope) as ring:
            yield ring

    async def _start(self, buses: Buses) -> contextlib.AsyncExitStack:
        """Returns what ends the sources."""
        async with contextlib.AsyncExitStack() as opened:
            backend = buses.connect()
            opened.push_async_callback(backend.close)
            notifier = BusChangeNotifier(backend)
            sources = Sources(self.rings, buses.open)
            notifier.subscribe(sources.changed)
            opened.push_async_callback(notifier.close)
            await notifier.start()
            for run in (sources.run_memories, sources.run_jobs):
                opened.callback(asyncio.create_task(run()).cancel)
            return opened.pop_all()

    @contextlib.contextmanager
    def connect(self, principal: Principal) -> Iterator[None]:
        """Counts an open stream of events or of an answer.  Raises: TooManyConnections."""
        key = principal.key_id
        for whose, count, most in (
            ("the server has", self._open.total(), self.connections),
            ("this key has", self._open[key], self.connections_a_key),
        ):
            if count >= most:
                raise TooManyConnections(f"{whose} {most} open streams, its maximum: close one first")
        self._open[key] += 1
        try:
            yield
        finally:
            self._open -= Counter([key])  # which keeps no zero

    async def close(self) -> None:
        self.rings.end()
        if self._starting is not None:
            self._starting.cancel()
            (started,) = await asyncio.gather(self._starting, return_exceptions=True)
            if isinstance(started, contextlib.AsyncExitStack):
                await started.aclose()
