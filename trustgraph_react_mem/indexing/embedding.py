"""Embedding of texts, some of which the model may refuse: too long, or stopped by a content filter.

A refused batch is halved until the refused text is found, and that text is cut until the model takes it.  So one text neither
delays nor fails the others.  A model that does not answer at all is another matter: ModelUnavailable passes through, except
for a question, which then is searched by keywords.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import BadRequest, ModelUnavailable
from ..failure_log import describe_error
from ..memory.ports import Embedder, Matrix, Role, Signs, TokenEmbedder, Vector

logger = logging.getLogger(__name__)

SHORTEST_CUT = 200  # characters; a text that is refused even then gets no vector


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text as the model reads it.  ``tokens`` None: the model does not show its tokens."""

    vector: Vector
    tokens: Signs | None = None


async def embed_texts(embedder: Embedder, texts: Sequence[str], *, role: Role) -> dict[str, Embedded | None]:
    """Each text as the model reads it, or None if the model refuses it.  Raises: ModelUnavailable."""
    if not texts:
        return {}
    try:
        rows = await _embed(embedder, texts, role)
    except BadRequest as error:
        if len(texts) == 1:
            return {texts[0]: await _embed_cut(embedder, texts[0], role, error)}
        half = len(texts) // 2
        first = await embed_texts(embedder, texts[:half], role=role)
        return first | await embed_texts(embedder, texts[half:], role=role)
    return dict(zip(texts, rows, strict=True))


async def embed_question(embedder: Embedder, question: str, patience_s: float = 0.0) -> Embedded:
    """A question as the model reads it.

    If the model fails, refuses the question, or does not answer within ``patience_s`` seconds (0 = no limit), the result is
    zeros: then only keywords are used.
    """
    try:
        async with asyncio.timeout(patience_s or None):
            found = (await embed_texts(embedder, [question], role="query"))[question]
    except (ModelUnavailable, TimeoutError) as error:
        logger.warning("failed to embed a question, this recall uses keywords only: %s", describe_error(error))
        found = None
    return found or Embedded(np.zeros(embedder.profile.dimension, np.float32))


async def _embed(embedder: Embedder, texts: Sequence[str], role: Role) -> list[Embedded]:
    shows: TokenEmbedder | None = embedder if isinstance(embedder, TokenEmbedder) else None
    if shows is not None:
        vectors, tokens = await shows.embed_tokens(texts, role=role)
        return [Embedded(*each) for each in zip(vectors, tokens, strict=True)]
    return [Embedded(vector) for vector in await embedder.embed(texts, role=role)]


async def embed_rows(embedder: Embedder, texts: Sequence[str], *, role: Role) -> Matrix:
    """As ``embed_texts``, as (n, d) float32 with a row of zeros for a text that is refused: it is similar to nothing."""
    found = await embed_texts(embedder, list(dict.fromkeys(texts)), role=role)
    rows: Matrix = np.zeros((len(texts), embedder.profile.dimension), np.float32)
    for place, text in enumerate(texts):
        embedded = found[text]
        if embedded is not None:
            rows[place] = embedded.vector
    return rows


async def _embed_cut(embedder: Embedder, text: str, role: Role, refusal: BadRequest) -> Embedded | None:
    length = len(text) // 2
    while length >= SHORTEST_CUT:
        try:
            embedded = (await _embed(embedder, [text[:length]], role))[0]
        except BadRequest:
            length //= 2
        else:
            logger.info("a text of %d characters was refused by the embedding model, embedded its first %d", len(text), length)
            return embedded
    logger.warning("embedding a text of %d characters failed, it is found by keyword only: %s", len(text), refusal.wire_type)
    return None
