"""Find erased words in files without storing them: hashes of a few parts of a text, and a search for what has these hashes."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WIDTH = 16  # bytes of a part
PER_TEXT, PER_ERASURE = 3, 48
CHUNK = 128 * 2**10  # small enough for the processor's cache
_HALF = 8
_FIRST = np.uint64(48)  # bits below those that the search looks at first
_TABLE = 2**16

Words = NDArray[np.uint64]


class Marks:
    """``key``: 32 secret bytes.  Without it, a mark says nothing about the words.

    A mark has 16 bits from the first half of a part, which the search looks at first, and 48 bits from both halves.
    """

    def __init__(self, key: bytes) -> None:
        digest = hashlib.sha256(b"marks|" + key).digest()
        self._factors = [np.uint64(int.from_bytes(digest[start : start + _HALF]) | 1) for start in (0, _HALF)]

    def of(self, texts: Iterable[str]) -> list[int]:
        """Marks of the most distinctive parts of the texts."""
        parts = [part for text in texts for part in _parts(text)][:PER_ERASURE]
        return sorted({int(mark) for part in parts for mark in self._marks(part, np.array([0]))})

    def count(self, directory: Path, marks: Sequence[int]) -> dict[int, int]:
        """How often the files of the directory contain the part of each mark.  Reads every byte: run it in a thread."""
        wanted = np.array(sorted(marks), dtype=np.uint64)
        first = np.zeros(_TABLE, dtype=bool)
        first[wanted >> _FIRST] = True
        counts = dict.fromkeys(marks, 0)
        for path in sorted(directory.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            for data in _chunks(path):
                scrambled = _at_each_byte(data) * self._factors[0]
                places = np.flatnonzero(first[scrambled.view("<u2")[3::4]][: len(data) - WIDTH + 1])
                found = self._marks(data, places)
                for mark in found[np.isin(found, wanted)]:
                    counts[int(mark)] += 1
        return counts

    def _marks(self, data: bytes, places: NDArray[np.intp]) -> Words:
        """The marks of the parts at these places."""
        words = _at_each_byte(data)
        halves = [words[places] * self._factors[0], words[places + _HALF] * self._factors[1]]
        whole = halves[0] + halves[1]
        marks: Words = (halves[0] >> _FIRST << _FIRST) | (whole >> (np.uint64(64) - _FIRST))
        return marks


def _at_each_byte(data: bytes) -> Words:
    """The eight bytes at each position as a number: a view with a step of one byte."""
    return np.ndarray(len(data) - _HALF + 1, dtype="<u8", buffer=data, strides=(1,))


def _parts(text: str) -> list[bytes]:
    """A few parts of plain ASCII, which are the same in every encoding and in JSON.  Else of UTF-8."""
    data = text.encode("utf-8", "replace")
    starts = range(0, len(data) - WIDTH + 1, max(1, (len(data) - WIDTH + 1) // 64))
    parts = [data[start : start + WIDTH] for start in starts]
    plain = [part for part in parts if all(32 <= byte < 127 and byte not in b'"\\' for byte in part)]
    # More different bytes: less likely in another text.
    return sorted(plain or parts, key=lambda part: len(set(part)), reverse=True)[:PER_TEXT]


def _chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file.  Chunks overlap, so that each part is in exactly one of them."""
    try:
        with path.open("rb") as file:
            data = file.read(CHUNK)
            while len(data) >= WIDTH:
                if data.strip(b"\0"):  # engines reserve space
                    yield data
                more = file.read(CHUNK)
                if not more:
                    return
                data = data[-(WIDTH - 1) :] + more
    except OSError:  # a file that an engine has removed meanwhile
        return
