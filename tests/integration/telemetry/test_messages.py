"""Trace context in the properties of messages: both directions, beside TrustGraph's stock clients and services."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from trustgraph.base import ReceiverPool, SenderPool
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

from tests.integration.bus.bus_support import job, make_keyring
from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.pools import DirectReceivers, DirectSenders
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.bus.rpc import Requests
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.requests import FactsRequest, RetrieveFacts, encode
from trustgraph_react_mem.schema import FactsResponse
from trustgraph_react_mem.telemetry.tracing import span

pytestmark = pytest.mark.asyncio(loop_scope="module")

REQUEST = encode(RetrieveFacts(query="where did we meet"))
OUTER = "outer"
Connect = Callable[[type], Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def broker(tmp_path_factory: pytest.TempPathFactory, exporter: InMemorySpanExporter) -> AsyncIterator[PulsarLite]:
    async with PulsarLite(tmp_path_factory.mktemp("bus")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def connect(broker: PulsarLite) -> AsyncIterator[Connect]:
    """Opens connections of either class, and closes them: a native client that is collected open can end the process."""
    made: list[Any] = []

    def open_one(kind: type) -> Any:
        made.append(kind(broker.url))
        return made[-1]

    yield open_one
    for backend in made:
        await backend.close()


class Served:
    """A service on one topic, which notes what arrives and in which trace its handler runs."""

    def __init__(self, name: str, backend: Any, receivers: Any, senders: Any) -> None:
        self.topics = f"request:tg:traced-{name}", f"response:tg:traced-{name}"
        self.backend, self.receivers, self.senders = backend, receivers, senders
        self.bodies: list[bytes] = []
        self.properties: list[dict[str, str]] = []
        self.running: list[trace.SpanContext] = []

    async def start(self) -> "Served":
        await self.receivers.start()
        await self.senders.start()
        self._reply = await self.senders.add_producer(topic=self.topics[1], schema=FactsResponse)
        await self.receivers.add_consumer(
            topic=self.topics[0], subscription="service", schema=FactsRequest, handler=self._handle
        )
        return self

    async def _handle(self, message: Any) -> None:
        raw = getattr(message, "raw", None) or getattr(message, "_msg", None)
        self.bodies.append(raw.data() if raw is not None else b"")
        self.properties.append(dict(message.properties()))
        self.running.append(trace.get_current_span().get_span_context())
        message.value()
        await self._reply.send(FactsResponse(count=7), properties={"id": message.properties()["id"]})

    async def stop(self) -> None:
        await self.receivers.stop()
        await self.senders.stop()


async def client_of(served: Served, kind: Any, backend: Any) -> Any:
    return await kind.create(
        backend=backend,
        request_topic=served.topics[0],
        response_topic=served.topics[1],
        request_schema=FactsRequest,
        response_schema=FactsResponse,
    )


async def test_our_traced_client_is_served_by_stock_and_the_body_is_untouched(connect: Connect) -> None:
    stock = connect(AsyncPulsarBackend)
    served = await Served("stock-service", stock, ReceiverPool(stock, concurrency=1), SenderPool(stock)).start()
    client = await client_of(served, Requests, connect(DirectBackend))
    assert (await client.request(REQUEST, timeout=30)).count == 7
    with span(OUTER, {}) as outer:
        assert (await client.request(REQUEST, timeout=30)).count == 7
    plain, traced = served.properties
    assert set(plain) == {"id", "waits-until"}
    assert set(traced) == {"id", "waits-until", "traceparent"}
    here = outer.get_span_context()
    assert traced["traceparent"].startswith(f"00-{here.trace_id:032x}-{here.span_id:016x}-")
    assert served.bodies[0] == served.bodies[1]
    assert all(not running.is_valid for running in served.running), "stock ignores the property"
    await client.close()
    await served.stop()


@pytest.mark.parametrize("shared", [False, True], ids=["over the broker", "in one process"])
async def test_a_handler_runs_in_the_trace_of_its_caller_and_in_no_other(connect: Connect, shared: bool) -> None:
    direct = connect(DirectBackend)
    direct = direct.lease() if shared else direct
    served = await Served(f"both-{shared}", direct, DirectReceivers(direct, 4), DirectSenders(direct)).start()
    client = await client_of(served, Requests, direct)

    async def ask() -> int:
        with span(OUTER, {}) as outer:
            await client.request(REQUEST, timeout=30)
            return outer.get_span_context().trace_id

    traces = await asyncio.gather(ask(), ask(), ask())
    assert sorted(running.trace_id for running in served.running) == sorted(traces)
    await client.request(REQUEST, timeout=30)
    assert not served.running[-1].is_valid, "the trace of an earlier message is not kept"
    await client.request(REQUEST, timeout=30, properties={"traceparent": "00-zz-not-one-01", "tracestate": "=" * 900})
    assert not served.running[-1].is_valid, "what is no trace context is ignored"
    await client.close()
    await served.stop()


async def test_a_job_keeps_its_link_when_it_is_delivered_again(connect: Connect) -> None:
    backend, keys = connect(DirectBackend), make_keyring()
    publisher = BusJobPublisher(backend, keys, partition_key=partition_key, source="test")
    with span(OUTER, {}) as outer:
        await publisher.publish([job(1)])
    await publisher.publish([job(2)])
    seen = []
    for _ in range(2):  # the first worker ends without an acknowledgement
        consumer = JobConsumer(backend, keys)
        await consumer.add_workspace("default")
        links: dict[str, str] = {}
        async with asyncio.timeout(30):
            while len(links) < 2:
                head = (await consumer.receive()).head
                links[head.id] = head.traceparent
        seen.append(links)
        await consumer.close()
    first, again = seen
    assert first == again
    assert first[job(1).id].split("-")[1] == f"{outer.get_span_context().trace_id:032x}"
    assert first[job(2).id].split("-")[1] != first[job(1).id].split("-")[1]
    await publisher.close()
