"""Searches each scope in the index that serves it.  During a change of the embedding model that may be a previous one."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from ..errors import IndexGone
from ..indexing.routing import IndexRouter
from ..memory.ports import Clock, EpisodeGraph, FactGraph, WeightStore
from ..memory.scope import Scope
from ..memory.trust.owner_seal import OwnerSeal
from ..schema import Episode, Fact, MemoryChanged
from .episodes import EpisodeRetriever
from .query import RetrievalQuery, Retrieved
from .retriever import Retriever

Answer = TypeVar("Answer")


async def _ask(
    router: IndexRouter,
    scope: Scope,
    query: RetrievalQuery,
    retrieve: Callable[[str, RetrievalQuery], Awaitable[Answer]],
) -> Answer:
    """Ask the retriever of the index that serves a scope: ``retrieve`` gets the key of its profile.

    The vector of the query is of the current model; the retriever of a previous one embeds the question.  Asks again if the
    previous index was emptied or dropped meanwhile.
    """
    current = router.current
    while True:
        space = await router.read_index(scope)
        try:
            answer = await retrieve(space.profile.key, query if space is current else replace(query, vector=None))
        except IndexGone:
            router.discard(space)
            continue
        if space is current or await router.read_index(scope) is space:
            return answer


class FactSearch:
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
        self._router = router
        self._retrievers = {
            space.profile.key: Retriever(space.index, space.embedder, weight_store=weight_store, clock=clock, seal=seal)
            for space in router.all_indexes
        }
        self._graph, self._doubtful = graph, doubtful

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """As ``Retriever.retrieve``."""
        found = await _ask(self._router, scope, query, lambda key, asked: self._retrievers[key].retrieve(scope, asked))
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


class EpisodeSearch:
    """``graph``, ``doubtful``: as of ``FactSearch``."""

    def __init__(self, router: IndexRouter, graph: EpisodeGraph, doubtful: Collection[Scope]) -> None:
        self._router = router
        self._retrievers = {space.profile.key: EpisodeRetriever(space.index, space.embedder) for space in router.all_indexes}
        self._graph, self._doubtful = graph, doubtful

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> list[Episode]:
        """As ``EpisodeRetriever.retrieve``."""
        found = await _ask(self._router, scope, query, lambda key, asked: self._retrievers[key].retrieve(scope, asked))
        if scope not in self._doubtful:
            return found
        records = await self._graph.get(scope, [each.id for each in found])
        held = {record.id for record in records if record.undone_at is None}
        return [each for each in found if each.id in held]
