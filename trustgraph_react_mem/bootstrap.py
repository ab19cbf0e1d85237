"""The only place where engines, rules and the bus are put together.

A process opens its stores once (``open_services``); in the embedded stack all processors share what one call opened, for the
embedded engines allow one process only.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from .bus.connection import DirectBackend
from .bus.embedder import BusEmbedder
from .bus.jobs import BusJobPublisher
from .bus.notify import BusChangeNotifier
from .errors import ConfigurationError
from .memory.clock import SystemClock
from .memory.embedding import PROFILES, EmbeddingProfile
from .memory.episodes import EpisodeMemory
from .memory.facts import FactMemory
from .memory.ports import Clock, KeyRing, VectorIndex
from .memory.transfer import MemoryTransfer
from .recall.episodes import EpisodeRetriever
from .recall.retrieve import Retriever
from .reflect.delivery import lane
from .reflect.reward import RewardHandler
from .stores.keyring import load_master_key, master_key_from
from .stores.opening import GraphStores, open_graph, open_index

PROGRAM = "react-mem"


class StoreSettings(BaseSettings):
    """Where memories are.  From ``REACT_MEM_*`` variables; an empty URL means the embedded engine in ``home``.

    Passwords and keys come from variables only, never from a command line, which others can read.
    """

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_", frozen=True, extra="ignore")

    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir(PROGRAM, appauthor=False)))
    keys: Path = Field(default_factory=lambda: Path(platformdirs.user_config_dir(PROGRAM, appauthor=False)) / "keys")
    master_key: SecretStr = Field(default=SecretStr(""), description="Base64 of 32 bytes; empty = the file master.key in keys")
    graph_url: str = Field(default="", description="bolt:// or neo4j:// address; empty = embedded")
    graph_user: str = "neo4j"
    graph_password: SecretStr = SecretStr("")
    graph_database: str = "neo4j"
    vector_url: str = Field(default="", description="http(s):// address of Qdrant; empty = embedded")
    vector_api_key: SecretStr = SecretStr("")
    embedding_profile: str = Field(default="e5-small-v2", description="Model that TrustGraph's embeddings service runs")
    embedding_dimension: int = Field(default=0, ge=0, description="For a model not known here, with the prefixes it wants")
    embedding_query_prefix: str = ""
    embedding_passage_prefix: str = ""

    @model_validator(mode="after")
    def _addresses(self) -> Self:
        for name, value, schemes in (
            ("graph_url", self.graph_url, ("bolt", "neo4j")),
            ("vector_url", self.vector_url, ("http", "https")),
        ):
            scheme = value.split("://", 1)[0].split("+", 1)[0] if "://" in value else ""
            if value and scheme not in schemes:
                raise ValueError(f"{name} {value!r} must begin with {' or '.join(f'{one}://' for one in schemes)}")
        return self

    @property
    def profile(self) -> EmbeddingProfile:
        """Raises: ConfigurationError (a model that is neither known nor described)."""
        if self.embedding_dimension:
            known = PROFILES.get(self.embedding_profile)
            if known is not None and known.dimension != self.embedding_dimension:
                raise ConfigurationError(
                    f"{self.embedding_profile} gives {known.dimension} numbers, not {self.embedding_dimension}: leave the "
                    "dimension out, or name the model that is really used"
                )
            return known or EmbeddingProfile(
                name=self.embedding_profile,
                dimension=self.embedding_dimension,
                query_prefix=self.embedding_query_prefix,
                passage_prefix=self.embedding_passage_prefix,
            )
        if self.embedding_profile not in PROFILES:
            raise ConfigurationError(
                f"embedding model {self.embedding_profile!r} is unknown: one of {', '.join(PROFILES)}, or give its "
                "REACT_MEM_EMBEDDING_DIMENSION (and prefixes, where it wants them)"
            )
        return PROFILES[self.embedding_profile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The engines, opened."""

    graph: GraphStores
    fact_index: VectorIndex
    episode_index: VectorIndex
    profile: EmbeddingProfile

    async def close(self) -> None:
        await self.fact_index.close()
        await self.episode_index.close()
        await self.graph.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryServices:
    """What the processors of one process work with."""

    stores: Stores
    clock: Clock
    embedder: BusEmbedder
    notifier: BusChangeNotifier
    publisher: BusJobPublisher
    facts: FactMemory
    episodes: EpisodeMemory
    retriever: Retriever
    episode_retriever: EpisodeRetriever
    learning: RewardHandler
    transfer: MemoryTransfer

    async def close(self) -> None:
        await self.publisher.close()
        await self.notifier.close()
        await self.stores.close()


