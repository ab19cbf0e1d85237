"""The bus of one process: topics are queues in memory, job topics are rows of a log on disk (``job_log``).

Invariants:
- A receiver gets a copy of what was sent.  A message that the wire would reject is rejected here too.
- A slow consumer of replies or notifications loses what exceeds ``MOST_WAITING``, as on a broker.
"""

import asyncio
import copy
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from ...errors import EngineUnavailable
from ...schema import JobEnvelope
from ...schema.topics import job_queue
from ..port import MOST_WAITING, REQUESTS, Closed, Message, Sender
from .job_log import JobLog, LogConsumer

logger = logging.getLogger(__name__)


class QueuedReceiver:
    """``Receiver`` over a queue in memory.  Nothing is stored, so there is nothing to acknowledge."""

    def __init__(self, schema: type) -> None:
        self.schema = schema
        self.is_open = True
        self.waiting: asyncio.Queue[Message | None] = asyncio.Queue()

    async def receive(self) -> Message:
        message = await self.waiting.get() if self.is_open else None
        if message is None:
            raise Closed
        return message

    async def acknowledge(self, message: Message) -> None: ...

    async def negative_acknowledge(self, message: Message) -> None: ...

    async def take_delivered(self) -> list[Message]:
        found = [self.waiting.get_nowait() for _ in range(self.waiting.qsize())]
        await self.close()
        return [message for message in found if message is not None]

    def is_connected(self) -> bool:
        return self.is_open

    async def close(self) -> None:
        self.is_open = False
        self.waiting.put_nowait(None)


class InProcessConsumer(QueuedReceiver):
    """``subscription``: the consumers that share its messages."""

    def __init__(self, subscription: "list[InProcessConsumer]", schema: type) -> None:
        super().__init__(schema)
        self._subscription = subscription
        subscription.append(self)

    async def close(self) -> None:
        if self.is_open:
            self._subscription.remove(self)
            await super().close()


class InProcessBus:
    """``Bus``.  ``log``: of the job topics."""

    requests_may_be: ClassVar[str] = ""

    def __init__(self, log: JobLog | None = None) -> None:
        self._log = log
        self.receive_jobs: Callable[[str], Awaitable[None]] | None = None  # of a workspace; before its first job is published
        self._topics: dict[str, dict[str, list[InProcessConsumer]]] = defaultdict(lambda: defaultdict(list))
        self._requests: WeakValueDictionary[str, Message] = WeakValueDictionary()

    def lease(self) -> "InProcessBus":
        return copy.copy(self)

    async def deliver(self, topic: str, properties: Mapping[str, str], data: bytes) -> None:
        """Put a message into the queues of the topic's consumers."""
        subscriptions = self._topics.get(topic, {})
        for name, consumers in list(subscriptions.items()):
            if not consumers:  # the last one was closed
                del subscriptions[name]
                continue
            consumer = min(consumers, key=lambda each: each.waiting.qsize())
            if consumer.waiting.qsize() >= MOST_WAITING and not topic.startswith(REQUESTS):
                logger.warning("delivering a message of %s failed: its consumer is too slow", topic)
                continue
            message = Message(data, consumer.schema, properties)
            if topic.startswith(REQUESTS):
                self._requests[properties.get("id", "")] = message
            consumer.waiting.put_nowait(message)

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Sender:
        if schema is not JobEnvelope:
            return Sender(lambda data, properties, key: self.deliver(topic, properties, data))
        log = self.job_log()
        return Sender(lambda data, properties, key: log.append(topic, key, properties, data))

    async def create_consumer(
        self, topic: str, subscription: str, schema: type, initial_position: str = "latest", **options: Any
    ) -> InProcessConsumer:
        return InProcessConsumer(self._topics[topic][subscription], schema)

    async def open_job_topic(self, workspace: str) -> None:
        """The log keeps what no worker has received."""
        if self.receive_jobs is not None:
            await self.receive_jobs(workspace)

    async def create_job_consumer(self, workspace: str) -> LogConsumer:
        return LogConsumer(self.job_log(), job_queue(workspace))

    def job_log(self) -> JobLog:
        """Of the job topics.  Raises: EngineUnavailable (it has none)."""
        if self._log is None:
            raise EngineUnavailable("this bus has no job topics: open it with a log")
        return self._log

    def forget_request(self, request_id: str) -> None:
        message = self._requests.pop(request_id, None)
        if message is not None:
            message.abandoned = True

    async def close(self) -> None:
        """Its parts are closed by those who opened them."""
