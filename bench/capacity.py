"""Capacity of one instance of each component, as input for ``bench.sizing``.

Measures the embedded engines, or a real Pulsar and Neo4j if ``TEST_PULSAR_URL`` and ``TEST_NEO4J_URI`` are set:

    python -m tests.servers.servers run python -m bench.capacity [--out FILE]
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trustgraph_react_mem.bootstrap import Stores, job_publisher, open_stores
from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.envelope import seal_payload, to_envelope
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.indexing.document import fact_document
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.embedding import PROFILES
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.stores.graph.engine import GraphEngine, Statement
from trustgraph_react_mem.stores.keys.master import load_master_key
from trustgraph_react_mem.stores.opening import GraphStores

from .filled import FOLDER, RandomDirections, bank_turns, bytes_of
from .jobs import Workplace, context, drained, job, record
from .row import Row
from .sentences import questions, sentences

PUBLISHED = "jobs_published_per_second"
JOB_BYTES = "job_bytes"
GRAPH = "graph_writes_per_second"
WRITES = "graph_writes_per_turn"
VECTORS = "vector_writes_per_second"
GRAPH_BYTES = "graph_bytes_per_memory"
VECTOR_BYTES = "vector_bytes_per_memory"
HOT_BYTES = "hot_bytes_per_memory"
RECALLS = "recalls_per_second"
NAMES = (PUBLISHED, JOB_BYTES, GRAPH, WRITES, VECTORS, GRAPH_BYTES, VECTOR_BYTES, HOT_BYTES, RECALLS)
SLOW = frozenset(NAMES)

HOME = FOLDER / "capacity"
PROFILE = PROFILES["e5-small-v2"]
USERS = 100
MEMORIES = 200  # of each user, two per turn
AT_ONCE = 16
ASKED = 2000
JOBS = 4000
RECORDS = 200


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    rows: list[Row] = []
    shutil.rmtree(HOME, ignore_errors=True)
    settings = StoreSettings(home=HOME / "data", keys=HOME / "keys", graph_url=os.environ.get("TEST_NEO4J_URI", ""))
    stores = await open_stores(settings, PROFILE)
    vectors, graph_bytes = HOME / "data" / "vectors", 0
    try:
        if names & {PUBLISHED, JOB_BYTES, WRITES}:
            async with broker() as (address, name):
                rows += await bus(stores, settings, address, name)
        if names - {PUBLISHED, JOB_BYTES, WRITES}:
            graph_bytes = -await graph_size(stores)
            rows += await memories(stores)
            graph_bytes += await graph_size(stores, last=True)
    finally:
        await stores.close()
    rows.append(Row(GRAPH_BYTES, graph_bytes / (USERS * MEMORIES), "bytes", on_disk(f"{graph_name()} with history")))
    rows.append(Row(VECTOR_BYTES, bytes_of(vectors) / (USERS * MEMORIES), "bytes", on_disk("two keys of 384")))
    shutil.rmtree(HOME, ignore_errors=True)
    return [row for row in rows if row.name in names]


def on_disk(what: str) -> str:
    return f"{USERS} users with {MEMORIES} memories, on disk: {what}"


def graph_name() -> str:
    return "Neo4j" if os.environ.get("TEST_NEO4J_URI") else "the embedded graph"


async def graph_size(stores: Stores, *, last: bool = False) -> int:
    """Bytes on disk.

    ``last``: stop a Neo4j that ``tests.servers.servers run`` started, because it writes all its data only then.
    """
    if not os.environ.get("TEST_NEO4J_URI"):
        await stores.graph.engine.read("CHECKPOINT", {})
        return bytes_of(HOME / "data" / "graph")
    folder = Path(os.environ["TEST_SERVERS_DATA"]) / "neo4j"
    if last:
        command = [sys.executable, "-m", "tests.servers.servers", "stop", "neo4j", str(folder)]
        await asyncio.to_thread(subprocess.run, command, check=True)
    return bytes_of(folder / "data" / "databases" / "neo4j")


# ---------------------------------------------------------------------------------------------------- the bus


@asynccontextmanager
async def broker() -> AsyncIterator[tuple[str, str]]:
    """Address and name of the broker."""
    given = os.environ.get("TEST_PULSAR_URL", "")
    if given:
        yield given, "Pulsar"
        return
    async with EmbeddedBroker(HOME / "bus") as embedded:
        yield embedded.url, "the embedded broker"


async def bus(stores: Stores, settings: StoreSettings, address: str, name: str) -> list[Row]:
    """Size and transactions of a turn's record job, then the rate of confirmed jobs on one topic with parallel publishers."""
    keyring = stores.graph.keyring
    jobs = [job("noop", number, record(number)) for number in range(JOBS)]
    size = len(wire.encode(to_envelope(jobs[0], await seal_payload(keyring, jobs[0]), "bench")))
    backend = DirectBackend(address)
    publisher = job_publisher(backend, keyring, "bench")
    writes = await written(stores, settings, backend)
    await publisher.publish(jobs[:AT_ONCE])
    waiting = iter(jobs[AT_ONCE:])

    async def publish() -> None:
        for one in waiting:
            await publisher.publish([one])

    seconds = await timed_together(publish)
    await publisher.close()
    await backend.close()
    rate = (JOBS - AT_ONCE) / seconds
    return [
        Row(PUBLISHED, rate, "/s", f"one topic without partitions on {name}, {AT_ONCE} at once, each confirmed"),
        Row(JOB_BYTES, float(size), "bytes", "one record job in the topic"),
        Row(WRITES, writes, "", f"graph transactions for one turn's record job and its job store entry, mean of {RECORDS}"),
    ]


