"""Request and response, notifications, processors' pools and configuration: over every bus, and on a broker that dies."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pulsar.asyncio
import pytest
from trustgraph.base import ConsumerSpec, FlowProcessor, ProducerSpec
from trustgraph.exceptions import TooManyRequests

from tests.integration.bus.bus_support import DEADLINE_S, once_available, until
from tests.integration.bus.conftest import Fragile, another
from trustgraph_react_mem.bus import pools
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.local.local_socket import BusSocket, SocketBus
from trustgraph_react_mem.bus.notify import BusChangeNotifier
from trustgraph_react_mem.bus.pools import DirectReceivers, DirectSenders
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.bus.processor_mixin import DirectBus
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.bus.rpc import Requests
from trustgraph_react_mem.errors import BadRequest, EngineUnavailable
from trustgraph_react_mem.memory.requests import FactsRequest
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors import embedded_config
from trustgraph_react_mem.schema import FactsResponse, MemoryChanged

REQUEST, RESPONSE = "request:tg:echo", "response:tg:echo"
_setting: ContextVar[str] = ContextVar("what a caller has set")


class Echo:
    """A service that answers each query with itself; ``handle`` may be replaced."""

    def __init__(self, backend: Bus, concurrency: int = 64) -> None:
        self.receivers = DirectReceivers(backend, concurrency)
        self.senders = DirectSenders(backend)
        self.backend = backend
        self.seen: list[str] = []

    async def __aenter__(self) -> "Echo":
        await self.receivers.start()
        self.reply = await self.senders.add_producer(RESPONSE, FactsResponse)
        await self.receivers.add_consumer(REQUEST, "echo", FactsRequest, self._take)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.receivers.stop()
        await self.senders.stop()

    async def _take(self, message: Any) -> None:
        self.seen.append(message.value().query)
        await self.handle(message)

    async def handle(self, message: Any) -> None:
        await self.reply.send(FactsResponse(data=message.value().query), {"id": message.properties()["id"]})


@pytest.fixture
async def echo(bus: Bus) -> AsyncIterator[Echo]:
    async with Echo(bus) as echo:
        yield echo


@asynccontextmanager
async def calling(backend: Bus) -> AsyncIterator[Requests]:
    client = await Requests.create(
        backend=backend,
        request_topic=REQUEST,
        response_topic=RESPONSE,
        request_schema=FactsRequest,
        response_schema=FactsResponse,
        default_timeout=DEADLINE_S,
    )
    yield client
    await client.close()


@pytest.fixture(params=["same process", "other process"])
async def client(bus: Bus, far: Bus, request: pytest.FixtureRequest) -> AsyncIterator[Requests]:
    async with calling(bus if request.param == "same process" else far) as client:
        yield client


async def test_replies_find_their_requests(echo: Echo, client: Requests) -> None:
    queries = [f"q{n}" for n in range(200)]
    replies = await asyncio.gather(*(client.request(FactsRequest(query=query)) for query in queries))
    assert [reply.data for reply in replies] == queries
    assert not client.pending


async def test_no_reply_is_an_error_that_names_the_wait_and_leaves_nothing_behind(client: Requests) -> None:
    with pytest.raises(EngineUnavailable, match=r"0\.2 s"):
        await client.request(FactsRequest(query="anyone?"), timeout=0.2)
    assert not client.pending


@pytest.mark.slow
async def test_a_caller_learns_that_the_broker_is_gone(fragile: Fragile, bus: Bus) -> None:
    async with calling(bus) as client:
        waiting = asyncio.create_task(client.request(FactsRequest(query="anyone?"), timeout=300))
        await until(lambda: bool(client.pending))
        await asyncio.sleep(0.2)
        await fragile.stop()
        with pytest.raises(EngineUnavailable, match="connection to the message broker was lost"):
            await asyncio.wait_for(waiting, 15)
        assert not client.pending


async def test_a_caller_learns_that_the_service_ended(client: Requests) -> None:
    client.find_loss = lambda: "the stack (process 1) ended"
    with pytest.raises(EngineUnavailable, match=r"the stack \(process 1\) ended"):
        await asyncio.wait_for(client.request(FactsRequest(query="anyone?"), timeout=300), 10)


@pytest.mark.parametrize("place", ["same process", "other process"])
async def test_a_request_whose_caller_left_is_not_begun(tmp_path: Path, place: str) -> None:
    """A broker does not tell who has left."""
    bus = InProcessBus()
    served = await BusSocket.open(bus, tmp_path)
    far = SocketBus(served.path)
    release = asyncio.Event()
    async with Echo(bus, concurrency=1) as echo, calling(bus if place == "same process" else far) as client:
        sound = echo.handle

        async def hold(message: Any) -> None:
            await release.wait()
            await sound(message)

        echo.handle = hold  # type: ignore[method-assign]
        first = asyncio.create_task(client.request(FactsRequest(query="first")))
        await until(lambda: echo.seen == ["first"])
        leaving = [asyncio.create_task(client.request(FactsRequest(query=f"left {number}"))) for number in range(20)]
        last = asyncio.create_task(client.request(FactsRequest(query="last")))
        with pytest.raises(EngineUnavailable):
            await client.request(FactsRequest(query="too late"), timeout=0.1)
        for each in leaving:
            each.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        release.set()
        assert [(await each).data for each in (first, last)] == ["first", "last"]
        assert echo.seen == ["first", "last"]
    await far.close()
    await served.close()


async def test_a_reply_that_does_not_decode_fails_its_caller_only(echo: Echo, client: Requests) -> None:
    async def babble(message: Any) -> None:
        await echo.reply.backend_producer.send_bytes(b"babble", {"id": message.properties()["id"]})

    sound, echo.handle = echo.handle, babble  # type: ignore[method-assign]
    with pytest.raises(BadRequest, match="FactsResponse"):
        await client.request(FactsRequest(query="x"))
    echo.handle = sound  # type: ignore[method-assign]
    assert (await client.request(FactsRequest(query="y"))).data == "y"


async def test_a_failing_handler_does_not_end_the_loop(echo: Echo, client: Requests) -> None:
    sound = echo.handle

    async def breaks_once(message: Any) -> None:
        echo.handle = sound  # type: ignore[method-assign]
        raise ValueError("broken")

    echo.handle = breaks_once  # type: ignore[method-assign]
    with pytest.raises(EngineUnavailable):
        await client.request(FactsRequest(query="first"), timeout=0.3)
    assert (await client.request(FactsRequest(query="second"))).data == "second"


async def test_a_rate_limit_is_waited_out(echo: Echo, client: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "RATE_LIMIT_PAUSES_S", (0.01, 0.01, 0.01))
    sound = echo.handle
    refused: list[Any] = []

    async def busy(message: Any) -> None:
        if len(refused) < 3:
            refused.append(1)
            raise TooManyRequests
        await sound(message)

    echo.handle = busy  # type: ignore[method-assign]
    assert (await client.request(FactsRequest(query="please"))).data == "please"
    assert len(refused) == 3


async def test_requests_in_hand_are_limited_and_notifies_are_not_held_up(bus: Bus) -> None:
    release, told = asyncio.Event(), asyncio.Event()
    async with Echo(bus, concurrency=2) as echo:

        async def hold(message: Any) -> None:
            await release.wait()

        async def notified(message: Any) -> None:
            told.set()

        echo.handle = hold  # type: ignore[method-assign]
        await echo.receivers.add_consumer("notify:tg:test", "watcher", MemoryChanged, notified)
        request = await bus.create_producer(REQUEST, FactsRequest)
        notify = await bus.create_producer("notify:tg:test", MemoryChanged)
        for number in range(5):
            await request.send(FactsRequest(query=str(number)))
        await until(lambda: len(echo.seen) == 2)
        await notify.send(MemoryChanged())
        async with asyncio.timeout(DEADLINE_S):
            await told.wait()
        assert len(echo.seen) == 2
        release.set()
        await until(lambda: len(echo.seen) == 5)


async def test_requests_go_on_after_the_broker_died(fragile: Fragile, bus: Bus) -> None:
    async with Echo(bus), calling(bus) as client:
        assert (await client.request(FactsRequest(query="before"))).data == "before"
        await fragile.kill()
        answer = await once_available(lambda: client.request(FactsRequest(query="after"), timeout=0.5))
    assert answer.data == "after"


async def test_a_caller_learns_that_the_other_process_is_gone(tmp_path: Path) -> None:
    bus = InProcessBus()
    served = await BusSocket.open(bus, tmp_path)
    far = SocketBus(served.path)
    async with calling(far) as client:
        await served.close()
        await until(lambda: not far.is_connected)
        with pytest.raises(EngineUnavailable, match="did it end"):
            await client.request(FactsRequest(query="anyone?"))
    await far.close()
    with pytest.raises(EngineUnavailable, match="no stack answers"):
        await SocketBus(served.path).connect()


async def test_each_side_has_its_own_copy_and_its_own_context(echo: Echo, client: Requests) -> None:
    kept = FactsResponse(stats={"n": "1"})
    seen: list[str] = []

    async def meddle(message: Any) -> None:
        message.value().ids.append("of the service")
        seen.append(_setting.get("nothing"))
        await echo.reply.send(kept, {"id": message.properties()["id"]})

    echo.handle = meddle  # type: ignore[method-assign]
    request = FactsRequest(ids=["of the caller"])
    _setting.set("of the caller")
    reply = await client.request(request)
    reply.stats["n"] = "2"
    assert request.ids == ["of the caller"]
    assert kept.stats == {"n": "1"}
    assert seen == ["nothing"]


# ------------------------------------------------------------------------------------------------------ changes


@asynccontextmanager
async def notifying(*buses: Bus) -> AsyncIterator[list[BusChangeNotifier]]:
    """Of one process each."""
    notifiers = [BusChangeNotifier(bus) for bus in buses]
    for notifier in notifiers:
        await notifier.start()
    yield notifiers
    for notifier in notifiers:
        await notifier.close()


ANN = Scope(workspace="default", user="ann", collection="default")


async def test_a_writer_hears_its_own_change_before_the_write_returns_and_once(bus: Bus, far: Bus) -> None:
    here: list[MemoryChanged | None] = []
    there: list[MemoryChanged | None] = []
    async with notifying(bus, far) as (one, other):
        one.subscribe(here.append)
        other.subscribe(there.append)
        await one.changed(ANN, "facts", ids=["a"], forgotten=["b"])
        told = MemoryChanged(workspace="default", user="ann", collection="default", store="facts", ids=["a"], forgotten=["b"])
        assert here == [told]
        await until(lambda: there == [told])
        await other.changed(ANN, "weights")
        await until(lambda: len(here) == 2)
        assert [change.store for change in here if change is not None] == ["facts", "weights"]


async def test_after_the_broker_died_every_listener_drops_what_it_holds(fragile: Fragile, bus: Bus) -> None:
    heard: list[MemoryChanged | None] = []
    other = another(bus)
    async with notifying(bus, other) as (writer, listener):
        listener.subscribe(heard.append)
        await fragile.stop()
        await until(lambda: not listener._consumer.is_connected())  # type: ignore[union-attr]
        await asyncio.wait_for(writer.changed(ANN, "facts"), DEADLINE_S)  # lost, and no error: the write has happened
        await fragile.start()
        await until(lambda: None in heard)
    await other.close()


# ------------------------------------------------------------------------------------------------ configuration


async def test_requests_that_were_delivered_before_the_end_are_answered(bus: Bus) -> None:
    """One slot, so that all but the first wait in the queue of the native client, which discards them at a close."""
    released, marked = asyncio.Event(), asyncio.Event()

    async def mark(_: object) -> None:
        marked.set()

    async def slow(message: Any) -> None:
        await released.wait()

    async with Echo(bus, concurrency=1) as echo:
        echo.handle = slow  # type: ignore[method-assign]
        others = DirectReceivers(bus, 1)
        await others.add_consumer("request:tg:marker", "echo", FactsRequest, mark)
        for topic, count in ((REQUEST, 40), ("request:tg:marker", 1)):
            producer = await bus.create_producer(topic, FactsRequest)
            for number in range(count):
                await producer.send(FactsRequest(query=f"{number:02}"), {"id": f"{number}"})
        await marked.wait()  # what was sent before over the same connections is there, too
        await until(lambda: len(echo.seen) == 1)
        draining = asyncio.create_task(echo.receivers.drain(DEADLINE_S))
        await until(lambda: not echo.receivers.registrations[0].backend_consumer.is_open)
        released.set()
        assert await draining == 0
        async with Echo(bus) as following:  # which gets what a bus takes back
            await until(lambda: len(echo.seen) + len(following.seen) >= 40)
        assert sorted(echo.seen + following.seen) == [f"{number:02}" for number in range(40)]
        await others.stop()


class Probe(DirectBus, FlowProcessor):
    """A processor with one service, to see configuration arrive."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.configured: list[dict[str, str]] = []
        self.register_config_handler(self.on_words, types=["words"])
        self.register_specification(ConsumerSpec("request", FactsRequest, self.on_request))
        self.register_specification(ProducerSpec("response", FactsResponse))

    async def on_words(self, workspace: str, config: dict[str, dict[str, str]], version: int) -> None:
        self.configured.append(config["words"])

    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        await flow("response").send(FactsResponse(data=flow.name), properties={"id": message.properties()["id"]})


