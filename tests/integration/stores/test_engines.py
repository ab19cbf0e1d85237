"""What is particular to one engine: locks, damage, schema versions, grouped commits, lasting after kill -9."""

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import ladybug
import numpy as np
import pytest
from neo4j import AsyncGraphDatabase
from qdrant_client import AsyncQdrantClient

from tests.integration.stores.stores_support import ANN, CLOCK, PROFILE, START, fact
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.stores.graph.engine import SCHEMA_VERSION, Statement, cypher
from trustgraph_react_mem.stores.graph.facts import CypherFactGraph
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.graph.neo4j import Neo4jGraph
from trustgraph_react_mem.stores.keys.master import load_master_key
from trustgraph_react_mem.stores.opening import GraphStores, open_index, stored_indexes
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.stores.vectors.qdrant import QdrantIndex

ROOT = Path(__file__).parents[3]
OTHER_PROFILE = EmbeddingProfile(name="another-model", dimension=16)


async def test_a_graph_open_elsewhere_is_named_with_the_remedy(directory: Path) -> None:
    graph = await LadybugGraph.open(directory / "graph")
    script = f"""
        import asyncio
        from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
        asyncio.run(LadybugGraph.open({str(directory / "graph")!r}))
    """
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False
    )
    await graph.close()
    assert "ConfigurationError" in done.stderr
    assert str(directory / "graph") in done.stderr
    assert "stop that one" in done.stderr


