"""Request and response over the bus, for many callers at once.

trustgraph-base's client with its faults mended: a reply that does not decode fails its own caller instead of ending the loop, a
caller that gives up leaves nothing behind, and a refused send or a late reply is ``EngineUnavailable``.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

from trustgraph.base import RequestResponseClient

from ..errors import EngineUnavailable
from .in_process import Caller, InProcessBus
from .pulsar_driver import Closed

logger = logging.getLogger(__name__)


class Requests(RequestResponseClient):
    """Create with ``await Requests.create(backend=, request_topic=, response_topic=, request_schema=, response_schema=)``."""

    pending: dict[str, asyncio.Queue[Any]]
    nearby: InProcessBus | None = None
    topic = ""
    caller: Callable[[asyncio.Queue[Any]], Caller]

    @classmethod
    async def create(
        cls, *, backend: Any, request_topic: str, response_topic: str, response_schema: type, **options: Any
    ) -> "Requests":
        """As trustgraph-base's.  Raises: EngineUnavailable."""
        topics = {"request_topic": request_topic, "response_topic": response_topic, "response_schema": response_schema}
        client: Requests = await super().create(backend=backend, **topics, **options)
        client.nearby, client.topic = getattr(backend, "nearby", None), request_topic
        client.caller = partial(Caller, response_topic, response_schema)
        return client

    async def request(self, message: Any, timeout: float | None = None, properties: Mapping[str, str] | None = None) -> Any:
        """The reply.  Raises: EngineUnavailable (not sent, or no reply in ``timeout`` seconds)."""
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
        """Every reply, until the caller stops; ``timeout`` is for each of them, ``first_timeout`` for the first one."""
        every_s = self.default_timeout if timeout is None else timeout
        wait_s = every_s if first_timeout is None else first_timeout
        request_id = str(uuid.uuid4())
        replies = self.pending[request_id] = asyncio.Queue()
        started = time.monotonic()
        try:
            await self._send(message, {"id": request_id, **(properties or {})}, replies)
            while True:
                async with asyncio.timeout(wait_s):
                    reply = await replies.get()
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
            if self.nearby is not None:
                self.nearby.hung_up(request_id)
            if self.metrics:
                self.metrics.observe_duration(time.monotonic() - started)

    async def _send(self, message: Any, headers: dict[str, str], replies: asyncio.Queue[Any]) -> None:
        if self.nearby is None or not self.nearby.call(self.topic, message, headers, self.caller(replies)):
            await self.producer.send(message, headers)

    async def _response_loop(self) -> None:
        while self.running:
            try:
                message = await self.consumer.receive()
                replies = self.pending.get(message.properties().get("id", ""))
                if replies is not None:
                    replies.put_nowait(_decoded(message))
                await self.consumer.acknowledge(message)
            except Closed:
                return
            except Exception:
                # Broad because callers of all flows wait on this loop.
                logger.exception("a reply could not be taken")
                await asyncio.sleep(0.1)

    async def close(self) -> None:
        self.running = False
        for replies in self.pending.values():
            replies.put_nowait(EngineUnavailable("the bus was closed before the reply came"))
        if self.consumer:
            await self.consumer.close()
        if self.receiver_task:
            self.receiver_task.cancel()
            await asyncio.gather(self.receiver_task, return_exceptions=True)
        if self.producer:
            await self.producer.close()


def _decoded(message: Any) -> Any:
    try:
        return message.value()
    except Exception as error:
        # Broad because whatever is wrong with a reply is its caller's to know.
        return error
