"""Recall during a change of the embedding model: each scope is searched with the model that its index was built with.

A query may contain a vector of the current model.  For a scope that still uses the previous model, the question is embedded
with that model.  If the previous model is not available, the scope is searched by keywords only.
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

    async def _ask(self, scope: Scope, vector: Vector | None, ask: Callable[[One, Vector | None], Awaitable[Answer]]) -> Answer:
        """Call ``ask`` with the retriever of the scope's model and a vector of that model.

        ``vector``: a vector of the current model, or None.  If the scope is migrated to another model during the call, the call
        is repeated.
        """
        while True:
            model = await self._models.of(scope)
            try:
                own = vector if model is self._models.current else _placeholder_vector(model)
                answer = await ask(self._each[model.key], own)
            except IndexGone:
                self._models.discard(model.facts)
                continue
            if model is self._models.current or await self._models.of(scope) is model:
                return answer


class ModelRetriever(_ByModel[Retriever]):
    """Routes queries to one ``Retriever`` for each embedding model."""

    @classmethod
    def over(
        cls, models: EmbeddingModels, *, weight_store: WeightStore | None = None, clock: Clock | None = None
    ) -> "ModelRetriever":
        def of(model: ModelIndexes) -> Retriever:
            return Retriever(model.facts, model.embedder, weight_store=weight_store, clock=clock)

        return cls(models, {model.key: of(model) for model in models.all_models})

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """As ``Retriever.retrieve``, with the scope's embedding model."""
        return await self._ask(
            scope, query.vector, lambda retriever, vector: retriever.retrieve(scope, replace(query, vector=vector))
        )

    def changed(self, change: MemoryChanged | None) -> None:
        for retriever in self._each.values():
            retriever.changed(change)


class ModelEpisodeRetriever(_ByModel[EpisodeRetriever]):
    """Routes queries to one ``EpisodeRetriever`` for each embedding model."""

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
        """As ``EpisodeRetriever.retrieve``, with the scope's embedding model.  Raises EngineUnavailable."""
        return await self._ask(
            scope, vector, lambda retriever, own: retriever.retrieve(scope, text, own, top_k, threshold, patience_s, language)
        )


def _placeholder_vector(model: ModelIndexes) -> Vector | None:
    """None, so that the retriever embeds the question; zeros if the model is not available, so that only words count."""
    return np.zeros(model.profile.dimension, np.float32) if isinstance(model.embedder, UnavailableEmbedder) else None
