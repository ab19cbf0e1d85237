"""What every KeyStore does, and what only files can: shared by processes, overwritten, complete after a crash."""

import asyncio
import base64
import hmac
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.integration.stores.stores_support import ANN, BOB, CLOCK
from trustgraph_react_mem.errors import ConfigurationError, ScopeErased
from trustgraph_react_mem.memory.ports import KeyStore
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.graph.engine import GraphEngine, Statement, cypher
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.keyring import _wrapping_data
from trustgraph_react_mem.stores.keys.directory import open_key_store
from trustgraph_react_mem.stores.keys.files import FileKeyStore
from trustgraph_react_mem.stores.keys.graph import GraphKeyStore
from trustgraph_react_mem.stores.keys.punctured import DEPTH, PuncturedKey
from trustgraph_react_mem.stores.opening import GraphStores

MASTER = bytes(range(32))
SERVERS = pytest.param("neo4j", marks=pytest.mark.servers)


async def admit() -> None:
    """Nothing is being erased."""


@pytest.fixture(params=["files", "graph"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, engine: GraphEngine, tmp_path: Path) -> KeyStore:
    return FileKeyStore(tmp_path / "keys") if kind == "files" else GraphKeyStore(engine)


both_engines = pytest.mark.parametrize("engine", ["ladybug-memory", SERVERS], indirect=True)


@both_engines
async def test_the_first_value_stays(store: KeyStore) -> None:
    assert await store.read(ANN, "scope") is None
    made = await asyncio.gather(*(store.create(ANN, "scope", bytes([n]) * 40, admit) for n in range(8)))
    assert len(set(made)) == 1
    assert await store.read(ANN, "scope") == made[0]
    assert await store.read(BOB, "scope") is None
    assert await store.read(ANN, "other") is None


@both_engines
async def test_a_value_is_replaced_only_by_who_knows_it(store: KeyStore) -> None:
    await store.create(ANN, "scope", b"one", admit)
    assert not await store.replace(ANN, "scope", b"two", b"three")
    assert not await store.replace(BOB, "scope", b"one", b"three")
    assert await store.replace(ANN, "scope", b"one", b"two")
    won = await asyncio.gather(*(store.replace(ANN, "scope", b"two", bytes([n])) for n in range(6)))
    assert won.count(True) == 1


@both_engines
async def test_a_scope_is_destroyed_with_all_its_names(store: KeyStore) -> None:
    for name in ("scope", "former-1"):
        await store.create(ANN, name, b"value", admit)
    await store.create(BOB, "scope", b"bob", admit)
    assert await store.scopes("w") == [ANN, BOB]
    assert await store.destroy(ANN, "former-1")
    assert not await store.destroy(ANN, "former-1")
    assert await store.read(ANN, "scope") == b"value"
    await store.create(ANN, "former-1", b"value", admit)
    assert await store.destroy(ANN)
    assert not await store.destroy(ANN)
    assert [await store.read(ANN, name) for name in ("scope", "former-1")] == [None, None]
    assert await store.scopes("w") == [BOB]
    assert await store.scopes("w2") == []


# ---------------------------------------------------------------------------------------------------- files


def files(tmp_path: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (tmp_path / "keys").iterdir() if path.name != "lock"}


async def test_a_destroyed_key_is_overwritten_before_it_is_removed(tmp_path: Path) -> None:
    store = FileKeyStore(tmp_path / "keys")
    await store.create(ANN, "scope", b"first value", admit)
    (path,) = (tmp_path / "keys").glob("*.key")
    with path.open("rb") as held:  # the file's blocks, whatever its name is
        await store.replace(ANN, "scope", b"first value", b"second value")
        assert base64.b64encode(b"first value") not in held.read()
    with path.open("rb") as held:
        await store.destroy(ANN)
        assert base64.b64encode(b"second value") not in held.read()
    assert files(tmp_path) == {}


async def test_what_an_interruption_left_is_destroyed_at_the_next_start(tmp_path: Path) -> None:
    store = FileKeyStore(tmp_path / "keys")
    await store.create(ANN, "scope", b"value", admit)
    (path,) = (tmp_path / "keys").glob("*.key")
    os.link(path, f"{path}.1234.gone")
    (tmp_path / "keys" / f"{path.name}.99.abcd.new").write_bytes(b"half a va")
    with path.with_name(f"{path.name}.1234.gone").open("rb") as held:
        path.unlink()  # destroyed after it was renamed, before it was overwritten
        FileKeyStore(tmp_path / "keys")
        assert base64.b64encode(b"value") not in held.read()
    assert files(tmp_path) == {}


async def test_a_value_whose_replacement_was_interrupted_stays(tmp_path: Path) -> None:
    store = FileKeyStore(tmp_path / "keys")
    await store.create(ANN, "scope", b"value", admit)
    (path,) = (tmp_path / "keys").glob("*.key")
    os.link(path, f"{path}.1234.gone")
    assert await FileKeyStore(tmp_path / "keys").read(ANN, "scope") == b"value"


PROCESS = """
import asyncio, sys
from pathlib import Path
from tests.integration.stores.stores_support import ANN
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.stores.graph.fencing import CypherScopeFence
from trustgraph_react_mem.stores.keyring import ScopeKeyRing
from trustgraph_react_mem.stores.keys.files import FileKeyStore

async def main(directory, *, master=bytes(range(32))):
    keyring = ScopeKeyRing(FileKeyStore(Path(directory)), None, master, SystemClock())
    print("ready", flush=True)
    for line in sys.stdin:
        what, _, text = line.strip().partition(" ")
        try:
            if what == "seal":
                print(await keyring.seal(ANN, text.encode()), flush=True)
            else:
                print((await keyring.open(ANN, text)).decode(), flush=True)
        except Exception as error:
            print(type(error).__name__, flush=True)

asyncio.run(main(sys.argv[1]))
"""


class Other:
    """A key ring in another process."""

    def __init__(self, directory: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.hear()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


async def test_two_processes_create_one_key_and_a_destroyed_key_is_gone_for_both(tmp_path: Path) -> None:
    workers = [Other(tmp_path / "keys") for _ in range(2)]
    try:
        assert [worker.hear() for worker in workers] == ["ready", "ready"]
        for worker in workers:  # at the same moment
            worker.tell("seal secret")
        sealed = [worker.hear() for worker in workers]
        assert [worker.ask(f"open {text}") for worker in workers for text in sealed] == ["secret"] * 4
        await FileKeyStore(tmp_path / "keys").destroy(ANN)
        assert [worker.ask(f"open {text}") for worker in workers for text in sealed] == ["ScopeErased"] * 4
        again = workers[0].ask("seal said afterwards")
        assert workers[1].ask(f"open {again}") == "said afterwards"
        assert workers[1].ask(f"open {sealed[0]}") == "ScopeErased"
    finally:
        for worker in workers:
            worker.close()


# ---------------------------------------------------------------------------------------------------- keys of the first release


def old_key(scope: Scope, key: bytes) -> bytes:
    return b"n" * 12 + AESGCM(MASTER).encrypt(b"n" * 12, key, _wrapping_data(scope, "scope"))


def old_sealed(scope: Scope, key: bytes, plain: bytes) -> str:
    sealed = AESGCM(key).encrypt(b"m" * 12, plain, b"sealed|" + scope.key.encode())
    return base64.b64encode(b"m" * 12 + sealed).decode()


async def put_old_key(engine: GraphEngine, scope: Scope, key: bytes) -> None:
    wrapped = base64.b64encode(old_key(scope, key)).decode()
    parameters = {"uid": scope.key, "scope": scope.key, "wrapped": wrapped}
    await engine.write([Statement(cypher("scope_state")["create_key"], parameters)])


async def test_keys_of_the_first_release_move_out_of_the_graph(tmp_path: Path) -> None:
    graph = await LadybugGraph.open(tmp_path / "graph")
    for scope in (ANN, BOB):
        await put_old_key(graph, scope, b"k" * 32)
    store = await open_key_store(graph, tmp_path / "keys")
    assert store is not None
    assert await graph.read(cypher("scope_state")["all_keys"], {}) == []
    keyring = GraphStores.over(graph, CLOCK, MASTER, store).keyring
    old = old_sealed(ANN, b"k" * 32, b"sealed before")
    assert await keyring.open(ANN, old, binding=b"any") == b"sealed before"
    hashes = await keyring.hash_key(ANN)
    assert hashes == hmac.digest(b"k" * 32, b"hashes of personal data", "sha256")
    sealed = await keyring.seal(ANN, b"now")
    assert await keyring.open(ANN, old) == b"sealed before"
    assert await keyring.hash_key(ANN) == hashes
    assert not await keyring.is_current(ANN, old)
    await keyring.forget(ANN, ["i1"])  # what waits was sealed again by the caller
    with pytest.raises(ScopeErased):
        await keyring.open(ANN, old)
    assert await keyring.open(ANN, sealed) == b"now"
    await graph.close()


async def test_a_graph_remembers_where_its_keys_are(tmp_path: Path) -> None:
    graph = await LadybugGraph.open(tmp_path / "graph")
    store = await open_key_store(graph, tmp_path / "keys")
    assert store is not None
    await store.create(ANN, "scope", b"value", admit)
    again = await open_key_store(graph, tmp_path / "keys")
    assert again is not None
    assert await again.read(ANN, "scope") == b"value"
    with pytest.raises(ConfigurationError, match="REACT_MEM_SCOPE_KEYS"):
        await open_key_store(graph, None)
    with pytest.raises(ConfigurationError, match="missing"):
        await open_key_store(graph, tmp_path / "another volume")
    await graph.close()


# ---------------------------------------------------------------------------------------------------- the tree


def test_a_punctured_tag_has_no_key_and_all_others_keep_theirs() -> None:
    whole = PuncturedKey.generate()
    tags = [n.to_bytes(DEPTH // 8) for n in (0, 1, 2, 3, 7, 2**20, 2**DEPTH - 1)]
    keys = {tag: whole.key(tag) for tag in tags}
    assert len(set(keys.values())) == len(tags)
    left = PuncturedKey.from_bytes(whole.puncture([tags[1], tags[5]]).puncture([tags[1]]).to_bytes())
    assert {tag: left.key(tag) for tag in tags} == {**keys, tags[1]: None, tags[5]: None}
    assert not any(key in left.to_bytes() for key in (keys[tags[1]], keys[tags[5]]) if key)
    assert len(left.to_bytes()) < 80 * 40
