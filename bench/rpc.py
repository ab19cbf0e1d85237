"""Round trip of a request and its response, with our clients and processors and with the stock ones.

Both sides use the real parts of processors (receiver pool, sender, request client) on one embedded broker.  In the second row
they share a process and its connection, so messages bypass the broker.
"""

import tempfile
import time
from collections.abc import Set
from pathlib import Path
from typing import Any

from trustgraph.base import ReceiverPool, RequestResponseClient, SenderPool
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.pools import DirectReceivers, DirectSenders
from trustgraph_react_mem.bus.processor_mixin import DirectBackend
from trustgraph_react_mem.bus.rpc import Requests
from trustgraph_react_mem.memory.requests import FactsRequest, RetrieveFacts
from trustgraph_react_mem.schema import Fact, FactsResponse

from .patience import PATIENCE_S
from .row import Row, percentile

BROKER, NEARBY = NAMES = ("rpc_round_trip_p50", "rpc_nearby_p50")

WARM_UP = 30
OURS = 500
STOCK = 100

REQUEST = RetrieveFacts(query="where did we meet", embedding=[0.05] * 384)
RESPONSE = FactsResponse(facts=[Fact(id=f"f{n}", content="We met at the station in the rain. " * 3) for n in range(5)])


async def collect(names: Set[str], data: Path | None = None) -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        async with PulsarLite(Path(directory)) as broker:
            stock_backend = AsyncPulsarBackend(broker.url)
            stock = await _measure(
                "stock", stock_backend, ReceiverPool(stock_backend, concurrency=1), SenderPool(stock_backend),
                RequestResponseClient, STOCK,
            )  # fmt: skip
            ours_backend = DirectBackend(broker.url)
            ours = await _measure(
                "ours", ours_backend, DirectReceivers(ours_backend, 64), DirectSenders(ours_backend), Requests, OURS
            )
            shared = InProcessBus()
            near = await _measure("near", shared, DirectReceivers(shared, 64), DirectSenders(shared), Requests, OURS)
    note = f"p95 {percentile(ours, 95):.2f} ms, stock p95 {percentile(stock, 95):.1f} ms; a query vector there, five facts back"
    rows = [
        Row(BROKER, percentile(ours, 50), "ms", note, percentile(stock, 50)),
        Row(
            NEARBY, percentile(near, 50), "ms", f"p95 {percentile(near, 95):.2f} ms, both in one process", percentile(ours, 50)
        ),
    ]
    return [row for row in rows if row.name in names]


async def _measure(
    name: str, backend: Any, receivers: Any, senders: Any, client_class: type[RequestResponseClient], count: int
) -> list[float]:
    """Milliseconds of each of ``count`` sequential round trips."""
    topics = f"request:tg:bench-{name}", f"response:tg:bench-{name}"
    await receivers.start()
    await senders.start()
    reply = await senders.add_producer(topic=topics[1], schema=FactsResponse)

    async def handle(message: Any) -> None:
        message.value()
        await reply.send(RESPONSE, properties={"id": message.properties()["id"]})

    await receivers.add_consumer(topic=topics[0], subscription="bench", schema=FactsRequest, handler=handle)
    client = await client_class.create(
        backend=backend,
        request_topic=topics[0],
        response_topic=topics[1],
        request_schema=FactsRequest,
        response_schema=FactsResponse,
    )
    took: list[float] = []
    for number in range(WARM_UP + count):
        started = time.perf_counter()
        await client.request(REQUEST, timeout=PATIENCE_S)
        if number >= WARM_UP:
            took.append(1000 * (time.perf_counter() - started))
    await client.close()
    await receivers.stop()
    await senders.stop()
    await backend.close()
    return took
