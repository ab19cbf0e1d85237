"""What a vector engine offers before an index is open.  A new engine is a module in this folder and a line in ``opening``."""

from dataclasses import dataclass
from typing import Protocol

from ...memory.embedding import EmbeddingProfile
from ...memory.ports import VectorIndex
from .points import StoredIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """For engines on servers.  ``shards`` and ``copies`` of a new index in a cluster; 0: as the server is configured."""

    api_key: str = ""
    shards: int = 0
    copies: int = 0


SERVER_DEFAULTS = EngineOptions()


class VectorEngine(Protocol):
    """Implemented by the class of the index itself."""

    async def open(
        self, where: str, profile: EmbeddingProfile, *, name: str, options: EngineOptions = SERVER_DEFAULTS
    ) -> VectorIndex:
        """The index of that name, created when it is not there.

        Raises:
            ConfigurationError: it holds vectors of another embedding model, is open in another process or damaged, or the key
                is refused.
            EngineUnavailable: no server answers.
        """
        ...

    async def stored(self, where: str, *, name: str, options: EngineOptions = SERVER_DEFAULTS) -> list[StoredIndex]:
        """The indexes of that name, one for each embedding model, the oldest first.  Raises EngineUnavailable."""
        ...
