"""Embeddings without a model: words hashed into a vector.  Texts that share words are near; the same text, the same vector."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix
from ..models.embedding_model import EmbeddingModel


class HashedEmbedder(EmbeddingModel):
    def __init__(self, dimension: int = 64) -> None:
        self.profile = EmbeddingProfile(name=f"hashed-{dimension}", dimension=dimension, unrelated=0.0, near_duplicate=0.95)
        self.where = "from hashed words"
        self.calls: list[list[str]] = []

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.profile.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or [""]:
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                place, sign = int.from_bytes(digest[:4], "big") % self.profile.dimension, 1.0 if digest[4] % 2 else -1.0
                rows[row, place] += sign
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        # Words may cancel out; such a text still has a direction.
        rows[lengths[:, 0] == 0, 0] = 1.0
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    async def close(self) -> None:
        """Nothing is held."""
