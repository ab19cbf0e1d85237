"""The files in which pulsar-lite keeps the messages of persistent topics: ``data.rocksdb/entrylog/N.log``.

A file is a sequence of entries: a header of 44 bytes, the message's metadata (Protocol Buffers) and its payload.  An index in
RocksDB holds offset and length of each entry.  The broker writes an entry in several pieces.  If the disk is full in between,
a torn entry stays in the file, while the broker's own count of the offset does not advance: the index of every later entry of
that file is wrong, and the broker stops at the first of them for ever.  Without the torn bytes, index and file agree again
(``mend_entry_logs``).

Source: pulsar-lite 0.2.0, ``rust/storage/managed-ledger-rocksdb/src/entrylog.rs``.
"""

import logging
import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

logger = logging.getLogger(__name__)

STORE = "data.rocksdb"
MARKER = b"GELP\x02\x00\x2c\x00"  # magic number, version, header length; occurs in no JSON and no Base64
_HEADER = struct.Struct("<8xQQiIIQ")  # ledger, entry, partition, length of metadata, length of payload, sum of both


@dataclass(frozen=True, slots=True)
class Entry:
    """One message: its number in its ledger, and its bytes."""

    number: int
    metadata: bytes
    payload: bytes


@dataclass(frozen=True, slots=True)
class _Piece:
    """``data[start:end]``: a whole entry, the beginning of one that was not finished, or bytes that are neither."""

    start: int
    end: int
    form: Literal["whole", "torn", "damaged"]
    place: tuple[int, int] | None = None  # ledger and number, if the header has them
    metadata: int = 0  # its length


def entry_log_files(directory: Path) -> list[Path]:
    """The entry logs of a broker directory, oldest first."""
    found = (directory / STORE / "entrylog").glob("*.log")
    return sorted((path for path in found if path.stem.isdigit()), key=lambda path: int(path.stem))


def read_entries(directory: Path) -> Iterator[Entry]:
    """All whole entries in the order of their arrival, acknowledged ones among them.  Raises: OSError."""
    for path in entry_log_files(directory):
        with _Mapped(path) as data:
            for piece in _pieces(data):
                if piece.form == "whole" and piece.place is not None:
                    body = piece.start + _HEADER.size
                    yield Entry(piece.place[1], data[body : body + piece.metadata], data[body + piece.metadata : piece.end])


def count_damaged(directory: Path) -> int:
    """Pieces of the entry logs that cannot be read.  Raises: OSError."""
    damaged = 0
    for path in entry_log_files(directory):
        with _Mapped(path) as data:
            damaged += sum(piece.form != "whole" for piece in _judge(_pieces(data)))
    return damaged


def mend_entry_logs(directory: Path) -> int:
    """Remove torn entries, and return their bytes.  Call it only while no broker uses the directory.

    A file is replaced as a whole, so a process that is killed leaves the old or the new one.  A file with damage of another
    kind stays as it is: without knowledge of the index, its offsets must not change.

    Raises: OSError.
    """
    torn = 0
    for path in entry_log_files(directory):
        with _Mapped(path) as data:
            pieces = _judge(_pieces(data))
            if damaged := sum(piece.form == "damaged" for piece in pieces):
                logger.warning("%d entries of the embedded broker in %s failed their check", damaged, path)
                continue
            # What is torn at the end of a file shifts nothing: a new broker begins a new file.
            last = max((index for index, piece in enumerate(pieces) if piece.form == "whole"), default=-1)
            cuts = [piece for piece in pieces[: last + 1] if piece.form == "torn"]
            if not cuts:
                continue
            torn += sum(piece.end - piece.start for piece in cuts)
            _write_without(path, data, cuts)
        logger.warning("torn entries of the embedded broker removed from %s (was the disk full?): no message is lost", path)
    return torn


def _write_without(path: Path, data: bytes, cuts: Sequence[_Piece]) -> None:
    draft = path.with_suffix(".mended")
    with draft.open("wb") as output:
        kept = 0
        for cut in cuts:
            output.write(memoryview(data)[kept : cut.start])
            kept = cut.end
        output.write(memoryview(data)[kept:])
        output.flush()
        os.fsync(output.fileno())
    draft.replace(path)


def _pieces(data: bytes) -> Iterator[_Piece]:
    start = 0
    while start < len(data):
        piece = _whole(data, start)
        if piece is None:
            after = data.find(MARKER, start + 1)
            piece = _describe_broken(data, start, after if after >= 0 else len(data))
        yield piece
        start = piece.end


def _whole(data: bytes, start: int) -> _Piece | None:
    body = start + _HEADER.size
    if body > len(data) or data[start : start + len(MARKER)] != MARKER:
        return None
    ledger, number, _, metadata, payload, checksum = _HEADER.unpack_from(data, start)
    end = body + metadata + payload
    if end > len(data) or int(np.frombuffer(data, np.uint8, end - body, body).sum(dtype=np.uint64)) != checksum:
        return None
    return _Piece(start, end, "whole", (ledger, number), metadata)


def _describe_broken(data: bytes, start: int, end: int) -> _Piece:
    """A piece that is not a whole entry.  It is torn if it is the beginning of an entry that is longer."""
    size = end - start
    if data[start : start + min(size, len(MARKER))] != MARKER[: min(size, len(MARKER))]:
        return _Piece(start, end, "damaged")
    if size < _HEADER.size:
        return _Piece(start, end, "torn")
    ledger, number, _, metadata, payload, _ = _HEADER.unpack_from(data, start)
    form: Literal["torn", "damaged"] = "torn" if size < _HEADER.size + metadata + payload else "damaged"
    return _Piece(start, end, form, (ledger, number))


def _judge(pieces: Iterator[_Piece]) -> list[_Piece]:
    """The pieces, with a check of those that look torn: the number of a torn entry is given again to the next of its ledger.

    If it is not, the entry was stored whole, and its length was damaged later.
    """
    found = list(pieces)
    follows: dict[int, int] = {}
    for index in reversed(range(len(found))):
        piece = found[index]
        if piece.place is None:
            continue
        ledger, number = piece.place
        if piece.form == "torn" and follows.get(ledger, number) != number:
            found[index] = _Piece(piece.start, piece.end, "damaged", piece.place)
        elif piece.form == "whole":
            follows[ledger] = number
    return found


class _Mapped:
    """``with _Mapped(path) as data``: the bytes of a file, without reading it into memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> bytes:
        with self._path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return b""
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._data  # type: ignore[return-value]

    def __exit__(self, *_: object) -> None:
        """The mapping is closed when its last view is gone."""
