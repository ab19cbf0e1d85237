"""Routes reads and writes to the indexes of the current and previous embedding models during a migration (docs/adr/0010).

Invariants:
- A scope is read with exactly one model: the one it is marked with; if unmarked, the oldest one with points of the scope;
  otherwise the current one.
- Until a scope is migrated, writes go to the model it is read with and to the current one.  Deletions go to every index.
  A process that learns late of the migration therefore has complete data in either index.
- The indexes of previous models are dropped when no scope is read with them any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from ..errors import IndexGone, ModelUnavailable
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Embedder, IndexPoint, Matrix, ScopeModels, VectorIndex
from ..memory.scope import Scope

Store = Literal["facts", "episodes"]


class UnavailableEmbedder:
    """Stands in for a previous model that is not installed.  Its memories are found by keyword search only."""

    def __init__(self, profile: EmbeddingProfile) -> None:
        self.profile = profile

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ModelUnavailable(
            f"embedding model {self.profile.name} is not available: until re-embedding finishes, these memories are found "
            "by keyword search only"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingIndex:
    """The index of one store for one model."""

    index: VectorIndex
    embedder: Embedder

    @property
    def profile(self) -> EmbeddingProfile:
        return self.index.profile


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIndexes:
    """The indexes of both stores for one model."""

    facts: VectorIndex
    episodes: VectorIndex
    embedder: Embedder

    @property
    def key(self) -> str:
        return self.facts.profile.key

    @property
    def profile(self) -> EmbeddingProfile:
        return self.facts.profile

    @property
    def indexes(self) -> tuple[VectorIndex, VectorIndex]:
        return self.facts, self.episodes

    def space(self, store: Store) -> EmbeddingIndex:
        return EmbeddingIndex(index=self.facts if store == "facts" else self.episodes, embedder=self.embedder)


class EmbeddingModels:
    """All models with an open index.

    ``models``: ordered by the age of their indexes, oldest first.  ``current``: key of the model in use.
    """

    def __init__(self, models: Sequence[ModelIndexes], current: str, marks: ScopeModels) -> None:
        self._open = {model.key: model for model in models}
        self.current = self._open[current]
        self._marks = marks
        self._settled: set[Scope] = set()  # cache of scopes read with the current model, which cannot change back

    @property
    def previous_models(self) -> list[ModelIndexes]:
        return [model for model in self._open.values() if model is not self.current]

    @property
    def all_models(self) -> list[ModelIndexes]:
        return list(self._open.values())

    async def of(self, scope: Scope) -> ModelIndexes:
        """The model that the scope is read with.  Raises EngineUnavailable."""
        if len(self._open) == 1 or scope in self._settled:
            return self.current
        key = await self._marks.model_of(scope, list(self._open)) or await self._oldest(scope)
        if key == self.current.key:
            self._settled.add(scope)
        return self._open.get(key, self.current)

    async def _oldest(self, scope: Scope) -> str:
        for key, model in list(self._open.items()):
            if await self.count_points(model.facts, scope) or await self.count_points(model.episodes, scope):
                return key
        return self.current.key

    async def count_points(self, index: VectorIndex, scope: Scope) -> int:
        """Number of points of the scope; 0 if another process has dropped the index."""
        try:
            return await index.count(scope)
        except IndexGone:
            self.discard(index)
            return 0

    async def mark_migrated(self, scope: Scope) -> None:
        """Mark the scope as migrated: from now on it is read with the current model."""
        await self._marks.mark(scope, self.current.key, others=[former.key for former in self.previous_models])
        self._settled.add(scope)

    def uncache(self, scope: Scope) -> None:
        """Clear the cached model of a scope whose points were all deleted."""
        self._settled.discard(scope)

    async def forget_scope(self, scope: Scope) -> None:
        """Remove the marks of an erased scope."""
        await self._marks.forget_scope(scope)
        self.uncache(scope)

    async def scopes_to_migrate(self) -> dict[Scope, int]:
        """Scopes that are still read with a previous model, with their number of points there."""
        found: dict[Scope, int] = {}
        for former in self.previous_models:
            for index in former.indexes:
                try:
                    held = await index.scopes()
                except IndexGone:
                    self.discard(index)
                    continue
                for scope, points in held.items():
                    if await self.of(scope) is former:
                        found[scope] = found.get(scope, 0) + points
        return found

    async def progress(self) -> dict[str, str]:
        """Progress of a running migration, for display; empty if there is none.  Raises EngineUnavailable."""
        if not self.previous_models:
            return {}
        waiting, there = await self.scopes_to_migrate(), 0
        for index in self.current.indexes:
            there += sum(points for scope, points in (await index.scopes()).items() if scope in waiting)
        return {
            "embedding": self.current.profile.name,
            "former_embedding": ", ".join(former.profile.name for former in self.previous_models),
            "former_by_words": str(
                any(isinstance(former.embedder, UnavailableEmbedder) for former in self.previous_models)
            ).lower(),
            "scopes_to_embed": str(len(waiting)),
            "records_to_embed": str(max(0, sum(waiting.values()) - there)),
        }

    async def drop_empty(self) -> list[str]:
        """Drop previous indexes that no scope is read with.  Returns the names of their models.  Raises EngineUnavailable."""
        if not self.previous_models or await self.scopes_to_migrate():
            return []
        dropped = self.previous_models
        for former in dropped:
            self._open.pop(former.key, None)
            for index in former.indexes:
                await index.drop()
        return [former.facts.profile.name for former in dropped]

    def discard(self, index: VectorIndex) -> None:
        """Close a previous index that another process has dropped.  Raises IndexGone (it is the current one)."""
        if index in self.current.indexes:
            raise IndexGone("another process has dropped the current vector index: restart this process")
        for former in self.previous_models:
            if index in former.indexes:
                self._open.pop(former.key, None)


class IndexRouter:
    """The indexes of one store (facts or episodes), by scope."""

    def __init__(self, models: EmbeddingModels, store: Store) -> None:
        self.current = models.current.space(store)
        self.models = models
        self._store = store

    @property
    def all_indexes(self) -> list[EmbeddingIndex]:
        return [self.current, *(former.space(self._store) for former in self.models.previous_models)]

    async def read_index(self, scope: Scope) -> EmbeddingIndex:
        """The index to search for this scope.  Raises EngineUnavailable."""
        model = await self.models.of(scope)
        return self.current if model is self.models.current else model.space(self._store)

    async def write_indexes(self, scope: Scope) -> list[EmbeddingIndex]:
        """The indexes to write to: the current one, and the one that the scope is read with if it differs."""
        reading = await self.read_index(scope)
        return [self.current] if reading is self.current else [reading, self.current]

    async def settle(self, scope: Scope, written: Sequence[EmbeddingIndex], ids: Sequence[str]) -> None:
        """Delete points that were written to a previous index while the scope was being migrated from it."""
        for space in written:
            if space is not self.current and await self.read_index(scope) is self.current:
                await self._safely_deleted(space.index, scope, ids)

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete from every index.  Returns the highest number deleted from one index."""
        counts = [await self._safely_deleted(space.index, scope, ids) for space in self.all_indexes]
        return max(counts)

    async def delete_scope(self, scope: Scope) -> int:
        """Delete all points of the scope from every index.  Returns their total number."""
        total = 0
        for space in self.all_indexes:
            try:
                total += await space.index.delete_scope(scope)
            except IndexGone:
                self.models.discard(space.index)
        self.models.uncache(scope)
        return total

    async def count(self, scope: Scope) -> int:
        """Total number of points of the scope in all indexes."""
        return sum([await self.models.count_points(space.index, scope) for space in self.all_indexes])

    async def fetch(self, scope: Scope, ids: Sequence[str]) -> list[IndexPoint]:
        """Points of these records from all indexes."""
        found: list[IndexPoint] = []
        for space in self.all_indexes:
            try:
                found += await space.index.fetch(scope, ids)
            except IndexGone:
                self.models.discard(space.index)
        return found

    async def _safely_deleted(self, index: VectorIndex, scope: Scope, ids: Sequence[str]) -> int:
        try:
            return await index.delete(scope, ids)
        except IndexGone:
            self.models.discard(index)
            return 0
