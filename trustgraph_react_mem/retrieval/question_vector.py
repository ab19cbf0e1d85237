"""Embedding of a question, with a fallback to keyword search."""

import asyncio
import logging

import numpy as np

from ..errors import ModelUnavailable
from ..failure_log import describe_error
from ..indexing.embedding import Embedded, embed_texts
from ..memory.ports import Embedder

logger = logging.getLogger(__name__)


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
