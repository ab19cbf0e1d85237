"""Many lives by number: ``python -m tests.simulation SEEDS FROM``.  Ends with 1 when one of them broke a rule."""

import argparse
import logging
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.simulation import Report, simulate

SHOWN_EVENTS = 40
MOST_PROCESSES = 4


def shown(report: Report) -> str:
    lines = [f"seed {report.seed} is broken:"]
    lines += [f"  - {text}" for text in report.broken[:10]]
    lines += ["  the newest events:"]
    lines += [f"    {event}" for event in report.events[-SHOWN_EVENTS:]]
    lines += [f"  replay: make simulate SEEDS=1 FROM={report.seed}"]
    return "\n".join(lines)


def simulate_quietly(seed: int) -> Report:
    logging.disable(logging.CRITICAL)
    return simulate(seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=1000)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("--until-broken", action="store_true", help="end at the first broken one")
    arguments = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        # sets of strings have another order in each process otherwise, and a seed would not replay
        command = [sys.executable, "-m", "tests.simulation", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | {"PYTHONHASHSEED": "0"})
    started, totals, failing = time.monotonic(), Counter[str](), []
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    with ProcessPoolExecutor(min(MOST_PROCESSES, os.cpu_count() or 1)) as processes:
        for done, report in enumerate(processes.map(simulate_quietly, seeds), start=1):
            if done % 100 == 0:
                print(f"{done} of {len(seeds)} seeds in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
            totals.update(report.counts)
            if report.broken:
                failing.append(report.seed)
                print(shown(report), flush=True)
                if arguments.until_broken:
                    processes.shutdown(wait=False, cancel_futures=True)
                    break
    told = ", ".join(f"{number} {name}" for name, number in totals.items())
    took_s = time.monotonic() - started
    print(f"{arguments.seeds} seeds from {arguments.first}: {len(failing)} broken ({told}) in {took_s:.0f} s")
    if failing:
        print(f"broken: {' '.join(map(str, failing[:50]))}")
    return bool(failing)


if __name__ == "__main__":
    sys.exit(main())
