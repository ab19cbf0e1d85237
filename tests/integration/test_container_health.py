"""The containers' health check against a processor that really runs."""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.pulsar_lite import PulsarLite
from tests.stock.trustgraph import free_port
from trustgraph_react_mem.bus.external_client import MemoryBus

pytestmark = pytest.mark.later

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PATIENCE_S = 30.0


def health(port: int, *arguments: str) -> tuple[int, str]:
    command = [str(BIN / "react-mem-health"), "--port", str(port), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout


async def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.1)


async def test_a_container_is_healthy_while_its_processor_is_at_work(tmp_path: Path) -> None:
    """The configuration service, started as compose.yaml starts it."""
    definition = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text("utf-8"))["services"]["configuration"]
    broker = PulsarLite(tmp_path / "bus")
    await broker.start()
    port = free_port()
    places = {"pulsar://pulsar:6650": broker.url, "/var/lib/react-mem/config.json": str(tmp_path / "config.json")}
    program, *arguments = [places.get(argument, argument) for argument in definition["command"]]
    assert health(port)[0] == 1
    process = await asyncio.create_subprocess_exec(
        str(BIN / program), *arguments, "--metrics-port", str(port), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until(lambda: health(port) == (0, "healthy\n"))
        async with await MemoryBus.connect(broker.url) as bus:
            await bus.check()  # --seed wrote a flow with memory
        await broker.stop()
        await until(lambda: health(port)[0] == 1)
        assert re.search(r"0 of 2 consumers of config-svc-react-mem are connected", health(port)[1])
        assert health(port, "--alive")[0] == 0, "a broker that is away is no reason to restart"
        broker = PulsarLite(tmp_path / "bus", port=broker.port)
        await broker.start()
        await until(lambda: health(port)[0] == 0)
    finally:
        process.kill()
        await process.wait()
        await broker.stop()
    code, said = health(port, "--alive")
    assert code == 1
    assert "is the processor running" in said
