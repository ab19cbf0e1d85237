"""The two dense vectors ("text", "context") of a scope's records: whole in small scopes, sketches and byte codes in large ones.

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

    def products(self, name: str, slots: Rows, vector: Vector) -> Column:
        """(k,) products with a question's vector (d,)."""
        ...

    @property
    def bytes(self) -> int: ...


class ExactKeys:
    """(n, d) numbers of 16 bits under each key, with a scale for each record.

    Indexes store as many bits.  Products are within 0.00001 of those of 32 bits, and a scope takes half the memory.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._codes: dict[str, NDArray[np.int16]] = {name: np.empty((0, dimension), np.int16) for name in KEYS}
        self._scales: dict[str, Column] = {name: np.empty(0, np.float32) for name in KEYS}

    def reserve(self, capacity: int, used: int) -> None:
        for name in KEYS:
            self._codes[name] = _grow(self._codes[name], capacity, used)
            self._scales[name] = _grow(self._scales[name], capacity, used)

    def put(self, first: int, text: Matrix, context: Matrix) -> None:
        slots = slice(first, first + len(text))
        for name, vectors in (("text", text), ("context", context)):
            scales = _scales(vectors, 32767)
            self._codes[name][slots] = np.rint(vectors / scales[:, None])
            self._scales[name][slots] = scales

    def rows(self, name: str, slots: Rows) -> Matrix:
        rows: Matrix = self._codes[name][slots].astype(np.float32)
        rows *= self._scales[name][slots, None]
        return rows

    def products(self, name: str, slots: Rows, vector: Vector) -> Column:
        products = dots(self._codes[name][slots], vector)
        products *= self._scales[name][slots]
        return products

    @property
    def bytes(self) -> int:
        return sum(self._codes[name].nbytes + self._scales[name].nbytes for name in KEYS)


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
            scales = _scales(rest, 127)
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

    def products(self, name: str, slots: Rows, vector: Vector) -> Column:
        """With an error of about 0.001."""
        learned, codes = self.learned[name], self._codes[name]
        chosen = codes[slots] if isinstance(slots, slice) else codes.take(slots, 0)  # take() is faster than a list of slots
        products = dots(chosen, vector)
        products *= self._scales[name][slots]
        products += learned.mean @ vector
        return products

    @property
    def bytes(self) -> int:
        return sum(self._sketches[name].nbytes + self._codes[name].nbytes + self._scales[name].nbytes for name in KEYS)


def dots(matrix: NDArray[Any], vector: Vector) -> Column:
    """(n,) products of (n, d) rows with a vector, computed in slices so small that BLAS stays in this thread.

    On busy cores, distributing 1 ms of work to other threads takes about ten times as long as the work itself.
    """
    result = np.empty(len(matrix), np.float32)
    step = max(1, ONE_THREAD // max(1, matrix.shape[1]))
    decoded = None if matrix.dtype == np.float32 else np.empty((min(step, len(matrix)), matrix.shape[1]), np.float32)
    for start in range(0, len(matrix), step):
        part = matrix[start : start + step]
        if decoded is not None:
            np.copyto(decoded[: len(part)], part)
            part = decoded[: len(part)]
        np.dot(part, vector, out=result[start : start + step])
    return result


def _scales(vectors: Matrix, largest: int) -> Column:
    """(k,) what to divide each vector by, so that its largest number is ``largest``."""
    scales: Column = np.abs(vectors).max(axis=1, initial=1e-12).astype(np.float32) / np.float32(largest)
    return scales


def _grow(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    grown = np.zeros((capacity, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown
