"""The composition root: opens the engines and connects them with the core and the bus.

A process opens its stores once (``open_services``).  In the embedded stack all processors share the result of one call, because
the embedded engines allow only one process.
"""

import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace

from .bus.embedder import BusEmbedder
from .bus.jobs import BusJobPublisher
from .bus.local.former_broker import take_over_jobs
from .bus.local.in_process import InProcessBus
from .bus.local.job_log import JobLog
from .bus.notify import BusChangeNotifier
from .bus.port import Bus
from .directories import make_private_directory
from .disk import DiskSpace
from .erasure.comparison import StoreComparison
from .erasure.reconcile import Reconciler
from .erasure.sweep import DelayedReindexer
from .erasure.undo import Undo
from .errors import ConfigurationError
from .indexing.routing import EmbeddingModels, ModelIndexes, UnavailableEmbedder
from .learning.handler_table import partition_key
from .memory.clock import SystemClock
from .memory.embedding import EmbeddingProfile, stored_profile
from .memory.ports import Clock, Embedder, KeyRing, VectorIndex
from .memory.requests.authority import PURPOSE
from .memory.scope_names import ScopeNames
from .memory.trust.owner_seal import derive_key
from .models.embedder import check_choice, open_former_model
from .repositories.core import MemoryCore
from .repositories.erased_files import FileRewriter
from .retrieval.search import EpisodeSearch, FactSearch
from .store_settings import KEY_FILE, StoreSettings
from .stores.graph.marks import GraphMarks
from .stores.keys.directory import open_key_store
from .stores.keys.master import load_master_key, master_key_from
from .stores.matching import OpeningCount, find_master_key, mark_master_key, match_vectors
from .stores.opening import (
    GraphStores,
    open_graph,
    open_index,
    stored_indexes,
    vector_engine,
)
from .stores.vectors.points import StoredIndex, sort_by_age
from .transfer import ScopeExport, ScopeImport

logger = logging.getLogger(__name__)

INDEXES = ("facts", "episodes")


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
    """What the services of one process share: the core, its readers and writers, and the clients of the bus.

    ``disk``: of the embedded engines or jobs.  None: only servers are used.
    """

    stores: Stores
    notifier: BusChangeNotifier
    embedder: BusEmbedder
    publisher: BusJobPublisher
    retriever: FactSearch
    episode_retriever: EpisodeSearch
    exporter: ScopeExport
    importer: ScopeImport
    undo: Undo
    delayed_reindexer: DelayedReindexer
    names: ScopeNames
    disk: DiskSpace | None
    comparison: StoreComparison

    async def close(self) -> None:
        await self.delayed_reindexer.close()
        await self.publisher.close()
        await self.notifier.close()
        await self.stores.close()


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
        key_store = await open_key_store(engine, settings.key_directory)  # moves the keys that are in the graph
        stores = GraphStores.over(engine, clock or SystemClock(), key, key_store)
        await mark_master_key(marks, stores.keyring, key, key_store.any_scope() if key_store else await marks.any_key_scope())
    except BaseException:
        await engine.close()
        raise
    return stores


def find_owner_key(settings: StoreSettings) -> bytes | None:
    """The master key, for an account that acts as the owner of the data.  None: it cannot read one.

    It is not created here: a new key beside data of another one would only hide that the right one is missing.
    """
    given, file = settings.master_key.get_secret_value(), settings.keys / KEY_FILE
    try:
        if given:
            return master_key_from(given)
        return load_master_key(file) if file.is_file() else None
    except (OSError, ConfigurationError):
        return None


def operator_key(settings: StoreSettings) -> bytes:
    """The key that shows that a caller is an operator.  Empty if this account cannot read the master key."""
    key = find_owner_key(settings)
    return derive_key(key, PURPOSE) if key is not None else b""


