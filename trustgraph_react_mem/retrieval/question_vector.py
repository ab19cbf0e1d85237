"""The vector of a question."""

import asyncio
import logging

import numpy as np

from ..errors import ModelUnavailable
from ..memory.ports import Embedder, Vector

logger = logging.getLogger(__name__)


async def question_vector(embedder: Embedder, question: str, patience_s: float = 0.0) -> Vector:
    """(d,) embedding of a question; zeros, so that words decide, where the model does not answer within ``patience_s``.

    ``patience_s`` 0: however long it takes.
    """
    try:
        async with asyncio.timeout(patience_s or None):
            vector: Vector = (await embedder.embed([question], role="query"))[0]
    except (ModelUnavailable, TimeoutError) as error:
        logger.warning("embedding of a question failed: this recall uses words alone", extra={"cause": type(error).__name__})
        vector = np.zeros(embedder.profile.dimension, np.float32)
    return vector
