"""Cache invalidation messages between processes.

Notifications are not persistent: one that is sent while this process has no connection to the broker is lost.  Therefore each
sender numbers its messages.  After a gap in the numbers, or a lost connection, every listener is called with ``None`` and
must drop its whole cache.
"""

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Callable, Sequence

from ..errors import EngineUnavailable
from ..failure_log import log_failure
from ..memory.scope import Scope
from ..schema import MemoryChanged
from ..schema.topics import memory_changed_queue
from .port import Bus, Message, Receiver, Sender, process_messages

logger = logging.getLogger(__name__)

ChangeListener = Callable[[MemoryChanged | None], None]

LOOK_AT_CONNECTION_S = 0.25
MOST_IDS = 20_000  # maximum number of ids in one notification


class BusChangeNotifier:
    """Notifies listeners of this process synchronously, so that a writer reads its own write, and other processes by bus."""

    def __init__(self, backend: Bus) -> None:
        self._backend = backend
        self._name = uuid.uuid4().hex
        self._sent = 0
        self._seen: dict[str, int] = {}
        self._listeners: list[ChangeListener] = []
        self._producer: Sender | None = None
        self._consumer: Receiver | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Raises: EngineUnavailable."""
        consumer = await self._backend.create_consumer(memory_changed_queue, f"changes-{self._name}", MemoryChanged)
        try:
            self._producer = await self._backend.create_producer(memory_changed_queue, MemoryChanged, send_timeout_s=2.0)
        except BaseException:
            await consumer.close()
            raise
        self._consumer = consumer

        async def hear(message: Message) -> None:
            self._process(message)
            await consumer.acknowledge(message)

        # After a fault, caches might stay stale for ever.
        listening = process_messages(consumer, hear, "notifications of changes", lambda: self._notify(None))
        self._tasks = [asyncio.create_task(listening), asyncio.create_task(self._watch(consumer))]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in (self._consumer, self._producer):
            if end is not None:
                await end.close()

    def subscribe(self, listener: ChangeListener) -> None:
        """Call ``listener`` with each change, or with None if changes may have been missed."""
        self._listeners.append(listener)

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        """Report a write.  Never raises, because the write has already happened.

        A process that misses the message detects the gap in the numbers with the next one.
        """
        # Too many ids for one message, and reloading the scope is cheaper anyway.
        everything = len(ids) + len(forgotten) > MOST_IDS
        change = MemoryChanged(
            workspace=scope.workspace,
            user=scope.user,
            collection=scope.collection,
            store=store,
            ids=[] if everything else list(ids),
            forgotten=[] if everything else list(forgotten),
        )
        self._notify(change)
        self._sent += 1
        if self._producer is None:
            return
        try:
            await self._producer.send(change, {"sender": self._name, "number": str(self._sent)})
        except EngineUnavailable as error:
            logger.warning("announcing a change of %s to other processes failed: %s", store, error)

    def _notify(self, change: MemoryChanged | None) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                # Broad because a bug in one cache must not keep the others stale.
                log_failure(logger, "a change listener failed")

    def _process(self, message: Message) -> None:
        properties = message.properties()
        sender = properties.get("sender", "")
        if sender == self._name:
            return
        number = int(properties.get("number", "0"))
        expected = self._seen.get(sender, number - 1) + 1
        self._seen[sender] = number
        if number > expected:
            self._notify(None)
        self._notify(message.value())

    async def _watch(self, consumer: Receiver) -> None:
        connected = True
        while True:
            await asyncio.sleep(LOOK_AT_CONNECTION_S)
            with contextlib.suppress(RuntimeError):
                before, connected = connected, consumer.is_connected()
                if connected and not before:
                    self._notify(None)
