"""Recall while one embedding model takes another's place: each scope is asked by the model that answers for it.

A question comes with a vector of the model in use; for a scope that a former model answers for it is embedded anew, and where
that model cannot be had, its words decide.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from ..errors import IndexGone
from ..indexing.routing import EmbeddingModels, ModelIndexes, UnavailableEmbedder
from ..memory.ports import Clock, Vector, WeightStore
from ..memory.scope import Scope
from ..schema import Episode, MemoryChanged
from .episodes import EpisodeRetriever
from .query import RetrievalQuery, Retrieved
from .retriever import Retriever

One = TypeVar("One")
Answer = TypeVar("Answer")


class _ByModel(Generic[One]):
    def __init__(self, models: EmbeddingModels, each: Mapping[str, One]) -> None:
        self._models = models
        self._each = each

    async def _asked(
        self, scope: Scope, vector: Vector | None, ask: Callable[[One, Vector | None], Awaitable[Answer]]
    ) -> Answer:
        """``vector``: of the model in use; ``ask`` gets the retriever and one of its model.  A scope that is moved meanwhile
        is asked again."""
        while True:
            model = await self._models.of(scope)
            try:
                own = vector if model is self._models.current else _none_of(model)
                answer = await ask(self._each[model.key], own)
            except IndexGone:
                self._models.discard(model.facts)
                continue
            if model is self._models.current or await self._models.of(scope) is model:
                return answer


class ModelRetriever(_ByModel[Retriever]):
    """``Retriever``, one for each embedding model."""

    @classmethod
    def over(
        cls, models: EmbeddingModels, *, weight_store: WeightStore | None = None, clock: Clock | None = None
    ) -> "ModelRetriever":
        def of(model: ModelIndexes) -> Retriever:
            return Retriever(model.facts, model.embedder, weight_store=weight_store, clock=clock)

        return cls(models, {model.key: of(model) for model in models.all_models})

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """Raises: as ``Retriever.retrieve``."""
        return await self._asked(
            scope, query.vector, lambda retriever, vector: retriever.retrieve(scope, replace(query, vector=vector))
        )

    def changed(self, change: MemoryChanged | None) -> None:
        for retriever in self._each.values():
            retriever.changed(change)


class ModelEpisodeRetriever(_ByModel[EpisodeRetriever]):
    """``EpisodeRetriever``, one for each embedding model."""

    @classmethod
    def over(cls, models: EmbeddingModels) -> "ModelEpisodeRetriever":
        return cls(models, {model.key: EpisodeRetriever(model.episodes, model.embedder) for model in models.all_models})

    async def retrieve(
        self,
        scope: Scope,
        text: str,
        vector: Vector | None = None,
        top_k: int = 3,
        threshold: float = 0.0,
        patience_s: float = 0.0,
        language: str = "auto",
    ) -> list[Episode]:
        """Raises: EngineUnavailable."""
        return await self._asked(
            scope, vector, lambda retriever, own: retriever.retrieve(scope, text, own, top_k, threshold, patience_s, language)
        )


def _none_of(model: ModelIndexes) -> Vector | None:
    """To be made by the retriever; of a model that cannot be had, without direction, so that words decide."""
    return np.zeros(model.profile.dimension, np.float32) if isinstance(model.embedder, UnavailableEmbedder) else None
