"""Run the benchmarks.  Prints a table and writes ``build/bench.json``.

python -m bench [--only NAME] [--data LOCOMO_FILE] [--out FILE]
"""

import argparse
import asyncio
import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Set
from pathlib import Path
from typing import Any

from .report import keep, show
from .row import Row

Collect = Callable[[Set[str], Path | None], Coroutine[Any, Any, list[Row]]]
MODULES = (
    "rpc",
    "turn",
    "stack",
    "http",
    "store",
    "writing",
    "housekeeping",
    "forgetting",
    "jobs",
    "capacity",
    "rerank",
    "recall",
    "sessions",
)
NEED_DATA = frozenset({"recall"})


class Measurement:
    """One module with the names of its rows.  Some rows run only if they are named (``--only``)."""

    def __init__(self, module: str) -> None:
        found = importlib.import_module(f"bench.{module}")
        self.module = module
        self.names: tuple[str, ...] = found.NAMES
        self.slow: Set[str] = getattr(found, "SLOW", frozenset())
        self.collect: Collect = found.collect


def wanted(measurement: Measurement, only: str, data: Path | None) -> set[str]:
    if only:
        return {name for name in measurement.names if name == only}
    if measurement.module in NEED_DATA and data is None:
        return set()
    return set(measurement.names) - measurement.slow


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", default="", help="name of one row")
    parser.add_argument("--data", type=Path, help="a LoCoMo file, needed for the recall rows")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    arguments = parser.parse_args()
    measurements = [Measurement(module) for module in MODULES]
    known = [name for measurement in measurements for name in measurement.names]
    if arguments.only and arguments.only not in known:
        print(f"there is no row {arguments.only!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    if arguments.data is not None and not arguments.data.is_file():
        print(f"file {arguments.data} does not exist: DATA= must name a LoCoMo file", file=sys.stderr)
        return 2
    rows, failures = measured(measurements, arguments.only, arguments.data)
    show(rows)
    keep(rows, arguments.out)
    for failure in failures:
        print(f"not measured: {failure}", file=sys.stderr)
    return 1 if failures or (arguments.only and not rows) else 0


def measured(measurements: list[Measurement], only: str, data: Path | None) -> tuple[list[Row], list[str]]:
    """Rows in the order of the modules, and the failures.  One failure does not affect the other rows."""
    rows: list[Row] = []
    failures: list[str] = []
    for measurement in measurements:
        names = wanted(measurement, only, data)
        if not names:
            continue
        began = time.monotonic()
        try:
            rows += asyncio.run(measurement.collect(names, data))
        except Exception as error:  # broad because a benchmark runs many engines and processes, and the others must still run
            traceback.print_exc()
            failures.append(f"{', '.join(sorted(names))}: {error}")
        print(f"{measurement.module}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return rows, failures


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bus client's C++ threads may abort an ordinary interpreter exit
