"""The interface of vector engines for opening indexes.  A new engine needs a module here and a line in ``opening``."""

from dataclasses import dataclass
from typing import Protocol

from ...disk import DiskSpace
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import VectorIndex
from .points import StoredIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Options for opening.  ``shards`` and ``copies``: of a new index in a cluster; 0 = the default of the server.

    ``disk``: the embedded engine writes only while it has room.  ``generation``: id of the data, stored with a new index
    (``stores.matching``).
    """

    api_key: str = ""
    shards: int = 0
    copies: int = 0
    disk: DiskSpace | None = None
    generation: str = ""


SERVER_DEFAULTS = EngineOptions()


class VectorEngine(Protocol):
    """Opens and lists indexes.  The index classes implement it as class methods."""

    async def open(
        self, where: str, profile: EmbeddingProfile, *, name: str, options: EngineOptions = SERVER_DEFAULTS
    ) -> VectorIndex:
        """Open an index, and create it if needed.

        Raises:
            ConfigurationError: it has vectors of another embedding model, is open in another process, is damaged, or the
                server rejects the API key.
            EngineUnavailable: the server does not answer.
        """
        ...

    async def list_indexes(self, where: str, *, name: str, options: EngineOptions = SERVER_DEFAULTS) -> list[StoredIndex]:
        """The existing indexes of a store, one per embedding model, oldest first.  Raises EngineUnavailable."""
        ...
