"""A client that is not ours: it sends whatever JSON it likes to any topic of a running stack, and reads what comes back."""

import asyncio
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pulsar
from trustgraph.schema import AgentResponse

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.client_specs import read_agent_error
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend, DirectConsumer, DirectProducer
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.schema.topics import job_queue, request_queue, response_queue
from trustgraph_react_mem.turn_trace import TurnTrace

WORKSPACE = FLOW = "default"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the job topic as it stands there."""

    data: bytes
    properties: Mapping[str, str]
    key: str

    @property
    def envelope(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data)
        return found

    def heads(self, **fields: str) -> bool:
        """Whether it is an envelope with these fields."""
        try:
            found = self.envelope
        except (ValueError, RecursionError):  # an attack sent it
            return False
        return isinstance(found, dict) and all(found.get(name) == value for name, value in fields.items())

    def changed(self, **fields: Any) -> bytes:
        return json.dumps({**self.envelope, **fields}).encode()


@dataclass(slots=True)
class Foreign:
    """``conversation``: replies by the id of their request, each with what came."""

    backend: DirectBackend
    producers: dict[str, DirectProducer] = field(default_factory=dict)
    replies: dict[str, asyncio.Queue[dict[str, Any]]] = field(default_factory=dict)
    readers: dict[str, tuple[DirectConsumer, asyncio.Task[None]]] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def at(cls, address: BusAddress, job_url: str, *, master_key: bytes) -> "Foreign":
        """``master_key``: of the data directory.  With it, the job topic of a stack that has a secret can be used, too."""
        lasting = hmac.digest(master_key, b"purpose|job topics", "sha256") if address.secret else b""
        backend = DirectBackend.to(address, quiet=True, lasting=lasting)
        backend.job_backend = DirectBackend.to(replace(address, url=job_url), quiet=True, lasting=lasting)
        return cls(backend)

    async def close(self) -> None:
        for consumer, task in self.readers.values():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await consumer.close()
        for producer in self.producers.values():
            await producer.close()
        await self.backend.jobs.close()
        await self.backend.close()

    # ------------------------------------------------------------------------------------------------- requests

    async def request(self, service: str, record: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        """The reply to one request of a service.  Raises: TimeoutError."""
        async with self._asked(service, record) as replies, asyncio.timeout(timeout_s):
            return await replies.get()

    async def ask(self, record: Mapping[str, Any], timeout_s: float = 60.0) -> TurnTrace:
        """One turn of the agent.  Raises: TimeoutError."""
        trace = TurnTrace(question=str(record.get("question", "")))
        async with self._asked("agent", record) as replies, asyncio.timeout(timeout_s):
            while True:
                message = wire.decode(json.dumps(await replies.get()).encode(), AgentResponse)
                trace.feed(read_agent_error(message))
                if message.end_of_dialog or message.error:
                    return trace

    @asynccontextmanager
    async def _asked(self, service: str, record: Mapping[str, Any]) -> AsyncIterator[asyncio.Queue[dict[str, Any]]]:
        await self._listen(service)
        name = uuid.uuid4().hex
        queue = self.replies[name] = asyncio.Queue()
        try:
            await self.send(request_queue(service, WORKSPACE, FLOW), json.dumps(record).encode(), {"id": name})
            yield queue
        finally:
            del self.replies[name]

    async def _listen(self, service: str) -> None:
        async with self.opening:
            if service in self.readers:
                return
            topic = response_queue(service, WORKSPACE, FLOW)
            consumer = await self.backend.create_consumer(topic, f"foreign-{uuid.uuid4().hex}", dict)
            self.readers[service] = (consumer, asyncio.create_task(self._read(consumer)))

    async def _read(self, consumer: DirectConsumer) -> None:
        while True:
            message = await consumer.receive()
            await consumer.acknowledge(message)
            queue = self.replies.get(message.properties().get("id", ""))
            if queue is not None:
                queue.put_nowait(json.loads(message.raw.data()))

    async def send(self, topic: str, data: bytes, properties: Mapping[str, str] | None = None, key: str = "") -> None:
        async with self.opening:
            if topic not in self.producers:
                backend = self.backend.jobs if topic == job_queue(WORKSPACE) else self.backend
                self.producers[topic] = await backend.create_producer(topic, dict)
        await self.producers[topic].send_bytes(data, properties, partition_key=key or None)

    # ---------------------------------------------------------------------------------------------- the job topic

    async def publish_job(self, data: bytes, key: str = "default/mallory/default|write", job_id: str = "") -> None:
        await self.send(job_queue(WORKSPACE), data, {"id": job_id} if job_id else {}, key)

    async def jobs(self, quiet_s: float = 1.5) -> list[Message]:
        """All messages that the job topic still has, from the first on, until none comes for ``quiet_s`` seconds."""
        spy = await self.backend.jobs.create_consumer(
            job_queue(WORKSPACE),
            f"spy-{uuid.uuid4().hex}",
            JobEnvelope,
            "earliest",
            consumer_type=pulsar.ConsumerType.Exclusive,
        )
        found = []
        try:
            while True:
                async with asyncio.timeout(quiet_s):
                    message = await spy.receive()
                found.append(Message(message.raw.data(), message.properties(), message.raw.partition_key()))
                await spy.acknowledge(message)
        except TimeoutError:
            return found
        finally:
            await spy.close()
