"""The embedded stack in a separate process, started with ``react-mem up`` as a user does."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.stack_state import running_stack

from .filled import environment
from .patience import PATIENCE_S

COMMAND = Path(sys.executable).with_name("react-mem")
STOP_TIMEOUT_S = 30.0
ANSWER = "Thought: The question can be answered.\nFinal Answer: That is all there is to say about it."


@dataclass(frozen=True)
class Stack:
    pid: int
    address: BusAddress
    ready_s: float

    def memory_mb(self) -> float:
        """Proportional set size of the stack and its broker in MB, which counts shared pages once."""
        return sum(_pss_kb(pid) for pid in (self.pid, *_children(self.pid))) / 1024

    def processor_ms(self) -> float:
        """Processor time that the stack and its broker have used."""
        return sum(map(processor_ms, (self.pid, *_children(self.pid))))


@asynccontextmanager
async def running(home: Path, model: str) -> AsyncIterator[Stack]:
    """Run ``react-mem up`` with the data directory ``home``.  Yields when it is ready, and stops it at the end."""
    began = time.perf_counter()
    log = Path(f"{home}.log").open("wb")  # noqa: SIM115 (the child keeps it)
    process = await asyncio.create_subprocess_exec(
        str(COMMAND),
        *("up", "--json", "--model", model, "--data", str(home)),
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        env=environment(home),
        start_new_session=True,
    )
    log.close()
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)
        if not line:
            raise RuntimeError(f"the stack ended before it was ready; see {home}.log")
        info = running_stack(home)
        if info is None:
            raise RuntimeError(f"the stack ended when it was ready; see {home}.log")
        yield Stack(process.pid, info.address, time.perf_counter() - began)
    finally:
        if process.returncode is None:
            process.terminate()  # not SIGINT, which is ignored where a shell has started the bench in the background
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
            except TimeoutError:
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


@asynccontextmanager
async def serving(home: Path, *, background_delay_s: float = 0.0) -> AsyncIterator[tuple[Stack, MemoryBus]]:
    """A stack with a scripted model that answers at once, and a client.

    Turns are recorded as usual.  Background jobs that need a model are off, or take ``background_delay_s`` if it is set.
    """
    written = script(Path(f"{home}-script.json"), background_delay_s=background_delay_s)
    async with running(home, f"scripted:{written}") as stack, await MemoryBus.connect(stack.address) as bus:
        await bus.config_put("agent-mem", {"default": json.dumps(SETTINGS)})
        yield stack, bus


def script(path: Path, *, background_delay_s: float = 0.0) -> Path:
    """Script of a model that answers every question at once, and every background prompt with an empty result."""
    rules = [
        {"when": "Form 1, to use a tool", "answer": ANSWER},
        {"when": "", "answer": "{}", "delay_s": background_delay_s},
    ]
    path.write_text(json.dumps({"rules": rules, "default": "{}"}), encoding="utf-8")
    return path


SETTINGS = {
    "enable-auto-fact-extraction": False,
    "enable-episode-recording": False,
    "enable-prospective-reflection": False,
    "promote-at-end": False,
    "inactivity-timeout-s": 0,
}


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [int(child) for child in found]


def processor_ms(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0