async def open_graph_stores(settings: StoreSettings, clock: Clock | None = None) -> GraphStores:
    """Raises: ConfigurationError, EngineUnavailable."""
    _private_directory(settings.home)
    engine = await open_graph(
        settings.graph_url or settings.home / "graph",
        user=settings.graph_user,
        password=settings.graph_password.get_secret_value(),
        database=settings.graph_database,
    )
    given = settings.master_key.get_secret_value()
    key = master_key_from(given) if given else load_master_key(settings.keys / "master.key")
    return GraphStores.over(engine, clock or SystemClock(), key)


async def open_stores(settings: StoreSettings, profile: EmbeddingProfile | None = None, clock: Clock | None = None) -> Stores:
    """``profile``: of the model that really embeds, where the caller knows it; else as the settings name it.

    Raises:
        ConfigurationError: stored vectors of another model, a key that does not fit, an engine that is not installed.
        EngineUnavailable: a server does not answer.
    """
    used = profile or settings.profile
    graph = await open_graph_stores(settings, clock)
    opened: list[VectorIndex] = []
    try:
        for name in ("facts", "episodes"):
            opened.append(
                await open_index(
                    settings.vector_url or settings.home / "vectors",
                    used,
                    name=name,
                    api_key=settings.vector_api_key.get_secret_value(),
                )
            )
    except BaseException:
        for index in opened:
            await index.close()
        await graph.close()
        raise
    return Stores(graph=graph, fact_index=opened[0], episode_index=opened[1], profile=used)


def job_publisher(backend: DirectBackend, keyring: KeyRing, source: str) -> BusJobPublisher:
    return BusJobPublisher(backend, keyring, partition_key=lane, source=source)


async def open_services(
    settings: StoreSettings,
    backend: DirectBackend,
    *,
    source: str,
    profile: EmbeddingProfile | None = None,
    stores: Stores | None = None,
) -> MemoryServices:
    """Stores, rules and their way to the bus.  ``source`` names the publishing processor in its jobs.

    Raises: as ``open_stores``.
    """
    clock = SystemClock()
    stores = stores or await open_stores(settings, profile, clock)
    embedder = BusEmbedder(stores.profile)
    notifier = BusChangeNotifier(backend)
    try:
        await notifier.start()
    except BaseException:
        await stores.close()
        raise
    graph = stores.graph
    retriever = Retriever(stores.fact_index, embedder, weight_store=graph.weights, clock=clock)
    notifier.subscribe(retriever.changed)
    facts = FactMemory(graph.facts, stores.fact_index, embedder, notifier, clock)
    episodes = EpisodeMemory(graph.episodes, stores.episode_index, embedder, notifier)
    return MemoryServices(
        stores=stores,
        clock=clock,
        embedder=embedder,
        notifier=notifier,
        publisher=job_publisher(backend, graph.keyring, source),
        facts=facts,
        episodes=episodes,
        retriever=retriever,
        episode_retriever=EpisodeRetriever(stores.episode_index, embedder),
        learning=RewardHandler(
            weights=graph.weights, index=stores.fact_index, embedder=embedder, clock=clock, notifier=notifier
        ),
        transfer=MemoryTransfer(facts, episodes, graph.conversations, graph.weights, graph.switches),
    )


def _private_directory(path: Path) -> None:
    """Memories are personal: nobody else may list them."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
