"""Repository of episodes.  Writes have the same order as those of facts (``repositories.facts``)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from weakref import WeakValueDictionary

from ..errors import BadRequest
from ..indexing.document import episode_document
from ..indexing.passages import embed_documents
from ..indexing.routing import EmbeddingIndex, IndexRouter
from ..memory.fencing import before_deadline
from ..memory.ports import ChangeNotifier, EpisodeGraph
from ..memory.records import Episode
from ..memory.scope import Scope

STORE = "episodes"


class EpisodeMemory:
    """The only writer of episodes.  Use ``graph`` only to read."""

    def __init__(
        self,
        graph: EpisodeGraph,
        router: IndexRouter,
        notifier: ChangeNotifier,
    ) -> None:
        self.graph = graph
        self.index = router.current.index
        self.embedder = router.current.embedder
        self.router = router
        self._notifier = notifier
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    async def store(self, scope: Scope, episodes: Sequence[Episode]) -> list[Episode]:
        """Insert or replace by id.  An undone episode stays undone and is returned as stored.

        Raises:
            BadRequest: an episode has no goal or id, or belongs to another scope.
            ModelUnavailable: the episodes are stored, and will be indexed by a retry or the reconciler.
        """
        for episode in episodes:
            if episode.scope != scope:
                raise BadRequest("an episode must be stored in its own scope: the call named another one")
            if not episode.goal.strip() or not episode.id:
                raise BadRequest("an episode needs an id and a goal: one of them was empty")
        if not episodes:
            return []
        async with self._write_lock(scope):
            there = await self.graph.get(scope, [episode.id for episode in episodes])
            undone = {episode.id: episode for episode in there if episode.undone_at is not None}
            new = [episode for episode in episodes if episode.id not in undone]
            await self.graph.put([replace(episode, indexed=False) for episode in new])
            await self._index(scope, new)
        return [replace(undone.get(episode.id, episode), indexed=True) for episode in episodes]

    async def update(self, scope: Scope, episode: Episode) -> Episode:
        """Replace a stored episode as it is, whether undone or not."""
        async with self._write_lock(scope):
            await self.graph.put([replace(episode, indexed=False)])
            await self._index(scope, [episode])
        return replace(episode, indexed=True)

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Mark as undone at that time and remove from the index, or restore (None)."""
        if ids:
            async with self._write_lock(scope):
                await self.graph.mark_undone(scope, ids, at, operation)
                await self._index(scope, await self.graph.get(scope, ids))

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        """Remove for good."""
        if ids:
            async with self._write_lock(scope):
                await self.graph.tombstone(scope, ids)
                await self._remove(scope, ids)

    async def forget_scope(self, scope: Scope) -> None:
        """Remove all episodes of the scope."""
        async with self._write_lock(scope):
            await self.graph.tombstone(scope, None)
            await self.router.delete_scope(scope)
            await self.graph.forget_scope(scope)
            await self._notifier.changed(scope, STORE)

    async def finish_forgetting(self, scope: Scope, ids: Sequence[str]) -> None:
        """Complete an interrupted erasure from its tombstones, for the reconciler."""
        async with self._write_lock(scope):
            await self._remove(scope, ids)

    async def finish_indexing(self, scope: Scope, ids: Sequence[str]) -> None:
        """Index these episodes as the graph has them now, for the reconciler."""
        async with self._write_lock(scope):
            await self._index(scope, await self.graph.get(scope, ids))

    async def reembed(self, scope: Scope, ids: Sequence[str]) -> int:
        """Write vectors of the current model for episodes that only a previous one has.  Returns how many still exist."""
        async with self._write_lock(scope):
            episodes = [episode for episode in await self.graph.get(scope, ids) if episode.undone_at is None]
            await self._write(scope, [self.router.current], episodes)
            await self.graph.mark_indexed(scope, [episode.id for episode in episodes if episode.indexed], True)
            # Another process may have changed or erased episodes while they were embedded here.
            before = {episode.id: replace(episode, indexed=True) for episode in episodes}
            now = {episode.id: replace(episode, indexed=True) for episode in await self.graph.get(scope, list(before))}
            await self.router.delete(scope, [record_id for record_id in before if record_id not in now])
            if changed := [episode for episode in now.values() if episode != before[episode.id]]:
                await self._index(scope, changed)
        return len(episodes)

    async def _index(self, scope: Scope, episodes: Sequence[Episode]) -> None:
        ids = [episode.id for episode in episodes]
        held = [episode for episode in episodes if episode.undone_at is None]
        if held:
            await self._write(scope, await self.router.write_indexes(scope), held)
        if len(held) < len(episodes):
            await self.router.delete(scope, [episode.id for episode in episodes if episode.undone_at is not None])
        await self.graph.mark_indexed(scope, ids, True)
        await self._notifier.changed(scope, STORE, ids=ids)

    async def _write(self, scope: Scope, router: Sequence[EmbeddingIndex], episodes: Sequence[Episode]) -> None:
        """Embed the episodes and write their points to these indexes."""
        ids = [episode.id for episode in episodes]
        keys = [episode_document(episode) for episode in episodes]
        look = partial(self.graph.mark_indexed, scope, ids, False)
        for space in router:
            points = await embed_documents(keys, space.embedder)
            await before_deadline(look, partial(space.index.upsert, scope, points))

    async def _remove(self, scope: Scope, ids: Sequence[str]) -> None:
        await self.router.delete(scope, ids)
        await self.graph.forget(scope, ids)
        await self._notifier.changed(scope, STORE, forgotten=list(ids))

    def _write_lock(self, scope: Scope) -> asyncio.Lock:
        return self._locks.setdefault(scope, asyncio.Lock())
