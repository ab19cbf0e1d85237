"""What was learned for one scope, its exact compact form, and its bytes.

Invariants: a Weights value never changes (learning gives a new one); what a matrix learned is a sum of outer products, exact
until its rank reaches ``max_rank``, when the least singular directions are dropped and what they held is added to
``error``; the bytes name the embedding profile and dimension they belong to.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError
from .hyperparameters import Hyperparameters, hyperparameters

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]
_MAGIC = b"RMMW"
_VERSION = 1
NEUTRAL_TRUST = 0.5  # before anything was compared


@dataclass(frozen=True, slots=True, kw_only=True)
class LowRank:
    """``left.T @ diag(weights) @ right``: a (d, d) matrix as r outer products.

    ``left``, ``right`` (r, d) float32, ``weights`` (r,) float64, ``norm`` its Frobenius norm, ``error`` the sum of the
    Frobenius norms of what recompression dropped so far (an upper bound of the distance to the exact sum).
    """

    left: Matrix
    right: Matrix
    weights: NDArray[np.float64]
    norm: float = 0.0
    error: float = 0.0

    @classmethod
    def zero(cls, dimension: int) -> "LowRank":
        empty = np.zeros((0, dimension), dtype=np.float32)
        return cls(left=empty, right=empty, weights=np.zeros(0))

    @property
    def rank(self) -> int:
        return len(self.weights)

    @property
    def relative_error(self) -> float:
        """``error`` as a share of the norm.

        What is dropped again and again is counted each time, so after many recompressions the bound may exceed 1 and say
        nothing; docs/rmm.md has what never recompressing would bring.
        """
        return self.error / self.norm if self.norm else 0.0

    def dot(self, x: Vector) -> Vector:
        """The matrix times ``x`` (d,)."""
        inner: Vector = self.right @ x
        return (inner * self.weights.astype(np.float32)) @ self.left

    def transposed_dot(self, y: Vector) -> Vector:
        """The matrix's transpose times ``y`` (d,)."""
        inner: Vector = self.left @ y
        return (inner * self.weights.astype(np.float32)) @ self.right

    def plus(self, left: Matrix, right: Matrix, step: float) -> "LowRank":
        """With ``step * sum_n outer(left_n, right_n)`` added, exactly; ``left``, ``right`` (n, d)."""
        cross = (self.weights[:, None] * (self.left @ left.T) * (self.right @ right.T)).sum()
        own = ((left @ left.T) * (right @ right.T)).sum()
        squared = self.norm**2 + 2 * step * float(cross) + step**2 * float(own)
        return LowRank(
            left=np.concatenate((self.left, left)),
            right=np.concatenate((self.right, right)),
            weights=np.concatenate((self.weights, np.full(len(left), step))),
            norm=max(squared, 0.0) ** 0.5,
            error=self.error,
        )

    def scaled(self, factor: float) -> "LowRank":
        return replace(self, weights=self.weights * factor, norm=self.norm * factor, error=self.error * factor)

    def recompressed(self, keep: int) -> "LowRank":
        """The nearest matrix of rank ``keep``: singular values of the small core between both factors' orthonormal bases.

        The bases come from the (r, r) Gram matrices, which costs a third of a QR of the factors at d = 1536.
        """
        if self.rank <= keep:
            return self
        left_root, left_inverse = _roots(self.left)
        right_root, right_inverse = _roots(self.right)
        u, singular, vt = np.linalg.svd((left_root * self.weights) @ right_root.T)
        left = (u[:, :keep].T @ left_inverse).astype(np.float32) @ self.left
        right = (vt[:keep] @ right_inverse).astype(np.float32) @ self.right
        return LowRank(
            left=left,
            right=right,
            weights=singular[:keep],
            norm=float(np.linalg.norm(singular[:keep])),
            error=self.error + float(np.linalg.norm(singular[keep:])),
        )

    def dense(self) -> Matrix:
        """(d, d), for tests and comparison."""
        result: Matrix = (self.left.T * self.weights.astype(np.float32)) @ self.right
        return result


