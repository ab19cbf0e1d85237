"""Checks of request fields, shared by the services.  Each raises BadRequest with the value and what is allowed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import BadRequest
from ...memory.embedding import EmbeddingProfile
from ...memory.policies import DataPolicy, Screened
from ...memory.ports import Vector
from ...memory.sizes import MOST_QUERY_CHARS


def check_range(name: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadRequest(f"{name} {value} must be between {least} and {most}")


def choose(name: str, value: str, allowed: Sequence[Any]) -> Any:
    """Return ``value`` typed as one of ``allowed``."""
    if value not in allowed:
        raise BadRequest(f"{name} {value!r} is not one of {', '.join(allowed)}")
    return value


def check_query(query: str, embedding: Sequence[float]) -> None:
    if len(query) > MOST_QUERY_CHARS:
        raise BadRequest(f"the query has {len(query)} characters: use at most {MOST_QUERY_CHARS}")
    if not query.strip() and not embedding:
        raise BadRequest("retrieve needs a query, or an embedding of one")


def to_vector(numbers: Sequence[float], profile: EmbeddingProfile) -> Vector | None:
    """The embedding as a (d,) float32 vector, d being the dimension of the embedding model.  None for no numbers."""
    if not numbers:
        return None
    vector = np.asarray(numbers, dtype=np.float32)
    if vector.shape != (profile.dimension,):
        raise BadRequest(
            f"the embedding has {len(numbers)} dimensions, the memories have {profile.dimension} ({profile.name}): "
            "embed with the same model"
        )
    if not np.isfinite(vector).all():
        raise BadRequest("the embedding holds numbers that are not finite")
    return vector


async def screen(text: str, policy: DataPolicy, what: str) -> str:
    """``text`` after the flow's policy for personal data and secrets.  Raises: BadRequest (the policy drops the text)."""
    return _refuse_dropped(await policy.screen_async(text), what).text


async def screen_metadata(metadata: Mapping[str, str], policy: DataPolicy) -> dict[str, str]:
    """As ``screen``, for names and values."""
    return dict(_refuse_dropped(await policy.screen_map_async(metadata), "the metadata").fields)


def screen_tree(value: Any, policy: DataPolicy, what: str) -> Any:
    """As ``screen``, for every text of a JSON value.  Names of objects are not texts of users."""
    match value:
        case str():
            return _refuse_dropped(policy.screen(value), what).text
        case list():
            return [screen_tree(each, policy, what) for each in value]
        case dict():
            return {name: screen_tree(each, policy, what) for name, each in value.items()}
    return value


def _refuse_dropped(screened: Screened, what: str) -> Screened:
    if screened.dropped:
        raise BadRequest(f"{what} holds secrets or personal data that must not be stored according to this flow's settings")
    return screened
