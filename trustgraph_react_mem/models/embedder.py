"""The choice of the embedding model.

``REACT_MEM_EMBEDDINGS``: ``auto`` (the first preferred model of the catalogue that is available), a name of the catalogue, or
``openai:MODEL`` at ``OPENAI_BASE_URL``.
"""

import logging
import os

from ..errors import BadRequest, ConfigurationError, ModelUnavailable
from ..extras import EMBEDDINGS, require
from .catalogue import load_catalogue
from .embedding_model import EmbeddingModel
from .onnx_embedder import OnnxEmbedder
from .openai_embedder import open_endpoint
from .sources import Report, silent
from .store import ModelStore, models_folder

logger = logging.getLogger(__name__)

VARIABLE = "REACT_MEM_EMBEDDINGS"


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
    reasons = []
    for name in catalogue.embedding if wanted == "auto" else [wanted]:
        entry = catalogue.model(name, "embedding")
        try:
            return await OnnxEmbedder.open(entry, await store.ensure(entry, report))
        except ModelUnavailable as error:
            if wanted != "auto":
                raise
            reasons.append(str(error))
            report(f"{name} is not available; trying the next embedding model")
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
        if entry is not None and entry.kind == "embedding" and ModelStore(models_folder(os.environ)).source_of(entry):
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
