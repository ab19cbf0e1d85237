"""TrustGraph's way of running our processors: each console script a process of its own, on Pulsar, Neo4j and Qdrant.

Configuration, prompts, embeddings and a scripted model are this package's own processors, which a TrustGraph without the
stock ones uses as well.  A process ends with the one that started it, however that happens.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from neo4j import GraphDatabase
from qdrant_client import QdrantClient
from trustgraph.schema import ConfigValue

from tests.stock.trustgraph import free_port
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.config.blueprint import SERVICES
from trustgraph_react_mem.processors.embedded_config import ConfigurationFile
from trustgraph_react_mem.schema.topics import job_queue
from trustgraph_react_mem.store_settings import StoreSettings

from .servers import http, kill, start, stop

BIN = Path(sys.executable).parent
AGENT = "agent-manager-react-mem"
OURS = (AGENT, *SERVICES)
"""The agent and its memory services."""

AROUND = {
    "react-mem-text-completion": "text-completion",
    "react-mem-prompt": "prompt",
    "react-mem-embeddings": "embeddings",
}
"""Console script -> service, of what a TrustGraph has of its own."""

EMBEDDINGS = "all-MiniLM-L6-v2-int8"
READY_TIMEOUT_S = 600.0  # bounds a failure
STOP_TIMEOUT_S = 15.0
GRACE_S = 480.0  # of requests in progress when a processor is updated: a slow machine cuts none short


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the servers are; ``data``: their directories, where they were started here and may be killed."""

    pulsar: str
    admin: str
    graph: str
    vectors: str
    rabbitmq: str
    data: Path | None = None

    @classmethod
    def named(cls, env: Mapping[str, str] = os.environ) -> "Addresses":
        """Raises: KeyError (``make test-servers`` names them)."""
        data = env.get("TEST_SERVERS_DATA")
        return cls(
            env["TEST_PULSAR_URL"],
            env["TEST_PULSAR_ADMIN_URL"],
            env["TEST_NEO4J_URI"],
            env["TEST_QDRANT_URL"],
            env["TEST_RABBITMQ_URL"],
            Path(data) if data else None,
        )

    def directory(self, server: str) -> Path:
        if self.data is None:
            raise RuntimeError("these servers were started elsewhere: run make test-servers")
        return self.data / server

    def kill(self, *servers: str) -> None:
        for server in servers:
            kill(self.directory(server))

    def stop(self, *servers: str) -> None:
        for server in servers:
            stop(self.directory(server))

    def start(self, *servers: str) -> None:
        """On the ports and the data they had; returns when they serve."""
        for server in servers:
            start(server, self.directory(server))


def empty_servers(addresses: Addresses) -> None:
    """Remove what other tests left on the servers: it belongs to other master keys."""
    with GraphDatabase.driver(addresses.graph) as driver, driver.session() as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
    vectors = QdrantClient(url=addresses.vectors)
    for collection in vectors.get_collections().collections:
        vectors.delete_collection(collection.name)
    vectors.close()


