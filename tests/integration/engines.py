"""Embedded engines for tests, emptied and lent again: opening one costs more than most tests do.

They belong to no event loop, so that each test's own may use them.  One whose block fails is not lent again.
"""

import contextlib
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import qdrant_edge as edge

from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.stores.graph.engine import Statement
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex

_graphs: list[LadybugGraph] = []
_indexes: defaultdict[EmbeddingProfile, list[EdgeIndex]] = defaultdict(list)
_folders: list[Path] = []


async def empty_graph(graph: LadybugGraph) -> None:
    """Raises: EngineUnavailable (a test closed it)."""
    await graph.write([Statement("MATCH (n) WHERE label(n) <> 'Meta' DETACH DELETE n")])


def empty_index(index: EdgeIndex) -> None:
    """Raises: EngineUnavailable (a test closed it)."""
    index._update(edge.UpdateOperation.delete_points_by_filter(edge.Filter()))  # no port crosses scopes


@contextlib.asynccontextmanager
async def lend_graph() -> AsyncIterator[LadybugGraph]:
    """An empty one in memory."""
    graph = _graphs.pop() if _graphs else await LadybugGraph.open(":memory:")
    yield graph
    await empty_graph(graph)
    _graphs.append(graph)


@contextlib.asynccontextmanager
async def lend_index(profile: EmbeddingProfile) -> AsyncIterator[EdgeIndex]:
    """An empty one."""
    if _indexes[profile]:
        index = _indexes[profile].pop()
    else:
        _folders.append(Path(tempfile.mkdtemp()))
        index = await EdgeIndex.open(_folders[-1], profile)
    yield index
    empty_index(index)
    _indexes[profile].append(index)


async def close_engines() -> None:
    """At the end of a run."""
    for graph in _graphs:
        await graph.close()
    for indexes in _indexes.values():
        for index in indexes:
            await index.close()
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
