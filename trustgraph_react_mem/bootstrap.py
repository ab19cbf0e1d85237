"""The composition root: opens the engines and connects them with the core and the bus.

A process opens its stores once (``open_services``).  In the embedded stack all processors share the result of one call, because
the embedded engines allow only one process.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import platformdirs
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from .bus.embedder import BusEmbedder
from .bus.jobs import BusJobPublisher
from .bus.notify import BusChangeNotifier
from .bus.pulsar_driver import DirectBackend
from .directories import make_private_directory
from .disk import DiskSpace
from .erasure.comparison import StoreComparison
from .erasure.files import FileRewriter
from .erasure.reconcile import Reconciler
from .erasure.sweep import DelayedReindexer
from .erasure.undo import Undo
from .errors import ConfigurationError
from .identity import PROGRAM, default_directory
from .indexing.routing import EmbeddingModels, ModelIndexes, UnavailableEmbedder
from .learning.handler_table import partition_key
from .learning.status import LearningStatus
from .memory.clock import SystemClock
from .memory.derived_key import derive_key
from .memory.embedding import PROFILES, EmbeddingProfile, stored_profile
from .memory.ports import Clock, Embedder, JobPublisher, KeyRing, VectorIndex
from .memory.requests.authority import PURPOSE
from .memory.scope_names import ScopeNames
from .memory.trust.owner_seal import OwnerSeal
from .models.embedder import RoleEmbedder, open_former_model
from .repositories.core import MemoryCore
from .retrieval.record_check import RecordCheck
from .retrieval.search import EpisodeSearch, FactSearch
from .stores.graph.marks import GraphMarks
from .stores.keys.directory import open_key_store
from .stores.keys.master import load_master_key, master_key_from
from .stores.matching import OpeningCount, find_master_key, mark_master_key, match_vectors
from .stores.opening import (
    GRAPH_SCHEMES,
    VECTOR_ENGINES,
    GraphStores,
    open_graph,
    open_index,
    stored_indexes,
    vector_engine,
)
from .stores.vectors.engine import EngineOptions
from .stores.vectors.points import StoredIndex, sort_by_age
from .transfer import ScopeExport, ScopeImport

logger = logging.getLogger(__name__)

INDEXES = ("facts", "episodes")
KEY_FILE = "master.key"  # in REACT_MEM_KEYS


class StoreSettings(BaseSettings):
    """Locations of the stores, from ``REACT_MEM_*`` environment variables.  An empty URL: the embedded engine in ``home``.

    Passwords and keys come only from environment variables, because other users can read a command line.
    """

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_", frozen=True, extra="ignore")

    home: Path = Field(
        default_factory=default_directory,
        description="Data directory of the embedded engines. Default: react-mem in the user's data directory.",
    )
    keys: Path = Field(
        default_factory=lambda: Path(platformdirs.user_config_dir(PROGRAM, appauthor=False)) / "keys",
        description="Directory of the master key. Default: react-mem/keys in the user's configuration directory.",
    )
    master_key: SecretStr = Field(
        default=SecretStr(""), description="Master key: 32 bytes in Base64. Empty: read the file master.key in REACT_MEM_KEYS."
    )
    scope_keys: Path | None = Field(
        default=None,
        description="Directory of the keys of scopes; several processes need one on a shared volume. Default: `scopes` in "
        "REACT_MEM_KEYS with the embedded graph; with Neo4j, the keys are kept in the graph.",
    )
    min_free_mb: int = Field(
        default=256,
        ge=0,
        description="Free disk space in MB below which turns, imports and other writes are refused as `disk full`. Jobs that "
        "were accepted go on to half of it. 0: no limit.",
    )
    shutdown_grace: float = Field(
        default=100.0,
        ge=0,
        description="Seconds that running turns get to finish after SIGTERM, in each processor and in `react-mem up`",
    )
    graph_url: str = Field(default="", description="Neo4j address (bolt:// or neo4j://). Empty: embedded graph.")
    graph_user: str = Field(default="neo4j", description="Neo4j user")
    graph_password: SecretStr = Field(default=SecretStr(""), description="Neo4j password. Empty: no authentication.")
    graph_database: str = Field(default="neo4j", description="Neo4j database")
    vector_url: str = Field(default="", description="Qdrant address (http:// or https://). Empty: embedded index.")
    vector_api_key: SecretStr = Field(default=SecretStr(""), description="Qdrant API key. Empty: no authentication.")
    vector_shards: int = Field(
        default=0, ge=0, description="Number of shards of a new Qdrant collection. 0: the server's default."
    )
    vector_copies: int = Field(
        default=0, ge=0, description="Replication factor of a new Qdrant collection. 0: the server's default."
    )
    embedding_profile: str = Field(default="e5-small-v2", description="Model that TrustGraph's embeddings service runs")
    embedding_dimension: int = Field(
        default=0, ge=0, description="Vector dimension of an embedding model that is not in the catalogue"
    )
    embedding_query_prefix: str = Field(default="", description="Prefix that this model expects before a question")
    embedding_passage_prefix: str = Field(default="", description="Prefix that this model expects before a stored text")
    former_embeddings: str = Field(
        default="",
        description="Previous embedding model during a migration, in the format of REACT_MEM_EMBEDDINGS. Empty: use it if it "
        "is installed. `none`: until re-embedded, old memories are found by keyword search only.",
    )

    dead_letter_days: int = Field(
        default=90, ge=1, le=3650, description="Days after which a job that failed for good is deleted with its payload"
    )

    @model_validator(mode="after")
    def _check_urls(self) -> Self:
        for name, value, schemes in (
            ("graph_url", self.graph_url, GRAPH_SCHEMES),
            ("vector_url", self.vector_url, [scheme for scheme in VECTOR_ENGINES if scheme]),
        ):
            if value and ("://" not in value or value.split("://", 1)[0] not in schemes):
                raise ValueError(f"{name} {value!r} must begin with {' or '.join(f'{one}://' for one in schemes)}")
        return self

    @property
    def key_directory(self) -> Path | None:
        """Where the keys of scopes are kept; None: in the graph."""
        return self.scope_keys or (None if self.graph_url else self.keys / "scopes")

    @property
    def vectors(self) -> str | Path:
        """URL or folder of the vector engine."""
        return self.vector_url or self.home / "vectors"

    @property
    def vector_options(self) -> EngineOptions:
        key = self.vector_api_key.get_secret_value()
        return EngineOptions(api_key=key, shards=self.vector_shards, copies=self.vector_copies, disk=self.engine_disk)

    @property
    def disk(self) -> DiskSpace:
        """The limit for new work."""
        return DiskSpace(self.home, self.min_free_mb * 2**20)

    @property
    def engine_disk(self) -> DiskSpace:
        """The limit for the embedded engines.  It is lower, so that jobs that were accepted can be finished."""
        return DiskSpace(self.home, self.min_free_mb * 2**19)

    @property
    def profile(self) -> EmbeddingProfile:
        """The embedding profile.  Raises: ConfigurationError (unknown model, or a wrong dimension)."""
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
                "REACT_MEM_EMBEDDING_DIMENSION (and prefixes, if it needs them)"
            )
        return PROFILES[self.embedding_profile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The open engines.

    ``formers``: indexes of previous embedding models, newest first.  ``closing``: closes everything that was opened.
    ``generation``: id of the data (``stores.matching``).  ``count``: of openings, if both stores are embedded.
    """

    graph: GraphStores
    fact_index: VectorIndex
    episode_index: VectorIndex
    profile: EmbeddingProfile
    closing: AsyncExitStack
    files: FileRewriter
    formers: tuple[ModelIndexes, ...] = ()
    generation: str = ""
    count: OpeningCount | None = None

    def models(self, embedder: Embedder) -> EmbeddingModels:
        """All embedding models with their indexes.  ``embedder``: embeds with the current model."""
        used = ModelIndexes(facts=self.fact_index, episodes=self.episode_index, embedder=embedder)
        return EmbeddingModels(used, self.formers)

    async def close(self) -> None:
        await self.closing.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryServices(MemoryCore):
    """What the operations of the services use: the core, its readers and writers, and the publisher of jobs."""

    stores: Stores
    publisher: JobPublisher
    retriever: FactSearch
    episode_retriever: EpisodeSearch
    learning: LearningStatus
    exporter: ScopeExport
    importer: ScopeImport
    undo: Undo
    delayed_reindexer: DelayedReindexer
    names: ScopeNames
    disk: DiskSpace | None = None  # of the embedded engines or broker; none: only servers are used
    comparison: StoreComparison

    @classmethod
    def around(cls, core: MemoryCore, stores: Stores, publisher: JobPublisher, retriever: FactSearch) -> Self:
        """The services of a process without a bus."""
        return cls(**_parts(core, stores, retriever), publisher=publisher)

    async def close(self) -> None:
        await self.delayed_reindexer.close()
        await self.stores.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class BusMemoryServices(MemoryServices):
    """Everything that the processors of one process share: the services and the bus clients."""

    notifier: BusChangeNotifier
    embedder: BusEmbedder
    publisher: BusJobPublisher

    async def close(self) -> None:
        await self.delayed_reindexer.close()
        await self.publisher.close()
        await self.notifier.close()
        await self.stores.close()


