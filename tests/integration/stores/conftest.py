"""Every implementation of a port, so that each suite is written once.

The embedded engines are opened once and emptied before each test: opening one costs more than most tests do.

``TEST_NEO4J_URI`` names a throwaway Neo4j (``make test-servers`` starts one): its contents are removed before each test.
``TEST_QDRANT_URL`` names a Qdrant: each test makes a collection of its own.
"""

import asyncio
import contextlib
import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer
from qdrant_client import AsyncQdrantClient

from tests.doubles.small_stores import MemoryStores
from tests.doubles.vector_index import MemoryVectorIndex
from tests.integration.engines import empty_graph, empty_index
from tests.integration.stores.stores_support import CLOCK, PROFILE
from tests.servers.qdrant import Qdrant
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.ports import VectorIndex
from trustgraph_react_mem.stores.graph.engine import GraphEngine, Statement
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.graph.neo4j import Neo4jGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.stores.vectors.points import EngineOptions
from trustgraph_react_mem.stores.vectors.qdrant import QdrantIndex

ENGINES = ["ladybug-memory", "ladybug-file", "simulated", pytest.param("neo4j", marks=pytest.mark.servers)]
# Qdrant's server comes in no package; where one runs (docker/compose.test.yaml), the same suite runs over it.
QDRANT_URL = os.environ.get("TEST_QDRANT_URL", "")
QDRANT_OPTIONS = EngineOptions(api_key=os.environ.get("TEST_QDRANT_API_KEY", ""))
SERVER = [pytest.param("qdrant-server", marks=pytest.mark.servers)] if QDRANT_URL else []
# "qdrant-described": Qdrant's interface over HTTP, each request and answer held to the OpenAPI that the server publishes.
INDEXES = ["edge", "qdrant-local", "qdrant-described", "simulated", *SERVER]
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
MASTER_KEY = bytes(range(32))


@pytest.fixture
def directory() -> Iterator[Path]:
    """In memory where the system has such a folder: an engine's start waits for the disk again and again."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield Path(made)


class Opened:
    """The embedded engines of this run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs: dict[str, LadybugGraph] = {}
        self._index: EdgeIndex | None = None

    async def graph(self, kind: str) -> LadybugGraph:
        with contextlib.suppress(KeyError, EngineUnavailable):  # not opened yet, or closed by a test
            await empty_graph(self._graphs[kind])
            return self._graphs[kind]
        where = ":memory:" if kind == "ladybug-memory" else self._folder / "graph"
        self._graphs[kind] = await LadybugGraph.open(where)
        await empty_graph(self._graphs[kind])
        return self._graphs[kind]

    async def index(self) -> EdgeIndex:
        if self._index is not None:
            with contextlib.suppress(EngineUnavailable):  # closed by a test
                empty_index(self._index)
                return self._index
        self._index = await EdgeIndex.open(self._folder / "vectors", PROFILE)
        empty_index(self._index)
        return self._index

    async def close(self) -> None:
        for graph in self._graphs.values():
            await graph.close()
        if self._index is not None:
            await self._index.close()


@pytest.fixture(scope="session")
def opened() -> Iterator[Opened]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        engines = Opened(Path(folder))
        yield engines
        asyncio.run(engines.close())


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest, opened: Opened) -> AsyncIterator[GraphEngine | None]:
    """None: the dictionaries that the simulation uses."""
    if request.param == "simulated":
        yield None
    elif request.param == "neo4j":
        uri = os.environ.get("TEST_NEO4J_URI")
        if not uri:
            pytest.fail("TEST_NEO4J_URI is not set: run make test-servers")
        password = os.environ.get("TEST_NEO4J_PASSWORD", "")
        server = await Neo4jGraph.open(uri, user="neo4j" if password else "", password=password)
        await server.write([Statement("MATCH (n) DETACH DELETE n")])
        yield server
        await server.close()
    elif request.param.startswith("ladybug"):
        yield await opened.graph(request.param)
    else:
        pytest.fail(f"no engine is called {request.param!r}: open it here")


@pytest.fixture
def stores(engine: GraphEngine | None) -> GraphStores | MemoryStores:
    return MemoryStores(CLOCK) if engine is None else GraphStores.over(engine, CLOCK, MASTER_KEY)


@pytest.fixture(params=INDEXES)
async def index(request: pytest.FixtureRequest, opened: Opened, directory: Path) -> AsyncIterator[VectorIndex]:
    if request.param == "edge":
        yield await opened.index()
        return
    if request.param == "qdrant-described":
        described = Qdrant(directory, strict=True)
        async with TestServer(described.application()) as server:
            over_http = await QdrantIndex.open(str(server.make_url("")), PROFILE)
            yield over_http
            await over_http.close()
        described.close()
        return
    own: VectorIndex
    if request.param == "simulated":
        own = MemoryVectorIndex(PROFILE)
    elif request.param == "qdrant-server":
        own = await QdrantIndex.open(QDRANT_URL, PROFILE, name=f"test-{uuid.uuid4().hex}", options=QDRANT_OPTIONS)
    elif request.param == "qdrant-local":
        own = await QdrantIndex.open(AsyncQdrantClient(location=":memory:"), PROFILE)
    else:
        pytest.fail(f"no vector index is called {request.param!r}: open it here")
    yield own
    await own.close()


@pytest.fixture
async def embedded_stores(opened: Opened) -> GraphStores:
    """For rules that no engine changes."""
    return GraphStores.over(await opened.graph("ladybug-memory"), CLOCK, MASTER_KEY)


@pytest.fixture
async def embedded_index(opened: Opened) -> EdgeIndex:
    return await opened.index()
