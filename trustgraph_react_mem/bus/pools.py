"""Receiving and sending for a processor, with the interfaces of trustgraph-base's ReceiverPool and SenderPool.

Invariants:
- The loop of a consumer ends only when the consumer is closed.
- At most ``concurrency`` requests are processed at once.
- Messages of ``notify:`` topics (configuration changes) are processed in order, one at a time, and never wait for requests.
"""

import asyncio
import contextlib
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from trustgraph.base.metrics import ConsumerMetrics, ProducerMetrics
from trustgraph.exceptions import TooManyRequests

from ..errors import EngineUnavailable
from ..failure_log import log_failure
from ..telemetry.propagation import current_headers, received
from .handover import Handover, ReceivedRequests
from .heartbeat import run_heartbeat
from .port import REQUESTS, STICKY, Bus, Message, Receiver, Sender, process_messages

logger = logging.getLogger(__name__)

Handler = Callable[[Any], Awaitable[None]]

# Request topics have no redelivery, so a rate-limited request is retried here.
RATE_LIMIT_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(slots=True, eq=False)
class DirectRegistration:
    """One consumer with its receive loop.  ``unregister`` stops both."""

    pool: "DirectReceivers"
    topic: str
    backend_consumer: Receiver
    handler: Handler
    task: asyncio.Task[None] | None = None
    metrics: Any = None

    async def unregister(self) -> None:
        await self.pool.remove_consumer(self)


class DirectReceivers:
    """The consumers of a processor, which share ``concurrency`` slots."""

    def __init__(self, backend: Bus, concurrency: int, processor_id: str | None = None) -> None:
        self.backend = backend
        self.concurrency = concurrency
        self.processor_id = processor_id
        self.registrations: list[DirectRegistration] = []
        self.running = False
        self._slots = asyncio.Semaphore(concurrency)
        self._work: set[asyncio.Task[None]] = set()
        self._received = ReceivedRequests(backend)
        self._handovers: set[asyncio.Task[None]] = set()
        self._heartbeat: asyncio.Task[None] | None = None
        self._context = contextvars.copy_context()
        self.configured = True  # False until a processor that has a configuration has applied it
        self.watched: Callable[[], list[bool]] = list  # connections of other receiving tasks, for the health check

    async def start(self) -> None:
        """Raises: EngineUnavailable."""
        self.running = True
        await self._received.tell()
        if self.processor_id and self._heartbeat is None:
            self._heartbeat = asyncio.create_task(
                run_heartbeat(self.processor_id, self._connections, lambda: self.configured),
                name=f"heartbeat of {self.processor_id}",
            )

    def _connections(self) -> list[bool]:
        own = [registration.backend_consumer.is_connected() for registration in self.registrations]
        return own + self.watched()

    async def drain(self, timeout_s: float) -> int:
        """Take no more requests, and let those in progress finish.  Configuration changes are still received.

        Returns the number of requests that did not finish within ``timeout_s``.  They were cancelled, and told so.
        """
        requests = [each for each in self.registrations if not each.topic.startswith("notify:")]
        deadline = time.monotonic() + timeout_s
        await asyncio.gather(*map(self._take_no_more, requests))
        logger.info("%s takes no more requests", self.processor_id or "this process")
        loops = {each.task for each in requests if each.task is not None}
        while (pending := {*self._work, *(loop for loop in loops if not loop.done())}) and time.monotonic() < deadline:
            await asyncio.wait(pending, timeout=deadline - time.monotonic(), return_when=asyncio.FIRST_COMPLETED)
        late = list(self._work)
        for task in (*late, *loops):
            task.cancel()
        await asyncio.gather(*late, *loops, return_exceptions=True)
        return len(late)

    async def _take_no_more(self, registration: DirectRegistration) -> None:
        """Close a consumer.  What was delivered to it is handled here, and what is on its way by another process."""
        handover = await Handover.open(self.backend, registration.topic)
        # The loop is not cancelled: it may hold a message that waits for a slot.
        for message in await registration.backend_consumer.take_delivered():
            if self._received.add(registration.topic, message):
                self._start(self._handle_when_free(registration, message))
        if handover is not None:
            await handover.finish(self._received)

    async def stop(self, drain_timeout: float = 5.0) -> None:
        """Stop receiving.  Messages in progress get ``drain_timeout`` seconds to finish."""
        self.running = False
        await asyncio.gather(*self._handovers)
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            await asyncio.gather(self._heartbeat, return_exceptions=True)
            self._heartbeat = None
        await asyncio.gather(*(self.remove_consumer(registration) for registration in list(self.registrations)))
        if self._work:
            await asyncio.wait(self._work, timeout=drain_timeout)
        await self._received.close()
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)

    async def add_consumer(
        self,
        topic: str,
        subscription: str,
        schema: type,
        handler: Handler,
        initial_position: str = "latest",
        instrument: bool = True,
    ) -> DirectRegistration:
        """Subscribe, and return when the subscription exists.  Raises: EngineUnavailable."""
        handover = await Handover.open(self.backend, topic) if topic.startswith(STICKY) else None
        try:
            consumer = await self.backend.create_consumer(topic, subscription, schema, initial_position)
        finally:  # not before: what is published again must find the consumer
            if handover is not None:
                finishing = asyncio.create_task(handover.finish(self._received), name=f"handover of {topic}")
                self._handovers.add(finishing)
                finishing.add_done_callback(self._handovers.discard)
        registration = DirectRegistration(self, topic, consumer, handler)
        if instrument and self.processor_id:
            registration.metrics = ConsumerMetrics(processor=self.processor_id, consumer=topic)
            registration.metrics.state("running")
        registration.task = asyncio.create_task(self._receive(registration), name=f"receive {topic}")
        self.registrations.append(registration)
        return registration

    async def remove_consumer(self, registration: DirectRegistration) -> None:
        if registration not in self.registrations:
            return
        self.registrations.remove(registration)
        # Close before cancelling: a cancelled receive would lose a message that the native client is delivering.
        await registration.backend_consumer.close()
        if registration.task is not None and registration.task is not asyncio.current_task():
            registration.task.cancel()
            await asyncio.gather(registration.task, return_exceptions=True)
        if registration.metrics:
            registration.metrics.state("stopped")

    async def _receive(self, registration: DirectRegistration) -> None:
        async def take(message: Message) -> None:
            if registration.topic.startswith("notify:"):  # one by one
                await self._handle(registration, message)
            elif self._received.add(registration.topic, message):
                await self._slots.acquire()
                self._start(self._handle_in_slot(registration, message))
            else:
                await registration.backend_consumer.acknowledge(message)

        await process_messages(registration.backend_consumer, take, f"messages of {registration.topic}")

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        # In a clean context: a service must not see context variables that a caller of this process has set.
        task = asyncio.create_task(work, context=self._context.copy())
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _handle_when_free(self, registration: DirectRegistration, message: Message) -> None:
        async with self._slots:
            await self._handle(registration, message)

    async def _handle_in_slot(self, registration: DirectRegistration, message: Message) -> None:
        try:
            await self._handle(registration, message)
        finally:
            self._slots.release()

    async def _handle(self, registration: DirectRegistration, message: Message) -> None:
        """Acknowledge the message if its handler succeeded, else reject it.  An abandoned one is not begun."""
        if message.abandoned:
            return
        consumer = registration.backend_consumer
        try:
            held = await self._received.is_held(registration.topic, message)
            handled = held or await self._run_handler(registration, message)
        except asyncio.CancelledError:
            with contextlib.suppress(EngineUnavailable):
                await consumer.negative_acknowledge(message)  # its caller was told, and no other process shall begin it
            raise
        if not handled:
            await consumer.negative_acknowledge(message)
            return
        try:
            await consumer.acknowledge(message)
        except Exception as error:
            # Broad because the message is processed already.  At worst a persistent message is redelivered.
            logger.warning("acknowledging on %s failed: %s", registration.topic, error)

    async def _run_handler(self, registration: DirectRegistration, message: Message) -> bool:
        metrics, started = registration.metrics, time.monotonic()
        outcome = "ok"
        try:
            with received(message.properties()):
                await self._with_retries(registration.handler, message, metrics)
        except Exception:
            # Broad because one failed message must not stop the others.
            log_failure(logger, "handling a message of %s failed", registration.topic)
            outcome = "error"
        if metrics:
            metrics.observe_latency(time.monotonic() - started)
            metrics.process(outcome)
        return outcome == "ok"

    async def _with_retries(self, handler: Handler, message: Message, metrics: Any) -> None:
        for pause_s in RATE_LIMIT_PAUSES_S:
            try:
                return await handler(message)
            except TooManyRequests:
                if metrics:
                    metrics.rate_limit()
                await asyncio.sleep(pause_s)
        await handler(message)


