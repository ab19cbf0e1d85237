"""Embedding of a question, with a fallback to keyword search."""

import asyncio
import logging

import numpy as np

from ..errors import ModelUnavailable
from ..indexing.embedding import embed_rows
from ..memory.ports import Embedder, Vector

logger = logging.getLogger(__name__)


async def question_vector(embedder: Embedder, question: str, patience_s: float = 0.0) -> Vector:
    """(d,) embedding of a question.

    If the model fails, refuses the question, or does not answer within ``patience_s`` seconds (0 = no limit), the result is
    zeros: then only keywords are used.
    """
    try:
        async with asyncio.timeout(patience_s or None):
            vector: Vector = (await embed_rows(embedder, [question], role="query"))[0]
    except (ModelUnavailable, TimeoutError) as error:
        logger.warning("failed to embed a question, this recall uses keywords only: %s", type(error).__name__)
        vector = np.zeros(embedder.profile.dimension, np.float32)
    return vector
