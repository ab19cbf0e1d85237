"""The two dense vectors ("text", "context") of a scope's records."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...memory.ports import Matrix, Vector

ONE_THREAD = 300_000  # number of matrix elements up to which BLAS does not use other threads
KEYS = ("text", "context")

Column = NDArray[np.float32]
Rows = Sequence[int] | NDArray[Any] | slice
Spread = tuple[float, float]  # mean and standard deviation


class DenseKeys:
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
        """(k, d) vectors of the slots from ``first`` on."""
        slots = slice(first, first + len(text))
        for name, vectors in (("text", text), ("context", context)):
            scales = np.abs(vectors).max(axis=1, initial=1e-12).astype(np.float32) / np.float32(32767)
            self._codes[name][slots] = np.rint(vectors / scales[:, None])
            self._scales[name][slots] = scales

    def rows(self, name: str, slots: Rows) -> Matrix:
        """(k, d) vectors under a key."""
        rows: Matrix = self._codes[name][slots].astype(np.float32)
        rows *= self._scales[name][slots, None]
        return rows

    def products(self, name: str, slots: Rows, vector: Vector) -> Column:
        """(k,) products with a question's vector (d,)."""
        products = dots(self._codes[name][slots], vector)
        products *= self._scales[name][slots]
        return products

    @property
    def bytes(self) -> int:
        return sum(self._codes[name].nbytes + self._scales[name].nbytes for name in KEYS)


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


def _grow(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    grown = np.zeros((capacity, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown
