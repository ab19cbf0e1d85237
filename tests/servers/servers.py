"""Real servers for tests, without containers: fetched with Maven, verified, started on loopback, stopped again.  RabbitMQ is
the one of the system's package.

    fetch [neo4j] [pulsar]    into $TEST_SERVERS_DIR (default ~/.cache/test-servers); prints where each lies
    run COMMAND               with all of them on fresh data, their addresses in its environment; stopped however it ends

Run as ``python -m tests.servers.servers``.  qdrant is a stand-in (``qdrant.py``).
Needs a Java runtime 17 or newer ($JAVA_HOME or PATH) and, to fetch, Maven.  A directory keeps its ports and its data.  To take
another version: change ``VERSION`` and its checksum file, from a copy you trust.
"""

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from .fetching import VERSION, fail, fetch

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("neo4j", "pulsar", "rabbitmq", "qdrant")
RABBITMQ = Path("/usr/lib/rabbitmq/bin")  # of Debian's package
START_TIMEOUT_S = float(os.environ.get("START_TIMEOUT", "180"))
END_TIMEOUT_S = 20.0
TENANT = "tg"

# Loopback and Bolt only; small logs and caches, and a stop that does not wait for silence.
NEO4J_CONF = {
    "server.default_listen_address": "127.0.0.1",
    "server.bolt.listen_address": "127.0.0.1:{port}",
    "server.bolt.advertised_address": "127.0.0.1:{port}",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.security.auth_enabled": "false",
    "server.memory.pagecache.size": "64m",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "16m",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
    "internal.dbms.bolt.netty_server_shutdown_timeout": "1s",
}

# One broker with one bookie, both on loopback.
PULSAR_CONF = {
    "clusterName": "standalone",
    "brokerServicePort": "{port}",
    "webServicePort": "{http_port}",
    "bindAddress": "127.0.0.1",
    "advertisedListeners": "localhost:pulsar://127.0.0.1:{port}",
    "listeningInterface": "lo",
    "allowLoopback": "true",
    "managedLedgerDefaultEnsembleSize": "1",
    "managedLedgerDefaultWriteQuorum": "1",
    "managedLedgerDefaultAckQuorum": "1",
    "ledgerStorageClass": "org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage",
    "journalSyncData": "false",
    "journalMaxGroupWaitMSec": "1",
    "journalPreAllocSizeMB": "4",
    "journalMaxSizeMB": "64",
    "entryLogFilePreAllocationEnabled": "false",
    "diskUsageThreshold": "0.99",
    "diskUsageWarnThreshold": "0.99",
    "dbStorage_writeCacheMaxSizeMb": "32",
    "dbStorage_readAheadCacheMaxSizeMb": "16",
    "dbStorage_rocksDB_writeBufferSizeMB": "4",
    "dbStorage_rocksDB_blockCacheSize": "8388608",
    "nettyMaxFrameSizeBytes": "5253120",
    "loadBalancerEnabled": "false",
    "loadManagerClassName": "org.apache.pulsar.broker.loadbalance.NoopLoadManager",
    "webSocketServiceEnabled": "false",
    "transactionCoordinatorEnabled": "false",
}

OPENED = [
    "java.base/java.io",
    "java.base/java.nio",
    "java.base/sun.nio.ch",
    "java.base/java.util.concurrent",
    "java.base/java.util.zip",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.platform",
    "java.management/sun.management",
    "jdk.management/com.sun.management.internal",
]


def java() -> tuple[str, int]:
    home = os.environ.get("JAVA_HOME")
    for candidate in (f"{home}/bin/java" if home else None, shutil.which("java")):
        if candidate and os.access(candidate, os.X_OK):
            said = subprocess.run([candidate, "-version"], capture_output=True, text=True, check=False).stderr
            if (major := re.search(r'version "(\d+)', said)) and int(major[1]) >= 17:
                return candidate, int(major[1])
    fail("Java 17 or newer is missing: set JAVA_HOME or put java on PATH")
    raise AssertionError


def ports(directory: Path, count: int) -> list[int]:
    kept = directory / "ports"
    if kept.exists():
        return [int(port) for port in kept.read_text().split()]
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        found = [each.getsockname()[1] for each in sockets]
    kept.write_text(" ".join(map(str, found)))
    return found


