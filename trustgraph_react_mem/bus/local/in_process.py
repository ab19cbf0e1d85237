"""The bus of one process: topics are queues in memory, job topics are rows of a log on disk (``job_log``).

Invariants:
- A receiver gets a copy of what was sent.  A message that the wire would reject is rejected here too.
- A slow consumer of replies or notifications loses what exceeds ``MOST_WAITING``, as on a broker.
"""

import asyncio
import copy
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from ...errors import EngineUnavailable
from ...schema import JobEnvelope
from ...schema.topics import job_queue
from .. import wire
from ..port import REQUESTS, Closed
from .job_log import JobLog, LogConsumer, LogProducer

logger = logging.getLogger(__name__)

MOST_WAITING = 10_000  # messages of one consumer

_numbers = itertools.count()


class InProcessMessage:
    """``Message``: a snapshot of what was sent, or the bytes if they came from another process.

    It is decoded at the first call of ``value``: most receivers of a reply only look whether it is theirs.
    """

    __slots__ = ("__weakref__", "_data", "_headers", "_schema", "_tree", "_value", "abandoned", "identity", "key")

    def __init__(self, tree: Any, data: bytes | None, schema: type, headers: Mapping[str, str]) -> None:
        self._tree, self._data, self._schema, self._headers = tree, data, schema, headers
        self._value: Any = None
        self.abandoned = False
        self.identity = str(next(_numbers))
        self.key = ""

    def data(self) -> bytes:
        return json.dumps(self._tree).encode("ascii") if self._data is None else self._data

    def value(self) -> Any:
        if self._value is None:
            whole = self._data is not None
            self._value = wire.decode(self._data or b"", self._schema) if whole else wire.restore(self._tree, self._schema)
        return self._value

    def properties(self) -> dict[str, str]:
        return dict(self._headers)


class QueuedReceiver:
    """``Receiver`` over a queue in memory.  Nothing is stored, so there is nothing to acknowledge."""

    def __init__(self, schema: type) -> None:
        self.schema = schema
        self.is_open = True
        self.waiting: asyncio.Queue[InProcessMessage | None] = asyncio.Queue()

    async def receive(self) -> InProcessMessage:
        message = await self.waiting.get() if self.is_open else None
        if message is None:
            raise Closed
        return message

    async def acknowledge(self, message: Any) -> None: ...

    async def negative_acknowledge(self, message: Any) -> None: ...

    async def take_delivered(self) -> list[InProcessMessage]:
        found = [self.waiting.get_nowait() for _ in range(self.waiting.qsize())]
        await self.close()
        return [message for message in found if message is not None]

    def is_connected(self) -> bool:
        return self.is_open

    async def close(self) -> None:
        self.is_open = False
        self.waiting.put_nowait(None)


class InProcessConsumer(QueuedReceiver):
    """A consumer of the bus of its own process."""

    def __init__(self, bus: "InProcessBus", topic: str, subscription: str, schema: type) -> None:
        super().__init__(schema)
        self._bus, self.topic, self.subscription = bus, topic, subscription

    async def close(self) -> None:
        if self.is_open:
            self._bus.remove(self)
            await super().close()


class InProcessProducer:
    """``Sender``."""

    def __init__(self, bus: "InProcessBus", topic: str) -> None:
        self._bus, self._topic = bus, topic

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        self._bus.deliver(self._topic, message, None, properties or {})

    async def send_bytes(
        self,
        data: bytes,
        properties: Mapping[str, str] | None = None,
        *,
        partition_key: str | None = None,
        what: str = "message",
    ) -> None:
        wire.check_fits(what, len(data))
        self._bus.deliver(self._topic, None, data, properties or {})

    async def close(self) -> None:
        """There is nothing to close."""


class InProcessBus:
    """``Bus``.  ``log``: of the job topics."""

    loses_requests: ClassVar[bool] = False

    def __init__(self, log: JobLog | None = None) -> None:
        self._log = log
        self.receive_jobs: Callable[[str], Awaitable[None]] | None = None  # of a workspace; before its first job is published
        self._consumers: dict[str, dict[str, list[InProcessConsumer]]] = {}  # topic -> subscription
        self._requests: WeakValueDictionary[str, InProcessMessage] = WeakValueDictionary()

    def lease(self) -> "InProcessBus":
        return copy.copy(self)

    def deliver(self, topic: str, message: Any, data: bytes | None, headers: Mapping[str, str]) -> None:
        """Put a message into the queues of the topic's consumers.  Raises: TooLarge, TypeError (not a wire message)."""
        tree = wire.snapshot(message) if data is None else None
        for consumers in self._consumers.get(topic, {}).values():
            consumer = min(consumers, key=lambda each: each.waiting.qsize())
            if consumer.waiting.qsize() >= MOST_WAITING and not topic.startswith(REQUESTS):
                logger.warning("delivering a message of %s failed: its consumer is too slow", topic)
                continue
            delivered = InProcessMessage(tree, data, consumer.schema, headers)
            if topic.startswith(REQUESTS):
                self._requests[headers.get("id", "")] = delivered
            consumer.waiting.put_nowait(delivered)

    async def create_producer(self, topic: str, schema: type, **options: Any) -> InProcessProducer | LogProducer:
        if schema is JobEnvelope:
            return LogProducer(self._job_log(), topic)
        return InProcessProducer(self, topic)

    async def create_consumer(
        self, topic: str, subscription: str, schema: type, initial_position: str = "latest", **options: Any
    ) -> InProcessConsumer:
        consumer = InProcessConsumer(self, topic, subscription, schema)
        self._consumers.setdefault(topic, {}).setdefault(subscription, []).append(consumer)
        return consumer

    def remove(self, consumer: InProcessConsumer) -> None:
        subscriptions = self._consumers[consumer.topic]
        subscriptions[consumer.subscription].remove(consumer)
        if not subscriptions[consumer.subscription]:
            del subscriptions[consumer.subscription]
        if not subscriptions:
            del self._consumers[consumer.topic]

    async def open_job_topic(self, workspace: str) -> None:
        """The log keeps what no worker has received."""
        if self.receive_jobs is not None:
            await self.receive_jobs(workspace)

    async def create_job_consumer(self, workspace: str) -> LogConsumer:
        return LogConsumer(self._job_log(), job_queue(workspace))

    def _job_log(self) -> JobLog:
        if self._log is None:
            raise EngineUnavailable("this bus has no job topics: open it with a log")
        return self._log

    def forget_request(self, request_id: str) -> None:
        message = self._requests.pop(request_id, None)
        if message is not None:
            message.abandoned = True

    async def close(self) -> None:
        """Its parts are closed by those who opened them."""
