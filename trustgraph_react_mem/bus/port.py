"""The port of a message bus: topics in trustgraph-base's format ``class:space:topic``, and what each class of them promises.

- ``request:`` each message goes to one consumer of a subscription.  It is not stored: a caller without a reply asks again.
- ``response:``, ``notify:`` each message goes to every subscription that exists when it is sent.  It is not stored.
- The job topics (``schema.topics.job_queue``) are stored: ``Sender.send_bytes`` returns when the message survives a crash.
  It is delivered in the order of its partition key, again to the next consumer until it is acknowledged, and not after that.

What follows from the state of a job is no matter of the bus: delay, dead letters, waiting until jobs have ended, counting and
erasing them are the same over every bus (``jobs``, with the job store).

Implementations: ``InProcessBus``, ``DirectBackend`` (Pulsar) and ``RabbitBus`` (RabbitMQ).  ``SocketBus`` reaches the first
from another process.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol

from trustgraph.schema.core.topic import queue

from ..failure_log import log_failure
from ..schema.topics import FACTS
from . import wire

logger = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0  # after a fault in receiving
MOST_WAITING = 10_000  # replies or notifications of one consumer; it loses what exceeds them
REQUESTS = "request:"
#: Requests that a bus may send to the same replica for one scope, which has that scope in its cache.
STICKY = f"{queue(FACTS, cls='request')}:"


class Closed(Exception):
    """The consumer was closed during a receive."""


class Message:
    """A received message.  It is decoded at the first call of ``value``: most receivers of a reply only look whose it is.

    ``key``: the partition key, "" without one.  ``identity``: of a job, another one for each message.  ``origin``: by which
    its bus acknowledges it.  ``again``: it may have been delivered before, perhaps to another process.  ``abandoned``: its
    sender is known to wait for no reply any more (``Bus.forget_request``).
    """

    def __init__(
        self,
        data: bytes,
        schema: type,
        properties: Mapping[str, str],
        *,
        key: str = "",
        identity: str = "",
        origin: Any = None,
        again: bool = False,
    ) -> None:
        self._data, self._schema, self._properties = data, schema, properties
        self._value: Any = None
        self.key, self.identity, self.origin, self.again = key, identity, origin, again
        self.abandoned = False

    def data(self) -> bytes:
        return self._data

    def value(self) -> Any:
        """Raises: BadRequest (the bytes are not JSON of the topic's schema)."""
        if self._value is None:
            self._value = wire.decode(self._data, self._schema)
        return self._value

    def properties(self) -> dict[str, str]:
        return dict(self._properties)


class Sender:
    """Sends to one topic by ``put(data, properties, partition key)``."""

    def __init__(self, put: Callable[[bytes, Mapping[str, str], str], Awaitable[None]]) -> None:
        self._put = put

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        """Return when the bus has the message.  Raises: EngineUnavailable, TooLarge, TypeError (not a wire message)."""
        await self.send_bytes(wire.encode(message), properties, what=type(message).__name__)

    async def send_bytes(
        self,
        data: bytes,
        properties: Mapping[str, str] | None = None,
        *,
        partition_key: str = "",
        what: str = "message",
    ) -> None:
        """As ``send``, for an encoded message.  ``what``: its class, for error messages."""
        wire.check_fits(what, len(data))
        await self._put(data, properties or {}, partition_key)

    async def close(self) -> None:
        """Most senders hold nothing."""


class Receiver(Protocol):
    """Receives from one subscription of a topic."""

    @property
    def is_open(self) -> bool: ...

    async def receive(self) -> Message:
        """Raises: Closed, EngineUnavailable (try again)."""
        ...

    async def acknowledge(self, message: Message) -> None:
        """Raises: EngineUnavailable (the message may be delivered again)."""
        ...

    async def negative_acknowledge(self, message: Message) -> None:
        """Say that the message was not processed.  A stored one is delivered again."""
        ...

    async def take_delivered(self) -> list[Message]:
        """Close, and return what was delivered and not received."""
        ...

    def is_connected(self) -> bool: ...

    async def close(self) -> None: ...


async def process_messages(
    consumer: Receiver, process: Callable[[Message], Awaitable[None]], what: str, failed: Callable[[], None] = lambda: None
) -> None:
    """Process the messages of a consumer until it is closed.  No fault ends this: who receives no more would look alive.

    ``what``: the messages, for the log.  ``failed``: is called after each fault, which may have cost a message.
    """
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            await process(await consumer.receive())
            pause_s = FIRST_PAUSE_S
        except Closed:
            return
        except Exception:
            # Broad because all that is sent to this consumer depends on this loop.
            log_failure(logger, "receiving %s failed, retry in %g s", what, pause_s)
            failed()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


class Bus(Protocol):
    """A connection to a bus.

    ``requests_may_be``: "lost", while the consumers of a topic change, or "repeated", after a lost connection (``handover``).
    """

    requests_may_be: ClassVar[str]

    def lease(self) -> "Bus":
        """The same connection, whose ``close`` does not close it."""
        ...

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Sender:
        """Raises: EngineUnavailable."""
        ...

    async def create_consumer(
        self, topic: str, subscription: str, schema: type, initial_position: str = "latest", **options: Any
    ) -> Receiver:
        """Subscribe.  With ``exclusive``, no other connection can use the subscription.  Raises: EngineUnavailable."""
        ...

    async def open_job_topic(self, workspace: str) -> None:
        """Let the workspace's job topic keep what is published, even before a worker has subscribed.

        Raises: EngineUnavailable.
        """
        ...

    async def create_job_consumer(self, workspace: str) -> Receiver:
        """A worker's consumer.  What the former one left unacknowledged is delivered again.  Raises: EngineUnavailable."""
        ...

    def forget_request(self, request_id: str) -> None:
        """The sender of the request waits no more: it need not be begun."""
        ...

    async def close(self) -> None: ...
