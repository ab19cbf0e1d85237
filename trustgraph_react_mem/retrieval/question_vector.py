"""The vector of a question."""

import asyncio
import logging

import numpy as np

from ..errors import ModelUnavailable
from ..memory.ports import Embedder, Vector

logger = logging.getLogger(__name__)


async def question_vector(embedder: Embedder, text: str, patience_s: float = 0.0) -> Vector:
    """(d,) of a question; without direction, so that words decide, where the model does not answer, or not in ``patience_s``
    (0: however long it takes)."""
    try:
        async with asyncio.timeout(patience_s or None):
            vector: Vector = (await embedder.embed([text], role="query"))[0]
    except (ModelUnavailable, TimeoutError) as error:
        logger.warning("no embedding of a question: this recall goes by words alone", extra={"cause": type(error).__name__})
        vector = np.zeros(embedder.profile.dimension, np.float32)
    return vector
