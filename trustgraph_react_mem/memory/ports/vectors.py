"""Port for the vector and keyword index."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..embedding import EmbeddingProfile
from ..scope import Scope
from .base import JsonValue, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector:
    """Term ids and weights.  The engine applies the inverse document frequency of the scope at search time."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPoint:
    """One record in the index.

    ``vectors``: "text" and optionally "context".  ``sparse``: "words" and optionally "words_context".
    ``payload``: the fields that filters use, and all that recall returns (content, speaker, times, ...), so that recall
    does not read the graph.  The index adds the scope.
    """

    id: str
    vectors: Mapping[str, Vector]
    sparse: Mapping[str, SparseVector] = field(default_factory=dict)
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    id: str
    score: float
    payload: Mapping[str, JsonValue]


class VectorIndex(Protocol):
    """The points of one store (facts or episodes) for one embedding model.

    Each model has a separate index.  Opening an index with another model raises ConfigurationError.

    ``remains``: how long its files may contain deleted text after ``rewrite``, as a sentence for receipts; "" if they do not.
    """

    profile: EmbeddingProfile
    remains: str

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        """Existing points, in any order."""
        ...

    def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        """All points of the scope, in batches of at most ``batch``."""
        ...

    async def count(self, scope: Scope, match: Mapping[str, Sequence[str]] | None = None) -> int:
        """Number of points.  ``match``: as in ``search_dense``."""
        ...

    async def search_dense(
        self, scope: Scope, name: str, query: Vector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        """Nearest points by cosine of the vector ``name``, best first.  ``match``: payload field -> allowed values."""
        ...

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        """Best points by dot product of the sparse vector ``name``, each term weighted by its inverse document frequency.

        The frequencies are counted within this scope, so data of other tenants neither affects the ranking nor can be
        inferred from it.
        """
        ...

    async def upsert(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        """Insert or replace.  Durable on return (survives kill -9).  Raises ConfigurationError (wrong dimension)."""
        ...

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        """Returns the number of points of this scope that existed."""
        ...

    async def delete_scope(self, scope: Scope) -> int: ...

    async def scopes(self) -> Mapping[Scope, int]:
        """All scopes with points in this index, with the number of points."""
        ...

    async def maintain(self) -> None:
        """Optimise the index.  May take minutes, so never call it while serving a request."""
        ...

    async def rewrite(self) -> None:
        """Remove deleted text from the files, as far as that can be forced.  May take minutes."""
        ...

    async def drop(self) -> None:
        """Delete the index and close it.  Idempotent.  Calls from other processes then raise IndexGone."""
        ...

    async def close(self) -> None: ...
