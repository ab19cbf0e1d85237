"""Searches each scope in the index that serves it.  During a change of the embedding model that may be a previous one."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from ..errors import IndexGone
from ..indexing.routing import EmbeddingIndex, IndexRouter
from ..memory.ports import Clock, EpisodeGraph, FactGraph, Vector, WeightStore
from ..memory.scope import Scope
from ..memory.trust.owner_seal import OwnerSeal
from ..schema import Episode, Fact, MemoryChanged
from .episodes import EpisodeRetriever
from .query import EpisodeQuery, RetrievalQuery, Retrieved
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
    """``graph``: checks what is found in the ``doubtful`` scopes, whose stores may disagree.

    A ghost, a point whose record the graph does not have in this version, is left out there: vectors may be newer or older
    than the graph, as after a backup of only one of them was restored.
    """

    def __init__(
        self,
        router: IndexRouter,
        *,
        weight_store: WeightStore | None = None,
        clock: Clock | None = None,
        graph: FactGraph | None = None,
        doubtful: Collection[Scope] = (),
        seal: OwnerSeal | None = None,
    ) -> None:
        super().__init__(
            router,
            lambda space: Retriever(space.index, space.embedder, weight_store=weight_store, clock=clock, seal=seal),
        )
        self._graph, self._doubtful = graph, doubtful

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """As ``Retriever.retrieve``."""
        found = await self._ask(scope, query.vector, lambda one, vector: one.retrieve(scope, replace(query, vector=vector)))
        if self._graph is None or scope not in self._doubtful:
            return found
        records = await self._graph.get(scope, [each.id for each in (*found.facts, *found.rules)])
        held = {record.id: record.version for record in records if record.status != "undone"}

        def sound(facts: Sequence[Fact]) -> tuple[Fact, ...]:  # the text of what took the place of one may be a ghost's
            return tuple(replace(each, replacement="") for each in facts if held.get(each.id) == each.version)

        return replace(found, facts=sound(found.facts), rules=sound(found.rules))

    def changed(self, change: MemoryChanged | None) -> None:
        for retriever in self._retrievers.values():
            retriever.changed(change)


class EpisodeSearch(_Search[EpisodeRetriever]):
    """``graph``, ``doubtful``: as of ``FactSearch``."""

    def __init__(self, router: IndexRouter, graph: EpisodeGraph, doubtful: Collection[Scope]) -> None:
        super().__init__(router, lambda space: EpisodeRetriever(space.index, space.embedder))
        self._graph, self._doubtful = graph, doubtful

    async def retrieve(self, scope: Scope, query: EpisodeQuery) -> list[Episode]:
        """As ``EpisodeRetriever.retrieve``."""
        found = await self._ask(scope, query.vector, lambda one, vector: one.retrieve(scope, replace(query, vector=vector)))
        if scope not in self._doubtful:
            return found
        records = await self._graph.get(scope, [each.id for each in found])
        held = {record.id for record in records if record.undone_at is None}
        return [each for each in found if each.id in held]
