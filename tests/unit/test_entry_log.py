"""The broker's entry logs: what a full disk leaves in them is removed, and nothing else."""

import struct
from pathlib import Path

import pytest

from trustgraph_react_mem.bus.storage.entry_log import (
    MARKER,
    STORE,
    Entry,
    count_damaged,
    mend_entry_logs,
    read_entries,
)

METADATA = b"\n\nproducer-0"


def entry(number: int, payload: bytes, ledger: int = 3) -> bytes:
    """As pulsar-lite writes it."""
    total = sum(METADATA) + sum(payload)
    return MARKER + struct.pack("<QQiIIQ", ledger, number, -1, len(METADATA), len(payload), total) + METADATA + payload


ENTRIES = [entry(number, b'{"number": %d}' % number * 5) for number in range(4)]


def write(directory: Path, *pieces: bytes, name: str = "0.log") -> Path:
    path = directory / STORE / "entrylog" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(pieces))
    return path


@pytest.mark.parametrize("size", range(1, len(ENTRIES[2])))
def test_a_torn_entry_of_any_length_is_removed(tmp_path: Path, size: int) -> None:
    """The broker gives its number to the next entry, and counts offsets as if the torn one were not there."""
    path = write(tmp_path, *ENTRIES[:2], ENTRIES[2][:size], *ENTRIES[2:])
    assert mend_entry_logs(tmp_path) == size
    assert path.read_bytes() == b"".join(ENTRIES)
    assert mend_entry_logs(tmp_path) == 0


def test_several_torn_entries_in_a_row_are_removed(tmp_path: Path) -> None:
    torn = [entry(2, b"a" * 500)[:100], entry(2, b"b" * 50)[:5], entry(2, b"c" * 900)[:700], entry(2, b"d")[:20]]
    path = write(tmp_path, *ENTRIES[:2], *torn, *ENTRIES[2:])
    mend_entry_logs(tmp_path)
    assert path.read_bytes() == b"".join(ENTRIES)


def test_whole_entries_stay_though_a_number_repeats(tmp_path: Path) -> None:
    """The index was not written: the disk became full between entry and index."""
    path = write(tmp_path, *ENTRIES[:3], ENTRIES[2], ENTRIES[2], ENTRIES[3])
    before = path.read_bytes()
    assert mend_entry_logs(tmp_path) == 0
    assert path.read_bytes() == before


def test_what_is_torn_at_the_end_stays(tmp_path: Path) -> None:
    """A broker that was killed: nothing behind it is shifted."""
    path = write(tmp_path, *ENTRIES[:2], ENTRIES[2][:30])
    before = path.read_bytes()
    assert mend_entry_logs(tmp_path) == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("at", range(0, len(ENTRIES[1]), 3))
def test_flipped_bytes_shift_nothing(tmp_path: Path, at: int) -> None:
    """The offsets of the index hold as long as no byte is removed, whatever was flipped: marker, number, length, sum, text."""
    flipped = bytearray(ENTRIES[1])
    flipped[at] ^= 0x5A
    path = write(tmp_path, ENTRIES[0], bytes(flipped), *ENTRIES[2:])
    before = path.read_bytes()
    mend_entry_logs(tmp_path)
    assert path.read_bytes() == before
    assert Entry(3, METADATA, b'{"number": 3}' * 5) in list(read_entries(tmp_path))


def test_damage_is_counted_and_the_rest_is_read_in_order(tmp_path: Path) -> None:
    broken = ENTRIES[1][:-3] + b"xyz"
    write(tmp_path, ENTRIES[0], broken, name="2.log")
    write(tmp_path, *ENTRIES[2:], name="10.log")
    write(tmp_path, name="11.log")
    assert [each.number for each in read_entries(tmp_path)] == [0, 2, 3]
    assert count_damaged(tmp_path) == 1


def test_a_directory_without_entries_is_fine(tmp_path: Path) -> None:
    assert mend_entry_logs(tmp_path) == 0
    assert list(read_entries(tmp_path)) == []
