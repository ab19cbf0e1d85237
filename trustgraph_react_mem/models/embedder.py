"""What an embedding model is to us, and which one is used.

``REACT_MEM_EMBEDDINGS`` chooses: ``auto`` (the first of the catalogue's preferred ones that can be had), a name of the
catalogue, or ``openai:MODEL`` at ``OPENAI_BASE_URL``.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from ..errors import ConfigurationError, ModelUnavailable
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix
from .catalogue import load_catalogue
from .onnx_embedder import OnnxEmbedder
from .openai_embedder import open_endpoint
from .progress import Report, Step, silent
from .store import ModelStore, models_folder


class EmbeddingModel(Protocol):
    """Texts to vectors, exactly as given: whoever asks adds the profile's prefixes.  ``where`` says who serves it."""

    profile: EmbeddingProfile
    where: str

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        """(n, d) float32 with rows of unit length.  Raises: ModelUnavailable."""
        ...

    async def close(self) -> None: ...


class RoleEmbedder:
    """The Embedder port over a model in this process, for imports and tests that need no bus."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.profile = model.profile
        self._model = model

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        prefix = self.profile.query_prefix if role == "query" else self.profile.passage_prefix
        return await self._model.vectors([prefix + text for text in texts])


async def open_embedding_model(
    choice: str | None = None,
    *,
    env: Mapping[str, str] = os.environ,
    report: Report = silent,
    store: ModelStore | None = None,
) -> EmbeddingModel:
    """The model, fetched first when it is not there.

    Raises:
        ModelUnavailable: no source gave it, with the reasons and the remedy.
        ConfigurationError: the choice names no model.
    """
    wanted = choice or env.get("REACT_MEM_EMBEDDINGS", "") or "auto"
    if wanted.startswith("openai:"):
        return await open_endpoint(wanted.removeprefix("openai:"), env)
    catalogue = load_catalogue()
    store = store or ModelStore(models_folder(env))
    if wanted != "auto":
        if wanted not in catalogue.models:
            raise ConfigurationError(
                f"REACT_MEM_EMBEDDINGS={wanted!r} is no embedding model: choose auto, openai:MODEL or one of "
                + ", ".join(sorted(entry.name for entry in catalogue.models.values() if entry.kind == "embedding"))
            )
        entry = catalogue.model(wanted, "embedding")
        return await OnnxEmbedder.open(entry, await store.ensure(entry, report))
    reasons = []
    for name in catalogue.preferred["embedding"]:
        entry = catalogue.model(name, "embedding")
        try:
            return await OnnxEmbedder.open(entry, await store.ensure(entry, report))
        except ModelUnavailable as error:
            reasons.append(str(error))
            report(Step(model=name, note=f"{name} cannot be had; trying the next embedding model"))
    raise ModelUnavailable("no embedding model: " + " | ".join(reasons))