class DirectHandle:
    """Sends to one topic.  ``send`` returns when the broker has confirmed the message."""

    def __init__(self, pool: "DirectSenders", topic: str, producer: Sender) -> None:
        self.pool = pool
        self.topic = topic
        self.backend_producer = producer
        self.metrics: Any = ProducerMetrics(processor=pool.processor_id, producer=topic) if pool.processor_id else None

    async def send(self, message: Any, properties: Mapping[str, str] | None = None, wait: bool = True) -> None:
        """Raises: EngineUnavailable, TooLarge.  ``wait`` is ignored; it exists for the signature of the stock handle."""
        if self.topic.startswith(REQUESTS):  # such as the next step of an agent's pattern
            properties = {**current_headers(), **(properties or {})}
        await self.backend_producer.send(message, properties)
        if self.metrics:
            self.metrics.inc()

    async def unregister(self) -> None:
        await self.pool.remove_producer(self)


class DirectSenders:
    """The producers of a processor."""

    def __init__(self, backend: Bus, processor_id: str | None = None) -> None:
        self.backend = backend
        self.processor_id = processor_id
        self.handles: list[DirectHandle] = []

    async def start(self) -> None:
        """Does nothing: sends run in their caller's task."""

    async def stop(self, drain_timeout: float = 5.0) -> None:
        await asyncio.gather(*(self.remove_producer(handle) for handle in list(self.handles)))

    async def add_producer(self, topic: str, schema: type, **options: Any) -> DirectHandle:
        handle = DirectHandle(self, topic, await self.backend.create_producer(topic, schema, **options))
        self.handles.append(handle)
        return handle

    async def remove_producer(self, handle: DirectHandle) -> None:
        if handle in self.handles:
            self.handles.remove(handle)
            await handle.backend_producer.close()
