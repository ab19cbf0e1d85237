"""What rests on a record is found from it by edges, in every implementation and in graphs written before the edges."""

from pathlib import Path
from typing import Any

import ladybug
import pytest

from tests.integration.stores.stores_support import ANN, BOB, CLOCK, START, episode, fact, turn
from trustgraph_react_mem.memory.ports import Reversal
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.stores.graph.engine import Statement, cypher
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores


async def names(stores: GraphStores, *ids: str, tombstoned: bool = False) -> set[str]:
    return {found.id for found in await stores.facts.dependents_of(ANN, ids, tombstoned=tombstoned)}


async def test_what_was_drawn_from_a_record_is_found_through_others_too(stores: GraphStores) -> None:
    await stores.facts.put([fact("above", metadata={"sources": "a,e"})])  # before its sources are there
    await stores.facts.put([turn("t", 1), turn("other", 2), fact("a", turn_ids=("t", "other")), fact("alone")])
    await stores.facts.put([fact("of bob", scope=BOB, turn_ids=("t",))])
    assert await names(stores, "t") == {"a", "above"}
    assert await names(stores, "t", "a") == {"above"}
    assert await names(stores, "e") == {"above"}
    assert await names(stores, "above", "alone", "nobody") == set()
    await stores.facts.set_status(ANN, ["above"], "quarantined", at=START, by="")
    await stores.facts.revert(ANN, [Reversal(record_id="a", version=1, to=None)], at=START, by="", trigger="undo:1")
    assert {each.id: each.status for each in await stores.facts.dependents_of(ANN, ["t"])} == {
        "a": "undone",
        "above": "quarantined",
    }


def _of(name: str, invocation_id: str = "", source: str = "", **more: Any) -> Episode:
    metadata = {"invocation_id": invocation_id} if invocation_id else {"of": "conversation"}
    return episode(name, source=source, metadata=metadata, **more)


async def test_nothing_of_the_edges_stays(embedded_stores: GraphStores) -> None:
    stores = embedded_stores
    await stores.facts.put([fact("a", turn_ids=("t", "u")), fact("b", turn_ids=("u",))])
    await stores.episodes.put([_of("e", "i", "c")])

    async def left() -> int:
        return int((await stores.engine.read("MATCH (s:Source) RETURN count(*) AS n", {}))[0]["n"])

    assert await left() == 4
    await stores.facts.forget(ANN, ["a"])
    assert await left() == 3
    await stores.facts.forget_scope(ANN)
    assert await left() == 2
    await stores.episodes.tombstone(ANN, ["e"])
    await stores.episodes.forget(ANN, ["e"])
    assert await left() == 0


def _run(connection: Any, statement: str, parameters: dict[str, Any] | None = None) -> None:
    connection.execute(statement, parameters or {}).close()


@pytest.mark.slow
async def test_a_graph_of_schema_3_gets_its_edges(directory: Path) -> None:
    """Written with this program, without the edges and their tables: as schema 3 was."""
    graph = await LadybugGraph.open(directory / "graph")
    stores = GraphStores.over(graph, CLOCK, bytes(32))
    facts: list[Fact] = [turn("t", 1), fact("a", turn_ids=("t",)), fact("b", metadata={"sources": "a"})]
    await stores.facts.put([*facts, *(fact(f"f{number}", turn_ids=(f"t{number}",)) for number in range(1500))])
    await stores.facts.supersede(ANN, ["b"], fact("new"), at=START, by="", trigger="")
    await stores.episodes.put([_of("one", "i", "c"), _of("whole", "", "c")])
    await graph.close()
    raw = ladybug.Database(str(directory / "graph"))
    connection = ladybug.Connection(raw)
    for statement in ("MATCH (s:Source) DETACH DELETE s", "DROP TABLE RESTS_ON", "DROP TABLE Source"):
        _run(connection, statement)
    for key in (f"{ANN.key}|keeper|embedding|model-a@3", f"{ANN.key}|keeper|other|embedding|x"):
        _run(connection, "CREATE (:Scope {uid: $uid, scope: $scope})", {"uid": key, "scope": ANN.key})
    _run(connection, cypher("schema_ladybug")["write_version"], {"version": 3})
    connection.close()
    raw.close()
    graph = await LadybugGraph.open(directory / "graph")
    stores = GraphStores.over(graph, CLOCK, bytes(32))
    kept = [row["uid"] for row in await graph.read("MATCH (s:Scope) RETURN s.uid AS uid", {})]
    assert f"{ANN.key}|keeper|facts" in kept
    assert [uid for uid in kept if "embedding" in uid] == [f"{ANN.key}|keeper|other|embedding|x"]  # without model marks
    assert await names(stores, "t") == {"a", "b"}
    assert await names(stores, "new") == {"b"}
    assert await names(stores, "t1499") == {"f1499"}
    assert {each.id for each in await stores.episodes.by_source(ANN, conversation_ids=["c"])} == {"one", "whole"}
    # an interrupted migration begins again
    await graph.write([Statement(cypher("schema_ladybug")["write_version"], {"version": 3})])
    await graph.close()
    graph = await LadybugGraph.open(directory / "graph")
    (row,) = await graph.read("MATCH (:Fact)-[x:RESTS_ON]->(:Source) RETURN count(x) AS n", {})
    assert row["n"] == 1503
    await graph.close()
