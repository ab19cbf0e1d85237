"""A message bus in memory that carries JSON alone, for one agent: every message it sends is kept, every reply is scripted.

Imports TrustGraph alone: what is kept is what another process would read, whatever our own classes are called.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustgraph.base import ConsumerSpec, ParameterSpec, ProducerSpec
from trustgraph.base.serialization import dataclass_to_dict, dict_to_dataclass

from .stock_doubles import Explainability

Replies = Callable[[dict[str, Any]], Sequence[dict[str, Any]]]
SERVICES = ("prompt", "agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs", "embeddings")


@dataclass
class Message:
    body: dict[str, Any]
    schema: type
    headers: dict[str, str]

    def value(self) -> Any:
        return dict_to_dataclass(self.body, self.schema)

    def properties(self) -> dict[str, str]:
        return self.headers


class Producer:
    def __init__(self, bus: "WireDouble", topic: str) -> None:
        self._bus, self._topic = bus, topic

    async def send(self, message: Any, properties: Mapping[str, str] | None = None) -> None:
        self._bus.carry(self._topic, message, dict(properties or {}))

    async def close(self) -> None: ...


class Consumer:
    def __init__(self, schema: type) -> None:
        self.schema = schema
        self.queue: asyncio.Queue[Message] = asyncio.Queue()

    async def receive(self, **options: Any) -> Message:
        return await self.queue.get()

    async def acknowledge(self, message: Message) -> None: ...
    async def close(self) -> None: ...


class WireDouble:
    """The backend of a processor.  ``replies`` answers a request of a service with the JSON of its responses."""

    def __init__(self, replies: Mapping[str, Replies]) -> None:
        self._replies = replies
        self._consumers: dict[str, Consumer] = {}
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def forget_request(self, request_id: str) -> None:
        """Each reply is there before its requester looks."""

    async def create_producer(self, topic: str, schema: type, **options: Any) -> Producer:
        return Producer(self, topic)

    async def create_consumer(self, topic: str, subscription: str, schema: type, *more: Any, **options: Any) -> Consumer:
        return self._consumers.setdefault(topic, Consumer(schema))

    def carry(self, topic: str, message: Any, headers: dict[str, str]) -> None:
        service = topic.removesuffix("-request")
        body = json.loads(json.dumps(dataclass_to_dict(message)))
        self.sent.append((service, body))
        consumer = self._consumers[f"{service}-response"]
        for reply in self._replies[service](body):
            consumer.queue.put_nowait(Message(json.loads(json.dumps(reply)), consumer.schema, headers))

    async def flow(self, processor: Any, without: Sequence[str] = ()) -> "WireFlow":
        """A running flow with the processor's own clients of the services."""
        flow = WireFlow()
        topics: dict[str, str] = {}
        for service in SERVICES:
            if service not in without:
                topics |= {f"{service}-{side}": f"{service}-{side}" for side in ("request", "response")}
        processor.async_backend = self
        for spec in processor.specifications:
            if not isinstance(spec, ConsumerSpec | ProducerSpec | ParameterSpec):
                await spec.register(flow, processor, {"topics": topics})
        return flow


class WireFlow:
    name = "default"
    workspace = "default"
    librarian = None

    def __init__(self) -> None:
        self.producer: dict[str, Any] = {"explainability": Explainability()}
        self.consumer: dict[str, Any] = {}
        self.parameter: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        return self.producer.get(name) or self.consumer.get(name)