def running(directory: Path) -> int | None:
    """The pid of this directory's server; a pid that another program has taken since does not count."""
    try:
        pid = int((directory / "pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return None
    return pid if str(directory) in command else None


def launch(directory: Path, command: list[str]) -> subprocess.Popen[bytes]:
    with (directory / "server.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT if command[0] == sys.executable else directory,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    (directory / "pid").write_text(str(process.pid))
    return process


def launch_java(directory: Path, classpath: str, main: list[str], options: list[str]) -> subprocess.Popen[bytes]:
    program, major = java()
    command = [program, "-cp", classpath, "-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command += [f"--add-opens={each}=ALL-UNNAMED" for each in OPENED] + ["--enable-native-access=ALL-UNNAMED"]
    if major >= 23:
        command.append("--sun-misc-unsafe-memory-access=allow")
    return launch(directory, [*command, *options, *main])


def wait(directory: Path, process: subprocess.Popen[bytes], ready: Callable[[], bool]) -> None:
    end = time.monotonic() + START_TIMEOUT_S
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            log = (directory / "server.log").read_text(errors="replace").splitlines()[-30:]
            fail("\n".join(["the server did not become ready; its last lines:", *log]))
        time.sleep(0.2)


def configuration(values: dict[str, str], **places: int) -> str:
    return "".join(f"{key}={value.format(**places)}\n" for key, value in values.items())


def start(name: str, directory: Path) -> dict[str, str]:
    """Fresh, or again on the data and the ports that the directory has.  Returns its addresses as environment variables."""
    directory.mkdir(parents=True, exist_ok=True)
    if running(directory):
        fail(f"already running in {directory}")
    starts = {"neo4j": start_neo4j, "pulsar": start_pulsar, "rabbitmq": start_rabbitmq, "qdrant": start_qdrant}
    return starts[name](directory)


def start_qdrant(directory: Path) -> dict[str, str]:
    (port,) = ports(directory, 1)
    process = launch(directory, [sys.executable, "-m", "tests.servers.qdrant", str(directory / "collections"), str(port)])
    wait(directory, process, lambda: http("GET", f"http://127.0.0.1:{port}/healthz")[0] == 200)
    return {"TEST_QDRANT_URL": f"http://127.0.0.1:{port}"}


def start_neo4j(directory: Path) -> dict[str, str]:
    home = fetch("neo4j")
    (port,) = ports(directory, 1)
    (directory / "conf").mkdir(exist_ok=True)
    (directory / "conf" / "neo4j.conf").write_text(configuration(NEO4J_CONF, port=port))
    main = ["org.neo4j.server.CommunityEntryPoint", f"--home-dir={directory}", f"--config-dir={directory / 'conf'}"]
    process = launch_java(directory, f"{home}/lib/*", main, ["-Dfile.encoding=UTF-8"])

    def ready() -> bool:  # Bolt opens last, when the databases are online
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    wait(directory, process, ready)
    return {"TEST_NEO4J_URI": f"bolt://127.0.0.1:{port}"}


def start_pulsar(directory: Path) -> dict[str, str]:
    home = fetch("pulsar")
    port, http_port = ports(directory, 2)
    (directory / "standalone.conf").write_text(configuration(PULSAR_CONF, port=port, http_port=http_port))
    (directory / "logs").mkdir(exist_ok=True)
    drivers = "org.apache.pulsar.metadata.bookkeeper.PulsarMetadata"
    options = [
        "-Djava.net.preferIPv4Stack=true",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dorg.apache.pulsar.shade.io.netty.tryReflectionSetAccessible=true",
        f"-Dbookkeeper.metadata.bookie.drivers={drivers}BookieDriver",
        f"-Dbookkeeper.metadata.client.drivers={drivers}ClientDriver",
        "-Dlog4j.configurationFile=log4j2.yaml",
        "-Dlog4j.shutdownHookEnabled=false",
        "-Dpulsar.log.appender=Console",
        "-Dpulsar.log.level=info",
        "-Dpulsar.log.root.level=info",
        f"-Dpulsar.log.dir={directory / 'logs'}",
        "-Dpulsar.log.file=pulsar.log",
    ]
    main = ["org.apache.pulsar.PulsarStandaloneStarter", "--config", str(directory / "standalone.conf")]
    main += ["--no-functions-worker", "--no-stream-storage", "--metadata-dir", "metadata", "--bookkeeper-dir", "bookkeeper"]
    process = launch_java(directory, f"{home}/conf:{home}/lib/*", main, options)
    admin = f"http://127.0.0.1:{http_port}"

    def ready() -> bool:  # the health check sends and reads a message; the default namespace comes last
        healthy = http("GET", f"{admin}/admin/v2/brokers/health") == (200, "ok")
        return healthy and "public/default" in http("GET", f"{admin}/admin/v2/namespaces/public")[1]

    wait(directory, process, ready)
    made: dict[str, dict[str, Any]] = {f"tenants/{TENANT}": {"adminRoles": [], "allowedClusters": ["standalone"]}}
    made |= {f"namespaces/{TENANT}/{each}": {} for each in ("flow", "request")}
    kept_short = {"retention_policies": {"retentionSizeInMB": -1, "retentionTimeInMinutes": 3}}
    made |= {f"namespaces/{TENANT}/{each}": kept_short for each in ("response", "notify")}
    for path, body in made.items():
        status, _ = http("PUT", f"{admin}/admin/v2/{path}", body)
        if status not in (204, 409):
            fail(f"Pulsar answered {status} to the creation of {path}")
    return {"TEST_PULSAR_URL": f"pulsar://127.0.0.1:{port}", "TEST_PULSAR_ADMIN_URL": admin}


def start_rabbitmq(directory: Path) -> dict[str, str]:
    if not (RABBITMQ / "rabbitmq-server").exists():
        fail("RabbitMQ is missing: install the package rabbitmq-server, whose service need not run")
    port, *_ = ports(directory, 3)
    (directory / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{port}\n")
    (directory / "enabled_plugins").write_text("[].")
    command = f"epmd & {RABBITMQ}/rabbitmq-server & wait"
    process = launch(directory, ["env", *rabbitmq_variables(directory), "sh", "-c", command, str(directory)])

    def ready() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            return len(connection.recv(8)) == 8
        return False

    wait(directory, process, ready)
    return {"TEST_RABBITMQ_URL": f"amqp://guest:guest@127.0.0.1:{port}/%2F"}


def rabbitmq_variables(directory: Path) -> list[str]:
    _, distribution, mapper = ports(directory, 3)
    environment = {
        "HOME": str(directory),
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODENAME": "test@localhost",
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_CONFIG_FILE": str(directory / "rabbitmq.conf"),
        "RABBITMQ_MNESIA_BASE": str(directory / "mnesia"),
        "RABBITMQ_LOG_BASE": str(directory / "logs"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(directory / "enabled_plugins"),
        "RABBITMQ_SERVER_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
    }
    return [f"{name}={value}" for name, value in environment.items()]


def rabbitmqctl(directory: Path, *command: str) -> None:
    variables = [each for each in rabbitmq_variables(directory) if not each.startswith("RABBITMQ_SERVER_ERL_ARGS")]
    subprocess.run(["env", *variables, str(RABBITMQ / "rabbitmqctl"), "-q", *command], check=True, timeout=60)


def http(method: str, url: str, body: object = None) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def stop(directory: Path) -> None:
    _end(directory, ((30, signal.SIGTERM), (5, signal.SIGKILL)))


def kill(directory: Path) -> None:
    """kill -9: nothing is written down and nobody is told."""
    _end(directory, ((5, signal.SIGKILL),))


def _end(directory: Path, ways: tuple[tuple[float, signal.Signals], ...]) -> None:
    pid = running(directory)
    for patience_s, number in ways:
        if pid is None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, number)  # each has a session of its own
        end = time.monotonic() + patience_s
        while running(directory) and time.monotonic() < end:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # one of ours stays in the table of processes until it is asked for
            time.sleep(0.05)
        pid = running(directory)
    (directory / "pid").unlink(missing_ok=True)


# ---------------------------------------------------------------------------------------------------- with a command


def say(text: str) -> None:
    print(f"servers: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def servers() -> Iterator[dict[str, str]]:
    """All of them on fresh data, stopped whatever happens.  A test may kill one and start it again in its directory."""
    with tempfile.TemporaryDirectory(prefix="test-servers-") as data:
        directories = {name: Path(data).resolve() / name for name in NAMES}
        found = {"TEST_SERVERS_DATA": str(Path(data).resolve())}
        try:
            for name, directory in directories.items():
                say(f"starting {name} {VERSION.get(name, 'of the system' if name == 'rabbitmq' else '(stand-in)')} ...")
                began = time.monotonic()
                addresses = start(name, directory)
                say(f"{name} serves after {time.monotonic() - began:.1f} s: {' '.join(addresses.values())}")
                found |= addresses
            yield found
        finally:
            for name, directory in directories.items():
                say(f"stopping {name}")
                stop(directory)


def run(command: list[str]) -> int:
    """Run a command with the servers' addresses in its environment.  An interrupt or a termination ends it first."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    with servers() as found:
        prctl = ctypes.CDLL(None).prctl
        process = subprocess.Popen(command, env={**os.environ, **found}, preexec_fn=lambda: prctl(1, signal.SIGKILL))
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                say("ending what runs on the servers")
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_TIMEOUT_S)
                process.kill()


def _interrupted(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["fetch", *names] if set(names) <= set(VERSION):
            print(*(fetch(name) for name in names or VERSION), sep="\n")
        case ["run", *command] if command:
            return run(command)
        case _:
            fail(f"unknown command: {' '.join(arguments)}\n{__doc__}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
