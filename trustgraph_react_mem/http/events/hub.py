"""What all clients of events share: the rings, their sources, and the number of open connections."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ...bus.notify import BusChangeNotifier
from ...bus.pulsar_driver import DirectBackend
from ...errors import Blame, MemoryServiceError
from ...memory.scope import Scope
from ..access import Buses, Services
from ..principal import Principal
from .event import GROUPS, Kind
from .feed import Ring, Rings
from .sources import JobEvents, MemorySource, ObservedServices


class TooManyConnections(MemoryServiceError):
    """The server, or one key, has as many open event streams and sockets as it may."""

    wire_type: ClassVar[str] = "too-many-requests"
    blame: ClassVar[Blame] = "caller"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLimits:
    """Numbers are of one listener, times in seconds.

    Attributes:
        connections: event streams and sockets together.
        connections_a_key: of one credential.
        auth_s: until a socket must be authenticated.
        auth_tries: of one socket.
        ping_s: between pings of a socket, and comments in an event stream.
        check_s: between checks that the credential is still valid.
        slow_s: a client that takes no data for so long is disconnected.
        close_s: for which a client that is disconnected may still read what was sent.
        queued: messages that wait for a client.
        outstanding: requests of one socket that run at once.  TrustGraph's gateway has the same limit.
        subscriptions: of one socket.
        waiting: requests of one socket that run or wait.
        waiting_bytes: of these requests together.
    """

    connections: int = 256
    connections_a_key: int = 32
    auth_s: float = 10.0
    auth_tries: int = 10
    ping_s: float = 20.0
    check_s: float = 2.0
    slow_s: float = 20.0
    close_s: float = 10.0
    queued: int = 64
    outstanding: int = 15
    subscriptions: int = 16
    waiting: int = 100
    waiting_bytes: int = 8 * 2**20


class EventHub:
    """Its sources start with the first client.  ``close`` ends all connections."""

    def __init__(self, limits: EventLimits | None = None) -> None:
        self.limits = limits or EventLimits()
        self.rings = Rings()
        self.closing = asyncio.Event()
        self._connections: Counter[str] = Counter()
        self._starting: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._ending = contextlib.AsyncExitStack()

    def observe(self, services: Services, workspace: str) -> Services:
        """The services, whose recalls become events."""
        return ObservedServices(services, self.rings, workspace)

    @contextlib.asynccontextmanager
    async def follow(self, scope: Scope, kinds: frozenset[Kind], buses: Buses) -> AsyncIterator[Ring]:
        """The ring of a scope, kept up to date for these kinds.  Raises: EngineUnavailable."""
        task = self._starting
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._starting = asyncio.create_task(self._start(buses))
        await asyncio.shield(task)
        with self.rings.follow(scope, with_jobs=bool(kinds & GROUPS["job"])) as ring:
            yield ring

    async def _start(self, buses: Buses) -> None:
        async with contextlib.AsyncExitStack() as opened:
            backend = DirectBackend.to(buses.address, quiet=True)
            opened.push_async_callback(backend.close)
            notifier = BusChangeNotifier(backend)
            memories = MemorySource(self.rings, buses.open)
            notifier.subscribe(memories.changed)
            opened.push_async_callback(notifier.close)
            await notifier.start()
            self._ending = opened.pop_all()
        jobs = JobEvents(self.rings, buses.open)
        self._tasks = [asyncio.create_task(memories.run()), asyncio.create_task(jobs.run())]

    @contextlib.contextmanager
    def connect(self) -> Iterator[None]:
        """Counts an open connection.  Raises: TooManyConnections."""
        with self._count("", self.limits.connections, "the server has"):
            yield

    @contextlib.contextmanager
    def connect_as(self, principal: Principal) -> Iterator[None]:
        """Counts a connection of a credential.  Raises: TooManyConnections."""
        with self._count(f"key {principal.key_id}", self.limits.connections_a_key, "this key has"):
            yield

    @contextlib.contextmanager
    def _count(self, name: str, most: int, whose: str) -> Iterator[None]:
        if self._connections[name] >= most:
            raise TooManyConnections(f"{whose} {most} open event streams and sockets, its maximum: close one first")
        self._connections[name] += 1
        try:
            yield
        finally:
            self._connections[name] -= 1
            if not self._connections[name]:
                del self._connections[name]

    async def close(self) -> None:
        self.closing.set()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._ending.aclose()
