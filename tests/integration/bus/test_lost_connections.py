"""Connections and consumers that are collected without a close: the native client would abort the process."""

import asyncio
import os
import sys

import pytest

from trustgraph_react_mem.bus.broker import EmbeddedBroker

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
async def test_a_lost_connection_does_not_end_the_process(broker: EmbeddedBroker, lost: str) -> None:
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
