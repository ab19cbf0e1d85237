"""The vector indexes of the current embedding model, and of previous ones while memories move to it (docs/adr/0014).

Invariants, for each store (facts, episodes) and scope:
- Writes go to the current index and to every previous one with points of the scope.  Deletions go to all.
- The index with the most points serves the scope; on a tie the current, then the newest.  Indexes with points miss no write,
  so the current one has the most points when, and only when, it has all.
- When it has all, the points in previous indexes are deleted.  A previous index without points is dropped.

No other state exists: a crash at any time needs no repair, and every process sees the same without being notified.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..errors import IndexGone, ModelUnavailable
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Embedder, IndexPoint, Matrix, Role, VectorIndex
from ..memory.scope import Scope
from .document import WITHOUT_VECTOR

Answer = TypeVar("Answer")


class UnavailableEmbedder:
    """Stands in for a previous model that is not installed.  Its memories are found by keyword search only."""

    def __init__(self, profile: EmbeddingProfile) -> None:
        self.profile = profile

    async def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
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
    def profile(self) -> EmbeddingProfile:
        return self.facts.profile


class IndexRouter:
    """The indexes of one store: the current one, and previous ones that still have points, newest first."""

    def __init__(self, indexes: Sequence[EmbeddingIndex]) -> None:
        self.all_indexes = list(indexes)
        self.current = indexes[0]

    @property
    def previous(self) -> list[EmbeddingIndex]:
        return self.all_indexes[1:]

    async def read_index(self, scope: Scope) -> EmbeddingIndex:
        """The index that serves the scope.  Raises EngineUnavailable."""
        return (await self.write_indexes(scope))[0]

    async def write_indexes(self, scope: Scope) -> list[EmbeddingIndex]:
        """The indexes to write to; the first is the one that serves the scope.  Raises EngineUnavailable."""
        holding = [pair for pair in await self.ask_all(lambda index: index.count(scope), self.previous) if pair[0]]
        if holding:  # the current index of a moved scope is not counted: that takes time in proportion to its points
            holding.insert(0, (await self.current.index.count(scope), self.current))
            holding.sort(key=lambda pair: -pair[0])  # stable, so a tie keeps the order of the indexes
        return [space for _, space in holding] or [self.current]

    async def ask_all(
        self, ask: Callable[[VectorIndex], Awaitable[Answer]], indexes: Sequence[EmbeddingIndex] | None = None
    ) -> list[tuple[Answer, EmbeddingIndex]]:
        """The answer of each index, that of the current one first.  Leaves out those that another process has dropped."""
        answers = []
        for space in list(self.all_indexes) if indexes is None else indexes:
            try:
                answers.append((await ask(space.index), space))
            except IndexGone:
                self.discard(space)
        return answers

    async def delete(self, scope: Scope, ids: Sequence[str]) -> None:
        """Delete from every index."""
        await self.ask_all(lambda index: index.delete(scope, ids))

    async def delete_scope(self, scope: Scope) -> None:
        """Delete all points of the scope from every index."""
        await self.ask_all(lambda index: index.delete_scope(scope))

    async def count(self, scope: Scope) -> int:
        """Total number of points of the scope in all indexes."""
        return sum(points for points, _ in await self.ask_all(lambda index: index.count(scope)))

    async def fetch(self, scope: Scope, ids: Sequence[str]) -> list[IndexPoint]:
        """Points of these records from all indexes."""
        return [point for points, _ in await self.ask_all(lambda index: index.fetch(scope, ids)) for point in points]

    def discard(self, space: EmbeddingIndex) -> None:
        """Stop using a previous index.  Raises IndexGone (it is the current one)."""
        if space is self.current:
            raise IndexGone("another process has dropped the current vector index: restart this process")
        if space in self.all_indexes:
            self.all_indexes.remove(space)


class EmbeddingModels:
    """The indexes of the current embedding model, and those of previous ones, newest first."""

    def __init__(self, current: ModelIndexes, previous: Sequence[ModelIndexes] = ()) -> None:
        models = [current, *previous]
        self.current = current
        self.facts = IndexRouter([EmbeddingIndex(index=each.facts, embedder=each.embedder) for each in models])
        self.episodes = IndexRouter([EmbeddingIndex(index=each.episodes, embedder=each.embedder) for each in models])

    @property
    def previous(self) -> list[EmbeddingIndex]:
        """The previous indexes of both stores."""
        return [*self.facts.previous, *self.episodes.previous]

    async def waiting(self) -> dict[Scope, int]:
        """Scopes with points in previous indexes, sorted, with the number of points that the current ones lack."""
        missing: dict[Scope, int] = {}
        for router in (self.facts, self.episodes):
            (present, _), *previous = await router.ask_all(lambda index: index.scopes())
            most: dict[Scope, int] = {}
            for held, _ in previous:
                most |= {scope: max(points, most.get(scope, 0)) for scope, points in held.items()}
            for scope, points in most.items():
                missing[scope] = missing.get(scope, 0) + max(0, points - present.get(scope, 0))
        return dict(sorted(missing.items(), key=lambda item: item[0].key))

    async def progress(self) -> dict[str, str]:
        """Progress of a change of the model, for display; empty if there is none.  Raises EngineUnavailable."""
        if not self.previous:
            return {}
        waiting = await self.waiting()
        return {
            "embedding": self.current.profile.name,
            "former_embedding": ", ".join(dict.fromkeys(space.profile.name for space in self.previous)),
            "former_by_words": str(any(isinstance(space.embedder, UnavailableEmbedder) for space in self.previous)).lower(),
            "scopes_to_embed": str(len(waiting)),
            "records_to_embed": str(sum(waiting.values())),
        }

    async def count_without_vector(self, scope: Scope) -> int:
        """Number of records of the scope whose text the embedding model refused."""
        match = {name: [str(value)] for name, value in WITHOUT_VECTOR.items()}
        spaces = [(await router.read_index(scope)).index for router in (self.facts, self.episodes)]
        return sum([await index.count(scope, match) for index in spaces])

    async def drop_empty(self) -> list[str]:
        """Drop the previous indexes if none has points.  Returns the names of their models.  Raises EngineUnavailable."""
        if not self.previous or await self.waiting():
            return []
        dropped = self.previous
        for router in (self.facts, self.episodes):
            for space in router.previous:
                router.discard(space)
                await space.index.drop()
        return list(dict.fromkeys(space.profile.name for space in dropped))