def _roots(factor: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """R (r, r) with factor = R.T @ basis, and T with basis = T @ factor, for the orthonormal basis of its rows."""
    wide = factor.astype(np.float64)
    values, vectors = np.linalg.eigh(wide @ wide.T)
    lengths = np.sqrt(np.maximum(values, 0.0))
    inverse = np.where(lengths > 1e-7 * max(float(lengths[-1]), 1e-30), 1.0 / np.maximum(lengths, 1e-30), 0.0)
    return lengths[:, None] * vectors.T, inverse[:, None] * vectors.T


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnGradient:
    """One turn's gradient, waiting for its batch: rank-one factors of the matrices, u, theta, and sums for the means.

    ``memories`` = scale * sum a_i m_i (the gradient of u); Wm gets outer(adapted, memories), Wq outer(lifted, query).
    """

    memories: Vector
    query: Vector
    adapted: Vector
    lifted: Vector
    theta: Mapping[str, float]
    raw_query: Vector
    raw_memory_sum: Vector
    count: int


@lru_cache(maxsize=2)
def dense_start(seed: int, dimension: int, variance: float) -> tuple[Matrix, Matrix]:
    """Wq and Wm as drawn at the start, each element N(0, variance): regenerated from the seed, never stored.

    The legacy generator's stream is frozen (NEP 19), so a later NumPy draws the same.
    """
    draw = np.random.RandomState(seed & 0xFFFFFFFF)
    deviation = variance**0.5
    wq = (draw.standard_normal((dimension, dimension)) * deviation).astype(np.float32)
    wm = (draw.standard_normal((dimension, dimension)) * deviation).astype(np.float32)
    return wq, wm


def _zeros(dimension: int) -> Vector:
    return np.zeros(dimension, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One scope's policy.  A new one ranks exactly as retrieval does (calibrated), or as its seeded start does (paper)."""

    hyper: Hyperparameters
    profile: str
    dimension: int
    seed: int
    vector: Vector  # u
    theta: Mapping[str, float]  # by feature name, so that columns may come and go
    wq: LowRank
    wm: LowRank
    memory_mean: Vector
    memory_count: int = 0
    query_mean: Vector = field(default_factory=lambda: _zeros(0))
    query_count: int = 0
    pending: tuple[TurnGradient, ...] = ()
    turns: int = 0
    updates: int = 0
    trust: float = 1.0  # share of the learned part that is served
    won: float = 0.0  # recent pairs that the learned order had right and the prior wrong
    lost: float = 0.0
    seen: tuple[int, ...] = ()  # digests of the newest jobs: a job counts once
    repeats: tuple[int, ...] = ()  # digests of the newest cited records
    archive: tuple[bytes, ...] = ()  # newest turns, encoded, for offline training

    @classmethod
    def start(cls, hyper: Hyperparameters, *, profile: str, dimension: int, seed: int = 0) -> "Weights":
        return cls(
            hyper=hyper,
            profile=profile,
            dimension=dimension,
            seed=seed,
            vector=_zeros(dimension),
            theta={},
            wq=LowRank.zero(dimension),
            wm=LowRank.zero(dimension),
            memory_mean=_zeros(dimension),
            query_mean=_zeros(dimension),
            trust=NEUTRAL_TRUST if hyper.check else 1.0,
        )

    @property
    def norm(self) -> float:
        """Euclidean norm of everything learned (the seeded start not counted)."""
        squares = float(self.vector @ self.vector) + sum(value**2 for value in self.theta.values())
        return math.sqrt(squares + self.wq.norm**2 + self.wm.norm**2)

    def start_matrices(self) -> tuple[Matrix, Matrix] | None:
        """Wq and Wm at the start, or None for a zero start."""
        if not self.hyper.start_variance:
            return None
        return dense_start(self.seed, self.dimension, self.hyper.start_variance)

    def for_model(self, profile: str, dimension: int) -> "Weights":
        """What stays when the embedding model changes: the weights of the features, and which jobs and citations counted.

        Directions and means begin anew, for they are of the other model's space; and trust, which was earned with them.
        """
        if (profile, dimension) == (self.profile, self.dimension):
            return self
        fresh = Weights.start(self.hyper, profile=profile, dimension=dimension, seed=self.seed)
        return replace(
            fresh,
            theta=self.theta,
            turns=self.turns,
            updates=self.updates,
            seen=self.seen,
            repeats=self.repeats,
        )

    # -- bytes -------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Magic, format version, length of the header, JSON header, arrays in the header's order, archive."""
        arrays: list[NDArray[Any]] = [self.vector, self.memory_mean, self.query_mean]
        for factors in (self.wq, self.wm):
            arrays += [factors.left, factors.right, factors.weights]
        for turn in self.pending:
            arrays += [turn.memories, turn.query, turn.adapted, turn.lifted, turn.raw_query, turn.raw_memory_sum]
        header = {
            "form": self.hyper.form,
            "profile": self.profile,
            "dimension": self.dimension,
            "ranks": [self.wq.rank, self.wm.rank],
            "factors": [[self.wq.norm, self.wq.error], [self.wm.norm, self.wm.error]],
            "theta": dict(self.theta),
            "pending": [{"theta": dict(turn.theta), "count": turn.count} for turn in self.pending],
            "archive": [len(entry) for entry in self.archive],
        } | {name: getattr(self, name) for name in _PLAIN}
        text = json.dumps(header, separators=(",", ":")).encode()
        return b"".join(
            [_MAGIC, struct.pack("<HI", _VERSION, len(text)), text, *(array.tobytes() for array in arrays), *self.archive]
        )

    @classmethod
    def from_bytes(cls, blob: bytes, *, profile: str, dimension: int, carry: bool = False) -> "Weights":
        """``carry``: of those of another embedding model, what means something in this one: ``for_model``.

        Raises:
            ConfigurationError: not our bytes, a newer format, damaged, or (unless carried) of another embedding model.
        """
        remedy = "forget them (react-mem learn reset) or import weights of this model"
        if blob[:4] != _MAGIC or len(blob) < 10:
            raise ConfigurationError(f"{len(blob)} bytes are no ranking weights: {remedy}")
        version, length = struct.unpack("<HI", blob[4:10])
        if version != _VERSION:
            raise ConfigurationError(f"ranking weights have format {version}, this version reads {_VERSION}: {remedy}")
        try:
            header = json.loads(blob[10 : 10 + length])
            stored = (header["profile"], header["dimension"])
        except (ValueError, KeyError, TypeError):
            raise ConfigurationError(f"the header of the ranking weights is damaged: {remedy}") from None
        if stored != (profile, dimension) and not carry:
            raise ConfigurationError(
                f"ranking weights belong to {stored[0]} (dimension {stored[1]}), the index to {profile}"
                f" (dimension {dimension}): {remedy}"
            )
        try:
            return cls._read(header, blob, 10 + length).for_model(profile, dimension)
        except (ValueError, KeyError, TypeError, IndexError):
            raise ConfigurationError(f"the ranking weights are damaged: {remedy}") from None

    @classmethod
    def _read(cls, header: dict[str, Any], blob: bytes, offset: int) -> "Weights":
        d = int(header["dimension"])

        def take(shape: tuple[int, ...], dtype: type = np.float32) -> NDArray[Any]:
            nonlocal offset
            size = int(np.prod(shape))
            array: NDArray[Any] = np.frombuffer(blob, dtype=dtype, count=size, offset=offset).reshape(shape)
            offset += array.nbytes
            if not np.isfinite(array).all():
                raise ValueError("not finite")
            return array

        vector, memory_mean, query_mean = take((d,)), take((d,)), take((d,))
        factors = [
            LowRank(left=take((rank, d)), right=take((rank, d)), weights=take((rank,), np.float64), norm=norm, error=error)
            for rank, (norm, error) in zip(header["ranks"], header["factors"], strict=True)
        ]
        pending = []
        for turn in header["pending"]:
            memories, query, adapted, lifted, raw_query, raw_sum = (take((d,)) for _ in range(6))
            pending.append(
                TurnGradient(
                    memories=memories,
                    query=query,
                    adapted=adapted,
                    lifted=lifted,
                    theta=turn["theta"],
                    raw_query=raw_query,
                    raw_memory_sum=raw_sum,
                    count=turn["count"],
                )
            )
        archive = []
        for size in header["archive"]:
            archive.append(blob[offset : offset + size])
            offset += size
        if offset != len(blob):
            raise ValueError("length")
        plain: dict[str, Any] = {
            name: tuple(header[name]) if isinstance(header[name], list) else header[name] for name in _PLAIN
        }
        return cls(
            hyper=hyperparameters(header["form"]),
            profile=header["profile"],
            dimension=d,
            vector=vector,
            memory_mean=memory_mean,
            query_mean=query_mean,
            theta=header["theta"],
            wq=factors[0],
            wm=factors[1],
            pending=tuple(pending),
            archive=tuple(archive),
            **plain,
        )


_PLAIN = [
    item.name
    for item in fields(Weights)
    if item.name
    not in {"hyper", "profile", "dimension", "vector", "theta", "wq", "wm", "memory_mean", "query_mean", "pending", "archive"}
]
