"""The layout of points, the same in every vector engine: named vectors, point ids, payload.

Invariants:
- A point id is derived from the scope and the record id, so equal record ids in two scopes are two points.
- Every payload contains the scope, and callers cannot override it.
- Dense vectors have 16 bits a number: half the bytes of 32, and cosines within 0.0001.  An index that was created with 32 bits
  keeps them until it is rewritten, or made again for another model.
"""

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np

from ...disk import DiskSpace
from ...errors import BadRequest, ConfigurationError
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import IndexPoint, JsonValue, SparseVector, Vector
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from ..data_faults import refuse_data_faults

DENSE = ("text", "context")
SPARSE = ("words", "words_context")

SCOPE_FIELD, WORKSPACE_FIELD, RECORD_FIELD = "scope", "workspace", "record_id"
INDEXED = (SCOPE_FIELD, WORKSPACE_FIELD, "kind", "status", "source")  # payload fields with an index
MOST_SCOPES = 100_000  # scopes listed at once; the migration lists the rest after these are done
MODEL_MARK = "--"  # separates the name of the store and of the model in all index names but the first
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


def check_point(point: IndexPoint, profile: EmbeddingProfile) -> None:
    """Reject points that an engine would silently accept, or reject with an unclear error.

    Raises: BadRequest, ConfigurationError (wrong dimension).
    """
    with refuse_data_faults("the vector index"):
        json.dumps([point.id, point.payload], allow_nan=False, ensure_ascii=False).encode("utf-8")
    for name, vector in point.vectors.items():
        check_vector(name, vector, profile)
    for name, sparse in point.sparse.items():
        check_sparse(name, sparse)


def check_vector(name: str, vector: Vector, profile: EmbeddingProfile) -> None:
    if name not in DENSE:
        raise BadRequest(f"{name!r} is not a dense key: use one of {', '.join(DENSE)}")
    if vector.shape != (profile.dimension,):
        raise ConfigurationError(
            f"a vector of shape {tuple(vector.shape)} for {profile.name}, whose vectors have {profile.dimension} "
            "numbers: embed with the model that this index was made with"
        )
    if not np.isfinite(vector).all():
        raise BadRequest(f"the vector {name!r} contains NaN or infinity: embed the text again")


def check_sparse(name: str, sparse: SparseVector) -> None:
    if name not in SPARSE:
        raise BadRequest(f"{name!r} is not a sparse key: use one of {', '.join(SPARSE)}")
    if len(sparse.indices) != len(sparse.values) or len(set(sparse.indices)) != len(sparse.indices):
        raise BadRequest(f"the sparse key {name!r} needs one value for each of its indices, each index once")


def chunks(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIndex:
    """An existing index.  ``name``: its folder or collection; ``model``, ``dimension``: its embedding model."""

    name: str
    model: str
    dimension: int
    created_at: str = ""  # ISO 8601, UTC
    generation: str = ""  # of the data it belongs to (stores.matching)


def sort_by_age(found: Iterable[StoredIndex]) -> list[StoredIndex]:
    """Oldest first."""
    return sorted(found, key=lambda stored: (stored.created_at, stored.name))


def read_entries(entries: Mapping[str, Mapping[str, Any]]) -> list[StoredIndex]:
    """The indexes with this metadata (``profile_entry``) by name, oldest first.  Without those that are none of ours."""
    return sort_by_age(
        StoredIndex(
            name=name,
            model=entry["name"],
            dimension=entry["dimension"],
            created_at=entry.get("created_at", ""),
            generation=entry.get("generation", ""),
        )
        for name, entry in entries.items()
        if entry
    )


def is_named(name: str, base: str) -> bool:
    """Whether ``name`` is the name of an index of the store ``base``, for any model."""
    return name == base or name.startswith(base + MODEL_MARK)


def index_name(base: str, profile: EmbeddingProfile, taken: Iterable[StoredIndex]) -> str:
    """The name of the model's index: the existing one; else ``base`` if it is free; else a name with the model in it."""
    there = {stored.name: stored for stored in taken}
    own = (stored.name for stored in there.values() if (stored.model, stored.dimension) == (profile.name, profile.dimension))
    plain = re.sub(r"[^a-z0-9]+", "-", profile.key.lower()).strip("-")
    return next(own, base if base not in there else f"{base}{MODEL_MARK}{plain}")


def profile_entry(profile: EmbeddingProfile, generation: str) -> dict[str, Any]:
    """The metadata that is stored with an index."""
    made = sortable_time(datetime.now(UTC))
    return {"name": profile.name, "dimension": profile.dimension, "created_at": made, "generation": generation}


def check_profile(where: str, stored: Mapping[str, Any], profile: EmbeddingProfile) -> None:
    """Raises ConfigurationError (the index was written with another embedding model)."""
    name, dimension = stored.get("name"), stored.get("dimension")
    if (name, dimension) != (profile.name, profile.dimension):
        raise ConfigurationError(
            f"{where} has vectors of {name} (dimension {dimension}), but {profile.name} (dimension {profile.dimension}) is "
            "configured: configure the previous model, or open a separate index for the new one (open_index does)"
        )
