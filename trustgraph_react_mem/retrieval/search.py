"""Searches each scope in the index that serves it.  During a change of the embedding model that may be a previous one."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Generic, TypeVar

from ..errors import IndexGone
from ..indexing.routing import EmbeddingIndex, IndexRouter
from ..memory.ports import Clock, Vector, WeightStore
from ..memory.scope import Scope
from ..memory.trust.owner_seal import OwnerSeal
from ..schema import Episode, MemoryChanged
from .episodes import EpisodeRetriever
from .query import EpisodeQuery, RetrievalQuery, Retrieved
from .record_check import RecordCheck
from .retriever import Retriever

One = TypeVar("One")
Answer = TypeVar("Answer")


class _Search(Generic[One]):
    """One retriever for each index of a store."""

    def __init__(self, router: IndexRouter, create: Callable[[EmbeddingIndex], One]) -> None:
        self._router = router
        self._retrievers = {space.profile.key: create(space) for space in router.all_indexes}

    async def _ask(self, scope: Scope, vector: Vector | None, ask: Callable[[One, Vector | None], Awaitable[Answer]]) -> Answer:
        """Call ``ask`` with the retriever of the scope and a vector of its model.

        ``vector``: of the current model; for a previous one, its retriever embeds the question.  Calls ``ask`` again if the
        previous index was emptied or dropped during the call.
        """
        current = self._router.current
        while True:
            space = await self._router.read_index(scope)
            try:
                answer = await ask(self._retrievers[space.profile.key], vector if space is current else None)
            except IndexGone:
                self._router.discard(space)
                continue
            if space is current or await self._router.read_index(scope) is space:
                return answer


class FactSearch(_Search[Retriever]):
    """``check``: keeps ghosts out of recall; None if the stores agree for certain."""

    def __init__(
        self,
        router: IndexRouter,
        *,
        weight_store: WeightStore | None = None,
        clock: Clock | None = None,
        check: RecordCheck | None = None,
        seal: OwnerSeal | None = None,
    ) -> None:
        def create(space: EmbeddingIndex) -> Retriever:
            index = check.over(space.index) if check else space.index
            return Retriever(index, space.embedder, weight_store=weight_store, clock=clock, seal=seal)

        super().__init__(router, create)

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """As ``Retriever.retrieve``."""
        return await self._ask(scope, query.vector, lambda one, vector: one.retrieve(scope, replace(query, vector=vector)))

    def changed(self, change: MemoryChanged | None) -> None:
        for retriever in self._retrievers.values():
            retriever.changed(change)


class EpisodeSearch(_Search[EpisodeRetriever]):
    """``check``: as of ``FactSearch``."""

    def __init__(self, router: IndexRouter, *, check: RecordCheck | None = None) -> None:
        super().__init__(
            router, lambda space: EpisodeRetriever(check.over(space.index) if check else space.index, space.embedder)
        )

    async def retrieve(self, scope: Scope, query: EpisodeQuery) -> list[Episode]:
        """As ``EpisodeRetriever.retrieve``."""
        return await self._ask(scope, query.vector, lambda one, vector: one.retrieve(scope, replace(query, vector=vector)))
