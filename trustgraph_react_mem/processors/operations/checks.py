"""Checks of what a request names, shared by the services.  Each raises BadRequest with the value and what it should be."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import BadRequest
from ...memory.embedding import EmbeddingProfile
from ...memory.policies import DataPolicy
from ...memory.ports import Vector
from ...memory.scope import Scope
from ...settings import AgentMemSettings

MOST_RECORDS = 10_000


def check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadRequest(f"{name} {value} must lie between {least} and {most}")


def check_page(limit: int, offset: int) -> None:
    check_range("limit", limit, 1, MOST_RECORDS)
    check_range("offset", offset, 0, 10**9)


def choose(name: str, value: str, allowed: Sequence[Any]) -> Any:
    """``value``, as one of ``allowed``."""
    if value not in allowed:
        raise BadRequest(f"{name} {value!r} is not one of {', '.join(allowed)}")
    return value


def check_query(query: str, embedding: Sequence[float]) -> None:
    if not query.strip() and not embedding:
        raise BadRequest("retrieve needs a query, or an embedding of one")


def to_vector(numbers: Sequence[float], profile: EmbeddingProfile) -> Vector | None:
    """(d,) float32 of the embedding model's dimension; None for no numbers."""
    if not numbers:
        return None
    vector = np.asarray(numbers, dtype=np.float32)
    if vector.shape != (profile.dimension,):
        raise BadRequest(
            f"the embedding has {len(numbers)} numbers, the memories {profile.dimension} ({profile.name}): "
            "embed with the same model"
        )
    if not np.isfinite(vector).all():
        raise BadRequest("the embedding holds numbers that are not finite")
    return vector


def data_policy(settings: AgentMemSettings, scope: Scope) -> DataPolicy:
    return DataPolicy(personal_data=settings.personal_data, secrets=settings.secrets, salt=scope.key)


def screen(text: str, settings: AgentMemSettings, scope: Scope, what: str) -> str:
    """``text`` with personal data and secrets as the flow's settings have them."""
    screened = data_policy(settings, scope).screen(text)
    if screened.dropped:
        raise BadRequest(f"{what} holds secrets or personal data that this flow's settings forbid to store")
    return screened.text
