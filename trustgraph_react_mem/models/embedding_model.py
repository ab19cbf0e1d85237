"""The interface of embedding models."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix

Role = Literal["query", "passage"]


class EmbeddingModel(ABC):
    """A model in this process: the ``Embedder`` port without a bus.  ``where``: who serves it, for people."""

    profile: EmbeddingProfile
    where: str

    @abstractmethod
    async def vectors(self, texts: Sequence[str]) -> Matrix:
        """(n, d) float32 with rows of unit length, of the texts exactly as given.

        Raises: ModelUnavailable, RequestRefused (one of the texts).
        """

    @abstractmethod
    async def close(self) -> None: ...

    async def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        return await self.vectors(self.add_prefix(texts, role))

    def add_prefix(self, texts: Sequence[str], role: Role) -> list[str]:
        """The texts with the prefix of the profile."""
        prefix = self.profile.query_prefix if role == "query" else self.profile.passage_prefix
        return [prefix + text for text in texts]
