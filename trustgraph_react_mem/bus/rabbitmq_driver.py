"""RabbitMQ: the exchanges, queues and messages of trustgraph-base's RabbitMQ backend, and job topics of our own.

- A topic is a fanout exchange.  A subscription to requests is a shared queue, one to responses or notifications is a queue of
  its own that ends with its connection.
- A job topic is ``PARTITIONS`` quorum queues.  The partition key chooses the queue, and each queue has one active consumer, so
  jobs of a key stay in order.  Confirmed jobs survive a restart of the broker.
- A request is acknowledged when it was handled: what a process had taken that dies goes to another one.
- There are no sticky requests (``port.STICKY``): each replica of the facts service has every scope in its cache.

A lost connection is opened again by its next use, and consumers subscribe again.
"""

import asyncio
import contextlib
import copy
import hashlib
import logging
import os
import uuid
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

import aio_pika
from aio_pika import DeliveryMode, ExchangeType
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractExchange, AbstractIncomingMessage, AbstractQueue
from aio_pika.exceptions import ChannelInvalidStateError
from trustgraph.base.async_rabbitmq_backend import AsyncRabbitMQBackend

from ..errors import EngineUnavailable, Unconfirmed
from ..schema import JobEnvelope
from ..schema.topics import JOBS, job_queue
from .address import BusAddress
from .heartbeat import count_receive_failure
from .port import MOST_WAITING, Closed, Message, Sender
from .trustgraph_adapter import exchange_of, rabbitmq_url

logger = logging.getLogger(__name__)

PARTITIONS = 8  # queues of a job topic; another number would mix up the order of the jobs that wait
AHEAD, JOBS_AHEAD = 100, 20  # messages that a consumer holds unacknowledged, in each of its queues
# The worker gives up a job that ends its process.  The broker must not: a lost connection counts for all that was ahead.
MOST_DELIVERIES = 1_000_000
CONNECT_TIMEOUT_S = 10.0
SEND_TIMEOUT_S = 10.0
CLOSE_S = 5.0
KEY = "partition-key"  # the header that has it
_JOBS = job_queue("")

