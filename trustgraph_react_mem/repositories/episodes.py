"""Repository of episodes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ..errors import BadRequest
from ..indexing.document import episode_document
from ..memory.ports import EpisodeGraph
from ..memory.records import Episode
from ..memory.scope import Scope
from .records import Documents, RecordMemory


class EpisodeMemory(RecordMemory[Episode, EpisodeGraph]):
    store_name = "episodes"

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
            await self._reindex(scope, new)
        return [replace(undone.get(episode.id, episode), indexed=True) for episode in episodes]

    async def update(self, scope: Scope, episode: Episode) -> Episode:
        """Replace a stored episode as it is, whether undone or not."""
        async with self._write_lock(scope):
            await self.graph.put([replace(episode, indexed=False)])
            await self._reindex(scope, [episode])
        return replace(episode, indexed=True)

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        """Mark as undone at that time and remove from the index, or restore (None)."""
        if ids:
            async with self._write_lock(scope):
                await self.graph.mark_undone(scope, ids, at, operation)
                await self._reindex(scope, await self.graph.get(scope, ids))

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        """Remove for good."""
        if ids:
            async with self._write_lock(scope):
                await self.graph.tombstone(scope, ids)
                await self._remove(scope, ids)

    async def _reindex(self, scope: Scope, episodes: Sequence[Episode]) -> None:
        await self._index(scope, episodes)
        await self._notifier.changed(scope, self.store_name, ids=[episode.id for episode in episodes])

    async def _documents(self, scope: Scope, records: Sequence[Episode]) -> Documents:
        return [episode_document(episode) for episode in records], []
