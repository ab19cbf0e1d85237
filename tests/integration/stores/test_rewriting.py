"""The files of the embedded engines are rewritten without deleted text, while the engines are in use, and crash-safe."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.integration.stores.stores_support import ANN, CLOCK, PROFILE, fact
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.stores.graph import ladybug, ladybug_copy
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex

pytestmark = pytest.mark.later

KEPT, GONE = "the kept ship lies in Bergen", "the Qzxw ship lies in Haugesund"
MASTER = bytes(range(32))


def occurrences(directory: Path, text: str) -> int:
    return sum(path.read_bytes().count(text.encode()) for path in directory.rglob("*") if path.is_file())


def point(record_id: str, text: str) -> IndexPoint:
    vector = np.ones(PROFILE.dimension, dtype=np.float32)
    return IndexPoint(id=record_id, vectors={"text": vector}, payload={"content": text})


# ---------------------------------------------------------------------------------------------------- graph


async def test_deleted_text_is_not_in_the_rewritten_graph(tmp_path: Path) -> None:
    graph = await LadybugGraph.open(tmp_path / "graph")
    stores = GraphStores.over(graph, CLOCK, MASTER)
    await stores.facts.put([fact("a", content=KEPT, entities=("Bergen",)), fact("b", content=GONE, entities=("Bergen",))])
    await stores.weights.log_reward(ANN, CLOCK.now(), {"reward": 1.0}, "job")
    await stores.facts.tombstone(ANN, ["b"])
    await stores.facts.forget(ANN, ["b"])
    assert occurrences(tmp_path, GONE) > 0
    before = await stores.facts.get(ANN, ["a"])
    await graph.rewrite()
    assert occurrences(tmp_path, GONE) == 0
    assert await stores.facts.get(ANN, ["a"]) == before
    assert len(await stores.weights.reward_log(ANN)) == 1
    await stores.facts.put([fact("c", content="stored afterwards")])
    await graph.close()
    assert {path.name for path in tmp_path.iterdir()} <= {"graph", "graph.wal"}
    again = await LadybugGraph.open(tmp_path / "graph")
    found = await GraphStores.over(again, CLOCK, MASTER).facts.get(ANN, ["a", "c"])
    assert [each.content for each in found] == [KEPT, "stored afterwards"]
    await again.close()


async def test_reads_and_writes_during_a_rewrite_are_served(tmp_path: Path) -> None:
    graph = await LadybugGraph.open(tmp_path / "graph")
    stores = GraphStores.over(graph, CLOCK, MASTER)
    await stores.facts.put([fact(f"f{n}", content=f"fact {n}") for n in range(300)])
    rewriting = asyncio.create_task(graph.rewrite())
    written = 0
    while not rewriting.done():
        await stores.facts.put([fact(f"w{written}", content=f"written {written}")])
        written += 1
        assert len(await stores.facts.get(ANN, ["f1", "f299"])) == 2
    await rewriting
    assert len(await stores.facts.get(ANN, [f"w{n}" for n in range(written)])) == written
    await graph.close()


@pytest.mark.parametrize("step", ["copying", "replacing"])
async def test_a_graph_survives_a_rewrite_that_ends_anywhere(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files as they are at that moment, as after a power failure, open with everything."""
    graph = await LadybugGraph.open(tmp_path / "old" / "graph")
    await GraphStores.over(graph, CLOCK, MASTER).facts.put([fact("a", content=KEPT)])
    taken: list[Path] = []

    def take() -> None:
        taken.append(tmp_path / f"taken{len(taken)}")
        shutil.copytree(tmp_path / "old", taken[-1])

    if step == "copying":
        original = ladybug_copy._copy_edges

        def copying(*arguments: object) -> None:
            take()
            original(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(ladybug_copy, "_copy_edges", copying)
    else:
        monkeypatch.setattr(ladybug, "sync_path", lambda path: take())
    await graph.rewrite()
    await graph.close()
    assert taken
    for place in taken:
        again = await LadybugGraph.open(place / "graph")
        stores = GraphStores.over(again, CLOCK, MASTER)
        assert [each.content for each in await stores.facts.get(ANN, ["a"])] == [KEPT]
        await stores.facts.put([fact("b", content="goes on")])
        await again.close()
        assert {path.name for path in place.iterdir()} <= {"graph", "graph.wal"}


# ---------------------------------------------------------------------------------------------------- vectors


async def test_deleted_text_is_not_in_the_rewritten_shard(tmp_path: Path) -> None:
    index = await EdgeIndex.open(tmp_path, PROFILE)
    await index.upsert(ANN, [point("a", KEPT), point("b", GONE)])
    await index.delete(ANN, ["b"])
    await index.maintain()
    assert occurrences(tmp_path, GONE) > 0
    await index.rewrite()
    assert occurrences(tmp_path, GONE) == 0
    await index.upsert(ANN, [point("c", "stored afterwards")])
    await index.close()
    assert {path.name for path in (tmp_path / "facts").iterdir()} == {"profile.json", "shard"}
    again = await EdgeIndex.open(tmp_path, PROFILE)
    assert {each.id: each.payload["content"] for each in await again.fetch(ANN, ["a", "b", "c"])} == {
        "a": KEPT,
        "c": "stored afterwards",
    }
    await again.close()


async def test_updates_during_a_rewrite_are_in_the_new_shard(tmp_path: Path) -> None:
    index = await EdgeIndex.open(tmp_path, PROFILE)
    await index.upsert(ANN, [point(f"p{n}", f"text {n}") for n in range(600)])
    rewriting = asyncio.create_task(index.rewrite())
    removed = 0
    while not rewriting.done():
        await index.upsert(ANN, [point(f"w{removed}", f"written {removed}")])
        await index.delete(ANN, [f"p{removed}", f"p{599 - removed}"])
        removed += 1
    await rewriting
    gone = {f"p{n}" for n in range(600) if n < removed or n > 599 - removed}
    assert await index.count(ANN) == 600 - len(gone) + removed
    assert {each.id for each in await index.fetch(ANN, sorted(gone))} == set()
    await index.close()


@pytest.mark.slow
async def test_a_shard_survives_a_rewrite_that_ends_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files as they are before and after each renaming, as after kill -9, open with what was stored."""
    index = await EdgeIndex.open(tmp_path / "old", PROFILE)
    await index.upsert(ANN, [point("a", KEPT), point("b", GONE)])
    await index.delete(ANN, ["b"])
    taken: list[Path] = []
    rename: Callable[..., Path] = Path.rename

    def take() -> None:
        taken.append(tmp_path / f"taken{len(taken)}")
        shutil.copytree(tmp_path / "old", taken[-1])

    def taking(self: Path, target: Path) -> Path:
        take()
        done = rename(self, target)
        take()
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", taking)
        await index.rewrite()
    await index.close()
    assert len(taken) == 4
    for place in taken:
        again = await EdgeIndex.open(place, PROFILE)
        assert [each.id for each in await again.fetch(ANN, ["a", "b"])] == ["a"]
        await again.close()
        assert {path.name for path in (place / "facts").iterdir()} == {"profile.json", "shard"}
