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
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp

from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.gateway import GatewayConfiguration
from trustgraph_react_mem.errors import EngineUnavailable

from . import blueprint

ROOT = Path(__file__).parents[2]
STOCK = ROOT / "build" / "stock" / "bin"
READY_S = 60.0

Message = dict[str, Any]


class StockTrustGraph:
    """``async with StockTrustGraph(folder) as trustgraph``; the logs of its processes lie in ``folder``."""

    def __init__(self, folder: Path, *, pulsar_url: str = "", librarian: bool = True) -> None:
        self.folder = folder
        self.librarian = librarian
        self._given_url = pulsar_url
        self._broker: EmbeddedBroker | None = None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._session: aiohttp.ClientSession | None = None
        self.gateway_port = free_port()
        self.model_port = free_port()

    @property
    def pulsar_url(self) -> str:
        return self._given_url or (self._broker.url if self._broker else "")

    @property
    def gateway_url(self) -> str:
        return f"http://127.0.0.1:{self.gateway_port}/"

    @property
    def model_url(self) -> str:
        return f"http://127.0.0.1:{self.model_port}/v1"

    @property
    def configuration(self) -> GatewayConfiguration:
        return GatewayConfiguration(self.gateway_url)

    async def __aenter__(self) -> "StockTrustGraph":
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._given_url:
            self._broker = EmbeddedBroker(self.folder / "bus")
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
        self.start(sys.executable, "-m", "tests.stock.model_server", str(self.model_port), name="model")
        config = self.folder / "config.json"
        if not config.exists():
            config.write_text(json.dumps({"version": 1, "values": blueprint.configuration()}), "utf-8")
        run = "from trustgraph_react_mem.processors.embedded_config import run; run()"
        self.start(sys.executable, "-c", run, *self.on_bus("config-svc"), "--path", str(config), name="config")
        self.start(
            sys.executable, "-m", "tests.stock.stand_ins", self.pulsar_url, *([] if self.librarian else ["--no-librarian"]),
            name="stand-ins",
        )  # fmt: skip
        self.start_stock("flow-svc")
        for name in ("prompt", "prompt-rag"):
            self.start_stock("prompt-template", "--id", name)
        for name in ("text-completion", "text-completion-rag"):
            self.start_stock("text-completion-openai", "--id", name, "-u", self.model_url, "-k", "none", "-m", "scripted")
        self.start_stock("api-gateway", "--port", str(self.gateway_port))
        await self.until(self._gateway_answers, "the gateway")
        await self.until(self._flows_answer, "the flow service")

    async def _gateway_answers(self) -> bool:
        try:
            return "plain" in await asyncio.to_thread(
                GatewayConfiguration(self.gateway_url, timeout_s=2).values, "flow-blueprint"
            )
        except EngineUnavailable:
            return False

    async def _flows_answer(self) -> bool:
        """A request that the flow service does not hear yet waits in the gateway for ten minutes: ask with a short one."""
        assert self._session
        request = {"operation": "list-flows", "workspace": "default"}
        try:
            async with self._session.post(
                f"{self.gateway_url}api/v1/flow", json=request, timeout=aiohttp.ClientTimeout(total=2)
            ) as response:
                return response.status == 200
        except (TimeoutError, aiohttp.ClientError):
            return False

    def on_bus(self, name: str) -> list[str]:
        return ["--id", name, "--pulsar-host", self.pulsar_url, "--no-loki-enabled", "--no-metrics", "--config-timeout", "3"]

    def start_stock(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """A stock processor by the name of its console script."""
        common = ["--pulsar-host", self.pulsar_url, "--no-loki-enabled", "--no-metrics"]
        if program != "api-gateway":
            common += ["--config-timeout", "3"]
        return self.start(str(STOCK / program), *common, *arguments, name="-".join([program, *arguments[1:2]]))

    def start(self, *command: str, name: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{name.replace('/', '_')}.log").open("ab")
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ})
        self._processes.append(process)
        return process

    def stop(self, process: subprocess.Popen[bytes], *, kill: bool = True) -> None:
        process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        process.wait()
        self._processes.remove(process)

    async def until(self, holds: Any, what: str, timeout_s: float = READY_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not await holds():
            if time.monotonic() > deadline:
                tails = {log.name: log.read_text("utf-8", "replace")[-400:] for log in sorted(self.folder.glob("*.log"))}
                raise TimeoutError(f"{what} did not answer within {timeout_s:.0f} s: {json.dumps(tails, indent=1)}")
            await asyncio.sleep(0.1)

    # ------------------------------------------------------------------------------------------------ as a user

    async def command(self, program: str, *arguments: str, timeout_s: float = 60) -> str:
        """What a ``tg-...`` command prints.  Raises: AssertionError when it fails."""
        done = await asyncio.to_thread(
            subprocess.run,
            [str(STOCK / program), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env={**os.environ, "TRUSTGRAPH_URL": self.gateway_url, "TRUSTGRAPH_TOKEN": ""},
            check=False,
        )
        assert done.returncode == 0, f"{program} {' '.join(arguments)}: {done.stdout[-1500:]} {done.stderr[-1500:]}"
        return done.stdout

    async def start_flow(self, name: str, over: str) -> None:
        await self.command("tg-start-flow", "-u", self.gateway_url, "-n", over, "-i", name, "-d", name)

    async def stop_flow(self, name: str) -> None:
        await self.command("tg-stop-flow", "-u", self.gateway_url, "-i", name)

    async def ask(self, flow: str, request: Message, *, timeout_s: float = 30) -> list[Message]:
        """All messages of one agent request through the gateway's WebSocket, in order; an error is the last of them."""
        return [message async for message in self._dialogue(flow, request, timeout_s)]

    async def _dialogue(self, flow: str, request: Message, timeout_s: float) -> AsyncIterator[Message]:
        assert self._session
        async with self._session.ws_connect(f"{self.gateway_url}api/v1/socket") as socket_:
            await socket_.send_json({"type": "auth", "token": ""})
            await socket_.receive_json(timeout=timeout_s)
            await socket_.send_json({"id": "1", "service": "agent", "flow": flow, "workspace": "default", "request": request})
            while True:
                message = await socket_.receive_json(timeout=timeout_s)
                if "error" in message:
                    yield {"error": message["error"]}
                elif "response" in message:
                    yield message["response"]
                if message.get("complete") or "error" in message:
                    return

    async def answers(self, flow: str, timeout_s: float = 60) -> None:
        """Return when the flow's agent takes requests: one that nobody hears would wait for the gateway's ten minutes."""

        async def asked() -> bool:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                return bool(await self.ask(flow, {"question": "ready?"}, timeout_s=4))
            return False

        await self.until(asked, f"the agent of flow {flow}", timeout_s)

    def prompts(self) -> Sequence[str]:
        """What the model was sent so far."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.model_port}/calls", timeout=5) as response:
            found: list[str] = json.load(response)
            return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
