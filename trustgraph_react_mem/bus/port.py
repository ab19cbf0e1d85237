"""The port of a message bus: topics in trustgraph-base's format ``class:space:topic``, and what each class of them promises.

- ``request:`` each message goes to one consumer of a subscription.  It is not stored: a caller without a reply asks again.
- ``response:``, ``notify:`` each message goes to every subscription that exists when it is sent.  It is not stored.
- The job topics (``schema.topics.job_queue``) are stored: ``Sender.send_bytes`` returns when the message survives a crash.
  It is delivered in the order of its partition key, again to the next consumer until it is acknowledged, and not after that.

What follows from the state of a job is no matter of the bus: delay, dead letters, waiting until jobs have ended, counting and
erasing them are the same over every bus (``jobs``, with the job store).

Implementations: ``InProcessBus`` and ``DirectBackend`` (Pulsar).  ``SocketBus`` reaches the first from another process.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from trustgraph.schema.core.topic import queue

from ..schema.topics import FACTS

REQUESTS = "request:"
#: Requests that a bus may send to the same replica for one scope, which has that scope in its cache.
STICKY = f"{queue(FACTS, cls='request')}:"


class Closed(Exception):
    """The consumer was closed during a receive."""


class Message(Protocol):
    """A received message."""

    @property
    def key(self) -> str:
        """The partition key, "" without one."""
        ...

    @property
    def identity(self) -> str:
        """Another one for each message."""
        ...

    @property
    def abandoned(self) -> bool:
        """Whether its sender is known to wait for no reply any more (``Bus.forget_request``)."""
        ...

    def data(self) -> bytes: ...

    def value(self) -> Any:
        """The decoded message.  Raises: BadRequest (the bytes are not JSON of the topic's schema)."""
        ...

    def properties(self) -> dict[str, str]: ...


class Sender(Protocol):
    """Sends to one topic."""

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        """Return when the bus has the message.  Raises: EngineUnavailable, TooLarge, TypeError (not a wire message)."""
        ...

    async def send_bytes(
        self,
        data: bytes,
        properties: Mapping[str, str] | None = None,
        *,
        partition_key: str | None = None,
        what: str = "message",
    ) -> None:
        """As ``send``, for an encoded message.  ``what``: its class, for error messages."""
        ...

    async def close(self) -> None: ...


class Receiver(Protocol):
    """Receives from one subscription of a topic."""

    @property
    def is_open(self) -> bool: ...

    async def receive(self) -> Any:
        """The next ``Message``.  Raises: Closed."""
        ...

    async def acknowledge(self, message: Any) -> None:
        """Raises: EngineUnavailable (the message may be delivered again)."""
        ...

    async def negative_acknowledge(self, message: Any) -> None:
        """Say that the message was not processed.  A stored one is delivered again."""
        ...

    async def take_delivered(self) -> list[Any]:
        """Close, and return what was delivered and not received."""
        ...

    def is_connected(self) -> bool: ...

    async def close(self) -> None: ...


class Bus(Protocol):
    """A connection to a bus.

    ``loses_requests``: what is sent while the consumers of a topic change can reach none of them (``handover``).
    """

    loses_requests: ClassVar[bool]

    def lease(self) -> "Bus":
        """The same connection, whose ``close`` does not close it."""
        ...

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Sender:
        """Raises: EngineUnavailable."""
        ...

    async def create_consumer(
        self, topic: str, subscription: str, schema: type, initial_position: str = "latest", **options: Any
    ) -> Receiver:
        """Subscribe.  Raises: EngineUnavailable."""
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
