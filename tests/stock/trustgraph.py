"""A stock TrustGraph on one machine: started, given a workspace, asked through its own gateway, stopped."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.config_api import ConfigClient
from trustgraph_react_mem.errors import EngineUnavailable

from . import blueprint

ROOT = Path(__file__).parents[2]
STOCK = ROOT / "build" / "stock" / "bin"
READY_S = 300.0
PATIENCE_S = 120.0
"""Both bound a failure: on a quiet machine everything takes a hundredth of it."""

OPENAI = "trustgraph.model.text_completion.openai.Processor"
FLOWS: dict[str, tuple[str, dict[str, Any]]] = {
    "flow-svc": ("trustgraph.flow.service.Processor", {}),
    "prompt": ("trustgraph.prompt.template.Processor", {}),
    "prompt-rag": ("trustgraph.prompt.template.Processor", {}),
    "agent-manager": ("trustgraph.agent.react.Processor", {}),
    "agent-orchestrator": ("trustgraph.agent.orchestrator.Processor", {}),
    "joke": ("trustgraph.tool_service.joke.service.Processor", {"topic": "joke"}),
}
"""Identifier -> class and parameters."""

Message = dict[str, Any]


class StockTrustGraph:
    """``async with StockTrustGraph(folder) as trustgraph``; the logs of its processes lie in ``folder``.

    Four processes: the stand-ins, the gateway, and two of TrustGraph's own processor groups (the model service calls its
    model synchronously, so it must not share an event loop).
    """

    def __init__(
        self,
        folder: Path,
        *,
        pulsar_url: str = "",
        admin_url: str = "",
        gateway: Sequence[str] = (str(STOCK / "api-gateway"),),
    ) -> None:
        self.folder = folder
        self._gateway = gateway
        self._given_url = pulsar_url
        self._admin = {"pulsar_admin_url": admin_url} if admin_url else {}  # by which stop-flow removes topics
        self._broker: PulsarLite | None = None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._session: aiohttp.ClientSession | None = None
        self.gateway_port = free_port()
        self.stand_ins_port = free_port()

    @property
    def pulsar_url(self) -> str:
        return self._given_url or (self._broker.url if self._broker else "")

    @property
    def gateway_url(self) -> str:
        return f"http://127.0.0.1:{self.gateway_port}/"

    @property
    def stand_ins_url(self) -> str:
        return f"http://127.0.0.1:{self.stand_ins_port}"

    def configuration(self, workspace: str = "default") -> ConfigClient:
        return ConfigClient(self.gateway_url, workspace=workspace)

    async def __aenter__(self) -> "StockTrustGraph":
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._given_url:
            self._broker = PulsarLite(self.folder / "bus")
            await self._broker.start()
        self._session = aiohttp.ClientSession()
        try:
            await self._start_services()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if self._session:
            await self._session.close()
        if self._broker:
            await self._broker.stop()

    async def _start_services(self) -> None:
        config = self.folder / "config.json"
        config.write_text(json.dumps({"version": 1, "values": blueprint.configuration()}), "utf-8")
        module = [sys.executable, "-m", "tests.stock.stand_ins", self.pulsar_url, str(self.stand_ins_port), str(config)]
        self._start(*module, name="stand-ins")
        await self.until(self._stand_ins_answer, "the stand-ins")
        self._start_group("flows", FLOWS)
        model = {"url": f"{self.stand_ins_url}/v1", "api_key": "none", "model": "scripted"}
        self._start_group("models", dict.fromkeys(("text-completion", "text-completion-rag"), (OPENAI, model)))
        where = ["--port", str(self.gateway_port), "--pulsar-host", self.pulsar_url]
        self._start(*self._gateway, *where, "--no-loki-enabled", "--no-metrics", name="gateway")
        await self.until(self._gateway_answers, "the gateway")
        await self.until(self._flows_answer, "the flow service")

    async def _stand_ins_answer(self) -> bool:
        with contextlib.suppress(aiohttp.ClientError):
            await self.seen()
            return True
        return False

    async def _gateway_answers(self) -> bool:
        try:
            return "plain" in await asyncio.to_thread(ConfigClient(self.gateway_url, timeout_s=2).values, "flow-blueprint")
        except EngineUnavailable:
            return False

    async def _flows_answer(self) -> bool:
        """A request that the flow service does not hear yet waits in the gateway for ten minutes: ask with a short one."""
        try:
            await self._flow_service({"operation": "list-flows", "workspace": "default"}, timeout_s=2)
            return True
        except (TimeoutError, aiohttp.ClientError):
            return False

    def _start_group(self, name: str, processors: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
        """TrustGraph's runner of several processors in one process."""
        shared = {"pulsar_host": self.pulsar_url, "pubsub_backend": "pulsar", "config_timeout": 5, **self._admin}
        group = [{"class": kind, "params": {"id": id_, **shared, **params}} for id_, (kind, params) in processors.items()]
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"processors": group}), "utf-8")
        self._start(str(STOCK / "processor-group"), "-c", str(path), "--no-loki-enabled", "--no-metrics", name=name)

    def _start(self, *command: str, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self._processes.append(process)

    async def until(self, holds: Any, what: str, timeout_s: float = READY_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not await holds():
            if time.monotonic() > deadline or any(process.poll() is not None for process in self._processes):
                tails = {log.name: log.read_text("utf-8", "replace")[-400:] for log in sorted(self.folder.glob("*.log"))}
                raise TimeoutError(f"{what} ended, or did not answer within {timeout_s:.0f} s: {json.dumps(tails, indent=1)}")
            await asyncio.sleep(0.1)

    # ------------------------------------------------------------------------------------------------ as a user

    async def command(self, program: str, *arguments: str, timeout_s: float = 60) -> str:
        """What a ``tg-...`` command prints.  Raises: AssertionError when it fails."""
        code, said = await run(STOCK / program, *arguments, env=self.environment, timeout_s=timeout_s)
        assert code == 0, f"{program} {' '.join(arguments)}: {said[-3000:]}"
        return said

    @property
    def environment(self) -> dict[str, str]:
        """Of a program that speaks to the gateway."""
        return {"TRUSTGRAPH_URL": self.gateway_url, "TRUSTGRAPH_TOKEN": ""}

    async def start_flow(self, name: str, over: str, *, workspace: str = "default") -> None:
        """As ``tg-start-flow`` does it."""
        await self._flow_service(
            {
                "operation": "start-flow",
                "workspace": workspace,
                "flow-id": name,
                "blueprint-name": over,
                "description": name,
            }
        )

    async def stop_flow(self, name: str, *, workspace: str = "default") -> None:
        await self._flow_service({"operation": "stop-flow", "workspace": workspace, "flow-id": name})

    async def _flow_service(self, request: Message, *, timeout_s: float = PATIENCE_S) -> Message:
        return await self._post(f"{self.gateway_url}api/v1/flow", request, timeout_s)

    async def post(self, flow: str, service: str, request: Message, *, timeout_s: float = PATIENCE_S) -> Message:
        """A flow's service over HTTP.  Raises: aiohttp.ClientError when it is refused."""
        return await self._post(f"{self.gateway_url}api/v1/flow/{flow}/service/{service}", request, timeout_s)

    async def _post(self, url: str, body: Message, timeout_s: float) -> Message:
        assert self._session
        async with self._session.post(url, json=body, timeout=aiohttp.ClientTimeout(total=timeout_s)) as response:
            response.raise_for_status()
            found: Message = await response.json()
            return found

    async def ask(
        self, flow: str, request: Message, *, workspace: str = "default", timeout_s: float = PATIENCE_S
    ) -> list[Message]:
        """All messages of one agent request through the gateway's WebSocket, in order; an error is the last of them."""
        return [message async for message in self._dialogue(flow, workspace, request, timeout_s)]

    async def _dialogue(self, flow: str, workspace: str, request: Message, timeout_s: float) -> AsyncIterator[Message]:
        assert self._session
        async with self._session.ws_connect(f"{self.gateway_url}api/v1/socket") as socket_:
            await socket_.send_json({"type": "auth", "token": ""})
            await socket_.receive_json(timeout=timeout_s)
            await socket_.send_json({"id": "1", "service": "agent", "flow": flow, "workspace": workspace, "request": request})
            while True:
                message = await socket_.receive_json(timeout=timeout_s)
                if "error" in message:
                    yield {"error": message["error"]}
                elif "response" in message:
                    yield message["response"]
                if message.get("complete") or "error" in message:
                    return

    async def answers(self, flow: str, *, workspace: str = "default", with_tools: bool = False) -> None:
        """Return when the flow's agent answers.  The gateway waits ten minutes for an answer, so each try has a short limit.

        ``with_tools``: return when the agent can also call one of its tools.
        """
        question = "TOOL ready?" if with_tools else "ready?"

        async def asked() -> bool:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                messages = await self.ask(flow, {"question": question}, workspace=workspace, timeout_s=6)
                without_tool = any("not found" in message.get("content", "") for message in messages)
                return bool(messages[-1].get("end_of_dialog")) and not without_tool
            return False

        await self.until(asked, f"the agent of flow {flow}")

    # ------------------------------------------------------------------------------------------------ the stand-ins

    async def prompts(self) -> list[str]:
        """What the model was sent so far."""
        assert self._session
        async with self._session.get(f"{self.stand_ins_url}/calls") as response:
            found: list[str] = await response.json()
            return found

    async def seen(self) -> Message:
        """``held`` calls of the tool ``hold``; ``triples`` and ``documents`` that TrustGraph's stores were sent."""
        assert self._session
        async with self._session.get(f"{self.stand_ins_url}/seen") as response:
            found: Message = await response.json()
            return found

    async def switch(self, **switches: bool) -> None:
        await self._post(f"{self.stand_ins_url}/switch", switches, PATIENCE_S)


async def run(*command: str | Path, env: Mapping[str, str] = os.environ, timeout_s: float = PATIENCE_S) -> tuple[int, str]:
    """The exit code of a program, and what it prints on both of its outputs."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **env}, **streams)
    async with asyncio.timeout(timeout_s):
        said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
