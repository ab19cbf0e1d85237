"""Pulsar backend without batching: sends are immediate, and failures are raised to the caller.

Wire format, topic names and subscriptions are those of trustgraph-base.  Differences:

- Producers do not batch.  (A stock send waits 10 ms for others to share its batch.)
- A failed receive is retried with backoff.  (The stock loop ends.)
- Closing keeps the subscriptions of ``flow:`` and ``request:`` topics, so that a backlog survives a restart.
- Errors of the broker are raised as ``EngineUnavailable``.
- Requests of one scope to the facts service go to the same replica while the number of replicas is constant, because that
  replica has the scope in its cache.
"""

import asyncio
import copy
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

import pulsar
import pulsar.asyncio
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

from ..errors import EngineUnavailable, TooLarge, Unconfirmed
from ..failure_log import describe_error
from . import trustgraph_adapter, wire
from .address import BusAddress
from .heartbeat import count_receive_failure
from .job_topics import JobTopics
from .port import STICKY, Closed

logger = logging.getLogger(__name__)

SEND_TIMEOUT_S = 10.0
OPERATION_TIMEOUT_S = 10
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 5.0
REPLIES_AHEAD = 10_000  # receiver queue of a response topic, messages
TAKEN_AT_ONCE = 16  # receives in flight at the end of a consumer
MOST_TAKEN = 1024  # the native client's queue holds a thousand
TAKEN_S = 0.01  # until they have what was delivered
CLOSE_S = 5.0
ENDED_S = 1.0  # until the native client has ended the others, after a close

trustgraph_adapter.drop_late_replies()

_CLOSED = (pulsar.Result.AlreadyClosed, pulsar.Result.ConsumerNotInitialized, pulsar.Result.ProducerNotInitialized)


class DirectMessage:
    """``Message``, decoded at the first call of ``value``."""

    __slots__ = ("_schema", "_value", "raw")
    abandoned = False  # a caller in another process does not say so

    def __init__(self, raw: Any, schema: type) -> None:
        self.raw = raw
        self._schema = schema
        self._value: Any = None

    def value(self) -> Any:
        """Raises: BadRequest (the bytes are not this schema's JSON)."""
        if self._value is None:
            self._value = wire.decode(self.raw.data(), self._schema)
        return self._value

    def data(self) -> bytes:
        found: bytes = self.raw.data()
        return found

    def properties(self) -> dict[str, str]:
        found: dict[str, str] = self.raw.properties()
        return found

    @property
    def key(self) -> str:
        found: str = self.raw.partition_key()
        return found

    @property
    def identity(self) -> str:
        """The broker's id of the message plus the job id, because message ids repeat after a topic was recreated."""
        return f"{self.raw.topic_name()}|{self.raw.message_id()}|{self.properties().get('id', '')}"


class DirectProducer:
    """``Sender``.  ``sticky``: messages of one scope go to the same replica of the service, which has it in its cache."""

    def __init__(self, producer: Any, topic: str, *, sticky: bool = False) -> None:
        self._producer = producer
        self._topic = topic
        self._sticky = sticky

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        """Return when the broker has confirmed the message.  Raises: EngineUnavailable, TooLarge."""
        key = f"{message.user}/{message.collection}" if self._sticky else None
        await self.send_bytes(wire.encode(message), properties, partition_key=key, what=type(message).__name__)

    async def send_bytes(
        self,
        data: bytes,
        properties: Mapping[str, str] | None = None,
        *,
        partition_key: str | None = None,
        what: str = "message",
    ) -> None:
        """As ``send``, for an encoded message.  ``what``: its class, for error messages."""
        wire.check_fits(what, len(data))
        try:
            await self._producer.send(data, properties=dict(properties or {}), partition_key=partition_key)
        except pulsar.asyncio.PulsarException as error:
            if error.error() == pulsar.Result.MessageTooBig:  # this broker has a lower limit than usual
                raise TooLarge(
                    f"a {what} of {len(data) / 1e6:.1f} MB exceeds the limit of this broker: send or ask for less at once"
                ) from None
            failed = unavailable(f"sending to {self._topic}", error)
            raise (Unconfirmed(str(failed)) if error.error() == pulsar.Result.Timeout else failed) from None

    def is_connected(self) -> bool:
        return bool(self._producer.is_connected())

    async def close(self) -> None:
        await _close_quietly(self._producer.close())


