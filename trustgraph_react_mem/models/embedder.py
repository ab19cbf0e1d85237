"""The interface of embedding models, and the choice of one.

``REACT_MEM_EMBEDDINGS``: ``auto`` (the first preferred model of the catalogue that is available), a name of the catalogue, or
``openai:MODEL`` at ``OPENAI_BASE_URL``.
"""

import logging
import os
from collections.abc import Sequence
from typing import Literal, Protocol

from ..errors import BadRequest, ConfigurationError, ModelUnavailable
from ..extras import EMBEDDINGS, require
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Embedder, Matrix, Signs
from .catalogue import load_catalogue
from .onnx_embedder import OnnxEmbedder
from .openai_embedder import open_endpoint
from .sources import DownloadProgress, Report, silent
from .store import ModelStore, models_folder

logger = logging.getLogger(__name__)

VARIABLE = "REACT_MEM_EMBEDDINGS"


class EmbeddingModel(Protocol):
    """Embeds texts exactly as given: callers add the prefixes of the profile.  ``where``: who serves it, for people."""

    profile: EmbeddingProfile
    where: str

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        """(n, d) float32 with rows of unit length.  Raises: ModelUnavailable, RequestRefused (one of the texts)."""
        ...

    async def close(self) -> None: ...


class RoleEmbedder:
    """The Embedder port over a model in this process, without a bus."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.profile = model.profile
        self._model = model

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        return await self._model.vectors(self._add_prefix(texts, role))

    def _add_prefix(self, texts: Sequence[str], role: Literal["query", "passage"]) -> list[str]:
        prefix = self.profile.query_prefix if role == "query" else self.profile.passage_prefix
        return [prefix + text for text in texts]


class OnnxRoleEmbedder(RoleEmbedder):
    """``TokenEmbedder``."""

    def __init__(self, model: OnnxEmbedder) -> None:
        super().__init__(model)
        self._onnx = model

    async def embed_tokens(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> tuple[Matrix, list[Signs]]:
        return await self._onnx.vectors_and_tokens(self._add_prefix(texts, role))


def embedder_of(model: EmbeddingModel) -> Embedder:
    """The model as an ``Embedder``; as a ``TokenEmbedder`` if it shows its tokens."""
    if isinstance(model, OnnxEmbedder) and model.profile.dimension % 64 == 0:  # signs are kept in words of 64 bits
        return OnnxRoleEmbedder(model)
    return RoleEmbedder(model)


async def open_embedding_model(
    choice: str | None = None,
    *,
    report: Report = silent,
    option: str = VARIABLE,
) -> EmbeddingModel:
    """The model, downloaded if necessary.  ``option``: where ``choice`` comes from, for errors.

    Raises:
        ModelUnavailable: no source gave it, with the reasons and the remedy.
        ConfigurationError: the choice names no model, or a package is not installed.
    """
    wanted = choice or os.environ.get(VARIABLE, "") or "auto"
    check_choice(option if choice else VARIABLE, wanted, "auto")
    if wanted.startswith("openai:"):
        return await open_endpoint(wanted.removeprefix("openai:"), os.environ)
    # Before a model is fetched that nothing could load.
    require("the local embedding model", *EMBEDDINGS, otherwise="set REACT_MEM_EMBEDDINGS=openai:MODEL")
    catalogue = load_catalogue()
    store = ModelStore(models_folder(os.environ))
    if wanted != "auto":
        entry = catalogue.model(wanted, "embedding")
        return await OnnxEmbedder.open(entry, await store.ensure(entry, report))
    reasons = []
    for name in catalogue.embedding:
        entry = catalogue.model(name, "embedding")
        try:
            return await OnnxEmbedder.open(entry, await store.ensure(entry, report))
        except ModelUnavailable as error:
            reasons.append(str(error))
            report(DownloadProgress(model=name, note=f"{name} is not available; trying the next embedding model"))
    raise ModelUnavailable("no embedding model is available: " + " | ".join(reasons))


def check_choice(option: str, choice: str, other: str) -> None:
    """``other``: what may be chosen besides a model.  Raises: ConfigurationError (the choice is nothing of that)."""
    known = sorted(entry.name for entry in load_catalogue().models.values() if entry.kind == "embedding")
    if choice not in (*known, other) and not choice.startswith("openai:"):
        raise ConfigurationError(
            f"{option} is {choice!r}, which is not an embedding model: choose {other}, openai:MODEL or one of "
            f"{', '.join(known)}"
        )


async def open_former_model(name: str, dimension: int, choice: str = "") -> EmbeddingModel | None:
    """The previous embedding model, to search vectors that a migration has not replaced yet.

    ``choice``: "" (the catalogue's model of that name if it is downloaded, or the endpoint's), ``none``, or a choice of
    ``open_embedding_model``.  Returns None if the model is not available.

    Raises:
        ConfigurationError: the chosen model has a different dimension.
    """
    if choice == "none":
        return None
    entry = load_catalogue().models.get(name)
    if not choice:
        if entry is not None and entry.kind == "embedding" and ModelStore(models_folder(os.environ)).manifest(entry):
            choice = name
        elif entry is None and os.environ.get("OPENAI_BASE_URL"):
            choice = f"openai:{name}"
        else:
            return None
    try:
        model = await open_embedding_model(choice)
    except (ModelUnavailable, BadRequest, ConfigurationError) as error:
        logger.warning("failed to open the previous embedding model %s: %s", name, error)
        return None
    if model.profile.dimension != dimension:
        await model.close()
        raise ConfigurationError(
            f"the previous embedding model {choice!r} has dimension {model.profile.dimension}, but the vectors of {name} have "
            f"{dimension}: set REACT_MEM_FORMER_EMBEDDINGS to the model that made them, or to none"
        )
    return model
