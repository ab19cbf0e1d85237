"""Request and response over the bus, for concurrent callers.

Differences from trustgraph-base's ``RequestResponseClient``:

- A reply that does not decode fails only its own caller.  The receive loop continues.
- A caller that gives up leaves no state behind.
- A failed send, a late reply or a lost connection raises ``EngineUnavailable``.
- A request says until when its caller waits, so that a service need not begin what has no reader any more.
"""

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from trustgraph.base.metrics import DownstreamMetrics

from ..errors import EngineUnavailable
from ..telemetry.propagation import current_headers
from .port import Bus, Message, Receiver, Sender, process_messages

logger = logging.getLogger(__name__)

DEFAULT_TIMEOUT_S = 60.0
CHECK_EVERY_S = 1.0
LOST_AFTER_S = 10.0  # without a connection: longer than a broker takes to restart or to hand over a topic
LONGEST_TIME = 15  # digits
WAITS_UNTIL = "waits-until"  # property of a request: when its caller stops waiting for the first reply, Unix time in ms


def check_awaited(properties: Mapping[str, str]) -> None:
    """Check that the caller of a request still waits.  A request of a stock client does not say until when, and passes.

    Raises: EngineUnavailable (it does not).
    """
    until = properties.get(WAITS_UNTIL, "")
    if not (until.isascii() and until.isdigit() and len(until) <= LONGEST_TIME):
        return
    late_s = time.time() - int(until) / 1000
    if late_s > 0:
        raise EngineUnavailable(
            f"timeout: the request was not started, because its caller stopped waiting {late_s:.1f} s earlier (if the caller "
            "sees this, the clocks of the two machines differ)"
        )


class Requests:
    """Client of one request topic and one response topic.  Create with ``create``."""

    def __init__(self, *, backend: Bus, producer: Sender, consumer: Receiver, topic: str) -> None:
        self.default_timeout = DEFAULT_TIMEOUT_S
        self.metrics: Any = None
        self.find_loss: Callable[[], str] = lambda: ""  # says why no reply can come any more; "" while one can
        self.topic = topic
        self.pending: dict[str, asyncio.Queue[Any]] = {}
        self._producer = producer
        self._consumer = consumer
        self._backend = backend
        receiving = process_messages(consumer, self._take_reply, f"replies to {topic}")
        self._receiver = asyncio.create_task(receiving, name=f"replies on {topic}")

    @classmethod
    async def create(
        cls,
        *,
        backend: Bus,
        request_topic: str,
        response_topic: str,
        request_schema: type,
        response_schema: type,
        default_timeout: float | None = None,
        processor_id: str | None = None,
        target_service: str | None = None,
    ) -> "Requests":
        """Connect.  Metrics are kept if ``processor_id`` and ``target_service`` are given.  Raises: EngineUnavailable."""
        producer = await backend.create_producer(request_topic, request_schema)
        try:
            consumer = await backend.create_consumer(response_topic, f"rr-{uuid.uuid4().hex[:12]}", response_schema)
        except BaseException:
            await producer.close()
            raise
        client = cls(backend=backend, producer=producer, consumer=consumer, topic=request_topic)
        if default_timeout is not None:
            client.default_timeout = default_timeout
        if processor_id and target_service:
            client.metrics = DownstreamMetrics(processor=processor_id, target_service=target_service)
        return client

    async def request(self, message: Any, timeout: float | None = None, properties: Mapping[str, str] | None = None) -> Any:
        """Send ``message`` and return the first reply.

        Raises: EngineUnavailable (not sent, or no reply within ``timeout`` seconds).
        """
        async for reply in self.request_stream(message, timeout, properties):
            return reply
        raise EngineUnavailable("the bus was closed before the reply came")

    async def request_stream(
        self,
        message: Any,
        timeout: float | None = None,
        properties: Mapping[str, str] | None = None,
        *,
        first_timeout: float | None = None,
    ) -> AsyncIterator[Any]:
        """Yield replies until the caller stops.

        ``timeout``: seconds to wait for each reply.  ``first_timeout``: for the first one, if different.  ``properties``: of
        the message, beside its id, the time of ``check_awaited`` and the trace that it belongs to.
        """
        every_s = self.default_timeout if timeout is None else timeout
        wait_s = every_s if first_timeout is None else first_timeout
        request_id = str(uuid.uuid4())
        replies = self.pending[request_id] = asyncio.Queue()
        started = time.monotonic()
        try:
            waits_until = {WAITS_UNTIL: f"{1000 * (time.time() + wait_s):.0f}"}
            headers = {"id": request_id, **waits_until, **current_headers(), **(properties or {})}
            await self._producer.send(message, headers)
            while True:
                async with asyncio.timeout(wait_s):
                    reply = await self._next_reply(replies)
                if isinstance(reply, Exception):
                    raise reply
                yield reply
                wait_s = every_s
        except TimeoutError:
            if self.metrics:
                self.metrics.timeout()
            raise EngineUnavailable(
                f"no reply on {self.topic} in {wait_s:g} s: is its service running, and this flow started?"
            ) from None
        finally:
            self.pending.pop(request_id, None)
            self._backend.forget_request(request_id)
            if self.metrics:
                self.metrics.observe_duration(time.monotonic() - started)

    async def _next_reply(self, replies: asyncio.Queue[Any]) -> Any:
        """The next reply.  Raises: EngineUnavailable (the broker or the service is gone)."""
        lost_at: float | None = None
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_EVERY_S):
                    return await replies.get()
            now = time.monotonic()
            lost_at = None if self._consumer.is_connected() else (lost_at or now)
            reason = self.find_loss()
            if not reason and lost_at is not None and now - lost_at >= LOST_AFTER_S:
                reason = "the connection to the message broker was lost: is it running and reachable?"
            if reason:
                raise EngineUnavailable(f"no reply on {self.topic}: {reason}")

    async def _take_reply(self, message: Message) -> None:
        replies = self.pending.get(message.properties().get("id", ""))
        if replies is not None:
            replies.put_nowait(_decode(message))
        await self._consumer.acknowledge(message)

    async def close(self) -> None:
        for replies in self.pending.values():
            replies.put_nowait(EngineUnavailable("the bus was closed before the reply came"))
        await self._consumer.close()
        self._receiver.cancel()
        await asyncio.gather(self._receiver, return_exceptions=True)
        await self._producer.close()


def _decode(message: Message) -> Any:
    try:
        return message.value()
    except Exception as error:
        # Broad because any fault of a reply must be raised in its caller, not here.
        return error
