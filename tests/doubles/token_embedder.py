"""``TokenEmbedder`` without a model: each word has a fixed random vector, and a text has the mean of all."""

import hashlib
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from trustgraph_react_mem.memory.ports import Matrix, Signs
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder


class WordTokenEmbedder(HashedEmbedder):
    """Its tokens are words."""

    async def embed_tokens(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> tuple[Matrix, list[Signs]]:
        return await self.embed(texts, role=role), [self._signs(text) for text in texts]

    def _signs(self, text: str) -> Signs:
        words = re.findall(r"\w+", text.lower())
        bits = np.array([np.unpackbits(np.frombuffer(hashlib.blake2b(word.encode()).digest(), np.uint8)) for word in words])
        wide = bits.reshape(len(words), 512)[:, : self.profile.dimension] if words else np.zeros((0, self.profile.dimension))
        return np.packbits(wide.astype(bool), axis=1).view(np.uint64)
