"""Requests that are lost while a process starts or stops to take them, published again for the process that takes them now.

Request topics are not persistent, and two kinds of requests reach no process although one could take them:

- The native client discards what arrives between the start of a close and the broker's confirmation.
- The broker drops what it routes to a new consumer of a Key_Shared subscription that has not asked for messages yet.

So a second subscription sees all requests of that moment.  Those that this process has not received and that no process
answers are published again with the property ``handed-over``.  A process that has received such a request before does not
begin it twice.

Where a bus delivers a request again whose process lost its connection, that process is asked first (``ReceivedRequests``).
"""

import asyncio
import contextlib
import hashlib
import logging
import time
import uuid
from collections import OrderedDict

from ..errors import EngineUnavailable, TooLarge
from ..schema.topics import request_holders_queue
from .port import REQUESTS, Bus, Message, Receiver, process_messages

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
HOLDER_S = 2.0  # in which a process that lost its connection has another one, and says what it holds
ASK_EVERY_S = 0.2


def identify(topic: str, message: Message) -> str:
    """Topic, id and content, because the tasks of an agent's pattern have one id."""
    return f"{topic}|{message.properties().get('id', '')}|{hashlib.sha256(message.data()).hexdigest()}"


class ReceivedRequests:
    """The newest requests that this process has received.  ``backend``: where it tells others.

    A process that lost its connection still handles what it had received, and answers.  Another one that gets such a request
    asks for its holder.  Who says nothing within ``HOLDER_S`` has died, or has no connection: then the other one begins.
    """

    def __init__(self, backend: Bus) -> None:
        self._known: OrderedDict[str, None] = OrderedDict()
        self._backend = backend
        self._name = uuid.uuid4().hex
        self._held: dict[str, bool] = {}  # requests that this process asks about
        self._hearing: asyncio.Task[None] | None = None

    def __contains__(self, identity: str) -> bool:
        return identity in self._known

    def add(self, topic: str, message: Message) -> bool:
        """False if the request was published or delivered again and is known already: it must not be begun twice."""
        if not self._backend.requests_may_be:
            return True
        identity = identify(topic, message)
        if identity in self._known and (message.again or HANDED_OVER in message.properties()):
            return False
        self._known[identity] = None
        if len(self._known) > MOST_RECEIVED:
            self._known.popitem(last=False)
        return True

    async def tell(self) -> None:
        """Tell who asks, where requests may be delivered again.  Raises: EngineUnavailable."""
        if self._backend.requests_may_be == "repeated":
            self._sender = await self._backend.create_producer(request_holders_queue, bytes)
            self._asked = await self._backend.create_consumer(request_holders_queue, self._name, bytes)
            self._hearing = asyncio.create_task(process_messages(self._asked, self._hear, "questions for holders"))

    async def _hear(self, message: Message) -> None:
        identity, asker = message.data().decode(), message.properties().get("asker", "")
        if not asker and identity in self._held:
            self._held[identity] = True
        elif asker not in ("", self._name) and identity in self._known:
            await self._sender.send_bytes(message.data())

    async def is_held(self, topic: str, message: Message) -> bool:
        """Whether another process has received a request that is delivered here."""
        if self._hearing is None or not message.again:
            return False
        identity = identify(topic, message)
        self._held[identity] = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HOLDER_S):
                while not self._held[identity]:
                    with contextlib.suppress(EngineUnavailable):
                        await self._sender.send_bytes(identity.encode(), {"asker": self._name})
                    await asyncio.sleep(ASK_EVERY_S)
        return self._held.pop(identity)

    async def close(self) -> None:
        if self._hearing is not None:
            await self._asked.close()
            await self._hearing


class Handover:
    """``open`` before the change of the consumers, ``finish`` after it."""

    def __init__(self, backend: Bus, topic: str, requests: Receiver, replies: Receiver) -> None:
        self._backend = backend
        self._topic = topic
        self._consumers = (requests, replies)
        self._seen: dict[str, Message] = {}
        self._answered: set[str] = set()
        self._again: set[str] = set()
        watched = (requests, self._see_request), (replies, self._see_reply)  # not stored: nothing is acknowledged
        self._tasks = [asyncio.create_task(process_messages(*each, f"what is sent to {topic}")) for each in watched]

    @classmethod
    async def open(cls, backend: Bus, topic: str) -> "Handover | None":
        """Watch a topic.  None: it has no requests, no other process can take them, or the broker does not answer."""
        if not topic.startswith(REQUESTS) or backend.requests_may_be != "lost":
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
        self._drop_answered()
        return [message for identity, message in self._seen.items() if identity not in received and identity not in self._again]

    def _drop_answered(self) -> None:
        self._seen = {key: seen for key, seen in self._seen.items() if seen.properties().get("id", "") not in self._answered}

    async def _publish(self, lost: list[Message]) -> None:
        producer = await self._backend.create_producer(self._topic, bytes)
        try:
            for message in lost:
                properties = {**message.properties(), HANDED_OVER: "1"}
                await producer.send_bytes(message.data(), properties, partition_key=message.key)
        finally:
            await producer.close()
        logger.info("%d requests of %s were published again: no process had taken them", len(lost), self._topic)

    async def _see_request(self, message: Message) -> None:
        if len(self._seen) >= MOST_SEEN:
            self._drop_answered()
        if len(self._seen) < MOST_SEEN:
            self._seen[identify(self._topic, message)] = message

    async def _see_reply(self, message: Message) -> None:
        self._answered.add(message.properties().get("id", ""))

    async def close(self) -> None:
        await asyncio.gather(*(consumer.close() for consumer in self._consumers))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