class DirectConsumer:
    """``Receiver``.  ``unsubscribes``: closing removes the subscription.  ``subscribe``: again, after the broker closed it."""

    def __init__(
        self,
        consumer: Any,
        topic: str,
        schema: type,
        *,
        unsubscribes: bool,
        subscribe: Callable[[], Awaitable[Any]] | None = None,
    ) -> None:
        self._subscribe = subscribe
        self._topic = topic
        self._schema = schema
        self._unsubscribes = unsubscribes
        self._open = True
        self._hold(consumer)

    def _hold(self, consumer: Any) -> None:
        self._consumer = consumer
        self._lost = trustgraph_adapter.close_when_lost(self, consumer)
        self._lost.atexit = False  # the client's close then closes its consumers

    async def receive(self) -> DirectMessage:
        """The next message.  Failures are retried with backoff.  Raises: Closed."""
        pause_s = FIRST_PAUSE_S
        while True:
            if not self._open:
                raise Closed
            try:
                return DirectMessage(await self._consumer.receive(), self._schema)
            except pulsar.asyncio.PulsarException as error:
                if not self._open:
                    raise Closed from None
                if error.error() in _CLOSED:
                    await self._open_again()
                logger.warning("receiving from %s failed, retry in %g s: %s", self._topic, pause_s, error)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _open_again(self) -> None:
        """Replace a consumer that the broker has closed.  Raises: Closed (the whole connection was closed here)."""
        if self._subscribe is None:
            raise Closed
        try:
            consumer = await self._subscribe()
        except pulsar.asyncio.PulsarException as error:
            if error.error() in _CLOSED:
                raise Closed from None
        else:
            if not self._open:  # closed meanwhile: the new consumer would take messages and drop them
                await _close_quietly(consumer.close())
                raise Closed
            self._lost.detach()
            self._hold(consumer)
        logger.error("receiving from %s failed: the broker had closed the consumer, subscribing again", self._topic)
        count_receive_failure(self._topic.rsplit("/", 1)[-1])

    async def acknowledge(self, message: DirectMessage) -> None:
        """Raises: EngineUnavailable (the message will be redelivered)."""
        try:
            await self._consumer.acknowledge(message.raw)
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"acknowledging on {self._topic}", error) from None

    async def negative_acknowledge(self, message: DirectMessage) -> None:
        """Ask the broker to redeliver a message."""
        await self._consumer.negative_acknowledge(message.raw)

    def is_connected(self) -> bool:
        return trustgraph_adapter.is_connected(self._consumer)

    @property
    def is_open(self) -> bool:
        return self._open

    async def take_delivered(self) -> list[DirectMessage]:
        """Close, and return the messages that the broker had delivered: a non-persistent topic delivers none of them again.

        The native client discards its queue at a close, so receives are kept in flight until they find no more.  It also
        discards what arrives until the broker has confirmed the close: see ``handover``.
        """
        receives: list[asyncio.Task[Any]] = []
        while self._open and len(receives) < MOST_TAKEN:
            batch = [asyncio.create_task(self._consumer.receive()) for _ in range(TAKEN_AT_ONCE)]
            receives += batch
            _, waiting = await asyncio.wait(batch, timeout=TAKEN_S)
            if waiting:
                break
        await self.close()
        if receives:  # bounded, because a broker that is away may not end them
            await asyncio.wait(receives, timeout=ENDED_S)
        found = [receive.result() for receive in receives if receive.done() and receive.exception() is None]
        return [DirectMessage(raw, self._schema) for raw in found]

    async def close(self) -> None:
        if not self._open:
            return
        self._open = False
        if self._unsubscribes:
            await _close_quietly(self._consumer.unsubscribe())
        await _close_quietly(self._consumer.close())
        self._lost.detach()


