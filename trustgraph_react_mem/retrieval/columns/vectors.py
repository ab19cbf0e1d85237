"""The two dense vectors ("text", "context") of a scope's records: exact in small scopes, sketches and byte codes in large ones.

Scanning the full vectors of a large scope for every question is too slow: 100,000 records with two vectors of 384 dimensions
take 300 MB.  Therefore each vector is stored twice: as a sketch, its coordinates along the principal directions of the scope's
vectors, which is scanned for every question; and as byte codes (1 byte per dimension, one scale per record), from which the
best few records are scored again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...memory.ports import Matrix, Vector

SKETCH = 48  # coordinates kept; they contain about two thirds of the variance of sentence embeddings
ONE_THREAD = 300_000  # number of matrix elements up to which BLAS does not use other threads
KEYS = ("text", "context")

Column = NDArray[np.float32]
Rows = Sequence[int] | NDArray[Any] | slice
Spread = tuple[float, float]  # mean and standard deviation


class DenseKeys(Protocol):
    def reserve(self, capacity: int, used: int) -> None: ...

    def put(self, first: int, text: Matrix, context: Matrix) -> None:
        """(k, d) vectors of the slots from ``first`` on."""
        ...

    def rows(self, name: str, slots: Rows) -> Matrix:
        """(k, d) vectors under a key."""
        ...

    @property
    def bytes(self) -> int: ...


class ExactKeys:
    """(n, d) float32 under each key."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.matrices: dict[str, Matrix] = {name: np.empty((0, dimension), np.float32) for name in KEYS}

    def reserve(self, capacity: int, used: int) -> None:
        for name, matrix in self.matrices.items():
            self.matrices[name] = _grow(matrix, capacity, used)

    def put(self, first: int, text: Matrix, context: Matrix) -> None:
        self.matrices["text"][first : first + len(text)] = text
        self.matrices["context"][first : first + len(text)] = context

    def rows(self, name: str, slots: Rows) -> Matrix:
        return self.matrices[name][slots]

    @property
    def bytes(self) -> int:
        return sum(matrix.nbytes for matrix in self.matrices.values())


@dataclass(frozen=True, slots=True)
class Directions:
    """Principal directions of a scope's vectors under one key.

    ``mean`` (d,).  ``axes`` (d, SKETCH): orthonormal columns.  ``covariance`` (d, d).
    """

    mean: Vector
    axes: Matrix
    covariance: Matrix

    @classmethod
    def fit(cls, vectors: Matrix) -> "Directions":
        mean: Vector = vectors.mean(axis=0)
        centred = vectors - mean
        covariance = np.asarray(centred.T @ centred / max(1, len(vectors)), np.float32)
        _, axes = np.linalg.eigh(covariance)  # ascending
        return cls(mean, np.ascontiguousarray(axes[:, : -SKETCH - 1 : -1], np.float32), covariance)

    def spread(self, vector: Vector) -> Spread:
        """Mean and deviation of the products of all records with ``vector``, computed without the products themselves."""
        return float(self.mean @ vector), float(np.sqrt(max(0.0, float(vector @ (self.covariance @ vector)))))


class SketchedKeys:
    """Sketches and byte codes.  ``learned``: the directions of each key; vectors are coded relative to their mean."""

    def __init__(self, learned: dict[str, Directions]) -> None:
        self.learned = learned
        dimension, kept = learned["text"].axes.shape
        self.dimension = dimension
        self._sketches: dict[str, Matrix] = {name: np.empty((0, kept), np.float32) for name in KEYS}
        self._codes: dict[str, NDArray[np.int8]] = {name: np.empty((0, dimension), np.int8) for name in KEYS}
        self._scales: dict[str, Column] = {name: np.empty(0, np.float32) for name in KEYS}

    def reserve(self, capacity: int, used: int) -> None:
        for name in KEYS:
            self._sketches[name] = _grow(self._sketches[name], capacity, used)
            self._codes[name] = _grow(self._codes[name], capacity, used)
            self._scales[name] = _grow(self._scales[name], capacity, used)

    def put(self, first: int, text: Matrix, context: Matrix) -> None:
        slots = slice(first, first + len(text))
        for name, vectors in (("text", text), ("context", context)):
            learned = self.learned[name]
            rest: Matrix = vectors - learned.mean
            scales: Column = np.abs(rest).max(axis=1, initial=1e-12).astype(np.float32) / np.float32(127)
            self._sketches[name][slots] = rest @ learned.axes
            self._codes[name][slots] = np.rint(rest / scales[:, None])
            self._scales[name][slots] = scales

    def approximate(self, name: str, vector: Vector, n: int) -> Column:
        """(n,) approximate products with a question's vector (d,), minus their mean.

        The axes are orthonormal, so the product of two sketches is the part of the product along these axes.  The remaining
        part has mean 0 over the scope, because vectors are sketched relative to their mean.
        """
        return dots(self._sketches[name][:n], vector @ self.learned[name].axes)

    def rows(self, name: str, slots: Rows) -> Matrix:
        rows: Matrix = self._codes[name][slots].astype(np.float32)
        rows *= self._scales[name][slots, None]
        rows += self.learned[name].mean
        return rows

    def products(self, name: str, slots: NDArray[Any], vector: Vector) -> Column:
        """(k,) products with a question's vector (d,), with an error of about 0.001."""
        learned = self.learned[name]
        products: Column = self._codes[name].take(slots, 0).astype(np.float32) @ vector
        products *= self._scales[name][slots]
        products += learned.mean @ vector
        return products

    @property
    def bytes(self) -> int:
        return sum(self._sketches[name].nbytes + self._codes[name].nbytes + self._scales[name].nbytes for name in KEYS)


def dots(matrix: Matrix, vector: Vector) -> Column:
    """(n,) products of (n, d) rows with a vector, computed in slices so small that BLAS stays in this thread.

    On busy cores, distributing 1 ms of work to other threads takes about ten times as long as the work itself.
    """
    result = np.empty(len(matrix), np.float32)
    step = max(1, ONE_THREAD // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        np.dot(matrix[start : start + step], vector, out=result[start : start + step])
    return result


def _grow(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    grown = np.zeros((capacity, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown
