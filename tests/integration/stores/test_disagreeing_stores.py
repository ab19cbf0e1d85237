"""Stores that do not belong together, or not to the same time: noticed when they are opened, then repaired or refused.

A data directory of two users is written, parts of it are deleted, replaced by older copies or by those of other data, and it is
opened again.
"""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.doubles.core import Silent
from tests.integration.stores.stores_support import ANN, BOB, START, episode
from trustgraph_react_mem.bootstrap import Stores, open_stores
from trustgraph_react_mem.erasure.comparison import StoreComparison
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.search import FactSearch
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.stores.graph.engine import Statement
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

NUMBER = 12


@dataclass(frozen=True)
class Opened:
    stores: Stores
    core: MemoryCore

    @property
    def comparison(self) -> StoreComparison:
        return StoreComparison(self.core, Reconciler(self.core, fence=self.core.graph.fence), self.stores.count)

    async def compare(self) -> int:
        return await self.comparison.compare()

    @property
    def in_step(self) -> bool:
        return self.stores.count is not None and self.stores.count.in_step

    async def recalled(self, scope: Scope) -> set[str]:
        query = RetrievalQuery(question="which bird is in the tree", candidates=200, top_k=100)
        core = self.core
        search = FactSearch(
            core.facts.router,
            weight_store=core.graph.weights,
            clock=core.clock,
            graph=core.graph.facts,
            doubtful=core.doubtful,
            seal=self.stores.graph.owner_seal,
        )
        return {fact.id for fact in (await search.retrieve(scope, query)).facts}

    async def listed(self, scope: Scope) -> set[str]:
        return {each.id for each in await self.core.facts.graph.listing(scope, limit=1000)}

    async def agrees(self) -> None:
        for scope in (ANN, BOB):
            for memory in (self.core.facts, self.core.episodes):
                held = (await memory.graph.count_by_scope()).get(scope, 0)
                assert await memory.router.count(scope) == held
            report = await Reconciler(self.core).repair_scope(scope)  # compares every record with its point
            assert not report.indexed
            assert not report.removed


def home_settings(home: Path) -> StoreSettings:
    return StoreSettings(home=home / "data", keys=home / "keys", graph_url="", vector_url="")


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[Opened]:
    embedder = HashedEmbedder(48)
    stores = await open_stores(home_settings(home), embedder.profile)
    try:
        yield Opened(stores, MemoryCore.over(stores.graph, stores.models(embedder), Silent(), SystemClock()))
    finally:
        await stores.close()


def bird(scope: Scope, number: int, content: str = "") -> Fact:
    text = content or f"bird {number} is in tree {number}"
    return Fact(id=f"{scope.user}-{number}", scope=scope, kind="semantic", content=text, created_at=START)


async def write(home: Path, first: int = 0, last: int = NUMBER, scopes: tuple[Scope, ...] = (ANN, BOB)) -> None:
    async with opened(home) as there:
        await there.compare()
        for scope in scopes:
            await there.core.facts.store(scope, [bird(scope, number) for number in range(first, last)])
            told = [episode(f"e{number}", f"count birds {number}", scope=scope) for number in range(first, last)]
            await there.core.episodes.store(scope, told)


def copied(home: Path, part: str) -> None:
    """Keep a copy of one store, to put it back later."""
    source = home / "data" / part
    target = home / f"older-{part}"
    shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def removed(home: Path, part: str) -> None:
    for path in (home / "data").glob(f"{part}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def put_back(home: Path, part: str) -> None:
    removed(home, part)
    older = home / f"older-{part}"
    target = home / "data" / part
    shutil.copytree(older, target) if older.is_dir() else shutil.copy(older, target)


async def test_stores_that_agree_are_not_repaired_and_recall_asks_no_graph(tmp_path: Path) -> None:
    await write(tmp_path)
    async with opened(tmp_path) as there:
        assert there.in_step
        assert await there.compare() == 0
        assert there.core.doubtful == set()
        assert await there.recalled(ANN) == await there.listed(ANN)
        await there.agrees()


async def test_deleted_vectors_are_made_again_from_the_graph(tmp_path: Path) -> None:
    await write(tmp_path)
    removed(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        assert await there.compare() == 2
        await there.comparison.repair()
        assert there.core.doubtful == set()
        assert await there.recalled(BOB) == await there.listed(BOB)
        await there.agrees()
    async with opened(tmp_path) as again:
        assert await again.compare() == 0


@pytest.mark.slow
async def test_an_older_copy_of_the_vectors_is_brought_up_to_date(tmp_path: Path) -> None:
    await write(tmp_path, 0, 6)
    copied(tmp_path, "vectors")
    await write(tmp_path, 6, NUMBER)
    async with opened(tmp_path) as there:
        await there.core.facts.forget(ANN, ["ann-0"])
    put_back(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        await there.compare()
        assert {ANN, BOB} <= there.core.doubtful
        assert "ann-0" not in await there.recalled(ANN)
        await there.comparison.repair()
        assert await there.recalled(ANN) == {f"ann-{number}" for number in range(1, NUMBER)}
        await there.agrees()


async def test_a_process_that_dies_before_the_repair_leaves_it_to_the_next(tmp_path: Path) -> None:
    await write(tmp_path)
    copied(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        await there.core.facts.set_status(ANN, ["ann-3"], "quarantined")
    put_back(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        assert await there.compare() == 2
    async with opened(tmp_path) as there:
        assert await there.compare() == 2
        await there.comparison.repair()
        assert there.in_step
    async with opened(tmp_path) as there:
        assert await there.compare() == 0


@pytest.mark.slow
async def test_a_changed_record_is_repaired_although_the_counts_are_equal(tmp_path: Path) -> None:
    await write(tmp_path)
    copied(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        await there.core.facts.set_status(ANN, ["ann-3"], "quarantined")
    put_back(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        assert await there.compare() == 2
        assert "ann-3" not in await there.recalled(ANN)
        await there.comparison.repair()
        assert "ann-3" not in await there.recalled(ANN)
        await there.agrees()


async def test_ghosts_of_an_older_graph_are_not_recalled_and_then_removed(tmp_path: Path) -> None:
    await write(tmp_path, 0, 6, scopes=(ANN,))
    copied(tmp_path, "graph")
    await write(tmp_path, 6, NUMBER)  # also all of Bob
    put_back(tmp_path, "graph")
    async with opened(tmp_path) as there:
        await there.compare()
        assert await there.recalled(ANN) == {f"ann-{number}" for number in range(6)}
        assert await there.recalled(BOB) == set()
        await there.comparison.repair()
        assert await there.recalled(ANN) == {f"ann-{number}" for number in range(6)}
        await there.agrees()


@pytest.mark.parametrize("how", ["deleted", "0 bytes"])
async def test_an_empty_graph_beside_vectors_is_refused(tmp_path: Path, how: str) -> None:
    await write(tmp_path)
    removed(tmp_path, "graph")
    if how == "0 bytes":
        (tmp_path / "data" / "graph").touch()
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=r"graph is empty.*restore the graph.*move the vectors away"):
            async with opened(tmp_path):
                pass
    removed(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        assert await there.listed(ANN) == set()


async def test_vectors_of_other_data_are_refused_and_made_again_once_they_are_gone(tmp_path: Path) -> None:
    await write(tmp_path)
    await write(tmp_path / "other")
    removed(tmp_path, "vectors")
    shutil.copytree(tmp_path / "other" / "data" / "vectors", tmp_path / "data" / "vectors")
    with pytest.raises(ConfigurationError, match="belong to other data"):
        async with opened(tmp_path):
            pass
    removed(tmp_path, "vectors")
    async with opened(tmp_path) as there:
        await there.compare()
        await there.comparison.repair()
        await there.agrees()


async def test_a_missing_master_key_beside_data_is_refused_and_none_is_made(tmp_path: Path) -> None:
    await write(tmp_path)
    async with opened(tmp_path) as there:
        await there.core.graph.keyring.seal(ANN, b"words")
    key = tmp_path / "keys" / "master.key"
    kept = key.rename(tmp_path / "kept.key")
    with pytest.raises(ConfigurationError, match=r"is missing.*restore the file from a backup.*REACT_MEM_HOME"):
        async with opened(tmp_path):
            pass
    assert not key.exists()
    kept.rename(key)
    async with opened(tmp_path) as there:
        assert await there.listed(ANN)


async def test_keys_of_other_data_are_refused(tmp_path: Path) -> None:
    await write(tmp_path)
    await write(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "keys" / "master.key", tmp_path / "keys" / "master.key")
    with pytest.raises(ConfigurationError, match=r"not the master key.*restore the right one"):
        async with opened(tmp_path):
            pass


@pytest.mark.parametrize("lost", ["missing", "other"])
async def test_data_from_before_the_marks_is_protected_too(tmp_path: Path, lost: str) -> None:
    await write(tmp_path)
    async with opened(tmp_path) as there:
        await there.core.graph.keyring.seal(ANN, b"words")
        await unmark(there)
    key = tmp_path / "keys" / "master.key"
    if lost == "missing":
        key.unlink()
    else:
        await write(tmp_path / "other")
        shutil.copy(tmp_path / "other" / "keys" / "master.key", key)
    with pytest.raises(ConfigurationError, match=r"restore|put the right key"):
        async with opened(tmp_path):
            pass


async def unmark(there: Opened) -> None:
    await there.stores.graph.engine.write(
        [Statement("MATCH (m:Meta) WHERE NOT m.uid IN ['schema', 'scope-keys'] DETACH DELETE m")]
    )
