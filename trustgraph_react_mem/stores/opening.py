"""Opening the stores: a path is an embedded engine, a URL a server."""

from dataclasses import dataclass
from pathlib import Path

from ..extras import GRAPH, VECTORS, require
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Clock, VectorIndex
from .graph.conversations import CypherConversationGraph
from .graph.engine import GraphEngine
from .graph.episodes import CypherEpisodeGraph
from .graph.fact_archive import CypherFactArchive
from .graph.facts import CypherFactGraph
from .graph.fencing import CypherScopeFence, FencedEngine, epochs_over
from .graph.job_store import CypherJobStore
from .graph.scope_models import CypherScopeModels
from .graph.scopes import CypherScopes
from .graph.switches import CypherSwitchStore
from .graph.weights import CypherWeightStore
from .keyring import ScopeKeyRing
from .vectors.points import StoredIndex, index_name


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStores:
    """Every port that lives in the graph, over one engine."""

    engine: GraphEngine
    facts: CypherFactGraph
    archive: CypherFactArchive
    episodes: CypherEpisodeGraph
    conversations: CypherConversationGraph
    job_store: CypherJobStore
    weights: CypherWeightStore
    switches: CypherSwitchStore
    keyring: ScopeKeyRing
    scopes: CypherScopes
    fence: CypherScopeFence
    marks: CypherScopeModels

    @classmethod
    def over(cls, engine: GraphEngine, clock: Clock, master_key: bytes) -> "GraphStores":
        fence = epochs_over(engine, clock)
        claimed = FencedEngine(engine, fence)
        return cls(
            engine=engine,
            facts=CypherFactGraph(claimed, clock),
            archive=CypherFactArchive(claimed),
            episodes=CypherEpisodeGraph(claimed),
            conversations=CypherConversationGraph(claimed),
            job_store=CypherJobStore(engine, claimed),
            weights=CypherWeightStore(claimed),
            switches=CypherSwitchStore(claimed),
            keyring=ScopeKeyRing(claimed, fence, master_key),
            scopes=CypherScopes(engine),
            fence=fence,
            marks=CypherScopeModels(claimed),
        )

    async def close(self) -> None:
        await self.engine.close()


async def open_graph(where: str | Path, *, user: str = "", password: str = "", database: str = "neo4j") -> GraphEngine:
    """``bolt://``, ``neo4j://`` and their ``+s`` forms: Neo4j; ``:memory:`` or a path: embedded.  Raises ConfigurationError."""
    # The engines are imported where they are chosen: a deployment needs only one of them installed.
    if isinstance(where, str) and "://" in where:
        from .graph.neo4j import Neo4jGraph

        return await Neo4jGraph.open(where, user=user, password=password, database=database)
    require("the embedded graph", *GRAPH, otherwise="name a Neo4j with REACT_MEM_GRAPH_URL")
    from .graph.ladybug import LadybugGraph

    return await LadybugGraph.open(where)


async def stored_indexes(where: str | Path, *, name: str = "facts", api_key: str = "") -> list[StoredIndex]:
    """The indexes of that name, one for each embedding model, the oldest first.  Raises as ``open_index``."""
    if isinstance(where, str) and "://" in where:
        from .vectors.qdrant import QdrantIndex

        return await QdrantIndex.stored(where, name=name, api_key=api_key)
    require("the embedded vector index", *VECTORS, otherwise="name a Qdrant with REACT_MEM_VECTOR_URL")
    from .vectors.edge import EdgeIndex

    return EdgeIndex.stored(where, name=name)


async def open_index(
    where: str | Path, profile: EmbeddingProfile, *, name: str = "facts", api_key: str = "", shards: int = 0, copies: int = 0
) -> VectorIndex:
    """The model's own index of that name, created when there is none; those of other models stay beside it.

    ``http(s)://``: a Qdrant server, a collection each, made with ``shards`` and ``copies`` (0: the server's own); a path:
    embedded, a folder each.

    Raises:
        ConfigurationError: open in another process, damaged, or the key is refused.
        EngineUnavailable: no server answers.
    """
    own = index_name(name, profile, await stored_indexes(where, name=name, api_key=api_key))
    if isinstance(where, str) and "://" in where:
        from .vectors.qdrant import QdrantIndex, Sharding

        sharding = Sharding(shards=shards, copies=copies)
        return await QdrantIndex.open(where, profile, name=own, api_key=api_key, sharding=sharding)
    from .vectors.edge import EdgeIndex

    return await EdgeIndex.open(where, profile, name=own)