async def open_stores(settings: StoreSettings, profile: EmbeddingProfile | None = None, clock: Clock | None = None) -> Stores:
    """Open all engines.  ``profile``: the embedding profile, if the caller knows it.  None: the one of the settings.

    Raises:
        ConfigurationError: graph, vectors and master key do not belong together, or an engine is not installed.
        EngineUnavailable: a server does not answer.
    """
    used = profile or settings.profile
    if settings.former_embeddings:
        check_choice("REACT_MEM_FORMER_EMBEDDINGS (or --former-embeddings)", settings.former_embeddings, "none")
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
        embedded = not (settings.graph_url and settings.vector_url)
        files = FileRewriter(
            {"the graph": graph.engine, **named},
            graph.job_store,
            clock or SystemClock(),
            directory=settings.home if embedded else None,
        )
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
    embedder = model or UnavailableEmbedder(profile)
    return ModelIndexes(facts=facts, episodes=episodes, embedder=embedder)


async def open_local_services(
    settings: StoreSettings, opened: AsyncExitStack, *, embedder: Embedder, source: str, clock: Clock | None = None
) -> tuple[MemoryServices, InProcessBus]:
    """The services over a bus of this process, whose jobs are in the data directory.  ``opened`` closes both, the jobs last.

    Jobs of a version before 0.2 are taken over.

    Raises: as ``open_services``; ConfigurationError (the jobs belong to other data).
    """
    stores = await open_stores(settings, embedder.profile, clock)
    opened.push_async_callback(stores.close)
    log = await JobLog.open(settings.home, stores.generation)
    opened.push_async_callback(log.close)
    await take_over_jobs(settings.home, log, stores.graph.job_store, stores.graph.keyring, partition_key)
    bus = InProcessBus(log)
    memory = await open_services(
        settings, bus, source=source, stores=stores, job_disk=settings.disk, embedder=embedder, clock=clock
    )
    opened.push_async_callback(memory.close)
    return memory, bus


def job_publisher(backend: Bus, keyring: KeyRing, source: str, disk: DiskSpace | None = None) -> BusJobPublisher:
    return BusJobPublisher(backend, keyring, partition_key=partition_key, source=source, disk=disk)


async def open_services(
    settings: StoreSettings,
    backend: Bus,
    *,
    source: str,
    stores: Stores | None = None,
    job_disk: DiskSpace | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> MemoryServices:
    """Open the stores, or use ``stores``, and connect them with the bus.  ``source``: processor name in published jobs.

    ``job_disk``: where the bus keeps its jobs on this machine.  ``embedder``: over a model of this process; else the embeddings
    services of the flows are asked.

    Raises: as ``open_stores``.  The stores are closed then.
    """
    clock = clock or SystemClock()
    stores = stores or await open_stores(settings, embedder.profile if embedder else None, clock)
    of_flows, notifier = BusEmbedder(stores.profile), BusChangeNotifier(backend)
    core = MemoryCore.over(stores.graph, stores.models(embedder or of_flows), notifier, clock, stores.files)
    retriever = FactSearch(
        core.facts.router,
        weight_store=core.graph.weights,
        clock=clock,
        graph=core.graph.facts,
        doubtful=core.doubtful,
        seal=stores.graph.owner_seal,
    )
    notifier.subscribe(retriever.changed)
    services = MemoryServices(
        **{each.name: getattr(core, each.name) for each in fields(MemoryCore)} | {"notifier": notifier},
        stores=stores,
        embedder=of_flows,
        publisher=job_publisher(backend, core.graph.keyring, source, job_disk),
        retriever=retriever,
        episode_retriever=EpisodeSearch(core.episodes.router, core.graph.episodes, core.doubtful),
        exporter=ScopeExport(core),
        importer=ScopeImport(core),
        undo=Undo(core),
        delayed_reindexer=DelayedReindexer(core),
        names=ScopeNames(core.graph.scopes),
        disk=job_disk or (None if settings.graph_url and settings.vector_url else settings.disk),
        comparison=StoreComparison(core, Reconciler(core, fence=stores.graph.fence), stores.count),
    )
    try:
        await notifier.start()
        await services.comparison.compare()
    except BaseException:
        await services.close()
        raise
    return services
