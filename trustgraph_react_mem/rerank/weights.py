"""The learned weights of one scope, and their binary format.

Invariants:
- a ``Weights`` value is immutable: learning returns a new one;
- the bytes name the embedding profile and dimension that they belong to;
- bytes of format 1 can still be read.
"""

import json
import math
import struct
from collections.abc import Mapping, Sequence
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
NEUTRAL_TRUST = 0.5  # before the first comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterProducts:
    """``left.T @ right``: a (d, d) matrix as the sum of r outer products; ``left``, ``right`` (r, d) float32, oldest first.

    One turn's gradient of a matrix is one outer product (reinforce.py).  At d = 1536, 56 turns take 0.7 MB, whereas the matrix
    takes 9.4 MB.
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
        """Frobenius norm, computed from the factors."""
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

    def keep(self, rows: Sequence[int]) -> "OuterProducts":
        """Only these products."""
        return OuterProducts(left=self.left[rows], right=self.right[rows])

    def plus(self, left: Matrix, right: Matrix, step: float, newest: int) -> "OuterProducts":
        """Add ``step * sum_n outer(left_n, right_n)``; ``left``, ``right`` (n, d).

        Only the ``newest`` products are kept.  Dropping older ones has no measurable cost (docs/rmm.md).
        """
        return OuterProducts(
            left=np.concatenate((self.left, np.float32(step) * left))[-newest:],
            right=np.concatenate((self.right, right))[-newest:],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixGradient:
    """Factors of one turn's matrix gradients: dWm = outer(adapted, TurnGradient.memories), dWq = outer(lifted, query).

    Each factor is (d,).
    """

    query: Vector
    adapted: Vector  # (I + Wq) q
    lifted: Vector  # (I + Wm) memories


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnGradient:
    """One turn's gradient, stored until its batch is complete.

    ``memories`` (d,) = scale * sum a_i m_i is the gradient of u.  ``memory_sum`` (d,) and ``count`` update the running mean.
    """

    memories: Vector
    memory_sum: Vector
    count: int
    theta: Mapping[str, float]
    matrices: MatrixGradient | None = None
    origin: int = 0  # digest of the turn's job id; 0 in turns stored by version 0.1.0


@lru_cache(maxsize=2)
def dense_start(seed: int, dimension: int, deviation: float) -> tuple[Matrix, Matrix]:
    """Initial Wq and Wm (d, d), each element N(0, deviation).  Regenerated from the seed, never stored.

    The legacy generator's stream is frozen (NEP 19), so a later NumPy draws the same numbers.
    """
    draw = np.random.RandomState(seed & 0xFFFFFFFF)
    wq = (draw.standard_normal((dimension, dimension)) * deviation).astype(np.float32)
    wm = (draw.standard_normal((dimension, dimension)) * deviation).astype(np.float32)
    return wq, wm


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The policy of one scope.  New weights rank exactly like retrieval (calibrated) or like their seeded start (paper)."""

    hyper: Hyperparameters
    profile: str
    dimension: int
    seed: int
    vector: Vector  # u
    theta: Mapping[str, float]  # by feature name, so that features can be added and removed
    wq: OuterProducts  # learned in addition to the seeded start
    wm: OuterProducts
    memory_mean: Vector
    memory_count: int = 0
    pending: tuple[TurnGradient, ...] = ()
    turns: int = 0
    updates: int = 0
    trust: float = 1.0  # factor on the learned part when ranking
    won: float = 0.0  # recent pairs that only the learned order ranked correctly, decayed
    lost: float = 0.0  # recent pairs that only the prior order ranked correctly, decayed
    seen: tuple[int, ...] = ()  # digests of the newest job ids, so that each job is learned from once
    repeats: tuple[int, ...] = ()  # digests of the newest cited records
    archive: tuple[bytes, ...] = ()  # newest turns, encoded, for offline training

    @classmethod
    def start(cls, hyper: Hyperparameters, *, profile: str, dimension: int, seed: int = 0) -> "Weights":
        """Weights that have learned nothing."""
        return cls(
            hyper=hyper,
            profile=profile,
            dimension=dimension,
            seed=seed,
            vector=np.zeros(dimension, np.float32),
            theta={},
            wq=OuterProducts.zero(dimension),
            wm=OuterProducts.zero(dimension),
            memory_mean=np.zeros(dimension, np.float32),
            trust=NEUTRAL_TRUST if hyper.check else 1.0,
        )

    @property
    def norm(self) -> float:
        """Euclidean norm of all learned parameters, without the seeded start."""
        squares = float(self.vector @ self.vector) + sum(value**2 for value in self.theta.values())
        return math.sqrt(squares + self.wq.norm**2 + self.wm.norm**2)

    def start_matrices(self) -> tuple[Matrix, Matrix] | None:
        """Initial Wq and Wm, or None for a zero start."""
        if not self.hyper.start_deviation:
            return None
        return dense_start(self.seed, self.dimension, self.hyper.start_deviation)

    def for_model(self, profile: str, dimension: int) -> "Weights":
        """The part of the weights that is still valid with another embedding model.

        Feature weights, counters and the ids of seen jobs and citations are kept.  Directions and means restart from zero,
        because they belong to the other model's vector space, and so does trust, which was earned with them.
        """
        if (profile, dimension) == (self.profile, self.dimension):
            return self
        kept: dict[str, Any] = {name: getattr(self, name) for name in ("theta", "turns", "updates", "seen", "repeats")}
        return replace(Weights.start(self.hyper, profile=profile, dimension=dimension, seed=self.seed), **kept)

    # -- bytes -------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Magic, format version, header length, JSON header, arrays in a fixed order, archive entries."""
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
                {"theta": dict(each.theta), "count": each.count, "matrices": each.matrices is not None, "origin": each.origin}
                for each in self.pending
            ],
            "archive": [len(entry) for entry in self.archive],
        } | {name: getattr(self, name) for name in _PLAIN}
        text = json.dumps(header, separators=(",", ":")).encode()
        return b"".join(
            [_MAGIC, struct.pack("<HI", _VERSION, len(text)), text, *(array.tobytes() for array in arrays), *self.archive]
        )

    @classmethod
    def from_bytes(cls, blob: bytes, *, profile: str, dimension: int, carry: bool = False) -> "Weights":
        """Read stored weights.  ``carry``: convert weights of another embedding model with ``for_model``.

        Raises:
            ConfigurationError: no ranking weights, a newer format, damaged, or (without ``carry``) another embedding model.
        """
        remedy = "forget them (react-mem learn reset) or import weights of this model"
        if blob[:4] != _MAGIC or len(blob) < 10:
            raise ConfigurationError(f"these {len(blob)} bytes are not ranking weights: {remedy}")
        version, length = struct.unpack("<HI", blob[4:10])
        if not 1 <= version <= _VERSION:
            raise ConfigurationError(f"ranking weights have format {version}, this version reads 1 to {_VERSION}: {remedy}")
        try:
            header = json.loads(blob[10 : 10 + length])
            read = cls._read(header, _Arrays(blob, 10 + length), version)
        except (ValueError, KeyError, TypeError, IndexError):
            raise ConfigurationError(f"the ranking weights are damaged: {remedy}") from None
        if (read.profile, read.dimension) != (profile, dimension) and not carry:
            raise ConfigurationError(
                f"ranking weights belong to {read.profile} (dimension {read.dimension}), the index to {profile}"
                f" (dimension {dimension}): {remedy}"
            )
        return read.for_model(profile, dimension)

    @classmethod
    def _read(cls, header: dict[str, Any], arrays: "_Arrays", version: int) -> "Weights":
        d, hyper = int(header["dimension"]), hyperparameters(header["form"])
        vector, memory_mean = arrays.take(d), arrays.take(d)
        if version == 1:
            arrays.take(d)  # the mean query, which is no longer used
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
    """Reads arrays one after the other.  Raises ValueError if bytes are missing or left over, or a value is not finite."""

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
    if version == 1:  # always has query and matrix factors, then the raw query and the sum of memories
        query, adapted, lifted, _, memory_sum = (arrays.take(d) for _ in range(5))
        matrices = MatrixGradient(query=query, adapted=adapted, lifted=lifted) if hyper.use_matrices else None
    else:
        memory_sum, matrices = arrays.take(d), None
        if turn["matrices"]:
            matrices = MatrixGradient(query=arrays.take(d), adapted=arrays.take(d), lifted=arrays.take(d))
    return TurnGradient(
        memories=memories,
        memory_sum=memory_sum,
        count=turn["count"],
        theta=turn["theta"],
        matrices=matrices,
        origin=turn.get("origin", 0),
    )


_STRUCTURED = frozenset({"hyper", "profile", "dimension", "vector", "theta", "wq", "wm", "memory_mean", "pending", "archive"})
_PLAIN = [item.name for item in fields(Weights) if item.name not in _STRUCTURED]