# They log each lost connection at length, also that of a command; what it means here is logged or raised by this module.
for _name in ("aiormq", "aio_pika"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

Declare = Callable[[AbstractChannel], Awaitable[list[AbstractQueue]]]


class _Link:
    """A connection that is opened when it is needed, with a channel for each exchange that is sent to.

    An error of the broker ends the channel at which it occurs, so one topic's error stays its own.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection: AbstractConnection | None = None
        self._connecting = asyncio.Lock()
        self._sending: dict[str, tuple[AbstractChannel, AbstractExchange]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.is_closed = False

    async def open_channel(self) -> AbstractChannel:
        """Raises: those of aio-pika, TimeoutError."""
        async with asyncio.timeout(CONNECT_TIMEOUT_S):  # a broker that is short of disk or memory does not answer
            async with self._connecting:
                if self._connection is None or not self._connection.connected.is_set():
                    connection = await aio_pika.connect(self.url)
                    if self.is_closed:
                        await _close_quietly(connection.close())
                    self._connection = connection
            if self.is_closed:
                raise ConnectionError("closed")
            channel = self._connection.channel(on_return_raises=True)
            await channel.initialize()
            return channel

    async def exchange(self, name: str) -> AbstractExchange:
        """``name``: "" for the one that sends to a queue by its name.  Senders go on in the order in which they came."""
        async with self._locks[name]:
            channel, exchange = self._sending.get(name, (None, None))
            if channel is None or exchange is None or channel.is_closed:
                channel = await self.open_channel()
                try:
                    async with asyncio.timeout(CONNECT_TIMEOUT_S):
                        exchange = await _declare_exchange(channel, name) if name else channel.default_exchange
                except BaseException:
                    await _close_quietly(channel.close())
                    raise
                self._sending[name] = channel, exchange
            return exchange

    async def close(self) -> None:
        self.is_closed = True
        if self._connection is not None:
            await _close_quietly(self._connection.close())


class RabbitReceiver:
    """``Receiver`` of one or several queues.  ``declare``: makes them, also after a connection was lost."""

    def __init__(self, link: _Link, topic: str, schema: type, declare: Declare, *, acknowledges: bool) -> None:
        self._link, self._topic, self._schema, self._declare = link, topic, schema, declare
        self._acknowledges = acknowledges
        self.is_open = True
        self._channel: AbstractChannel | None = None
        self._queues: dict[str, AbstractQueue] = {}  # by consumer tag
        self._delivered: asyncio.Queue[AbstractIncomingMessage | None] = asyncio.Queue()

    async def subscribe(self, *, exclusive: bool = False) -> None:
        """Raises: those of aio-pika, TimeoutError."""
        delivered = self._delivered = asyncio.Queue()

        async def take(message: AbstractIncomingMessage) -> None:
            if self._acknowledges or delivered.qsize() < MOST_WAITING:
                delivered.put_nowait(message)

        def end(*_: object) -> None:
            delivered.put_nowait(None)

        async with asyncio.timeout(CONNECT_TIMEOUT_S):  # a broker that has just started leaves some requests unanswered
            channel = self._channel = await self._link.open_channel()
            channel.close_callbacks.add(end)
            (await channel.get_underlay_channel()).on_consumer_cancel_callbacks.add(end)
            await channel.set_qos(prefetch_count=JOBS_AHEAD if self._topic.startswith(_JOBS) else AHEAD)
            for queue in await self._declare(channel):
                tag = await queue.consume(take, no_ack=not self._acknowledges, exclusive=exclusive)
                self._queues[tag] = queue

    async def receive(self) -> Message:
        """The next message.  After a lost connection, subscribe again.  Raises: Closed, EngineUnavailable (try again)."""
        while self.is_open or not self._delivered.empty():
            received = await self._delivered.get()
            if received is None:
                self.is_open = self.is_open and not self._link.is_closed
                if self.is_open:
                    await self._open_again()
                continue
            with contextlib.suppress(ChannelInvalidStateError):
                if not (self._acknowledges and received.channel.is_closed):
                    return self._message(received)
            # of a lost connection: the broker delivers it again, perhaps to another process
        raise Closed

    async def _open_again(self) -> None:
        logger.warning("the connection that receives from %s was lost", self._topic)
        count_receive_failure(self._topic.rsplit("/", 1)[-1])
        await self._leave()
        try:
            with _translated(f"subscribing to {self._topic}"):
                await self.subscribe()
        except BaseException:
            self._delivered.put_nowait(None)
            raise
        if not self.is_open:  # closed meanwhile
            await self.close()

    def _message(self, received: AbstractIncomingMessage) -> Message:
        properties = {name: str(value) for name, value in (received.headers or {}).items()}
        key = properties.pop(KEY, "")
        name = received.message_id or hashlib.sha256(received.body).hexdigest()
        identity = f"{received.routing_key}|{name}|{properties.get('id', '')}"
        again = bool(received.redelivered)
        return Message(received.body, self._schema, properties, key=key, identity=identity, origin=received, again=again)

    async def acknowledge(self, message: Message) -> None:
        """Does nothing for a message of a lost connection: it is delivered again, and its receiver knows that it is done.

        Raises: EngineUnavailable (it is delivered again).
        """
        if self._acknowledges:
            with _translated(f"acknowledging on {self._topic}"), contextlib.suppress(ChannelInvalidStateError):
                await message.origin.ack()

    async def negative_acknowledge(self, message: Message) -> None:
        """A job is delivered again.  A failed request is not: its sender has been told."""
        if self._acknowledges:
            with _translated(f"rejecting on {self._topic}"), contextlib.suppress(ChannelInvalidStateError):
                await message.origin.nack(requeue=self._topic.startswith(_JOBS))

    async def take_delivered(self) -> list[Message]:
        """Give back what was delivered and not received, to the other consumers.  What was received can be acknowledged."""
        self.is_open = False
        with contextlib.suppress(EngineUnavailable), _translated("leaving a queue"):
            for tag, queue in self._queues.items():
                await queue.cancel(tag, timeout=CLOSE_S)
            while not self._delivered.empty():
                received = self._delivered.get_nowait()
                if received is not None and self._acknowledges:
                    await received.nack(requeue=True)
        self._delivered.put_nowait(None)
        return []

    def is_connected(self) -> bool:
        return self._channel is not None and not self._channel.is_closed

    async def close(self) -> None:
        """What was not acknowledged goes to another consumer."""
        self.is_open = False
        await self._leave()
        self._delivered.put_nowait(None)

    async def _leave(self) -> None:
        self._queues.clear()
        if self._channel is not None:
            await _close_quietly(self._channel.close())


class RabbitBus:
    """``Bus``: a connection to receive and one to send.  Processors of one process share them with ``lease()``.

    ``url``: ``amqp://USER:PASSWORD@HOST:PORT/VHOST``, or ``amqps://`` for TLS.
    """

    requests_may_be: ClassVar[str] = "repeated"
    _leased = False

    def __init__(self, url: str) -> None:
        # A broker that is short of memory reads nothing from a connection that publishes: acknowledgements need another one.
        self._link, self._senders = _Link(url), _Link(url)
        self._subscribed: set[str] = set()  # workspaces whose job queues exist; leases share it

    @classmethod
    def to(cls, address: BusAddress, env: Mapping[str, str] = os.environ) -> "RabbitBus":
        """Connect to an address, as the user of RABBITMQ_USERNAME and RABBITMQ_PASSWORD (default: guest)."""
        scheme, _, place = address.url.partition("://")
        host, _, name = place.partition("/")
        user, password = (quote(env.get(f"RABBITMQ_{each}", "guest"), safe="") for each in ("USERNAME", "PASSWORD"))
        return cls(f"{scheme}://{user}:{password}@{host}/{name or '%2F'}")

    @classmethod
    def over(cls, stock: AsyncRabbitMQBackend) -> "RabbitBus":
        """To the address of a stock backend, which has connected to nothing yet."""
        return cls(rabbitmq_url(stock))

    def lease(self) -> "RabbitBus":
        lease = copy.copy(self)
        lease._leased = True
        return lease

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Sender:
        """Raises: EngineUnavailable."""
        timeout_s = float(options.get("send_timeout_s", SEND_TIMEOUT_S))
        is_job = topic.startswith(_JOBS)
        name = "" if is_job else exchange_of(topic)
        with _translated(f"opening {topic} for sending"):
            await self._senders.exchange(name)

        async def put(data: bytes, properties: Mapping[str, str], partition_key: str) -> None:
            queue = _name_of(topic, zlib.crc32(partition_key.encode()) % PARTITIONS) if is_job else ""
            message = aio_pika.Message(
                data,
                headers={**properties, **({KEY: partition_key} if partition_key else {})},
                content_type="application/json",
                delivery_mode=DeliveryMode.PERSISTENT if topic.startswith("flow:") else DeliveryMode.NOT_PERSISTENT,
                message_id=uuid.uuid4().hex,
            )
            with _translated(f"sending to {topic}"):
                exchange = await self._senders.exchange(name)
            with _translated(f"sending to {topic}", Unconfirmed):
                await exchange.publish(message, queue, mandatory=is_job, timeout=timeout_s)

        return Sender(put)

    async def create_consumer(
        self,
        topic: str,
        subscription: str,
        schema: type,
        initial_position: str = "latest",
        *,
        exclusive: bool = False,
        **options: Any,
    ) -> RabbitReceiver:
        """Subscribe.  Raises: EngineUnavailable (with ``exclusive``, also that another connection has subscribed)."""
        name = exchange_of(topic)
        own = topic.startswith(("response:", "notify:")) and not exclusive

        async def declare(channel: AbstractChannel) -> list[AbstractQueue]:
            exchange = await _declare_exchange(channel, name)
            queue = await channel.declare_queue(
                None if own else f"{name}.{subscription}", exclusive=own or exclusive, auto_delete=own, durable=False
            )
            await queue.bind(exchange)
            return [queue]

        receiver = RabbitReceiver(self._link, topic, schema, declare, acknowledges=topic.startswith("request:"))
        with _translated(f"subscribing {subscription} to {topic}"):
            await receiver.subscribe(exclusive=exclusive)
        return receiver

    async def open_job_topic(self, workspace: str) -> None:
        """Declare the queues of the workspace's jobs, which are never removed.  Raises: EngineUnavailable."""
        if workspace in self._subscribed:
            return
        with _translated("opening the job queues"):
            channel = await self._senders.open_channel()
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await _declare_jobs(channel, job_queue(workspace))
                await channel.close()
        self._subscribed.add(workspace)

    async def create_job_consumer(self, workspace: str) -> RabbitReceiver:
        topic = job_queue(workspace)
        receiver = RabbitReceiver(
            self._link, topic, JobEnvelope, lambda channel: _declare_jobs(channel, topic), acknowledges=True
        )
        with _translated(f"subscribing {JOBS} to {topic}"):
            await receiver.subscribe()
        return receiver

    def forget_request(self, request_id: str) -> None:
        """A request that is on its way to another process cannot be called back."""

    async def close(self) -> None:
        if not self._leased:
            await asyncio.gather(self._link.close(), self._senders.close())


async def _declare_exchange(channel: AbstractChannel, name: str) -> AbstractExchange:
    return await channel.declare_exchange(name, ExchangeType.FANOUT, durable=True)


def _name_of(topic: str, part: int) -> str:
    return f"{exchange_of(topic)}.{JOBS}.{part}"


async def _declare_jobs(channel: AbstractChannel, topic: str) -> list[AbstractQueue]:
    """The queues of a job topic."""
    arguments: dict[str, Any] = {
        "x-queue-type": "quorum",
        "x-single-active-consumer": True,
        "x-delivery-limit": MOST_DELIVERIES,
    }
    return [
        await channel.declare_queue(_name_of(topic, part), durable=True, arguments=dict(arguments))
        for part in range(PARTITIONS)
    ]


@contextlib.contextmanager
def _translated(doing: str, kind: type[EngineUnavailable] = EngineUnavailable) -> Iterator[None]:
    """Raise errors of the client as ``kind``.  ``doing``: the failed action, for the message."""
    try:
        yield
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise
        reason = "ConnectionLost"  # with a cancellation of its own, the client ends what waits when it hears nothing any more
    except Exception as error:  # broad because what it waits for can also end with a bare exception
        reason = type(error).__name__
    else:
        return
    raise kind(f"the message broker failed at {doing}: {reason}; is it running and reachable?")


async def _close_quietly(closing: Awaitable[Any]) -> None:
    with contextlib.suppress(EngineUnavailable), _translated("closing"):  # the broker ends what belongs to a lost connection
        async with asyncio.timeout(CLOSE_S):
            await closing
