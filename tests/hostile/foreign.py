"""A client that is not ours: it sends whatever JSON it likes to any topic of a running stack, and reads what comes back."""

import asyncio
import json
import sqlite3
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trustgraph.schema import AgentResponse

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.client_specs import read_agent_error
from trustgraph_react_mem.bus.external_client import open_bus
from trustgraph_react_mem.bus.local.job_log import FILE
from trustgraph_react_mem.bus.port import Bus, Receiver, Sender
from trustgraph_react_mem.schema.topics import job_queue, request_queue, response_queue
from trustgraph_react_mem.turn_trace import TurnTrace

WORKSPACE = FLOW = "default"
SPY = """
CREATE TABLE IF NOT EXISTS spy AS SELECT * FROM job WHERE false;
CREATE TRIGGER IF NOT EXISTS spying AFTER INSERT ON job BEGIN INSERT INTO spy SELECT * FROM job WHERE number = new.number; END;
"""


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

    backend: Bus
    file: Path
    producers: dict[str, Sender] = field(default_factory=dict)
    replies: dict[str, asyncio.Queue[dict[str, Any]]] = field(default_factory=dict)
    readers: dict[str, tuple[Receiver, asyncio.Task[None]]] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def at(cls, address: BusAddress, data: Path) -> "Foreign":
        """``data``: the data directory, whose owner may write to the file of the jobs, too."""
        return cls(open_bus(address), data / FILE)

    async def close(self) -> None:
        for consumer, task in self.readers.values():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await consumer.close()
        for producer in self.producers.values():
            await producer.close()
        await self.backend.close()

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

    async def _read(self, consumer: Receiver) -> None:
        while True:
            message = await consumer.receive()
            await consumer.acknowledge(message)
            queue = self.replies.get(message.properties().get("id", ""))
            if queue is not None:
                queue.put_nowait(json.loads(message.data()))

    async def send(self, topic: str, data: bytes, properties: Mapping[str, str] | None = None, key: str = "") -> None:
        async with self.opening:
            if topic not in self.producers:
                self.producers[topic] = await self.backend.create_producer(topic, dict)
        await self.producers[topic].send_bytes(data, properties, partition_key=key)

    # ---------------------------------------------------------------------------------------------- the job topic

    async def publish_job(self, data: bytes, key: str = "default/mallory/default|write", job_id: str = "") -> None:
        """The stack finds it with the next job of its own."""
        with closing(sqlite3.connect(self.file)) as jobs, jobs:
            jobs.execute(
                "INSERT INTO job (topic, key, id, kind, traceparent, data) VALUES (?, ?, ?, '', '', ?)",
                (job_queue(WORKSPACE), key, job_id, data),
            )

    async def jobs(self) -> list[Message]:
        """All jobs since ``spy_on``."""
        with closing(sqlite3.connect(self.file)) as jobs:
            rows = jobs.execute("SELECT data, id, key FROM spy ORDER BY number").fetchall()
        return [Message(data, {"id": job_id}, key) for data, job_id, key in rows]


def spy_on(data: Path) -> None:
    """From now on, keep a copy of each job that the stack publishes, as one has who copies the file all the time."""
    with closing(sqlite3.connect(data / FILE)) as jobs:
        jobs.executescript(SPY)