@dataclass
class Deployment:
    """``with Deployment(folder, addresses).running(): ...``; ``replicas`` of each of our processors.

    ``versions``: where the source of another version is, from which processes named such as ``agent-facts.VERSION`` run.
    """

    folder: Path
    addresses: Addresses
    replicas: int = 1
    workspace: str = "default"
    flow: str = "default"
    script: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    embeddings: str = EMBEDDINGS
    versions: Mapping[str, Path] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator["Deployment"]:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.store_settings.keys.exists():
            empty_servers(self.addresses)
        self._configure()
        try:
            self.start()
            self.wait_ready()
            yield self
        finally:
            self.kill()

    @property
    def store_settings(self) -> StoreSettings:
        """Where its memories are."""
        addresses = self.addresses
        # One master key for all deployments on the same servers: the data is bound to it.
        home, keys = self.folder / "home", (addresses.data or self.folder) / "keys"
        return StoreSettings(
            home=home, keys=keys, graph_url=addresses.graph, vector_url=addresses.vectors, embedding_profile=self.embeddings
        )

    @property
    def environment(self) -> dict[str, str]:
        """Of its processors, and of a command that works beside them."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("REACT_MEM_", "OPENAI_"))}
        cache = os.environ.get("REACT_MEM_MODELS")
        where = self.store_settings.model_dump(include={"home", "keys", "graph_url", "vector_url", "embedding_profile"})
        return {
            **kept,
            **({"REACT_MEM_MODELS": cache} if cache else {}),
            **{f"REACT_MEM_{name.upper()}": str(value) for name, value in where.items()},
            "REACT_MEM_SHUTDOWN_GRACE": str(GRACE_S),
        }

    @property
    def names(self) -> list[str]:
        """Of all processes: those around ours, then ours, as ``agent-facts.0``."""
        return ["react-mem-config", *AROUND, *(f"{name}.{number}" for name in OURS for number in range(self.replicas))]

    def of(self, processor: str) -> list[str]:
        """The replicas of one of our processors."""
        return [f"{processor}.{number}" for number in range(self.replicas)]

    async def connect(self) -> MemoryBus:
        return await MemoryBus.connect(self.addresses.pulsar, self.workspace, self.flow)

    def start(self, *names: str) -> None:
        for name in names or self.names:
            self.processes[name] = self._launched(name)

    def kill(self, *names: str) -> None:
        """kill -9."""
        self._end(names or tuple(self.processes), signal.SIGKILL)

    def stop(self, *names: str) -> None:
        """As an operator stops a processor."""
        self._end(names or tuple(self.processes), signal.SIGINT)

    def replace(self, processor: str) -> None:
        """As Kubernetes updates one: the new process is ready, by its own health check, before the old one gets SIGTERM.

        Raises: AssertionError (the old one did not end well), TimeoutError.
        """
        (old,) = [name for name in self.processes if name.partition(".")[0] == processor]
        port = free_port()
        new = self._launched(f"{processor}.new", "--metrics-port", str(port))
        self.processes[f"{processor}.new"] = new
        health = [str(BIN / "react-mem-health"), "--port", str(port)]
        self.until(lambda: not subprocess.run(health, capture_output=True, check=False).returncode, f"a second {processor}")
        ending = self.processes[old]
        ending.send_signal(signal.SIGTERM)
        try:
            ended = ending.wait(READY_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{processor} did not end in {READY_TIMEOUT_S:.0f} s after SIGTERM\n{self.logs(old)}") from None
        assert ended == 0, f"{processor} ended with {ended} after SIGTERM\n{self.logs(old)}"
        self.processes[old] = self.processes.pop(f"{processor}.new")

    def wait_ready(self, *processors: str, replicas: int | None = None) -> None:
        """Until every replica of every service is subscribed to its requests, and every worker to the jobs."""
        replicas = self.replicas if replicas is None else replicas
        waited = dict.fromkeys(AROUND.values(), 1) | dict.fromkeys(OURS, replicas)
        for name, count in waited.items():
            if not processors or name in processors:
                topic = "agent" if name == AGENT else name
                self.until(lambda topic=topic, count=count: self.serving(topic) == count, f"{count} of {name}")  # type: ignore[misc]
        if not processors or "agent-memory-jobs" in processors:
            self.until(lambda: self.working() == replicas, f"{replicas} workers")

    def until(self, holds: Callable[[], bool], what: str, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Wait for something that the processes do.  Raises: TimeoutError, or RuntimeError when one of them has ended."""
        deadline = time.monotonic() + timeout_s
        while not holds():
            if ended := [name for name, process in self.processes.items() if process.poll() is not None]:
                raise RuntimeError(f"{what}: {', '.join(ended)} ended\n{self.logs(*ended)}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not within {timeout_s:.0f} s\n{self.logs()}")
            time.sleep(0.1)

    def logs(self, *names: str) -> str:
        """The newest lines of each process."""
        found = [self.folder / f"{name}.log" for name in names or self.names]
        return "\n".join(f"--- {log.name}\n{log.read_text('utf-8', 'replace')[-1500:]}" for log in found if log.exists())

    def rss_mb(self, name: str) -> float:
        """Resident memory of a process."""
        for line in Path(f"/proc/{self.processes[name].pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"{name} does not run")

    # ------------------------------------------------------------------------------------------------ the broker

    def broker_options(self) -> list[str]:
        return ["--pulsar-host", self.addresses.pulsar]

    def requests(self, service: str) -> str:
        return f"non-persistent/tg/request/{service}:{self.workspace}:{self.flow}"

    @property
    def jobs(self) -> str:
        _, _, topic = job_queue(self.workspace).split(":", 2)
        return f"persistent/tg/flow/{topic}"

    def serving(self, service: str) -> int:
        """Consumers of its requests."""
        return len(self.consumers(self.requests(service)))

    def working(self) -> int:
        """Workers that have subscribed to the jobs."""
        return len(self.consumers(self.jobs))

    def consumers(self, topic: str) -> list[dict[str, Any]]:
        """Of all subscriptions of a topic, as the broker sees them now."""
        return [each for one in self._subscriptions(topic) for each in one.get("consumers", [])]

    def backlog(self) -> int:
        """Jobs that no worker has acknowledged."""
        return sum(int(one.get("msgBacklog", 0)) for one in self._subscriptions(self.jobs))

    def _subscriptions(self, topic: str) -> Sequence[dict[str, Any]]:
        domain, tenant, namespace, name = topic.split("/", 3)
        place = f"{domain}/{tenant}/{namespace}/{quote(name, safe='')}"
        status, text = http("GET", f"{self.addresses.admin}/admin/v2/{place}/stats?getPreciseBacklog=true")
        return list(json.loads(text).get("subscriptions", {}).values()) if status == 200 else []

    # ------------------------------------------------------------------------------------------------ processes

    def _configure(self) -> None:
        file = ConfigurationFile(self.folder / "config.json")
        file.seed(self.workspace, self.flow, with_model=True)
        settings = json.dumps(dict(self.settings))
        file.put(self.workspace, [ConfigValue(type="agent-mem", key="default", value=settings)])

    def _launched(self, name: str, *metrics: str) -> "subprocess.Popen[bytes]":
        program, _, version = name.partition(".")
        source = {"PYTHONPATH": str(self.versions[version])} if version in self.versions else {}
        command = [
            str(BIN / program),
            *self.broker_options(),
            "--no-loki-enabled",
            *(metrics or ["--no-metrics"]),
        ]
        command += ["--id", AROUND.get(program, program)] if program != "react-mem-config" else []
        match program:
            case "react-mem-config":
                command += ["--path", str(self.folder / "config.json")]
            case "react-mem-text-completion":
                command += ["--model-source", f"scripted:{self.script}" if self.script else "scripted"]
            case "react-mem-embeddings":
                command += ["--model-source", self.embeddings]
        prctl = ctypes.CDLL(None).prctl
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment | source,
                start_new_session=True,
                preexec_fn=lambda: prctl(1, signal.SIGKILL),  # PR_SET_PDEATHSIG
            )

    def _end(self, names: Sequence[str], number: signal.Signals) -> None:
        ended = [self.processes.pop(name) for name in names if name in self.processes]
        for process in ended:
            if process.poll() is None:
                process.send_signal(number)
        for process in ended:
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
