"""Embedding of texts of which the model may refuse some: too long for it, or stopped by a content filter.

A refused batch is halved until the refused text is found, and that text is cut until the model takes it.  So one text neither
delays nor fails the others.  A model that does not answer at all is another matter: ModelUnavailable passes through.
"""

import logging
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ..errors import BadRequest
from ..memory.ports import Embedder, Matrix, Vector

Role = Literal["query", "passage"]

logger = logging.getLogger(__name__)

SHORTEST_CUT = 200  # characters; a text that is refused even then gets no vector


async def embed_texts(embedder: Embedder, texts: Sequence[str], *, role: Role) -> dict[str, Vector | None]:
    """The vector (d,) of each text, or None if the model refuses it.  Raises: ModelUnavailable."""
    if not texts:
        return {}
    try:
        matrix = await embedder.embed(texts, role=role)
    except BadRequest as error:
        if len(texts) == 1:
            return {texts[0]: await _embed_cut(embedder, texts[0], role, error)}
        half = len(texts) // 2
        first = await embed_texts(embedder, texts[:half], role=role)
        return first | await embed_texts(embedder, texts[half:], role=role)
    return dict(zip(texts, matrix, strict=True))


async def embed_rows(embedder: Embedder, texts: Sequence[str], *, role: Role) -> Matrix:
    """As ``embed_texts``, as (n, d) float32 with a row of zeros for a text that is refused: it is similar to nothing."""
    vectors = await embed_texts(embedder, list(dict.fromkeys(texts)), role=role)
    rows: Matrix = np.zeros((len(texts), embedder.profile.dimension), np.float32)
    for place, text in enumerate(texts):
        vector = vectors[text]
        if vector is not None:
            rows[place] = vector
    return rows


async def _embed_cut(embedder: Embedder, text: str, role: Role, refusal: BadRequest) -> Vector | None:
    length = len(text) // 2
    while length >= SHORTEST_CUT:
        try:
            vector: Vector = (await embedder.embed([text[:length]], role=role))[0]
        except BadRequest:
            length //= 2
        else:
            logger.info("a text of %d characters was refused by the embedding model, embedded its first %d", len(text), length)
            return vector
    logger.warning("embedding a text of %d characters failed, it is found by keyword only: %s", len(text), refusal.wire_type)
    return None