class Counted:
    """A graph engine that counts its write transactions."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self.writes = 0

    async def write(self, statements: Sequence[Statement]) -> Any:
        self.writes += 1
        return await self._engine.write(statements)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


async def written(stores: Stores, settings: StoreSettings, backend: DirectBackend) -> float:
    counted = Counted(stores.graph.engine)
    graph = GraphStores.over(counted, SystemClock(), load_master_key(settings.keys / "master.key"))  # type: ignore[arg-type]
    publisher = job_publisher(backend, graph.keyring, "bench")
    place = Workplace(replace(stores, graph=graph), backend, publisher, RandomDirections(PROFILE))
    records = [job("record", number, record(number)) for number in range(RECORDS)]
    await drained(place, records, build_handlers(context(place)))
    await publisher.close()
    return counted.writes / RECORDS


# ---------------------------------------------------------------------------------------------------- the stores


def scope_of(user: int) -> Scope:
    return Scope(workspace="bench", user=f"user-{user}", collection="default")


def facts_of(user: int) -> list[Fact]:
    facts = bank_turns(scope_of(user), user, sentences(MEMORIES, seed=user % 25))
    return [replace(fact, source=f"conversation-{place // 20}") for place, fact in enumerate(facts)]


async def memories(stores: Stores) -> list[Row]:
    embedder = RandomDirections(PROFILE)
    graph_s = vectors_s = 0.0
    hot_bytes = 0
    for user in range(USERS):
        facts = facts_of(user)
        points = []
        for fact in facts:
            keys = fact_document(fact)
            points.append(keys.point(dict.fromkeys(keys.texts, (await embedder.embed(["x"], role="passage"))[0])))
        graph_s += await timed_puts(stores, facts)
        vectors_s += await timed_upserts(stores, scope_of(user), points)
        hot = ScopeColumns(PROFILE.dimension)
        hot.put(points)
        hot_bytes += hot.bytes
    turns = USERS * MEMORIES / 2
    return [
        Row(GRAPH, turns / graph_s, "/s", f"{graph_name()}, transactions of two facts each, {AT_ONCE} at once"),
        Row(
            VECTORS,
            turns / vectors_s,
            "/s",
            f"the embedded vector engine, upserts of two points with two keys each, {AT_ONCE} at once",
        ),
        Row(HOT_BYTES, hot_bytes / (USERS * MEMORIES), "bytes", f"scopes of {MEMORIES} memories, cached for recall"),
        await recalled(stores),
    ]


async def timed_puts(stores: Stores, facts: list[Fact]) -> float:
    waiting = iter([facts[start : start + 2] for start in range(0, len(facts), 2)])

    async def put() -> None:
        for pair in waiting:
            await stores.graph.facts.put(pair)

    return await timed_together(put)


async def timed_upserts(stores: Stores, scope: Scope, points: list[IndexPoint]) -> float:
    waiting = iter([points[start : start + 2] for start in range(0, len(points), 2)])

    async def upsert() -> None:
        for pair in waiting:
            await stores.fact_index.upsert(scope, pair)

    return await timed_together(upsert)


async def timed_together(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return time.perf_counter() - began


async def recalled(stores: Stores) -> Row:
    """Time of retrieval with a given question vector."""
    retriever = Retriever(stores.fact_index, RandomDirections(PROFILE))
    rng = np.random.default_rng(5)
    asked = questions(ASKED, seed=5)
    vectors = (await RandomDirections(PROFILE).embed(asked, role="query")).astype(np.float32)
    users = rng.integers(0, USERS, ASKED)
    for user in range(USERS):  # loads the scope
        await retriever.retrieve(scope_of(user), RetrievalQuery(question=asked[0], vector=vectors[0]))
    began = time.perf_counter()
    for text, vector, user in zip(asked, vectors, users, strict=True):
        await retriever.retrieve(scope_of(int(user)), RetrievalQuery(question=text, vector=vector, asked_at=datetime.now(UTC)))
    rate = ASKED / (time.perf_counter() - began)
    return Row(RECALLS, rate, "/s", f"one process, scopes of {MEMORIES} memories in memory, embedding not counted")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capacity", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/capacity.json"))
    arguments = parser.parse_args()
    rows = asyncio.run(collect(set(NAMES), None))
    for row in rows:
        print(f"{row.name:32} {row.as_json()['value']:>10} {row.unit:6} {row.note}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the bus client's C++ threads may abort an ordinary interpreter exit
