"""SIGTERM to real processes: running turns are finished, or told that they were not, and the process leaves with code 0."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import pytest
from trustgraph.schema import AgentResponse

from tests.integration.bus.bus_support import until
from tests.pulsar_lite import PulsarLite
from tests.stock.trustgraph import free_port
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.schema.topics import AGENT

pytestmark = pytest.mark.later

BIN = Path(sys.executable).parent
PATIENCE_S = 120.0
SLOW_S = 6.0
SERVICES = ("agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs")
NAMESPACE = ("unshare", "--user", "--map-root-user", "--fork", "--pid", "--mount-proc", "--kill-child")


def _can_make_namespaces() -> bool:
    done = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False) if shutil.which(NAMESPACE[0]) else None
    return done is not None and done.returncode == 0


needs_namespaces = pytest.mark.skipif(not _can_make_namespaces(), reason="no user namespaces here")


class Processes:
    """Console scripts on one broker, each with a data directory of its own."""

    def __init__(self, folder: Path, broker: PulsarLite) -> None:
        self.folder, self.broker = folder, broker
        self.running: dict[str, asyncio.subprocess.Process] = {}

    async def start(
        self,
        program: str,
        *arguments: str,
        before: tuple[str, ...] = (),
        grace_s: float = 60.0,
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """``more``: environment variables."""
        home = self.folder / program
        variables: Mapping[str, str] = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("REACT_MEM_", "OPENAI_"))},
            "REACT_MEM_HOME": str(home),
            "REACT_MEM_KEYS": str(self.folder / "keys"),
            "REACT_MEM_SHUTDOWN_GRACE": str(grace_s),
            "PYTHONFAULTHANDLER": "1",
            **more,
        }
        common = ("--pulsar-host", self.broker.url, "--no-loki-enabled", "--metrics-port", str(free_port()))
        with (self.folder / f"{program}.log").open("ab") as log:
            self.running[program] = await asyncio.create_subprocess_exec(
                *before, str(BIN / program), *common, *arguments, stdout=log, stderr=log, env=variables
            )

    def log(self, program: str) -> str:
        return (self.folder / f"{program}.log").read_text("utf-8")

    def terminate(self, program: str) -> None:
        pid = self.running[program].pid
        if (child := Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) and "unshare" in self._name(pid):
            pid = int(child[0])  # process 1 of the namespace
        os.kill(pid, signal.SIGTERM)

    def _name(self, pid: int) -> str:
        return Path(f"/proc/{pid}/comm").read_text()

    async def ended(self, program: str) -> int:
        process = self.running[program]
        try:
            return await asyncio.wait_for(process.wait(), PATIENCE_S)
        except TimeoutError:
            process.send_signal(signal.SIGABRT)  # faulthandler writes where each thread stands
            await process.wait()
            pytest.fail(f"{program} did not end within {PATIENCE_S:.0f} s:\n{self.log(program)[-12_000:]}")

    async def stop(self) -> None:
        for process in self.running.values():
            if process.returncode is None:
                process.kill()
            await process.wait()


@asynccontextmanager
async def around_the_agent(folder: Path, *, delay_s: float) -> AsyncIterator[tuple[Processes, MemoryBus]]:
    """Configuration, prompts and a model that takes ``delay_s`` for an answer."""
    script = folder / "script.json"
    script.write_text(json.dumps({"rules": [{"delay_s": delay_s, "answer": "Final Answer: Forty-two."}]}), "utf-8")
    async with PulsarLite(folder / "bus") as broker:
        processes = Processes(folder, broker)
        try:
            await processes.start("react-mem-config", "--path", str(folder / "config.json"), "--seed")
            await processes.start("react-mem-prompt")
            await processes.start("react-mem-text-completion", "--model-source", f"scripted:{script}")
            async with await MemoryBus.connect(broker.url) as bus:
                yield processes, bus
        finally:
            await processes.stop()


async def ready(bus: MemoryBus, processor: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await bus.check_service(processor)
            except EngineUnavailable:
                await asyncio.sleep(0.2)


async def ask(bus: MemoryBus, question: str) -> list[AgentResponse]:
    request = AgentRequest(question=question, user="ana", collection="default", streaming=True)
    return [response async for response in bus.ask(request, PATIENCE_S)]


async def model_is_asked(processes: Processes, bus: MemoryBus) -> asyncio.Task[list[AgentResponse]]:
    """A turn that has begun: its first message was sent, and the model thinks."""
    begun = asyncio.Event()

    async def turn() -> list[AgentResponse]:
        said = []
        request = AgentRequest(question="What is six times seven?", user="ana", collection="default", streaming=True)
        async for response in bus.ask(request, PATIENCE_S):
            said.append(response)
            begun.set()
        return said

    task = asyncio.create_task(turn())
    # The agent sends nothing before the model answers if memory services are absent, so waiting has a limit.
    done, _ = await asyncio.wait((task, asyncio.create_task(begun.wait())), timeout=2.5, return_when=asyncio.FIRST_COMPLETED)
    assert task not in done, task.result()
    return task


@pytest.mark.parametrize("first_process", [False, pytest.param(True, marks=[needs_namespaces, pytest.mark.slow])])
async def test_sigterm_lets_a_running_turn_finish_and_takes_no_new_one(tmp_path: Path, first_process: bool) -> None:
    """``first_process``: as process 1 of a container, for which the kernel has no default action."""
    async with around_the_agent(tmp_path, delay_s=SLOW_S) as (processes, bus):
        await processes.start(AGENT, before=NAMESPACE if first_process else ())
        await ready(bus, AGENT)
        turn = await model_is_asked(processes, bus)
        processes.terminate(AGENT)
        await until(lambda: "takes no more requests" in processes.log(AGENT))
        late = asyncio.create_task(ask(bus, "And what is seven times eight?"))
        said = await asyncio.wait_for(turn, PATIENCE_S)
        assert said[-1].end_of_dialog
        assert not any(response.error for response in said), said
        assert "Forty-two" in "".join(response.content for response in said if response.message_type == "answer")
        assert await processes.ended(AGENT) == 0, processes.log(AGENT)[-3000:]
        assert not late.done(), "a new question was taken while the process ended"
        late.cancel()


@pytest.mark.slow
async def test_a_turn_that_takes_longer_than_the_grace_is_told_so(tmp_path: Path) -> None:
    async with around_the_agent(tmp_path, delay_s=600.0) as (processes, bus):
        await processes.start(AGENT, grace_s=1.0)
        await ready(bus, AGENT)
        turn = await model_is_asked(processes, bus)
        processes.terminate(AGENT)
        said = await asyncio.wait_for(turn, PATIENCE_S)
        assert said[-1].end_of_dialog
        assert said[-1].error is not None
        assert "stopping" in said[-1].error.message
        assert await processes.ended(AGENT) == 0
        assert "1 requests failed" in processes.log(AGENT)


@pytest.mark.slow
async def test_every_processor_ends_with_code_0(tmp_path: Path) -> None:
    async with around_the_agent(tmp_path, delay_s=0.0) as (processes, bus):
        for program in (*SERVICES, AGENT):
            await processes.start(program)
        for program in (*SERVICES, AGENT):
            await ready(bus, program)
        for program in processes.running:
            processes.terminate(program)
        codes = {program: await processes.ended(program) for program in processes.running}
        assert codes == dict.fromkeys(codes, 0), {name: processes.log(name)[-1500:] for name in codes if codes[name]}
