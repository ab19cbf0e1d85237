"""How a record's keys lie in a vector engine: named vectors, point ids, payload.  The same in every engine.

Invariants: a point's id is derived from its scope and record id, so equal ids of two scopes are two points; a payload always
holds the scope, and no caller's payload can say otherwise.
"""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np

from ...errors import BadRequest, ConfigurationError
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import IndexPoint, JsonValue, SparseVector, Vector
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time

DENSE = ("text", "context")
SPARSE = ("words", "words_context")
FILTERED = ("kind", "status", "source")  # payload fields with an index beside the scope's

SCOPE_FIELD = "scope"
WORKSPACE_FIELD = "workspace"
RECORD_FIELD = "record_id"
MOST_SCOPES = 100_000  # told of at once; what lies beyond is told of when these are gone
MODEL_MARK = "--"  # between an index's plain name and its model's, when it is not the first
RESERVED = (SCOPE_FIELD, WORKSPACE_FIELD, RECORD_FIELD)

_NAMESPACE = uuid.UUID("3d6f1c1e-58a7-5b0e-9b35-0f6c5a7c2d90")
_T = TypeVar("_T")


def point_id(scope: Scope, record_id: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{scope.key}|{record_id}"))


def stored_payload(scope: Scope, point: IndexPoint) -> dict[str, JsonValue]:
    return {
        **point.payload,
        SCOPE_FIELD: scope.key,
        WORKSPACE_FIELD: scope.workspace,
        RECORD_FIELD: point.id,
    }


def plain_payload(payload: Mapping[str, Any]) -> dict[str, JsonValue]:
    return {name: value for name, value in payload.items() if name not in RESERVED}


def checked_point(point: IndexPoint, profile: EmbeddingProfile) -> None:
    """Refuses what an engine would take silently or fail over obscurely."""
    for name, vector in point.vectors.items():
        checked_vector(name, vector, profile)
    for name, sparse in point.sparse.items():
        checked_sparse(name, sparse)


def checked_vector(name: str, vector: Vector, profile: EmbeddingProfile) -> None:
    if name not in DENSE:
        raise BadRequest(f"{name!r} is not a dense key: use one of {', '.join(DENSE)}")
    if vector.shape != (profile.dimension,):
        raise ConfigurationError(
            f"a vector of shape {tuple(vector.shape)} for {profile.name}, whose vectors have {profile.dimension} "
            "numbers: embed with the model that this index was made with"
        )
    if not np.isfinite(vector).all():
        raise BadRequest(f"the vector {name!r} holds NaN or infinity: embed the text again")


def checked_sparse(name: str, sparse: SparseVector) -> None:
    if name not in SPARSE:
        raise BadRequest(f"{name!r} is not a sparse key: use one of {', '.join(SPARSE)}")
    if len(sparse.indices) != len(sparse.values) or len(set(sparse.indices)) != len(sparse.indices):
        raise BadRequest(f"the sparse key {name!r} needs one value for each of its indices, each index once")


def chunks(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIndex:
    """``name``: its folder or collection; ``model`` and ``dimension``: of the embedding model it was made with."""

    name: str
    model: str
    dimension: int
    created_at: str = ""  # ISO 8601, UTC


def in_order(found: Iterable[StoredIndex]) -> list[StoredIndex]:
    """The oldest first."""
    return sorted(found, key=lambda stored: (stored.created_at, stored.name))


def is_named(name: str, base: str) -> bool:
    """Whether an index of this name is one of those of ``base``: the first of them, or one of a later model."""
    return name == base or name.startswith(base + MODEL_MARK)


def index_name(base: str, profile: EmbeddingProfile, taken: Iterable[StoredIndex]) -> str:
    """Of the model's index: the one it has, else the plain name for the first, else one that names the model."""
    there = {stored.name: stored for stored in taken}
    own = (stored.name for stored in there.values() if (stored.model, stored.dimension) == (profile.name, profile.dimension))
    plain = re.sub(r"[^a-z0-9]+", "-", profile.key.lower()).strip("-")
    return next(own, base if base not in there else f"{base}{MODEL_MARK}{plain}")


def profile_entry(profile: EmbeddingProfile) -> dict[str, Any]:
    """What an index says of itself."""
    made = sortable_time(datetime.now(UTC))
    return {"name": profile.name, "dimension": profile.dimension, "created_at": made}


def stored_index(name: str, entry: Mapping[str, Any]) -> StoredIndex:
    """Reads ``profile_entry`` back."""
    return StoredIndex(
        name=name,
        model=str(entry.get("name", "")),
        dimension=int(entry.get("dimension", 0)),
        created_at=str(entry.get("created_at", "")),
    )


def checked_profile(where: str, stored: Mapping[str, Any], profile: EmbeddingProfile) -> None:
    """Raises ConfigurationError when an index was written with another embedding model."""
    name, dimension = stored.get("name"), stored.get("dimension")
    if (name, dimension) != (profile.name, profile.dimension):
        raise ConfigurationError(
            f"{where} holds vectors of {name} ({dimension} numbers) but {profile.name} ({profile.dimension}) is "
            "configured: configure the former model, or give the new one an index of its own (open_indexes does)"
        )
