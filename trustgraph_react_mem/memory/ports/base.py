"""Ports used everywhere: clock, embedder, language model, change notifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..embedding import EmbeddingProfile
from ..scope import Scope

Vector = NDArray[np.float32]  # (d,)
Matrix = NDArray[np.float32]  # (n, d)
Signs = NDArray[np.uint64]  # (t, d / 64): one bit a dimension for each of t tokens
Role = Literal["query", "passage"]  # of a text that is embedded
JsonValue = str | int | float | bool | None | list[Any] | dict[str, Any]


class Clock(Protocol):
    def now(self) -> datetime:
        """The current time as an aware datetime in UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Embedder(Protocol):
    """An embedding model."""

    profile: EmbeddingProfile

    async def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Embed n texts as an (n, d) float32 matrix with rows of unit length.  Adds the model's prefix for the role.

        Raises: ModelUnavailable, RequestRefused (one of the texts; ``indexing.embedding`` embeds the others).
        """
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedding model that also shows the vectors of a text's tokens, for late interaction."""

    async def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Signs]]:
        """As ``embed``, and for each text the signs of its token vectors, relative to the model's mean token.

        The prefix and the tokens that mark the start and the end are left out.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    text: str = ""
    object: JsonValue = None  # the parsed answer of a prompt that returns JSON
    in_tokens: int = 0
    out_tokens: int = 0
    model: str = ""


class LanguageModel(Protocol):
    """The language model for background work, called through the prompt service."""

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Render and run a prompt.  Raises: ModelUnavailable, ModelAnswerError (JSON was expected and not returned)."""
        ...


class ChangeNotifier(Protocol):
    """Invalidates caches of this and other processes when records of a scope change."""

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        """``ids``: stored or updated records; ``forgotten``: removed ones.  Neither: the whole store of the scope changed."""
        ...
