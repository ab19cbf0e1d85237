"""Writing and forgetting episodes: the same order of writing as for facts, see ``memory.facts``."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from weakref import WeakValueDictionary

from ..errors import BadRequest
from .indexing import embedded
from .keys import episode_keys
from .ports import ChangeNotifier, Embedder, EpisodeGraph, VectorIndex
from .records import Episode
from .scope import Scope

STORE = "episodes"


class EpisodeMemory:
    """The one way to episodes for services and jobs."""

    def __init__(self, graph: EpisodeGraph, index: VectorIndex, embedder: Embedder, notifier: ChangeNotifier) -> None:
        self.graph = graph
        self.index = index
        self.embedder = embedder
        self._notifier = notifier
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    async def store(self, scope: Scope, episodes: Sequence[Episode]) -> list[Episode]:
        """Insert or replace by id.

        Raises:
            BadRequest: no goal, or an episode of another scope.
            ModelUnavailable: nothing is lost; they wait in the graph to be indexed.
        """
        for episode in episodes:
            if episode.scope != scope:
                raise BadRequest("an episode must be stored in its own scope: the call named another one")
            if not episode.goal.strip() or not episode.id:
                raise BadRequest("an episode needs an id and a goal: one of them was empty")
        if not episodes:
            return []
        async with self._writing(scope):
            await self.graph.put([replace(episode, indexed=False) for episode in episodes])
            await self._index(scope, episodes)
        return [replace(episode, indexed=True) for episode in episodes]

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Episode]:
        return await self.graph.get(scope, ids)

    async def listing(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[Episode]:
        return await self.graph.listing(scope, limit=limit, offset=offset)

    async def count(self, scope: Scope) -> int:
        return await self.graph.count(scope)

    async def forget(self, scope: Scope, ids: Sequence[str]) -> int:
        """The number that was there."""
        if not ids:
            return 0
        async with self._writing(scope):
            await self.graph.condemn(scope, ids)
            return await self._removed(scope, ids)

    async def forget_scope(self, scope: Scope) -> dict[str, int]:
        """What was removed per place."""
        async with self._writing(scope):
            await self.graph.condemn(scope, None)
            vectors = await self.index.delete_scope(scope)
            episodes = await self.graph.forget_scope(scope)
            await self._notifier.changed(scope, STORE)
            return {"episodes": episodes, "vectors": vectors}

    async def finish_forgetting(self, scope: Scope, ids: Sequence[str]) -> None:
        async with self._writing(scope):
            await self._removed(scope, ids)

    async def finish_indexing(self, scope: Scope, episodes: Sequence[Episode]) -> None:
        async with self._writing(scope):
            await self._index(scope, await self.graph.get(scope, [episode.id for episode in episodes]))

    async def _index(self, scope: Scope, episodes: Sequence[Episode]) -> None:
        ids = [episode.id for episode in episodes]
        await self.index.upsert(scope, await embedded([episode_keys(episode) for episode in episodes], self.embedder))
        await self.graph.mark_indexed(scope, ids, True)
        await self._notifier.changed(scope, STORE, ids=ids)

    async def _removed(self, scope: Scope, ids: Sequence[str]) -> int:
        await self.index.delete(scope, ids)
        removed = await self.graph.forget(scope, ids)
        await self._notifier.changed(scope, STORE, forgotten=list(ids))
        return removed

    @asynccontextmanager
    async def _writing(self, scope: Scope) -> AsyncIterator[None]:
        lock = self._locks.setdefault(scope, asyncio.Lock())
        async with lock:
            yield
