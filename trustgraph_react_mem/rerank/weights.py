"""What was learned for one scope, and its bytes.

Invariants: a Weights value never changes (learning gives a new one); the bytes name the embedding profile and dimension they
belong to; bytes of format 1 are read too.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError
from .hyperparameters import Hyperparameters, hyperparameters

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]
_MAGIC = b"RMMW"
_VERSION = 2
NEUTRAL_TRUST = 0.5  # before anything was compared


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterProducts:
    """``left.T @ right``: a (d, d) matrix as the sum of r outer products; ``left``, ``right`` (r, d) float32, oldest first.

    One turn's gradient of a matrix is one outer product (reinforce.py), so 56 turns take 0.7 MB at d = 1536, where the matrix
    itself takes 9.4 MB.
    """

    left: Matrix
    right: Matrix

    @classmethod
    def zero(cls, dimension: int) -> "OuterProducts":
        empty = np.zeros((0, dimension), dtype=np.float32)
        return cls(left=empty, right=empty)

    @property
    def rank(self) -> int:
        return len(self.left)

    @property
    def norm(self) -> float:
        """Frobenius norm, from the products of the factors."""
        squared = float(np.sum((self.left @ self.left.T) * (self.right @ self.right.T)))
        return math.sqrt(max(squared, 0.0))

    def dot(self, x: Vector) -> Vector:
        """The matrix times ``x`` (d,)."""
        inner: Vector = self.right @ x
        return inner @ self.left

    def transposed_dot(self, y: Vector) -> Vector:
        """The matrix's transpose times ``y`` (d,)."""
        inner: Vector = self.left @ y
        return inner @ self.right

    def plus(self, left: Matrix, right: Matrix, step: float, newest: int) -> "OuterProducts":
        """With ``step * sum_n outer(left_n, right_n)`` added; ``left``, ``right`` (n, d).

        Only the ``newest`` products stay: dropping older ones costs nothing that can be measured, see docs/rmm.md.
        """
        return OuterProducts(
            left=np.concatenate((self.left, np.float32(step) * left))[-newest:],
            right=np.concatenate((self.right, right))[-newest:],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixGradient:
    """Of one turn: dWm = outer(adapted, memories), with ``TurnGradient.memories``; dWq = outer(lifted, query).  Each (d,)."""

    query: Vector
    adapted: Vector  # (I + Wq) q
    lifted: Vector  # (I + Wm) memories


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnGradient:
    """One turn's gradient, waiting for its batch.

    ``memories`` (d,) = scale * sum a_i m_i is the gradient of u; ``memory_sum`` (d,) and ``count`` are for the running mean.
    """

    memories: Vector
    memory_sum: Vector
    count: int
    theta: Mapping[str, float]
    matrices: MatrixGradient | None = None


@lru_cache(maxsize=2)
def dense_start(seed: int, dimension: int, deviation: float) -> tuple[Matrix, Matrix]:
    """Wq and Wm (d, d) as drawn at the start, each element N(0, deviation): regenerated from the seed, never stored.

    The legacy generator's stream is frozen (NEP 19), so a later NumPy draws the same.
    """
    draw = np.random.RandomState(seed & 0xFFFFFFFF)
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
    wq: OuterProducts  # what was learned on top of the seeded start
    wm: OuterProducts
    memory_mean: Vector
    memory_count: int = 0
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
            wq=OuterProducts.zero(dimension),
            wm=OuterProducts.zero(dimension),
            memory_mean=_zeros(dimension),
            trust=NEUTRAL_TRUST if hyper.check else 1.0,
        )

    @property
    def norm(self) -> float:
        """Euclidean norm of everything learned (the seeded start not counted)."""
        squares = float(self.vector @ self.vector) + sum(value**2 for value in self.theta.values())
        return math.sqrt(squares + self.wq.norm**2 + self.wm.norm**2)

    def start_matrices(self) -> tuple[Matrix, Matrix] | None:
        """Wq and Wm at the start, or None for a zero start."""
        if not self.hyper.start_deviation:
            return None
        return dense_start(self.seed, self.dimension, self.hyper.start_deviation)

    def for_model(self, profile: str, dimension: int) -> "Weights":
        """What stays when the embedding model changes: the weights of the features, and which jobs and citations counted.

        Directions and means start from zero, because they belong to the other model's space; so does trust, earned with them.
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
        arrays = [self.vector, self.memory_mean, self.wq.left, self.wq.right, self.wm.left, self.wm.right]
        for turn in self.pending:
            arrays += [turn.memories, turn.memory_sum]
            if turn.matrices is not None:
                arrays += [turn.matrices.query, turn.matrices.adapted, turn.matrices.lifted]
        header = {
            "form": self.hyper.form,
            "profile": self.profile,
            "dimension": self.dimension,
            "ranks": [self.wq.rank, self.wm.rank],
            "theta": dict(self.theta),
            "pending": [
                {"theta": dict(turn.theta), "count": turn.count, "matrices": turn.matrices is not None} for turn in self.pending
            ],
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
        if not 1 <= version <= _VERSION:
            raise ConfigurationError(f"ranking weights have format {version}, this version reads 1 to {_VERSION}: {remedy}")
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
            return cls._read(header, _Arrays(blob, 10 + length), version).for_model(profile, dimension)
        except (ValueError, KeyError, TypeError, IndexError):
            raise ConfigurationError(f"the ranking weights are damaged: {remedy}") from None

    @classmethod
    def _read(cls, header: dict[str, Any], arrays: "_Arrays", version: int) -> "Weights":
        d, hyper = int(header["dimension"]), hyperparameters(header["form"])
        vector, memory_mean = arrays.take(d), arrays.take(d)
        if version == 1:
            arrays.take(d)  # the mean query: no form has it any more
        factors = []
        for rank in header["ranks"]:
            left, right = arrays.take(rank, d), arrays.take(rank, d)
            if version == 1:
                left = left * arrays.take(rank, dtype=np.float64)[:, None].astype(np.float32)
            factors.append(OuterProducts(left=left, right=right) if hyper.use_matrices else OuterProducts.zero(d))
        pending = tuple(_read_turn(turn, arrays, d, version, hyper) for turn in header["pending"])
        archive = tuple(arrays.take_bytes(size) for size in header["archive"])
        arrays.check_end()
        plain: dict[str, Any] = {
            name: tuple(header[name]) if isinstance(header[name], list) else header[name] for name in _PLAIN
        }
        return cls(
            hyper=hyper,
            profile=header["profile"],
            dimension=d,
            vector=vector,
            memory_mean=memory_mean,
            theta=header["theta"],
            wq=factors[0],
            wm=factors[1],
            pending=pending,
            archive=archive,
            **plain,
        )


class _Arrays:
    """Reads arrays one after the other.  Raises ValueError for what is cut off, left over or not finite."""

    def __init__(self, blob: bytes, offset: int) -> None:
        self._blob = blob
        self._offset = offset

    def take(self, *shape: int, dtype: type = np.float32) -> NDArray[Any]:
        size = int(np.prod(shape))
        array: NDArray[Any] = np.frombuffer(self._blob, dtype=dtype, count=size, offset=self._offset).reshape(shape)
        self._offset += array.nbytes
        if not np.isfinite(array).all():
            raise ValueError("not finite")
        return array

    def take_bytes(self, size: int) -> bytes:
        self._offset += size
        return self._blob[self._offset - size : self._offset]

    def check_end(self) -> None:
        if self._offset != len(self._blob):
            raise ValueError("length")


def _read_turn(turn: Mapping[str, Any], arrays: _Arrays, d: int, version: int, hyper: Hyperparameters) -> TurnGradient:
    memories = arrays.take(d)
    if version == 1:  # query and matrices were there in every form, the raw query and the sum of memories behind them
        query, adapted, lifted, _, memory_sum = (arrays.take(d) for _ in range(5))
        matrices = MatrixGradient(query=query, adapted=adapted, lifted=lifted) if hyper.use_matrices else None
    else:
        memory_sum, matrices = arrays.take(d), None
        if turn["matrices"]:
            matrices = MatrixGradient(query=arrays.take(d), adapted=arrays.take(d), lifted=arrays.take(d))
    return TurnGradient(memories=memories, memory_sum=memory_sum, count=turn["count"], theta=turn["theta"], matrices=matrices)


_STRUCTURED = frozenset({"hyper", "profile", "dimension", "vector", "theta", "wq", "wm", "memory_mean", "pending", "archive"})
_PLAIN = [item.name for item in fields(Weights) if item.name not in _STRUCTURED]
