"""Open the stores: a path selects an embedded engine, a text, which is an address, a server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from ..disk import DiskSpace
from ..errors import EngineUnavailable
from ..extras import GRAPH, VECTORS, require
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Clock, GraphPorts, KeyStore, VectorIndex
from ..memory.trust.owner_seal import OwnerSeal, derive_key
from .graph.conversations import CypherConversationGraph, CypherRefinementGraph
from .graph.engine import GraphEngine
from .graph.episodes import CypherEpisodeGraph
from .graph.facts import CypherFactGraph
from .graph.fencing import FencedEngine, fence_over
from .graph.job_store import CypherJobStore
from .graph.scope_state import CypherScopes, CypherSwitchStore, CypherWeightStore
from .keyring import ScopeKeyRing
from .keys.files import FileKeyStore
from .keys.graph import GraphKeyStore
from .vectors.point_index import PointIndex
from .vectors.points import SERVER_DEFAULTS, EngineOptions, StoredIndex, index_name


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStores(GraphPorts):
    """The ports over one engine.  ``derived_key``: the key for a purpose, from the master key."""

    engine: GraphEngine
    keys_moved: bool = False  # keys of scopes were moved out of the graph, whose files may still have them
    derived_key: Callable[[str], bytes] = field(repr=False)

    @classmethod
    def over(cls, engine: GraphEngine, clock: Clock, master_key: bytes, key_store: KeyStore | None = None) -> "GraphStores":
        """``key_store``: where the keys of scopes are kept.  None: in the graph."""
        fence = fence_over(engine, clock)
        fenced = FencedEngine(engine, fence)
        keys = key_store or GraphKeyStore(fenced)
        return cls(
            engine=engine,
            facts=CypherFactGraph(fenced, clock),
            episodes=CypherEpisodeGraph(fenced),
            conversations=CypherConversationGraph(fenced),
            refinements=CypherRefinementGraph(fenced),
            job_store=CypherJobStore(engine, fenced),
            weights=CypherWeightStore(fenced),
            switches=CypherSwitchStore(fenced),
            keyring=ScopeKeyRing(keys, fence, master_key, clock),
            owner_seal=OwnerSeal(master_key),
            scopes=CypherScopes(engine, keys),
            fence=fence,
            keys_moved=isinstance(key_store, FileKeyStore) and key_store.moved,
            derived_key=partial(derive_key, master_key),
        )

    async def close(self) -> None:
        await self.engine.close()


@contextmanager
def _naming(where: str | Path) -> Iterator[None]:
    """Name the server that does not answer.  Later errors do not: clients see them."""
    try:
        yield
    except EngineUnavailable as error:
        place = urlsplit(str(where)).netloc.rpartition("@")[2]
        raise EngineUnavailable(f"{place}: {error}" if place else str(error)) from error


async def open_graph(
    where: str | Path, *, user: str = "", password: str = "", database: str = "neo4j", disk: DiskSpace | None = None
) -> GraphEngine:
    """Open a Neo4j at an address, or the embedded graph at a path.

    ``disk``: the embedded engine writes only while it has room.

    Raises: ConfigurationError, EngineUnavailable.
    """
    if isinstance(where, str):
        from .graph.neo4j import Neo4jGraph

        with _naming(where):
            return await Neo4jGraph.open(where, user=user, password=password, database=database)
    require("the embedded graph", *GRAPH, otherwise="name a Neo4j with REACT_MEM_GRAPH_URL")
    from .graph.ladybug import LadybugGraph

    return await LadybugGraph.open(where, disk=disk)


def vector_engine(where: str | Path) -> type[PointIndex]:
    """The engine for an address or a path, imported now, because a deployment needs only one of them installed."""
    if isinstance(where, str):
        from .vectors.qdrant import QdrantIndex

        return QdrantIndex
    require("the embedded vector index", *VECTORS, otherwise="name a Qdrant with REACT_MEM_VECTOR_URL")
    from .vectors.edge import EdgeIndex

    return EdgeIndex


async def stored_indexes(
    where: str | Path, *, name: str = "facts", options: EngineOptions = SERVER_DEFAULTS
) -> list[StoredIndex]:
    """The existing indexes of a store, one per embedding model, oldest first.  Raises as ``open_index``."""
    with _naming(where):
        return await vector_engine(where).list_indexes(str(where), name=name, options=options)


async def open_index(
    where: str | Path, profile: EmbeddingProfile, *, name: str = "facts", options: EngineOptions = SERVER_DEFAULTS
) -> VectorIndex:
    """Open the index of a store for this model, and create it if needed.  Indexes of other models are not touched.

    Raises: as ``PointIndex.open``.
    """
    own = index_name(name, profile, await stored_indexes(where, name=name, options=options))
    with _naming(where):
        return await vector_engine(where).open(str(where), profile, name=own, options=options)
