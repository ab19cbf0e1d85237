"""Run the benchmarks.  Prints a table and writes ``build/bench.json``.

python -m bench [--only NAME] [--data LOCOMO_FILE] [--minutes N] [--out FILE]
"""

import argparse
import asyncio
import importlib
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Set
from pathlib import Path
from typing import Any

from .patience import progress
from .report import keep, show
from .row import Row

Collect = Callable[[Set[str], Path | None], Coroutine[Any, Any, list[Row]]]
MODULES = (
    "rpc",
    "telemetry",
    "turn",
    "stack",
    "http",
    "mcp",
    "store",
    "writing",
    "housekeeping",
    "forgetting",
    "jobs",
    "capacity",
    "rerank",
    "recall",
    "sessions",
    "proxy",
)
NEED_DATA = frozenset({"recall"})
MINUTES = 9.0  # the last row ends after that
FAULTS = Path("build/bench-faults.log")


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
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="begin no further rows after these (default %(default)g)"
    )
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
    minutes = math.inf if arguments.only else arguments.minutes
    FAULTS.unlink(missing_ok=True)
    rows, failures, left_out = measured(measurements, arguments.only, arguments.data, minutes)
    show(rows)
    keep(rows, arguments.out)
    for failure in failures:
        print(f"not measured: {failure}", file=sys.stderr)
    if failures:
        print(f"details of what failed: {FAULTS}", file=sys.stderr)
    if left_out:
        print(f"not measured, {minutes:g} minutes were over (MINUTES=N, ONLY=name): {', '.join(left_out)}", file=sys.stderr)
    return 1 if failures or (arguments.only and not rows) else 0


def measured(
    measurements: list[Measurement], only: str, data: Path | None, minutes: float = math.inf
) -> tuple[list[Row], list[str], list[str]]:
    """Rows in the order of the modules, the failures, and what was left out because ``minutes`` were over."""
    ends = time.monotonic() + 60 * minutes
    rows: list[Row] = []
    failures: list[str] = []
    left_out: list[str] = []
    for measurement in measurements:
        names = wanted(measurement, only, data)
        if names and time.monotonic() > ends:
            left_out += sorted(names)
        elif names:
            began = time.monotonic()
            print(f"{measurement.module}: measuring {', '.join(sorted(names))}", file=sys.stderr, flush=True)
            found, failure = _collected(measurement, names, data)
            rows += found
            if failure and len(names) > 1:  # each row by itself, so that the others stand
                print(f"{measurement.module}: {failure}; measuring each row by itself", file=sys.stderr, flush=True)
                for name in sorted(names):
                    if time.monotonic() > ends:
                        left_out.append(name)
                        continue
                    found, failure = _collected(measurement, {name}, data)
                    rows += found
                    failures += [failure] if failure else []
            elif failure:
                failures.append(failure)
            print(f"{measurement.module}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return rows, failures, left_out


def _collected(measurement: Measurement, names: set[str], data: Path | None) -> tuple[list[Row], str]:
    """The rows, and why they could not be measured; "" if they could."""
    try:
        return asyncio.run(_reported(measurement, names, data)), ""
    except Exception as error:  # broad because a benchmark runs many engines and processes, and the others must still run
        FAULTS.parent.mkdir(parents=True, exist_ok=True)
        with FAULTS.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        return [], f"{', '.join(sorted(names))}: {type(error).__name__}: {error}"


async def _reported(measurement: Measurement, names: set[str], data: Path | None) -> list[Row]:
    async with progress.reported(measurement.module):
        return await measurement.collect(names, data)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bus client's C++ threads may abort an ordinary interpreter exit
