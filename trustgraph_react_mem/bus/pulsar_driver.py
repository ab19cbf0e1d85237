"""Pulsar backend without batching: sends are immediate, and failures are raised to the caller.

Wire format, topic names and subscriptions are those of trustgraph-base.  Differences:

- Producers do not batch.  (A stock send waits 10 ms for others to share its batch.)
- A receive can be tried again after a failure (``process_messages``).  (The stock loop ends.)
- Closing keeps the subscriptions of ``flow:`` and ``request:`` topics, so that a backlog survives a restart.
- Errors of the broker are raised as ``EngineUnavailable``.
- Requests of one scope to the facts service go to the same replica while the number of replicas is constant, because that
  replica has the scope in its cache.
"""

import asyncio
import copy
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import pulsar
import pulsar.asyncio
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

from ..errors import EngineUnavailable, TooLarge, Unconfirmed
from ..failure_log import describe_error
from ..schema import JobEnvelope
from ..schema.topics import JOBS, job_queue
from . import trustgraph_adapter, wire
from .address import BusAddress
from .heartbeat import count_receive_failure
from .port import MOST_WAITING, STICKY, Closed, Message, Sender

logger = logging.getLogger(__name__)

SEND_TIMEOUT_S = 10.0
OPERATION_TIMEOUT_S = 10
TAKEN_AT_ONCE = 16  # receives in flight at the end of a consumer
MOST_TAKEN = 1024  # the native client's queue holds a thousand
TAKEN_S = 0.01  # until they have what was delivered
CLOSE_S = 5.0
ENDED_S = 1.0  # until the native client has ended the others, after a close

trustgraph_adapter.drop_late_replies()

_CLOSED = (pulsar.Result.AlreadyClosed, pulsar.Result.ConsumerNotInitialized, pulsar.Result.ProducerNotInitialized)


