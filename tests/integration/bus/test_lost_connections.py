"""Connections and consumers that are collected without a close: the native client would abort the process."""

import asyncio
import os
import sys

import pytest

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.handover import Handover
from trustgraph_react_mem.bus.notify import BusChangeNotifier
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend, DirectConsumer
from trustgraph_react_mem.bus.rpc import Requests
from trustgraph_react_mem.errors import EngineUnavailable

PROGRAM = """
import asyncio, gc, sys, warnings
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend, DirectConsumer

warnings.simplefilter("always")

async def lose(lost):
    backend = DirectBackend(sys.argv[1], quiet=True)
    consumer = await backend.create_consumer(f"flow:tg:lost:{lost}", "s", str)
    receiving = asyncio.create_task(consumer.receive())
    await asyncio.sleep(0.1)
    receiving.cancel()
    await asyncio.wait([receiving])
    return backend, consumer

async def main(lost):
    kept = backend, consumer = await lose(lost)
    if lost == "consumer":
        del kept, consumer
    elif lost == "both":
        del kept, consumer, backend
    gc.collect()
    await asyncio.sleep(0.1)
    if lost == "consumer":
        await backend.create_consumer(f"flow:tg:lost:{lost}", "s", str)  # the lost one is gone, and the connection is usable
    return locals()

left = asyncio.run(main(sys.argv[2]))
print("end")
"""


@pytest.mark.parametrize("lost", ["consumer", "both", "at the end"])
async def test_a_lost_connection_does_not_end_the_process(broker: PulsarLite, lost: str) -> None:
    name = lost.replace(" ", "-")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, broker.url, name),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert (process.returncode, output.decode().strip()) == (0, "end"), errors.decode()[-2000:]
    if lost != "at the end":
        assert "was not closed" in errors.decode()


class Half:
    """A backend whose second end cannot be opened."""

    requests_may_be = "lost"

    def __init__(self, inner: DirectBackend, fails: str) -> None:
        self._inner, self._fails = inner, fails
        self.opened: list[object] = []

    async def create_producer(self, *given: object, **options: object) -> object:
        return await self._open("producer", given, options)

    async def create_consumer(self, *given: object, **options: object) -> object:
        return await self._open("consumer", given, options)

    async def _open(self, end: str, given: tuple[object, ...], options: dict[str, object]) -> object:
        if end == self._fails or (self._fails == "second" and self.opened):
            raise asyncio.CancelledError if self._fails == "second" else EngineUnavailable("away")
        self.opened.append(await getattr(self._inner, f"create_{end}")(*given, **options))
        return self.opened[-1]


def _is_closed(end: object) -> bool:
    return not (end.is_open if isinstance(end, DirectConsumer) else end.is_connected())  # type: ignore[attr-defined]


async def test_an_end_that_was_opened_is_closed_if_the_other_cannot_be(backend: DirectBackend) -> None:
    half = Half(backend, "consumer")
    with pytest.raises(EngineUnavailable):
        await Requests.create(
            backend=half,  # type: ignore[arg-type]
            request_topic="request:tg:half:w",
            response_topic="response:tg:half:w",
            request_schema=str,
            response_schema=str,
        )
    changes = Half(backend, "producer")
    with pytest.raises(EngineUnavailable):
        await BusChangeNotifier(changes).start()  # type: ignore[arg-type]
    watched = Half(backend, "second")
    with pytest.raises(asyncio.CancelledError):
        await Handover.open(watched, "request:tg:half:w")  # type: ignore[arg-type]
    opened = [*half.opened, *changes.opened, *watched.opened]
    assert [_is_closed(end) for end in opened] == [True] * 3


async def test_a_connection_whose_opening_is_cancelled_is_closed(broker: PulsarLite, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[DirectBackend] = []
    opening = asyncio.Event()

    async def wait(self: DirectBackend, *_: object, **__: object) -> None:
        opening.set()
        await asyncio.Event().wait()

    close = DirectBackend.close

    async def note(self: DirectBackend) -> None:
        closed.append(self)
        await close(self)

    monkeypatch.setattr(DirectBackend, "create_producer", wait)
    monkeypatch.setattr(DirectBackend, "close", note)
    connecting = asyncio.create_task(MemoryBus.connect(broker.url))
    await opening.wait()
    connecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connecting
    assert len(closed) == 1