class DirectBackend(AsyncPulsarBackend):
    """``Bus``: one connection to a broker.  Processors of one process share it with ``lease()``."""

    loses_requests: ClassVar[bool] = True
    _leased = False

    def __init__(
        self,
        host: str,
        api_key: str | None = None,
        listener: str | None = None,
        admin_url: str | None = None,
        *,
        quiet: bool = False,
        client: Any = None,
    ) -> None:
        self.host = host
        self.api_key = api_key
        self.listener = listener
        self.admin_url = admin_url
        self.client = client or _connect(host, api_key, listener, quiet=quiet)
        self._lost = trustgraph_adapter.close_when_lost(self.client, self.client)
        self._job_topics = JobTopics(self)

    @classmethod
    def to(cls, address: BusAddress, *, quiet: bool = False) -> "DirectBackend":
        """Connect to an address.  ``quiet``: the native client logs nothing, its failures are only raised."""
        return cls(address.url, api_key=address.api_key or None, listener=address.listener or None, quiet=quiet)

    @classmethod
    def over(cls, stock: AsyncPulsarBackend) -> "DirectBackend":
        """Reuse the address and credentials of a stock backend."""
        return cls(stock.host, stock.api_key, stock.listener, stock.admin_url, client=stock.client)

    def lease(self) -> "DirectBackend":
        """A backend on the same connection that does not close it."""
        lease = copy.copy(self)
        lease._leased = True
        return lease

    async def create_producer(self, topic: str, schema: type, **options: Any) -> DirectProducer:
        """Raises: EngineUnavailable."""
        arguments: dict[str, Any] = {
            "batching_enabled": False,
            "send_timeout_millis": int(1000 * options.get("send_timeout_s", SEND_TIMEOUT_S)),
        }
        if options.get("chunking_enabled"):
            arguments["chunking_enabled"] = True
        try:
            address = trustgraph_adapter.topic_address(topic)
            producer = await self.client.create_producer(address, schema=pulsar.schema.BytesSchema(), **arguments)
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"opening {topic} for sending", error) from None
        return DirectProducer(producer, topic, sticky=topic.startswith(STICKY))

    async def create_consumer(
        self,
        topic: str,
        subscription: str,
        schema: type,
        initial_position: str = "latest",
        *,
        temporary: bool = False,
        **options: Any,
    ) -> DirectConsumer:
        """Subscribe.  ``temporary``: the subscription ends with its consumer.  ``options`` are passed to pulsar's
        ``subscribe``.

        Raises: EngineUnavailable.
        """
        address = trustgraph_adapter.topic_address(topic)
        arguments: dict[str, Any] = {
            "consumer_type": _consumer_type(topic),
            "initial_position": (
                pulsar.InitialPosition.Earliest if initial_position == "earliest" else pulsar.InitialPosition.Latest
            ),
        }
        if topic.startswith("response:"):
            # Response topics are not persistent: the broker drops what does not fit into the receiver queue.
            arguments["receiver_queue_size"] = REPLIES_AHEAD

        def subscribe() -> Any:
            return self.client.subscribe(address, subscription, schema=pulsar.schema.BytesSchema(), **(arguments | options))

        try:
            consumer = await subscribe()
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"subscribing {subscription} to {topic}", error) from None
        # Subscriptions to responses and notifications belong to one process and end with it.  A backlog of work must survive.
        own = temporary or topic.startswith(("response:", "notify:"))
        return DirectConsumer(consumer, topic, schema, unsubscribes=own, subscribe=subscribe)

    async def open_job_topic(self, workspace: str) -> None:
        await self._job_topics.open(workspace)

    async def create_job_consumer(self, workspace: str) -> DirectConsumer:
        return await self._job_topics.subscribe(workspace)

    def forget_request(self, request_id: str) -> None:
        """A request that is on its way to another process cannot be called back."""

    async def close(self) -> None:
        if not self._leased:
            await _close_quietly(trustgraph_adapter.close_client(self.client))
            self._lost.detach()


def _connect(host: str, api_key: str | None, listener: str | None, *, quiet: bool) -> Any:
    arguments: dict[str, Any] = {"operation_timeout_seconds": OPERATION_TIMEOUT_S}
    if listener:
        arguments["listener_name"] = listener
    if api_key:
        arguments["authentication"] = pulsar.AuthenticationToken(api_key)
    return pulsar.asyncio.Client(host, logger=_error_log(quiet=quiet), **arguments)


def _consumer_type(topic: str) -> pulsar.ConsumerType:
    return pulsar.ConsumerType.KeyShared if topic.startswith(STICKY) else trustgraph_adapter.consumer_type(topic)


def unavailable(doing: str, error: pulsar.asyncio.PulsarException) -> EngineUnavailable:
    """The exception for an error of the broker.  ``doing``: the failed action, for the message."""
    return EngineUnavailable(f"the message broker failed at {doing}: {error.error().name}; is it running and reachable?")


async def _close_quietly(closing: Any) -> None:
    try:
        async with asyncio.timeout(CLOSE_S):  # not wait_for: before Python 3.12 that can lose a cancellation
            await closing
    except (pulsar.asyncio.PulsarException, TimeoutError) as error:
        # Harmless: the broker frees the resources of a connection when it ends.
        logger.debug("closing a connection failed: %s", describe_error(error))


def _error_log(*, quiet: bool) -> Any:
    """Logger for errors of the native client.  Never standard output, which is for the output of commands."""
    if quiet:
        return pulsar.FileLogger(pulsar.LoggerLevel.Error, os.devnull)
    if sys.platform == "win32":
        return pulsar.ConsoleLogger(pulsar.LoggerLevel.Error)
    return pulsar.FileLogger(pulsar.LoggerLevel.Error, "/dev/stderr")
