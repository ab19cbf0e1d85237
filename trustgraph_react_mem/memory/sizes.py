"""Size limits of records.

A broker accepts messages of up to 5 MB.  The limit on one record is lower, so that these also fit: a reply with several
records, a line of an export with two versions of a record, and an encrypted job.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ..errors import TooLarge

MOST_RECORD_BYTES = 1_000_000  # of the texts of a record as JSON: about a million letters, or 150,000 words
MOST_REPLY_BYTES = 4_000_000
MOST_QUERY_CHARS = 200_000  # of a request to a service

T = TypeVar("T")


def wire_size(value: Any) -> int:
    """Bytes of a JSON value on the bus, which carries ASCII-escaped JSON."""
    return len(json.dumps(value))


def split_by_size(items: Iterable[T], size_of: Callable[[T], int], *, most: int, most_size: int) -> Iterator[list[T]]:
    """Split ``items`` into lists of at most ``most`` items and ``most_size`` in all.  A larger item gets a list to itself.

    >>> list(split_by_size(["a", "bb", "cccc"], len, most=9, most_size=3))
    [['a', 'bb'], ['cccc']]
    """
    piece: list[T] = []
    size = 0
    for item in items:
        own = size_of(item)
        if piece and (len(piece) == most or size + own > most_size):
            yield piece
            piece, size = [], 0
        piece.append(item)
        size += own
    if piece:
        yield piece


def check_size(what: str, value: Any) -> None:
    """Raises: TooLarge (the message has ``what``, its size and the remedy)."""
    size = wire_size(value)
    if size > MOST_RECORD_BYTES:
        raise TooLarge(f"{what}: {megabytes(size)} exceeds the limit of {megabytes(MOST_RECORD_BYTES)}: shorten or split it")


def megabytes(size: int) -> str:
    """
    >>> megabytes(6_300_000)
    '6.3 MB'
    """
    return f"{size / 1e6:.1f} MB"
