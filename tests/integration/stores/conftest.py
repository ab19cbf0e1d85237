"""Every implementation of a port, so that each suite is written once.

``TEST_NEO4J_URI`` names a throwaway Neo4j (``make test-servers`` starts one): its contents are removed before each test.
"""

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient
from stores_support import CLOCK, PROFILE

from trustgraph_react_mem.memory.ports import VectorIndex
from trustgraph_react_mem.stores.edge_index import EdgeIndex
from trustgraph_react_mem.stores.graph import GraphEngine, Statement
from trustgraph_react_mem.stores.ladybug_graph import LadybugGraph
from trustgraph_react_mem.stores.neo4j_graph import Neo4jGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.testing.small_stores import MemoryStores
from trustgraph_react_mem.testing.vector_index import MemoryVectorIndex
from trustgraph_react_mem.stores.qdrant_index import QdrantIndex

ENGINES = ["ladybug-memory", "ladybug-file", "simulated", pytest.param("neo4j", marks=pytest.mark.servers)]
INDEXES = ["edge", "qdrant-local", "simulated"]
MASTER_KEY = bytes(range(32))


@pytest.fixture
def directory() -> Iterator[Path]:
    """In memory where the system has such a folder: an engine's start waits for the disk again and again."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() and os.access(memory, os.W_OK) else None) as made:
        yield Path(made)


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest, directory: Path) -> AsyncIterator[GraphEngine | None]:
    """None: the dictionaries that the simulation uses."""
    opened: GraphEngine
    if request.param == "simulated":
        yield None
        return
    if request.param == "neo4j":
        uri = os.environ.get("TEST_NEO4J_URI")
        if not uri:
            pytest.skip("TEST_NEO4J_URI is not set: run make test-servers")
        opened = await Neo4jGraph.open(uri)
        await opened.write([Statement("MATCH (n) DETACH DELETE n")])
    else:
        opened = await LadybugGraph.open(":memory:" if request.param == "ladybug-memory" else directory / "graph")
    yield opened
    await opened.close()


@pytest.fixture
def stores(engine: GraphEngine | None) -> GraphStores | MemoryStores:
    return MemoryStores(CLOCK) if engine is None else GraphStores.over(engine, CLOCK, MASTER_KEY)


@pytest.fixture(params=INDEXES)
async def index(request: pytest.FixtureRequest, directory: Path) -> AsyncIterator[VectorIndex]:
    opened: VectorIndex
    if request.param == "simulated":
        opened = MemoryVectorIndex(PROFILE)
    elif request.param == "edge":
        opened = await EdgeIndex.open(directory / "vectors", PROFILE)
    else:
        opened = await QdrantIndex.open(AsyncQdrantClient(location=":memory:"), PROFILE)
    yield opened
    await opened.close()


@pytest.fixture
async def embedded_stores() -> AsyncIterator[GraphStores]:
    """For rules that no engine changes."""
    opened = await LadybugGraph.open(":memory:")
    yield GraphStores.over(opened, CLOCK, MASTER_KEY)
    await opened.close()


@pytest.fixture
async def embedded_index(directory: Path) -> AsyncIterator[EdgeIndex]:
    opened = await EdgeIndex.open(directory / "vectors", PROFILE)
    yield opened
    await opened.close()
