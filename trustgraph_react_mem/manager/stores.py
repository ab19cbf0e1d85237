"""The stores of one data directory, shared by all managers of it."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Clock, Embedder
from ..memory.scope import Scope
from ..models.embedder import RoleEmbedder, open_embedding_model
from ..repositories.core import MemoryCore
from ..retrieval.local_notifier import LocalNotifier
from ..retrieval.search import EpisodeSearch, FactSearch

if TYPE_CHECKING:
    from ..bootstrap import Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStores:
    stores: "Stores"
    core: MemoryCore
    retriever: FactSearch
    episode_retriever: EpisodeSearch


class ManagedStores:
    """Opens the stores when they are first needed.  ``key_locks``: one lock for each scope and key that is being written."""

    def __init__(self, directory: Path, embedder: Embedder | None, clock: Clock) -> None:
        self._directory = directory
        self._embedder = embedder
        self.clock = clock
        self.key_locks: WeakValueDictionary[tuple[Scope, str], asyncio.Lock] = WeakValueDictionary()
        self._opened: OpenStores | None = None
        self._opening = asyncio.Lock()

    async def get(self) -> OpenStores:
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open()
            return self._opened

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.stores.close()
            self._opened = None

    async def _open(self) -> OpenStores:
        # Imported here because bootstrap imports the message bus, which working memory does not need.
        from ..bootstrap import StoreSettings, open_stores

        embedder = self._embedder or RoleEmbedder(await open_embedding_model())
        profile: EmbeddingProfile = embedder.profile
        settings = StoreSettings(home=self._directory, graph_url="", vector_url="")
        stores = await open_stores(settings, profile, self.clock)
        notices = LocalNotifier()
        core = MemoryCore.over(stores.graph, stores.models(embedder), notices, self.clock)
        retriever = FactSearch(core.facts.router, weight_store=core.graph.weights, clock=self.clock)
        notices.retriever = retriever
        return OpenStores(stores=stores, core=core, retriever=retriever, episode_retriever=EpisodeSearch(core.episodes.router))
