"""The index of vectors and words, and which of several serves a scope."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..embedding import EmbeddingProfile
from ..scope import Scope
from .base import JsonValue, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector:
    """Term ids and weights; inverse document frequency comes from the engine at search time, per scope."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPoint:
    """A record's keys.  ``vectors``: "text" and optionally "context"; ``sparse``: "words" and optionally "words_context".

    The payload holds what an answer needs (content, speaker, times, ...), so that recall does not wait for the graph, and
    what is filtered by.  The index adds the scope itself.
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
    """One collection of points (facts, or episodes) of one embedding model.

    Each model has an index of its own; opening one under another model raises ConfigurationError naming both.
    """

    profile: EmbeddingProfile

    async def upsert(self, scope: Scope, points: Sequence[IndexPoint]) -> None:
        """Durable on return (survives kill -9).  Raises ConfigurationError for a vector of another dimension."""
        ...

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        """Number of points of this scope that were there and are gone."""
        ...

    async def delete_scope(self, scope: Scope) -> int: ...

    async def fetch(self, scope: Scope, ids: Sequence[str], *, with_vectors: bool = False) -> list[IndexPoint]:
        """Those of ``ids`` that are in the scope, in any order."""
        ...

    def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        """All points of the scope."""
        ...

    async def count(self, scope: Scope) -> int: ...

    async def search_dense(
        self, scope: Scope, name: str, query: Vector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        """Nearest by cosine under the named key, best first.  ``match``: payload field -> allowed values."""
        ...

    async def search_sparse(
        self, scope: Scope, name: str, query: SparseVector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        """Best by the dot product under the named key, each term weighed by its inverse document frequency.

        That frequency is counted over the points of this scope alone: what others store neither changes an order nor can be
        told from it.
        """
        ...

    async def scopes(self) -> Mapping[Scope, int]:
        """Scopes that have points here, with their number: for moving to another embedding model, it crosses scopes."""
        ...

    async def maintain(self) -> None:
        """Optimise in the background; may take minutes; never on a request's path."""
        ...

    async def drop(self) -> None:
        """Remove the index with all it holds, and close it; one that is gone already is no fault.

        In another process every call then raises IndexGone.
        """
        ...

    async def close(self) -> None: ...


class ScopeModels(Protocol):
    """By which embedding model's vectors a scope is read, once it was moved from one to another."""

    async def marked(self, scope: Scope, models: Sequence[str]) -> str:
        """That of ``models`` which the scope is marked with; "" for none."""
        ...

    async def mark(self, scope: Scope, model: str, *, others: Sequence[str]) -> None:
        """With ``model`` and no longer with ``others``, in one transaction."""
        ...

    async def forget_scope(self, scope: Scope) -> int:
        """The number of marks it had."""
        ...
