"""The embedded broker as a child process."""

import asyncio
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.bus.bus_support import until
from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.errors import EngineUnavailable


def listening(pid: int) -> set[str]:
    """Local addresses (hexadecimal, as the kernel tells them) on which a process takes connections."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed in the meantime
            target = os.readlink(entry)
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1])
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_it_listens_on_loopback_alone(broker: EmbeddedBroker) -> None:
    assert listening(broker.pid) == {f"0100007F:{broker.port:04X}"}


async def test_stopping_ends_it_and_does_not_start_it_again(tmp_path: Path) -> None:
    broker = EmbeddedBroker(tmp_path)
    await broker.start()
    port = broker.port
    await broker.stop()
    assert broker.pid == 0
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        broker = EmbeddedBroker(tmp_path, port=taken)
        with pytest.raises(EngineUnavailable, match=str(taken)):
            await broker.start()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal at the parent's death")
async def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from trustgraph_react_mem.bus.broker import EmbeddedBroker\n"
        "async def main():\n"
        "    broker = EmbeddedBroker(Path(sys.argv[1]))\n"
        "    await broker.start()\n"
        "    print(broker.pid, flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(tmp_path), stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(await asyncio.wait_for(parent.stdout.readline(), 15))
    parent.kill()
    await parent.wait()
    await until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2])