async def test_a_closed_graph_holds_no_file(directory: Path) -> None:
    graph = await LadybugGraph.open(directory / "graph")
    await graph.read("MATCH (d:Digest) RETURN d.uid", {})
    await graph.close()
    held = [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [file for file in held if file.startswith(str(directory / "graph"))]


async def test_an_index_open_elsewhere_is_named_with_the_remedy(directory: Path) -> None:
    index = await EdgeIndex.open(directory, PROFILE)
    with pytest.raises(ConfigurationError, match="open in another process"):
        await EdgeIndex.open(directory, PROFILE)
    await index.close()


async def test_a_damaged_graph_says_what_to_do(directory: Path) -> None:
    (directory / "graph").write_bytes(b"this is no database" * 1000)
    with pytest.raises(ConfigurationError, match="backup"):
        await LadybugGraph.open(directory / "graph")


async def test_a_newer_schema_is_refused(directory: Path) -> None:
    graph = await LadybugGraph.open(directory / "graph")
    await graph.write([Statement("MATCH (m:Meta {uid: 'schema'}) SET m.version = $v", {"v": SCHEMA_VERSION + 1})])
    await graph.close()
    with pytest.raises(ConfigurationError, match="newer"):
        await LadybugGraph.open(directory / "graph")


async def test_a_database_of_schema_2_is_brought_up_to_date_with_what_it_holds(directory: Path) -> None:
    raw = ladybug.Database(str(directory / "graph"))
    connection: Any = ladybug.Connection(raw)
    texts = cypher("schema_ladybug")
    for statement in texts["v2"].split(";"):
        connection.execute(statement).close()
    connection.execute(texts["write_version"], {"version": 2}).close()
    invocation = {"uid": f"{ANN.key}|i", "scope": ANN.key, "record": json.dumps(OLD_INVOCATION)}
    connection.execute(
        "CREATE (c:Conversation {uid: $scope + '|c', scope: $scope, id: 'c', started_at: '', last_at: '', ended_at: '', "
        "turns: 1, metadata: '{}'})-[:HAS]->(:Invocation {uid: $uid, scope: $scope, id: 'i', conversation: 'c', "
        "at: '2026-03-01T09:00:00.000000+00:00', position: 0, record: $record})",
        invocation,
    ).close()
    connection.close()
    raw.close()
    graph = await LadybugGraph.open(directory / "graph")
    stores = GraphStores.over(graph, CLOCK, bytes(32))
    held = await stores.conversations.get(ANN, "c")
    assert held is not None
    assert [(said.id, said.query, said.undone_at, said.operation) for said in held.invocations] == [("i", "q", None, "")]
    await stores.conversations.mark_undone(ANN, ["i"], START, "undo:1")
    taken = await stores.conversations.get(ANN, "c")
    assert taken is not None
    assert taken.invocations == ()
    await graph.close()


OLD_INVOCATION = {
    "query": "q",
    "summary": "s",
    "result": "r",
    "speaker": "",
    "succeeded": True,
    "steps": [],
    "recalled_ids": [],
}

# What requests and jobs of every turn ask: all but statements that only look up keys, which read no table in any form.
BY_EDGE = {
    "facts": ("bucket", "buckets_of_source", "listing", "count", "history",
              "listing_about", "entities_about", "forget_changes", "leave_bucket", "unlink_entities", "unlink_sources",
              "dependents", "turns_of_invocation", "forget_lonely_sources"),
    "conversations": ("invocations", "listing", "conversations_and_turns", "forget_invocations", "keep_conversation",
                      "extend_conversation"),
    "episodes": ("listing", "count", "unlink_sources", "sources_of", "telling_of", "marked_by", "changed_since",
                 "forget_lonely_sources"),
}  # fmt: skip
VALUES = {
    "uid": "u", "root": "k", "scope": "s", "source": "", "kinds": ["turn"], "statuses": ["active"],
    "first": 0, "last": 3, "operation": "o", "at": "", "now": "", "former": False, "before": "", "limit": 5, "offset": 0,
    "turns": 1, "expected": 1, "last_at": "", "ended_at": "",
}  # fmt: skip


@pytest.mark.parametrize(("area", "name"), [(area, name) for area, names in BY_EDGE.items() for name in names])
async def test_no_statement_of_a_turn_begins_by_reading_a_table(area: str, name: str, embedded_stores: GraphStores) -> None:
    text = cypher(area)[name]
    used = {key: value for key, value in VALUES.items() if re.search(rf"\${key}\b", text)}
    plan = str(await embedded_stores.engine.read(f"EXPLAIN {text}", used))
    assert "PRIMARY_KEY_SCAN_NODE_TABLE" in plan


# What they write, many rows in one statement.
BY_KEY = {
    "facts": ("existing", "known_buckets", "create_buckets", "create", "enter_bucket", "replace", "log_change", "set_digests",
              "create_digests", "by_digests", "create_entities", "link_entities", "link_invocations",
              "create_sources", "link_sources", "mark_indexed", "touch",
              "tombstone", "forget_digests", "forget"),
    "conversations": ("conversations", "known_invocations", "create_invocations"),
    "episodes": ("existing", "set", "create", "mark_indexed", "tombstone", "forget", "create_sources", "link_sources"),
    "jobs": ("set", "create", "entries"),
}  # fmt: skip


@pytest.mark.parametrize(("area", "name"), [(area, name) for area, names in BY_KEY.items() for name in names])
async def test_no_statement_over_many_rows_reads_a_table(area: str, name: str, embedded_stores: GraphStores) -> None:
    """Behind an UNWIND the engine finds a node by its key when it is matched, and reads the table when it is merged."""
    text = cypher(area)[name]
    fields = dict.fromkeys(re.findall(r"\br\.(\w+)", text), "x")
    numbers = dict.fromkeys(("position", "version", "uses", "attempt", "turns", "expected"), 1)
    flags = dict.fromkeys(("indexed", "succeeded"), True)
    row = fields | {name: value for name, value in (numbers | flags).items() if name in fields}
    values = VALUES | {"rows": [row], "uids": ["u"], "indexed": True, "root": "k"}
    used = {key: value for key, value in values.items() if re.search(rf"\${key}\b", text)}
    plan = str(await embedded_stores.engine.read(f"EXPLAIN {text}", used))
    assert "PRIMARY_KEY" in plan
    assert not re.search(r"(?<!PRIMARY_KEY_)SCAN_NODE_TABLE", plan), plan


async def test_an_index_of_another_model_names_both_and_the_remedy(directory: Path) -> None:
    index = await EdgeIndex.open(directory, PROFILE)
    await index.close()
    client = AsyncQdrantClient(location=":memory:")
    await QdrantIndex.open(client, PROFILE)
    for opening in (EdgeIndex.open(directory, OTHER_PROFILE), QdrantIndex.open(client, OTHER_PROFILE)):
        with pytest.raises(ConfigurationError, match=r"(?s)test-words.*another-model.*configured"):
            await opening
    await client.close()


async def test_each_model_has_an_index_of_its_own_and_keeps_it(directory: Path) -> None:
    """The first keeps the plain name, whatever comes after it; one that was dropped leaves nothing behind."""
    for profile in (PROFILE, OTHER_PROFILE, PROFILE):
        index = await open_index(directory, profile)
        await index.upsert(ANN, [IndexPoint(id=profile.name, vectors={"text": np.full(16, 0.25, np.float32)})])
        assert [each.id for each in await index.fetch(ANN, [PROFILE.name, OTHER_PROFILE.name])] == [profile.name]
        await index.close()
    assert [(each.name, each.model) for each in await stored_indexes(directory)] == [
        ("facts", PROFILE.name),
        ("facts--another-model-16", OTHER_PROFILE.name),
    ]
    first = await open_index(directory, PROFILE)
    await first.drop()
    await first.drop()
    assert [each.model for each in await stored_indexes(directory)] == [OTHER_PROFILE.name]
    again = await open_index(directory, OTHER_PROFILE)
    assert await again.count(ANN) == 1
    await again.close()
    assert [path.name for path in directory.iterdir()] == ["facts--another-model-16"]


async def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "keys" / "master.key"
    keys = await asyncio.gather(*(asyncio.to_thread(load_master_key, file) for _ in range(4)))
    assert len(set(keys)) == 1
    assert len(keys[0]) == 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]
    file.chmod(0o640)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        load_master_key(file)
    file.chmod(0o600)
    file.write_text("c2hvcnQ=")
    with pytest.raises(ConfigurationError, match="backup"):
        load_master_key(file)