def _parts(core: MemoryCore, stores: Stores, retriever: FactSearch) -> dict[str, Any]:
    """The fields of services that do not depend on the bus."""
    return {
        **{each.name: getattr(core, each.name) for each in fields(MemoryCore)},
        "stores": stores,
        "retriever": retriever,
        "episode_retriever": EpisodeSearch(core.episodes.router, check=RecordCheck(core.graph.episodes, core.doubtful)),
        "comparison": StoreComparison(core, Reconciler(core, fence=stores.graph.fence), stores.count),
        "learning": LearningStatus(core),
        "exporter": ScopeExport(core),
        "importer": ScopeImport(core),
        "undo": Undo(core),
        "delayed_reindexer": DelayedReindexer(core),
        "names": ScopeNames(core.graph.scopes),
    }


async def open_graph_stores(settings: StoreSettings, clock: Clock | None = None) -> GraphStores:
    """Open the graph engine and the key ring.  Raises: ConfigurationError, EngineUnavailable."""
    make_private_directory(settings.home)
    engine = await open_graph(
        settings.graph_url or settings.home / "graph",
        user=settings.graph_user,
        password=settings.graph_password.get_secret_value(),
        database=settings.graph_database,
        disk=settings.engine_disk,
    )
    try:
        marks = GraphMarks(engine)
        key = await find_master_key(marks, settings.master_key.get_secret_value(), settings.keys / KEY_FILE)
        key_store = await open_key_store(engine, settings.key_directory)
        stores = GraphStores.over(engine, clock or SystemClock(), key, key_store)
        await mark_master_key(marks, stores.keyring, key)
    except BaseException:
        await engine.close()
        raise
    return stores


