"""Run the benchmarks.

python -m bench [--only NAME] [--data LOCOMO_FILE] [--minutes N]    a table of rows, also in build/bench.json
python -m bench COMMAND --help                                      one of those below, for which the rows are too small

  recall FILE           coverage of the evidence on a LoCoMo file
  eval FILE FOLDER      all methods over LoCoMo or LongMemEval files, with seeds and a model's answers
  talk                  lives of several sessions: what was right, and whose fault the rest is
  understand            how well a language model understands
  sessions              one user's memory over 100 sessions
  large                 a million memories in one scope
  servers               turns on a real Pulsar and Neo4j (python -m tests.servers.servers run python -m bench servers)
  embedding             speed, similarities and floors of an embedding model
  instructions          fits and measures the recogniser of standing instructions
  weights FILE          fits the weights of the ranking
"""

import argparse
import asyncio
import importlib
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .patience import progress
from .report import keep, show
from .row import Row

Collect = Callable[[Set[str], Path | None], Coroutine[Any, Any, list[Row]]]
MODULES = ("rpc", "turn", "stack", "store", "jobs", "rerank", "recall")
COMMANDS = {
    "recall": "recall",
    "eval": "evaluate",
    "talk": "talk.command",
    "understand": "understand.command",
    "sessions": "sessions",
    "large": "large",
    "servers": "servers",
    "embedding": "embedding",
    "instructions": "instructions",
    "weights": "weights",
}
NEED_DATA = frozenset({"recall"})
MINUTES = 9.0
GRACE_S = 60.0  # what is being measured when the minutes are over may take so much longer
LARGE = "100k"  # in the names of rows that fill stores with 100,000 records
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
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        command = importlib.import_module(f"bench.{COMMANDS[sys.argv.pop(1)]}")
        return command.main() or 0
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="name of one row")
    parser.add_argument("--data", type=Path, help="a LoCoMo file, needed for the recall rows")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="measure for about as long (default %(default)g)")
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
    """Rows in the order in which they were measured, the failures, and what was left out because ``minutes`` were over."""
    ends = time.monotonic() + 60 * minutes
    rows: list[Row] = []
    failures: list[str] = []
    left_out: list[str] = []
    for measurement, names in _in_order(measurements, only, data):
        groups = [names]
        while groups:
            group = groups.pop(0)
            found = _collected(measurement, group, data, ends)
            rows += found.rows
            if found.late:
                left_out += sorted(group)
            elif found.failure and len(group) > 1:
                print(f"{measurement.module}: {found.failure}; measuring each row by itself", file=sys.stderr, flush=True)
                groups = [{name} for name in sorted(group)]
            elif found.failure:
                failures.append(found.failure)
    return rows, failures, left_out


def _in_order(measurements: list[Measurement], only: str, data: Path | None) -> list[tuple[Measurement, set[str]]]:
    """What to measure.  Rows over 100,000 records come last, because filling the stores takes minutes on a slow machine."""
    asked = [(measurement, wanted(measurement, only, data)) for measurement in measurements]
    return [
        (measurement, part)
        for large in (False, True)
        for measurement, names in asked
        if (part := {name for name in names if (LARGE in name) == large})
    ]


@dataclass(frozen=True, slots=True)
class Collected:
    """``failure``: why the rows could not be measured.  ``late``: the time was over."""

    rows: Sequence[Row] = ()
    failure: str = ""
    late: bool = False


def _collected(measurement: Measurement, names: set[str], data: Path | None, ends: float) -> Collected:
    if time.monotonic() > ends:
        return Collected(late=True)
    try:
        rows = asyncio.run(_reported(measurement, names, data, ends + GRACE_S))
    except Exception as error:  # broad because a benchmark runs many engines and processes, and the others must still run
        FAULTS.parent.mkdir(parents=True, exist_ok=True)
        with FAULTS.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        return Collected(failure=f"{', '.join(sorted(names))}: {type(error).__name__}: {error}")
    return Collected(late=True) if rows is None else Collected(rows)


async def _reported(measurement: Measurement, names: set[str], data: Path | None, ends: float) -> list[Row] | None:
    """The rows, or None if they were not measured by ``ends``, a monotonic time."""
    began = time.monotonic()
    left = None if math.isinf(ends) else ends - began
    print(f"{measurement.module}: measuring {', '.join(sorted(names))}", file=sys.stderr, flush=True)
    try:
        async with asyncio.timeout(left) as limit, progress.reported(measurement.module):
            return await measurement.collect(names, data)
    except TimeoutError:
        if limit.expired():
            return None
        raise
    finally:
        print(f"{measurement.module}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bus client's C++ threads may abort an ordinary interpreter exit
