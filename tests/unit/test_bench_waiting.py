"""Rows wait for what they measure, and one that cannot be measured does not take others with it."""

import asyncio
import sys
from collections.abc import Set
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench import __main__ as command
from bench import filled, patience, stock
from bench.__main__ import Measurement, measured
from bench.patience import patiently, progress
from bench.row import Row
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.memory.embedding import PROFILES


def measurement(module: str, *names: str, broken: str = "") -> Measurement:
    async def collect(wanted: Set[str], data: Path | None) -> list[Row]:
        progress.doing = f"at {module}"
        await asyncio.sleep(0.02)
        if broken in wanted:
            raise RuntimeError("the engine is away")
        return [Row(name, 1.0, "ms") for name in names if name in wanted]

    return cast(Measurement, SimpleNamespace(module=module, names=names, slow=frozenset(), collect=collect))


@pytest.fixture(autouse=True)
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(command, "FAULTS", tmp_path / "faults.log")
    return tmp_path / "faults.log"


def test_the_other_rows_of_a_module_stand_beside_one_that_failed(capsys: pytest.CaptureFixture[str], faults: Path) -> None:
    rows, failures, left_out = measured([measurement("a", "x", "y", broken="y"), measurement("b", "z")], "", None)
    assert [row.name for row in rows] == ["x", "z"]
    assert failures == ["y: RuntimeError: the engine is away"]
    assert left_out == []
    said = capsys.readouterr().err
    assert "a: measuring x, y" in said
    assert "Traceback" not in said
    assert faults.read_text(encoding="utf-8").count("Traceback") == 2


async def test_a_stock_agent_that_ends_early_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.touch()
    group = tmp_path / "processor-group"
    group.write_text("#!/bin/sh\necho Traceback: many lines\necho the port is taken\nexit 3\n", encoding="utf-8")
    group.chmod(0o700)
    monkeypatch.setattr(stock, "PYTHON", python)
    process = await stock._start("pulsar://nowhere", tmp_path, "yes")
    await process.wait()
    with pytest.raises(ConfigurationError, match=r"exit code 3; the last line of .*stock\.log: the port is taken$"):
        await stock._ready(cast(Any, None), process, tmp_path)


def test_rows_of_a_broken_module_that_come_too_late_are_named() -> None:
    rows, failures, left_out = measured([measurement("a", "x", "y", broken="y")], "", None, minutes=0.0001)
    assert (rows, failures, left_out) == ([], [], ["x", "y"])


def test_rows_for_which_no_time_is_left_are_named() -> None:
    rows, failures, left_out = measured([measurement("a", "x"), measurement("b", "z", "y")], "", None, minutes=0.0001)
    assert [row.name for row in rows] == ["x"]
    assert failures == []
    assert left_out == ["y", "z"]


def test_a_row_that_does_not_end_in_time_is_named_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []

    async def endless(wanted: Set[str], data: Path | None) -> list[Row]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(sorted(wanted))
            raise
        return []

    slow = cast(Measurement, SimpleNamespace(module="a", names=("x", "y"), slow=frozenset(), collect=endless))
    monkeypatch.setattr(command, "GRACE_S", 0.0)
    rows, failures, left_out = measured([slow], "", None, minutes=0.0001)
    assert (rows, failures, left_out) == ([], [], ["x", "y"])
    assert stopped == [["x", "y"]]


def test_a_row_that_fails_by_its_own_limit_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stuck(wanted: Set[str], data: Path | None) -> list[Row]:
        raise TimeoutError("3 jobs were left")

    broken = cast(Measurement, SimpleNamespace(module="a", names=("x",), slow=frozenset(), collect=stuck))
    assert measured([broken], "", None, minutes=1) == ([], ["x: TimeoutError: 3 jobs were left"], [])


def test_rows_over_many_records_come_last() -> None:
    rows, _, _ = measured([measurement("a", "x_100k_p50", "x_p50"), measurement("b", "y")], "", None)
    assert [row.name for row in rows] == ["x_p50", "y", "x_100k_p50"]


async def test_stopped_filling_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[asyncio.subprocess.Process] = []
    begun = asyncio.Event()
    create = asyncio.create_subprocess_exec

    async def sleeper(*command: str, **options: Any) -> asyncio.subprocess.Process:
        process = await create(sys.executable, "-c", "import time; time.sleep(600)", stdout=asyncio.subprocess.PIPE)
        started.append(process)
        begun.set()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", sleeper)
    filling = asyncio.create_task(filled.filled_apart(tmp_path, 1, PROFILES["e5-small-v2"]))
    await begun.wait()
    filling.cancel()
    await asyncio.gather(filling, return_exceptions=True)
    assert started[0].returncode is not None


def test_a_long_row_tells_what_it_does(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "REPORT_S", 0.001)
    measured([measurement("a", "x")], "", None)
    assert "s so far  at a" in capsys.readouterr().err


async def test_waiting_goes_on_as_long_as_something_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_S", 0.0)
    left = [5, 4, 2, 0]

    async def ask(timeout_s: float) -> int:
        return left.pop(0)

    await patiently(ask, "jobs")
    assert left == []
    assert progress.doing == "2 jobs left"


async def test_waiting_ends_when_nothing_is_done_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_S", 0.0)

    async def ask(timeout_s: float) -> Any:
        return 3

    with pytest.raises(TimeoutError, match="3 jobs were left"):
        await patiently(ask, "jobs")