def open_master_key(settings: StoreSettings) -> bytes:
    """The master key of these settings.  Raises: ConfigurationError."""
    given = settings.master_key.get_secret_value()
    return master_key_from(given) if given else load_master_key(settings.keys / KEY_FILE)


def _file_rewriter(
    settings: StoreSettings, graph: GraphStores, indexes: Mapping[str, VectorIndex], clock: Clock
) -> FileRewriter:
    embedded = not (settings.graph_url and settings.vector_url)
    return FileRewriter(
        {"the graph": graph.engine, **indexes},
        graph.job_store,
        clock,
        directory=settings.home if embedded else None,
        key=graph.derived_key("marks of erased words"),
    )


def operator_key(settings: StoreSettings) -> bytes:
    """The key that shows that a caller is an operator.  Empty if this account cannot read the master key."""
    text = settings.master_key.get_secret_value()
    try:
        return derive_key(master_key_from(text or (settings.keys / KEY_FILE).read_text("ascii")), PURPOSE)
    except (OSError, UnicodeDecodeError, ConfigurationError):
        return b""


async def open_stores(settings: StoreSettings, profile: EmbeddingProfile | None = None, clock: Clock | None = None) -> Stores:
    """Open all engines.  ``profile``: the embedding profile, if the caller knows it.  None: the one of the settings.

    Raises:
        ConfigurationError: graph, vectors and master key do not belong together, or an engine is not installed.
        EngineUnavailable: a server does not answer.
    """
    used = profile or settings.profile
    async with AsyncExitStack() as opened:
        graph = await open_graph_stores(settings, clock)
        opened.push_async_callback(graph.close)
        stored = [
            one
            for name in INDEXES
            for one in await stored_indexes(settings.vectors, name=name, options=settings.vector_options)
        ]
        generation = await _match(settings, graph, stored)
        facts, episodes = await _open_indexes(settings, used, generation, opened)
        formers: dict[str, ModelIndexes] = {}
        for one in reversed(sort_by_age(stored)):
            key = stored_profile(one.model, one.dimension).key
            if key != used.key and key not in formers:
                formers[key] = await _open_former(settings, one, generation, opened)
        named = {"the fact index": facts, "the episode index": episodes}
        for key, former in formers.items():
            named |= {f"the fact index of {key}": former.facts, f"the episode index of {key}": former.episodes}
        files = _file_rewriter(settings, graph, named, clock or SystemClock())
        if graph.keys_moved:
            await files.request()
        count = None
        if not settings.graph_url and not settings.vector_url:  # one process opens them at a time
            count = OpeningCount(GraphMarks(graph.engine), settings.home / "vectors")
            await count.begin()
        return Stores(
            graph=graph,
            files=files,
            fact_index=facts,
            episode_index=episodes,
            profile=used,
            closing=opened.pop_all(),
            formers=tuple(formers.values()),
            generation=generation,
            count=count,
        )