WRITER = """
import asyncio, sys
sys.path.insert(0, {root!r})
from pathlib import Path
import ladybug
import numpy as np
from tests.integration.stores.stores_support import ANN, CLOCK, PROFILE, START, fact
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.stores.graph.facts import CypherFactGraph
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph

async def main():
    graph = CypherFactGraph(await LadybugGraph.open(Path({directory!r}) / "graph"), CLOCK)
    index = await EdgeIndex.open({directory!r}, PROFILE)
    vector = np.ones(PROFILE.dimension, np.float32)
    n = 0
    while True:
        await graph.put([fact(f"f{{n}}")])
        await index.upsert(ANN, [IndexPoint(id=f"f{{n}}", vectors={{"text": vector}})])
        print(n, flush=True)  # acknowledged
        n += 1

asyncio.run(main())
"""


async def test_what_was_acknowledged_survives_kill_minus_9(tmp_path: Path) -> None:
    script = WRITER.format(root=str(ROOT), directory=str(tmp_path))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        acknowledged = -1
        while acknowledged < 60:
            acknowledged = int(await asyncio.wait_for(process.stdout.readline(), 60))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    rest = await process.stdout.read()
    await process.wait()
    for line in rest.split(b"\n")[:-1]:
        acknowledged = int(line)
    engine = await LadybugGraph.open(tmp_path / "graph")
    index = await EdgeIndex.open(tmp_path, PROFILE)
    ids = [f"f{n}" for n in range(acknowledged + 1)]
    try:
        assert [found.id for found in await CypherFactGraph(engine, CLOCK).get(ANN, ids)] == ids
        assert {point.id for point in await index.fetch(ANN, ids)} == set(ids)
        await index.upsert(ANN, [IndexPoint(id="next", vectors={"text": np.ones(16, np.float32)})])
        await CypherFactGraph(engine, CLOCK).put([fact("next")])
    finally:
        await index.close()
        await engine.close()


SYMBOL_PROGRAM = """
import asyncio, ctypes
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph

async def main():
    graph = await LadybugGraph.open(":memory:")
    symbol = "_ZN4lbug14json_extension11JsonWrapperC1Ev"
    print("global" if hasattr(ctypes.CDLL(None), symbol) else "own")
    await graph.close()

asyncio.run(main())
"""


def test_the_engines_symbols_are_not_global() -> None:
    done = subprocess.run([sys.executable, "-c", SYMBOL_PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "own", done.stderr


# -- Neo4j -------------------------------------------------------------------------------------------------------------


AREAS = ("facts", "conversations", "episodes", "jobs", "scope_state", "scopes", "epochs")
# Read once, when a deployment first keeps its keys elsewhere; and every hour, one row for a scope and day.
RARE = {"all_keys", "prune_spending"}
READS_ALL = re.compile(r"(NodeByLabelScan|AllNodesScan|AllRelationshipsScan|RelationshipTypeScan)@")
LISTS = {"uids": ["u"], "without": ["x"], "scopes": ["x"], "kinds": ["turn"], "statuses": ["active"], "states": ["done"]}
NUMBERS = dict.fromkeys(("first", "last", "limit", "offset", "tokens", "expected", "version"), 1)


@pytest.mark.servers
@pytest.mark.parametrize("area", AREAS)
async def test_no_statement_reads_a_whole_label(area: str) -> None:
    uri, password = os.environ["TEST_NEO4J_URI"], os.environ.get("TEST_NEO4J_PASSWORD", "")
    graph = await Neo4jGraph.open(uri, user="neo4j" if password else "", password=password)  # with its indexes
    await graph.close()
    auth = ("neo4j", password) if password else None
    wrong = []
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver, driver.session() as session:
        for name, text in cypher(area).items():
            values = LISTS | NUMBERS | {"rows": [dict.fromkeys(re.findall(r"\br\.(\w+)", text), "x")], "indexed": True}
            used = {parameter: values.get(parameter, "x") for parameter in re.findall(r"\$(\w+)", text)}
            result = await session.run(f"EXPLAIN {text}", used)  # type: ignore[arg-type]  # the statements are ours
            if name in RARE:
                continue
            wrong += [f"{name}: {scan}" for scan in READS_ALL.findall(str((await result.consume()).plan))]
    assert wrong == []
