"""docker/compose.yaml without a container engine: its containers' commands as processes, on servers that run here already.

Each starts when what it waits for is healthy, with the variables of the file and nothing else; then a person asks as the file's
first lines say.
"""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.stock.model_server import Server
from tests.stock.trustgraph import free_port

from . import servers
from .deployment import Addresses, empty_servers

pytestmark = [pytest.mark.servers, pytest.mark.asyncio(loop_scope="module")]

BIN = Path(sys.executable).parent
FILE = Path(__file__).parents[2] / "docker" / "compose.yaml"
SERVICES: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))["services"]
THEIRS = ("pulsar", "neo4j", "qdrant", "ollama")
HEALTHY_S = 120.0


class Compose:
    def __init__(self, folder: Path, places: dict[str, str], variables: dict[str, str]) -> None:
        self._folder = folder
        self._places = places  # an address or folder inside -> here
        self._variables = variables  # what the operator sets
        self._running: dict[str, tuple[subprocess.Popen[bytes], list[str]]] = {}

    def up(self) -> None:
        """What `up --wait` does: in the order of depends_on, until all are healthy."""
        left = [name for name in SERVICES if name not in THEIRS and "profiles" not in SERVICES[name]]
        while left:
            ready = [name for name in left if not set(SERVICES[name]["depends_on"]) & set(left)]
            assert ready, left
            for name in ready:
                self._start(name)
            for name in ready:
                self._wait(name)
                left.remove(name)

    def run(self, service: str, *arguments: str) -> str:
        definition = SERVICES[service]
        program = [*definition["entrypoint"], *(arguments or definition["command"])]
        done = subprocess.run(
            [str(BIN / program[0]), *program[1:]],
            env=self._environment(definition),
            capture_output=True,
            text=True,
            timeout=HEALTHY_S,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{self.logs()}"
        return done.stdout

    def down(self) -> None:
        for process, _ in self._running.values():
            process.kill()
            process.wait()

    def logs(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text('utf-8', 'replace')[-800:]}" for log in self._folder.glob("*.log"))

    def _start(self, name: str) -> None:
        definition = SERVICES[name]
        command = [*definition.get("entrypoint", ()), *definition["command"]]
        environment, port = self._environment(definition), free_port()
        if "REACT_MEM_HTTP_HOST" in environment:
            environment |= {"REACT_MEM_HTTP_PORT": str(port), "REACT_MEM_HTTP_METRICS_PORT": str(free_port())}
            health = ["--listener", f"http://127.0.0.1:{port}"]
        else:
            command += ["--metrics-port", str(port)]
            health = ["--port", str(port)]
        program, *arguments = [self._here(argument) for argument in command]
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen([str(BIN / program), *arguments], env=environment, stdout=log, stderr=log)
        self._running[name] = (process, [str(BIN / "react-mem-health"), *health])

    def _wait(self, name: str) -> None:
        process, health = self._running[name]
        deadline = time.monotonic() + HEALTHY_S
        while subprocess.run(health, capture_output=True, check=False).returncode:
            assert process.poll() is None, f"{name} ended\n{self.logs()}"
            assert time.monotonic() < deadline, f"{name} did not become healthy\n{self.logs()}"
            time.sleep(0.2)

    def _environment(self, definition: dict[str, Any]) -> dict[str, str]:
        image = {"REACT_MEM_HOME": str(self._folder / "home"), "REACT_MEM_KEYS": str(self._folder / "keys")}
        set_ = {name: self._here(self._filled(value)) for name, value in definition.get("environment", {}).items()}
        return {"PATH": os.environ["PATH"], "HOME": str(self._folder), **image, **set_}

    def _filled(self, value: str) -> str:
        """``${NAME:-default}``, and ``${NAME:?message}``, which must be set."""
        value = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: self._variables[found[1]], value)
        return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: self._variables.get(found[1]) or found[2], value)

    def _here(self, text: str) -> str:
        for inside, outside in self._places.items():
            text = text.replace(inside, outside)
        return text


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Pulsar of its own: the file's configuration service must be the only one."""
    folder = tmp_path_factory.mktemp("pulsar")
    yield servers.start("pulsar", folder)["TEST_PULSAR_URL"]
    servers.stop(folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[tuple[Server, str]]:
    """An endpoint as OPENAI_BASE_URL names one."""
    server = Server()
    app = web.Application()
    app.add_routes(server.routes())
    async with TestServer(app) as running:
        yield server, str(running.make_url("/v1"))


async def test_the_file_gives_an_agent_that_remembers_with_one_command(
    broker: str, addresses: Addresses, model: tuple[Server, str], tmp_path: Path
) -> None:
    places = {
        "pulsar://pulsar:6650": broker,
        "bolt://neo4j:7687": addresses.graph,
        "http://qdrant:6333": addresses.vectors,
        "/var/lib/react-mem-scope-keys": str(tmp_path / "scope-keys"),
        "/var/lib/react-mem/config.json": str(tmp_path / "config.json"),
        "/var/lib/react-mem/models": os.environ.get("REACT_MEM_MODELS", str(Path.home() / ".cache" / "react-mem" / "models")),
    }
    endpoint, address = model
    asking = {"OPENAI_BASE_URL": address, "OPENAI_MODEL": "scripted", "REACT_MEM_USER": tmp_path.name}
    variables = {**asking, "NEO4J_PASSWORD": "any", "QDRANT_API_KEY": "any"}
    compose = Compose(tmp_path, places, variables)
    await asyncio.to_thread(empty_servers, addresses)
    try:
        await asyncio.to_thread(compose.up)
        (shown,) = re.findall(r'react-mem ask "(.+)"', FILE.read_text("utf-8"))
        assert "Paris" in await asyncio.to_thread(compose.run, "react-mem", "ask", shown)  # what this model always says
        assert "ok" in await asyncio.to_thread(compose.run, "react-mem")
        assert shown in await asyncio.to_thread(compose.run, "react-mem", "memories", "search", "allergies", "--json")
        assert await asyncio.to_thread(compose.run, "react-mem", "ask", "What is Miso allergic to?")
        assert any("Memory [0]" in prompt and shown in prompt for prompt in endpoint.script.prompts)
    finally:
        compose.down()
        await asyncio.to_thread(empty_servers, addresses)  # its data needs its keys
