"""Servers from Maven, verified against the checksums that lie beside this file."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = {"neo4j": "5.26.30", "pulsar": "4.0.8"}
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"

NEO4J_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>neo4j</artifactId><version>0</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""


def fail(message: str) -> None:
    raise SystemExit(f"servers: {message}")


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
