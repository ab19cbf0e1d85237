"""Opening the stores: a path is an embedded engine, a URL a server."""

from dataclasses import dataclass
from pathlib import Path

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Clock, VectorIndex
from .conversation_graph import CypherConversationGraph
from .episode_graph import CypherEpisodeGraph
from .fact_graph import CypherFactGraph
from .graph import GraphEngine
from .job_ledger import CypherJobLedger
from .keyring import ScopeKeyRing
from .scopes import CypherScopes
from .switches import CypherSwitchStore
from .weight_store import CypherWeightStore


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStores:
    """Every port that lives in the graph, over one engine."""

    engine: GraphEngine
    facts: CypherFactGraph
    episodes: CypherEpisodeGraph
    conversations: CypherConversationGraph
    ledger: CypherJobLedger
    weights: CypherWeightStore
    switches: CypherSwitchStore
    keyring: ScopeKeyRing
    scopes: CypherScopes

    @classmethod
    def over(cls, engine: GraphEngine, clock: Clock, master_key: bytes) -> "GraphStores":
        return cls(
            engine=engine,
            facts=CypherFactGraph(engine, clock),
            episodes=CypherEpisodeGraph(engine),
            conversations=CypherConversationGraph(engine),
            ledger=CypherJobLedger(engine),
            weights=CypherWeightStore(engine),
            switches=CypherSwitchStore(engine),
            keyring=ScopeKeyRing(engine, master_key),
            scopes=CypherScopes(engine),
        )

    async def close(self) -> None:
        await self.engine.close()


async def open_graph(where: str | Path, *, user: str = "", password: str = "", database: str = "neo4j") -> GraphEngine:
    """``bolt://``, ``neo4j://`` and their ``+s`` forms: Neo4j; ``:memory:`` or a path: embedded.  Raises ConfigurationError."""
    # The engines are imported where they are chosen: a deployment needs only one of them installed.
    if isinstance(where, str) and "://" in where:
        from .neo4j_graph import Neo4jGraph

        return await Neo4jGraph.open(where, user=user, password=password, database=database)
    from .ladybug_graph import LadybugGraph

    return await LadybugGraph.open(where)


async def open_index(where: str | Path, profile: EmbeddingProfile, *, name: str = "facts", api_key: str = "") -> VectorIndex:
    """``http(s)://``: a Qdrant server; a path: embedded, in a folder ``name`` of it.  Raises ConfigurationError."""
    if isinstance(where, str) and "://" in where:
        from .qdrant_index import QdrantIndex

        return await QdrantIndex.open(where, profile, name=name, api_key=api_key)
    from .edge_index import EdgeIndex

    return await EdgeIndex.open(where, profile, name=name)
