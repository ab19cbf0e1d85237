"""Clock, models, notices: what every rule may need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..embedding import EmbeddingProfile
from ..scope import Scope

Vector = NDArray[np.float32]  # (d,)
Matrix = NDArray[np.float32]  # (n, d)
JsonValue = str | int | float | bool | None | list[Any] | dict[str, Any]


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Embedder(Protocol):
    profile: EmbeddingProfile

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        """(n, d) float32 with rows of unit length; the model's prefix for the role is added here.

        Raises: ModelUnavailable.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    text: str = ""
    object: JsonValue = None  # of a prompt that answers JSON
    in_tokens: int = 0
    out_tokens: int = 0
    model: str = ""


class LanguageModel(Protocol):
    """The model for background work, through the prompt service."""

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Raises: ModelUnavailable, ModelAnswerError (JSON was asked for and did not come)."""
        ...


class ChangeNotifier(Protocol):
    """Tells caches in this and other processes that records of a scope changed."""

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None: ...