class DirectProducer(Sender):
    """Messages to the facts service of one scope go to the same replica, which has the scope in its cache."""

    def __init__(self, producer: Any, topic: str) -> None:
        super().__init__(self._publish)
        self._producer, self._topic = producer, topic

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        key = f"{message.user}/{message.collection}" if self._topic.startswith(STICKY) else ""
        await self.send_bytes(wire.encode(message), properties, partition_key=key, what=type(message).__name__)

    async def _publish(self, data: bytes, properties: Mapping[str, str], partition_key: str) -> None:
        try:
            await self._producer.send(data, properties=dict(properties), partition_key=partition_key or None)
        except pulsar.asyncio.PulsarException as error:
            if error.error() == pulsar.Result.MessageTooBig:  # this broker has a lower limit than usual
                raise TooLarge(
                    f"a message of {len(data) / 1e6:.1f} MB exceeds the limit of this broker: send or ask for less at once"
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
        subscribe: Callable[[], Awaitable[Any]],
    ) -> None:
        self._topic, self._schema, self._unsubscribes, self._subscribe = topic, schema, unsubscribes, subscribe
        self.is_open = True
        self._hold(consumer)

    def _hold(self, consumer: Any) -> None:
        self._consumer = consumer
        self._lost = trustgraph_adapter.close_when_lost(self, consumer)
        self._lost.atexit = False  # the client's close then closes its consumers

    async def receive(self) -> Message:
        """The next message.  Raises: Closed, EngineUnavailable (try again)."""
        if not self.is_open:
            raise Closed
        try:
            return self._message(await self._consumer.receive())
        except pulsar.asyncio.PulsarException as error:
            if not self.is_open:
                raise Closed from None
            if error.error() in _CLOSED:
                await self._open_again()
            raise unavailable(f"receiving from {self._topic}", error) from None

    def _message(self, raw: Any) -> Message:
        """With an identity that also has the job id, because the broker's message ids repeat after a topic was recreated."""
        properties = raw.properties()
        identity = f"{raw.topic_name()}|{raw.message_id()}|{properties.get('id', '')}"
        return Message(raw.data(), self._schema, properties, key=raw.partition_key(), identity=identity, origin=raw)

    async def _open_again(self) -> None:
        """Replace a consumer that the broker has closed.  Raises: Closed (the whole connection was closed here)."""
        try:
            consumer = await self._subscribe()
        except pulsar.asyncio.PulsarException as error:
            if error.error() in _CLOSED:
                raise Closed from None
        else:
            if not self.is_open:  # closed meanwhile: the new consumer would take messages and drop them
                await _close_quietly(consumer.close())
                raise Closed
            self._lost.detach()
            self._hold(consumer)
        logger.error("receiving from %s failed: the broker had closed the consumer, subscribing again", self._topic)
        count_receive_failure(self._topic.rsplit("/", 1)[-1])

    async def acknowledge(self, message: Message) -> None:
        """Raises: EngineUnavailable (the message will be redelivered)."""
        if not self.is_open:  # while a processor is drained: a request is not stored
            return
        try:
            await self._consumer.acknowledge(message.origin)
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"acknowledging on {self._topic}", error) from None

    async def negative_acknowledge(self, message: Message) -> None:
        """Ask the broker to redeliver a message.  Does nothing once it is closed, as ``acknowledge``."""
        if self.is_open:
            await self._consumer.negative_acknowledge(message.origin)

    def is_connected(self) -> bool:
        return trustgraph_adapter.is_connected(self._consumer)

    async def take_delivered(self) -> list[Message]:
        """Close, and return the messages that the broker had delivered: a non-persistent topic delivers none of them again.

        The native client discards its queue at a close, so receives are kept in flight until they find no more.  It also
        discards what arrives until the broker has confirmed the close: see ``handover``.
        """
        receives: list[asyncio.Task[Any]] = []
        while self.is_open and len(receives) < MOST_TAKEN:
            batch = [asyncio.create_task(self._consumer.receive()) for _ in range(TAKEN_AT_ONCE)]
            receives += batch
            _, waiting = await asyncio.wait(batch, timeout=TAKEN_S)
            if waiting:
                break
        await self.close()
        if receives:  # bounded, because a broker that is away may not end them
            await asyncio.wait(receives, timeout=ENDED_S)
        found = [receive.result() for receive in receives if receive.done() and receive.exception() is None]
        return [self._message(raw) for raw in found]

    async def close(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        if self._unsubscribes:
            await _close_quietly(self._consumer.unsubscribe())
        await _close_quietly(self._consumer.close())
        self._lost.detach()


class DirectBackend:
    """``Bus``: one connection to a broker.  Processors of one process share it with ``lease()``."""

    requests_may_be: ClassVar[str] = "lost"
    _leased = False

    def __init__(
        self, host: str, api_key: str | None = None, listener: str | None = None, *, quiet: bool = False, client: Any = None
    ) -> None:
        self.host = host
        self.client = client or _connect(host, api_key, listener, quiet=quiet)
        self._lost = trustgraph_adapter.close_when_lost(self.client, self.client)
        self._subscribed: set[str] = set()  # workspaces whose jobs have a subscription; leases share it

    @classmethod
    def to(cls, address: BusAddress, *, quiet: bool = False) -> "DirectBackend":
        """Connect to an address.  ``quiet``: the native client logs nothing, its failures are only raised."""
        return cls(address.url, api_key=address.api_key or None, listener=address.listener or None, quiet=quiet)

    @classmethod
    def over(cls, stock: AsyncPulsarBackend) -> "DirectBackend":
        """Reuse the connection of a stock backend."""
        return cls(stock.host, client=stock.client)

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
        try:
            address = trustgraph_adapter.topic_address(topic)
            producer = await self.client.create_producer(address, schema=pulsar.schema.BytesSchema(), **arguments)
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"opening {topic} for sending", error) from None
        return DirectProducer(producer, topic)

    async def create_consumer(
        self,
        topic: str,
        subscription: str,
        schema: type,
        initial_position: str = "latest",
        *,
        temporary: bool = False,
        exclusive: bool = False,
        **options: Any,
    ) -> DirectConsumer:
        """Subscribe.  ``temporary``: the subscription ends with its consumer.  ``options`` are passed to pulsar's
        ``subscribe``.

        Raises: EngineUnavailable.
        """
        sticky = topic.startswith(STICKY)
        shared = pulsar.ConsumerType.KeyShared if sticky else trustgraph_adapter.consumer_type(topic)
        arguments: dict[str, Any] = {
            "consumer_type": pulsar.ConsumerType.Exclusive if exclusive else shared,
            "initial_position": (
                pulsar.InitialPosition.Earliest if initial_position == "earliest" else pulsar.InitialPosition.Latest
            ),
        }
        if topic.startswith("response:"):
            # Response topics are not persistent: the broker drops what does not fit into the receiver queue.
            arguments["receiver_queue_size"] = MOST_WAITING

        subscribe = partial(self._subscribe, topic, subscription, **(arguments | options))
        try:
            consumer = await subscribe()
        except pulsar.asyncio.PulsarException as error:
            raise unavailable(f"subscribing {subscription} to {topic}", error) from None
        # Subscriptions to responses and notifications belong to one process and end with it.  A backlog of work must survive.
        own = temporary or topic.startswith(("response:", "notify:"))
        return DirectConsumer(consumer, topic, schema, unsubscribes=own, subscribe=subscribe)

    async def _subscribe(self, topic: str, subscription: str, **arguments: Any) -> Any:
        address = trustgraph_adapter.topic_address(topic)
        return await self.client.subscribe(address, subscription, schema=pulsar.schema.BytesSchema(), **arguments)

    async def open_job_topic(self, workspace: str) -> None:
        """Create the one subscription of the workers, which is never removed: a topic without one keeps nothing.

        It is opened as exclusive, which the broker refuses while a worker is subscribed.  A second consumer of the workers'
        type (key-shared) would receive messages and delay them.
        """
        if workspace in self._subscribed:
            return
        try:
            consumer = await self._subscribe(
                job_queue(workspace),
                JOBS,
                consumer_type=pulsar.ConsumerType.Exclusive,
                initial_position=pulsar.InitialPosition.Earliest,
                receiver_queue_size=1,
            )
            await consumer.close()
        except pulsar.asyncio.PulsarException as error:
            if error.error() not in (pulsar.Result.ConsumerBusy, pulsar.Result.ConsumerAssignError):
                raise unavailable("opening the job subscription", error) from None
        self._subscribed.add(workspace)

    @retry(
        retry=retry_if_exception_type(EngineUnavailable), stop=stop_after_attempt(8), wait=wait_exponential(0.1), reraise=True
    )
    async def create_job_consumer(self, workspace: str) -> DirectConsumer:
        """Tried several times: a publisher may hold the subscription exclusively while it creates it."""
        key_shared = pulsar.ConsumerType.KeyShared
        consumer = await self.create_consumer(job_queue(workspace), JOBS, JobEnvelope, "earliest", consumer_type=key_shared)
        self._subscribed.add(workspace)
        return consumer

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
    # Never standard output, which is for the output of commands.
    log = pulsar.FileLogger(pulsar.LoggerLevel.Error, os.devnull if quiet else "/dev/stderr")
    return pulsar.asyncio.Client(host, logger=log, **arguments)


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