async def _match(settings: StoreSettings, graph: GraphStores, stored: Sequence[StoredIndex]) -> str:
    """The generation id of graph and vectors.  Raises ConfigurationError (they do not belong together)."""

    async def has_points() -> bool:
        for one in stored:
            profile = stored_profile(one.model, one.dimension)
            index = await vector_engine(settings.vectors).open(
                str(settings.vectors), profile, name=one.name, options=settings.vector_options
            )
            try:
                if await index.scopes():
                    return True
            finally:
                await index.close()
        return False

    return await match_vectors(GraphMarks(graph.engine), stored, where=str(settings.vectors), has_points=has_points)


async def _open_indexes(
    settings: StoreSettings, profile: EmbeddingProfile, generation: str, opened: AsyncExitStack
) -> list[VectorIndex]:
    """The indexes of both stores for one model."""
    indexes: list[VectorIndex] = []
    options = replace(settings.vector_options, generation=generation)
    for name in INDEXES:
        indexes.append(await open_index(settings.vectors, profile, name=name, options=options))
        opened.push_async_callback(indexes[-1].close)
    return indexes


async def _open_former(settings: StoreSettings, stored: StoredIndex, generation: str, opened: AsyncExitStack) -> ModelIndexes:
    """The indexes of a previous model, with the model itself if it is available."""
    model = await open_former_model(stored.model, stored.dimension, settings.former_embeddings)
    if model is not None:
        opened.push_async_callback(model.close)
    profile = replace(model.profile if model else stored_profile(stored.model, stored.dimension), name=stored.model)
    facts, episodes = await _open_indexes(settings, profile, generation, opened)
    embedder = RoleEmbedder(model) if model is not None else UnavailableEmbedder(profile)
    return ModelIndexes(facts=facts, episodes=episodes, embedder=embedder)


def fact_search(core: MemoryCore, seal: OwnerSeal) -> FactSearch:
    check = RecordCheck(core.graph.facts, core.doubtful)
    return FactSearch(core.facts.router, weight_store=core.graph.weights, clock=core.clock, check=check, seal=seal)


def job_publisher(backend: DirectBackend, keyring: KeyRing, source: str, disk: DiskSpace | None = None) -> BusJobPublisher:
    return BusJobPublisher(backend, keyring, partition_key=partition_key, source=source, disk=disk)


async def open_services(
    settings: StoreSettings,
    backend: DirectBackend,
    *,
    source: str,
    stores: Stores | None = None,
    broker_disk: DiskSpace | None = None,
) -> BusMemoryServices:
    """Open the stores, or use ``stores``, and connect them with the bus.  ``source``: processor name in published jobs.

    ``broker_disk``: of an embedded broker.

    Raises: as ``open_stores``.
    """
    clock = SystemClock()
    stores = stores or await open_stores(settings, None, clock)
    embedder = BusEmbedder(stores.profile)
    notifier = BusChangeNotifier(backend)
    try:
        await notifier.start()
    except BaseException:
        await stores.close()
        raise
    core = MemoryCore.over(stores.graph, stores.models(embedder), notifier, clock, stores.files)
    retriever = fact_search(core, stores.graph.owner_seal)
    notifier.subscribe(retriever.changed)
    services = BusMemoryServices(
        **_parts(core, stores, retriever) | {"notifier": notifier},
        embedder=embedder,
        publisher=job_publisher(backend, core.graph.keyring, source, broker_disk),
        disk=broker_disk or (None if settings.graph_url and settings.vector_url else settings.disk),
    )
    await services.comparison.compare()
    return services
