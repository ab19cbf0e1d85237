"""Requests that are lost while a process starts or stops to take them, published again for the process that takes them now.

Request topics are not persistent, and two kinds of requests reach no process although one could take them:

- The native client discards what arrives between the start of a close and the broker's confirmation.
- The broker drops what it routes to a new consumer of a Key_Shared subscription that has not asked for messages yet.

So a second subscription sees all requests of that moment.  Those that this process has not received and that no process
answers are published again with the property ``handed-over``.  A process that has received such a request before does not
begin it twice.
"""

import asyncio
import contextlib
import logging
import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator

from ..errors import EngineUnavailable, TooLarge
from .port import REQUESTS, Bus, Closed, Message, Receiver

logger = logging.getLogger(__name__)

HANDED_OVER = "handed-over"
OPEN_S = 3.0
# Looks at what is lost, each so long after the one before.  On a busy machine a new consumer asks for messages late, and what
# was published before the change arrives late.
LOOKS_S = (0.5, 1.0, 2.0)
LOOK_EVERY_S = 0.01
ANSWERED_S = 0.5  # within which another process answers what it has received, at least with a first message
MOST_SEEN = 1000
MOST_RECEIVED = 4096

Identity = tuple[str, str, int]


def identify(topic: str, message: Message) -> Identity:
    """Topic, id and content, because the tasks of an agent's pattern have one id."""
    return topic, message.properties().get("id", ""), hash(message.data())


class ReceivedRequests:
    """The newest requests that this process has received."""

    def __init__(self) -> None:
        self._known: OrderedDict[Identity, None] = OrderedDict()

    def __contains__(self, identity: Identity) -> bool:
        return identity in self._known

    def add(self, topic: str, message: Message) -> bool:
        """False if the request was published again and is known already: it must not be begun twice."""
        identity = identify(topic, message)
        if identity in self._known and HANDED_OVER in message.properties():
            return False
        self._known[identity] = None
        if len(self._known) > MOST_RECEIVED:
            self._known.popitem(last=False)
        return True


class Handover:
    """``open`` before the change of the consumers, ``finish`` after it."""

    def __init__(self, backend: Bus, topic: str, requests: Receiver, replies: Receiver) -> None:
        self._backend = backend
        self._topic = topic
        self._consumers = (requests, replies)
        self._seen: dict[Identity, Message] = {}
        self._answered: set[str] = set()
        self._again: set[Identity] = set()
        self._tasks = [asyncio.create_task(self._watch_requests(requests)), asyncio.create_task(self._watch_replies(replies))]

    @classmethod
    async def open(cls, backend: Bus, topic: str) -> "Handover | None":
        """Watch a topic.  None: it has no requests, no other process can take them, or the broker does not answer."""
        if not topic.startswith(REQUESTS) or not backend.loses_requests:
            return None
        name = f"handover-{uuid.uuid4().hex[:12]}"
        consumers: list[Receiver] = []
        try:
            async with contextlib.AsyncExitStack() as unfinished:
                async with asyncio.timeout(OPEN_S):
                    for watched in (topic, f"response:{topic.removeprefix(REQUESTS)}"):
                        consumers.append(await backend.create_consumer(watched, name, bytes, temporary=True))
                        unfinished.push_async_callback(consumers[-1].close)
                unfinished.pop_all()
        except (EngineUnavailable, TimeoutError) as error:
            logger.warning("requests of %s may be lost while its consumers change: %s", topic, error or "no answer")
            return None
        return cls(backend, topic, *consumers)

    async def finish(self, received: ReceivedRequests) -> None:
        """Publish the lost requests again, each once."""
        lost: list[Message] = []
        try:
            for pause_s in LOOKS_S:
                await asyncio.sleep(pause_s)
                deadline = time.monotonic() + ANSWERED_S
                while self._find_lost(received) and time.monotonic() < deadline:  # noqa: ASYNC110 - what others answer
                    await asyncio.sleep(LOOK_EVERY_S)
                if lost := self._find_lost(received):
                    await self._publish(lost)
                    self._again.update(identify(self._topic, message) for message in lost)
        except (EngineUnavailable, TooLarge) as error:
            logger.warning("%d requests of %s were lost at a change of its consumers: %s", len(lost), self._topic, error)
        finally:
            await self.close()

    def _find_lost(self, received: ReceivedRequests) -> list[Message]:
        return [
            message
            for identity, message in self._seen.items()
            if identity not in received and identity not in self._again and identity[1] not in self._answered
        ]

    async def _publish(self, lost: list[Message]) -> None:
        producer = await self._backend.create_producer(self._topic, bytes)
        try:
            for message in lost:
                properties = {**message.properties(), HANDED_OVER: "1"}
                await producer.send_bytes(message.data(), properties, partition_key=message.key)
        finally:
            await producer.close()
        logger.info("%d requests of %s were published again: no process had taken them", len(lost), self._topic)

    async def _watch_requests(self, consumer: Receiver) -> None:
        async for message in _messages(consumer):
            if len(self._seen) >= MOST_SEEN:
                self._seen = {identity: seen for identity, seen in self._seen.items() if identity[1] not in self._answered}
            if len(self._seen) < MOST_SEEN:
                self._seen[identify(self._topic, message)] = message

    async def _watch_replies(self, consumer: Receiver) -> None:
        async for message in _messages(consumer):
            self._answered.add(message.properties().get("id", ""))

    async def close(self) -> None:
        await asyncio.gather(*(consumer.close() for consumer in self._consumers))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _messages(consumer: Receiver) -> AsyncIterator[Message]:
    with contextlib.suppress(Closed, EngineUnavailable):
        while True:
            message = await consumer.receive()
            yield message
            await consumer.acknowledge(message)
