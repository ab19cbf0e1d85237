"""Writes are refused before the disk is full."""

from pathlib import Path

import pytest

from trustgraph_react_mem.disk import DiskSpace
from trustgraph_react_mem.errors import DiskFull

MB = 2**20


def test_below_the_limit_work_is_refused_with_the_remedy_and_goes_on_later(tmp_path: Path) -> None:
    free, asked = [100 * MB], []

    def measure(path: Path) -> int:
        asked.append(path)
        return free[0]

    space = DiskSpace(tmp_path / "not" / "there", 64 * MB, measure=measure)
    space.check("publishing")
    assert asked == [tmp_path], "measured where the directory will be"
    free[0] = 10 * MB  # in a moment
    with pytest.raises(DiskFull, match=r"disk full: 10 MB are free at .*publishing needs 64 MB: free some space.*MIN_FREE_MB"):
        space.check("publishing")
    free[0] = 65 * MB
    space.check("publishing")


def test_a_full_disk_is_logged_once_and_its_end_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    free = [10 * MB]
    space = DiskSpace(tmp_path, 64 * MB, measure=lambda path: free[0])
    for _ in range(3):
        with pytest.raises(DiskFull):
            space.check("work")
    free[0] = 100 * MB
    for _ in range(3):
        space.check("work")
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("ERROR", "error: disk full, writes are refused: 10 MB are free"),
        ("WARNING", "the disk has room again, writes are accepted: 100 MB are free"),
    ]
