"""Real servers for tests, without containers: fetched with Maven, verified, started on loopback, stopped again.

    servers.py fetch [neo4j] [pulsar]         into $TEST_SERVERS_DIR (default ~/.cache/test-servers); prints where each lies
    servers.py start neo4j|pulsar DIRECTORY   waits until it serves; prints NAME=VALUE lines, kept in DIRECTORY/server.env
    servers.py stop neo4j|pulsar DIRECTORY

Needs a Java runtime 17 or newer ($JAVA_HOME or PATH) and, to fetch, Maven.  A directory keeps its ports and its data.
To take another version: change ``VERSION`` and its checksum file, from a copy you trust.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = {"neo4j": "5.26.30", "pulsar": "4.0.8"}
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
START_TIMEOUT_S = float(os.environ.get("START_TIMEOUT", "180"))
TENANT = "tg"

NEO4J_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>neo4j</artifactId><version>0</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""

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


def fail(message: str) -> None:
    raise SystemExit(f"servers: {message}")


# ---------------------------------------------------------------------------------------------------- fetching


def cache() -> Path:
    fallback = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "test-servers"
    return Path(os.environ.get("TEST_SERVERS_DIR") or fallback)


def fetch(name: str) -> Path:
    target = cache() / f"{name}-{VERSION[name]}"
    if target.is_dir():
        return target
    cache().mkdir(parents=True, exist_ok=True)
    print(f"fetching {name} {VERSION[name]} with Maven ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache()) as work:
        made = {"neo4j": fetch_neo4j, "pulsar": fetch_pulsar}[name](Path(work))
        with contextlib.suppress(OSError):  # another run was first
            made.rename(target)
    if not target.is_dir():
        fail(f"{target} was not made: look at the messages above")
    return target


def maven(work: Path, *arguments: str) -> None:
    if shutil.which("mvn") is None:
        fail("Maven is missing: install it (package 'maven'), or fill $TEST_SERVERS_DIR from another machine")
    command = ["mvn", "-q", "-B", "-ntp", f"-Dmaven.repo.local={work / 'repository'}", *arguments]
    subprocess.run(command, check=True, stdout=sys.stderr.fileno(), cwd=work)


def fetch_neo4j(work: Path) -> Path:
    (work / "pom.xml").write_text(NEO4J_POM.format(version=VERSION["neo4j"]))
    made = work / "neo4j"
    maven(work, f"{PLUGIN}:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={made / 'lib'}")
    verify(made / "lib", HERE / f"neo4j-{VERSION['neo4j']}.sha256", "sha256")
    return made


def fetch_pulsar(work: Path) -> Path:
    artefact = f"org.apache.pulsar:pulsar-server-distribution:{VERSION['pulsar']}:tar.gz:bin"
    downloads = work / "downloads"
    maven(work, f"{PLUGIN}:copy", f"-Dartifact={artefact}", f"-DoutputDirectory={downloads}")
    verify(downloads, HERE / f"pulsar-{VERSION['pulsar']}.sha512", "sha512")
    (archive,) = downloads.iterdir()
    with tarfile.open(archive) as tar:
        tar.extractall(work / "unpacked", filter="data")
    (made,) = (work / "unpacked").iterdir()
    return made


def verify(folder: Path, sums: Path, kind: str) -> None:
    """Every file is listed with its checksum and every listed one is there."""
    wanted = {name: checksum for checksum, name in (line.split() for line in sums.read_text().splitlines())}
    found = {file.name for file in folder.iterdir()}
    if found != set(wanted):
        fail(f"the files in {folder} are not those of {sums.name}: {sorted(found ^ set(wanted))[:5]}")
    for name, checksum in wanted.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, kind).hexdigest() != checksum:
                fail(f"{name} has another checksum than {sums.name} says: do not use it")


# ---------------------------------------------------------------------------------------------------- starting


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


def launch(directory: Path, classpath: str, main: list[str], options: list[str]) -> subprocess.Popen[bytes]:
    program, major = java()
    command = [program, "-cp", classpath, "-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command += [f"--add-opens={each}=ALL-UNNAMED" for each in OPENED] + ["--enable-native-access=ALL-UNNAMED"]
    if major >= 23:
        command.append("--sun-misc-unsafe-memory-access=allow")
    with (directory / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *options, *main],
            cwd=directory,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    (directory / "pid").write_text(str(process.pid))
    return process


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
    home = fetch(name)
    directory.mkdir(parents=True, exist_ok=True)
    if running(directory):
        fail(f"already running in {directory}")
    return {"neo4j": start_neo4j, "pulsar": start_pulsar}[name](home, directory)


def start_neo4j(home: Path, directory: Path) -> dict[str, str]:
    (port,) = ports(directory, 1)
    (directory / "conf").mkdir(exist_ok=True)
    (directory / "conf" / "neo4j.conf").write_text(configuration(NEO4J_CONF, port=port))
    main = ["org.neo4j.server.CommunityEntryPoint", f"--home-dir={directory}", f"--config-dir={directory / 'conf'}"]
    process = launch(directory, f"{home}/lib/*", main, ["-Dfile.encoding=UTF-8"])

    def ready() -> bool:  # Bolt opens last, when the databases are online
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    wait(directory, process, ready)
    return {"TEST_NEO4J_URI": f"bolt://127.0.0.1:{port}"}


def start_pulsar(home: Path, directory: Path) -> dict[str, str]:
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
    process = launch(directory, f"{home}/conf:{home}/lib/*", main, options)
    admin = f"http://127.0.0.1:{http_port}"

    def ready() -> bool:  # the health check sends and reads a message; the default namespace comes last
        healthy = http("GET", f"{admin}/admin/v2/brokers/health") == (200, "ok")
        return healthy and "public/default" in http("GET", f"{admin}/admin/v2/namespaces/public")[1]

    wait(directory, process, ready)
    made = {f"tenants/{TENANT}": {"adminRoles": [], "allowedClusters": ["standalone"]}}
    made |= {f"namespaces/{TENANT}/{each}": {} for each in ("flow", "request")}
    kept_short = {"retention_policies": {"retentionSizeInMB": -1, "retentionTimeInMinutes": 3}}
    made |= {f"namespaces/{TENANT}/{each}": kept_short for each in ("response", "notify")}
    for path, body in made.items():
        status, _ = http("PUT", f"{admin}/admin/v2/{path}", body)
        if status not in (204, 409):
            fail(f"Pulsar answered {status} to the creation of {path}")
    return {"TEST_PULSAR_URL": f"pulsar://127.0.0.1:{port}", "TEST_PULSAR_ADMIN_URL": admin}


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
    pid = running(directory)
    for patience_s, number in ((30, signal.SIGTERM), (5, signal.SIGKILL)):
        if pid is None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        end = time.monotonic() + patience_s
        while running(directory) and time.monotonic() < end:
            time.sleep(0.1)
        pid = running(directory)
    (directory / "pid").unlink(missing_ok=True)


# ---------------------------------------------------------------------------------------------------- test run


@contextlib.contextmanager
def servers() -> Iterator[dict[str, str]]:
    """Both servers on fresh data, stopped whatever happens."""
    with tempfile.TemporaryDirectory(prefix="test-servers-") as data:
        directories = {name: Path(data).resolve() / name for name in VERSION}
        found: dict[str, str] = {}
        try:
            for name, directory in directories.items():
                print(f"starting {name} {VERSION[name]} ...", file=sys.stderr, flush=True)
                found |= start(name, directory)
            yield found
        finally:
            for name, directory in directories.items():
                print(f"stopping {name}", file=sys.stderr, flush=True)
                stop(directory)


def run(command: list[str]) -> int:
    """Run a command with the servers' addresses in its environment."""
    with servers() as found:
        for name, value in found.items():
            print(f"{name}={value}", file=sys.stderr, flush=True)
        return subprocess.run(command, env={**os.environ, **found}, check=False).returncode


def main(arguments: list[str]) -> int:
    match arguments:
        case ["fetch", *names] if set(names) <= set(VERSION):
            print(*(fetch(name) for name in names or VERSION), sep="\n")
        case ["start", name, directory] if name in VERSION:
            place = Path(directory).resolve()
            text = "".join(f"{key}={value}\n" for key, value in start(name, place).items())
            (place / "server.env").write_text(text)
            print(text, end="")
        case ["stop", name, directory] if name in VERSION:
            stop(Path(directory).resolve())
        case ["run", *command] if command:
            return run(command)
        case _:
            fail(f"unknown command: {' '.join(arguments)}\n{__doc__}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