def probe(bus: Bus, name: str = "probe") -> Probe:
    return Probe(id=name, backend=bus)


def client_of(bus: Bus) -> Coroutine[Any, Any, MemoryBus]:
    return MemoryBus.connect("pulsar://unused:6650", backend=bus.lease())


async def test_a_processor_on_a_given_connection_leaves_none_of_its_own_open(
    backend: DirectBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stock constructor opens one.  A native client that is collected while it is open can end the process."""
    made: list[Any] = []
    start = pulsar.asyncio.Client.__init__

    def note(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        made.append(self)

    monkeypatch.setattr(pulsar.asyncio.Client, "__init__", note)
    probe(backend)
    (unused,) = made
    with pytest.raises(pulsar.asyncio.PulsarException, match="AlreadyClosed"):
        await unused.create_producer("topic")


@pytest.fixture
async def configuration(bus: Bus, tmp_path: Path) -> AsyncIterator[embedded_config.Processor]:
    service = embedded_config.Processor(id="config-svc", backend=bus, path=str(tmp_path / "config.json"))
    service.file.seed("default", "default", with_model=False)
    await service.start()
    yield service
    await service.stop()


async def test_a_processor_that_starts_before_the_configuration_service_is_configured_soon_after(
    bus: Bus, tmp_path: Path
) -> None:
    early = probe(bus)
    starting = asyncio.create_task(early.start())
    service = embedded_config.Processor(id="config-svc", backend=bus, path=str(tmp_path / "config.json"))
    service.file.seed("default", "default", with_model=False)
    await until(lambda: early._next_config_timeout_s > 0.3)  # it has asked, and nobody was there
    await service.start()
    await asyncio.wait_for(starting, 5)
    assert early.active_workspaces == {"default"}
    await early.stop()
    await service.stop()


async def test_a_flow_is_served_as_soon_as_it_is_configured_and_no_longer_than_that(
    bus: Bus, configuration: embedded_config.Processor
) -> None:
    running = probe(bus)
    await running.start()
    async with await client_of(bus) as client, calling(bus) as echo:
        definition = '{"topics": {"request": "request:tg:echo", "response": "response:tg:echo"}}'
        await client.config_put("processor:probe", {"night": definition})
        # The stock class names a flow before its topics are joined; a request that nobody hears yet is lost.
        await until(lambda: any("request" in flow.consumer for flow in running.flows.values()))
        assert (await echo.request(FactsRequest())).data == "night"
        await client.config_delete("processor:probe", ["night"])
        await until(lambda: not running.flows)
        with pytest.raises(EngineUnavailable):
            await echo.request(FactsRequest(), timeout=0.2)
    await running.stop()
