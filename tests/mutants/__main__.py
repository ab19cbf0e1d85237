"""Seeded faults in the write side, each of which must be caught by a test that is named for it.

``python -m tests.mutants [--part K/N] [NAME ...]`` first runs the named checks without any fault.  Then it puts one fault after
the other into a copy of the package, runs the checks that are named for it, and prints a table:

- caught: a named check failed.
- SURVIVED: all named checks passed.
- TIMED OUT: a check did not end.  That counts as caught only where the table says that the check is one of liveness.
- TABLE ERROR: a check does not exist, could not be run, or fails without any fault.

Exit code 1: at least one fault was not caught.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from tests.hostile.patience import PatientClock, waited_by_threads
from tests.mutants.mutant import PACKAGE, SIMULATION, Mutant
from tests.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]
COPIED = ("trustgraph_react_mem", "tests", "schema", "config", "bench", "docs", "examples", "docker", "pyproject.toml")
CHECK_TIMEOUT_S = 300.0  # of a check that is about ending.  Waiting for a processor does not count: a slow machine is no fault
LONGEST_S = 1800.0  # of the others
LOOK_EVERY_S = 1.0
NEEDS_NOTHING = "not model and not servers and not stock"
CAUGHT, SURVIVED, TIMED_OUT, TABLE_ERROR = "caught", "SURVIVED", "TIMED OUT", "TABLE ERROR"
TESTS_FAILED = 1  # exit code of pytest; all others but 0 say that the tests could not be run (2: no import, 4: no such test)
STOP_AT_ONCE = {"pytest": "-x", "tests.simulation": "--until-broken"}
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$|^(seed \d+) is broken", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``detail``: what went wrong.  ``failed``: the tests or seeds that failed."""

    result: str
    detail: str = ""
    failed: tuple[str, ...] = ()


def copy_to(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    return folder


def judge(mutant: Mutant, root: Path, timeout_s: float = 0.0) -> Outcome:
    """Put the fault into the copy at ``root``, run its checks there, and mend the copy.  ``timeout_s`` 0: as usual."""
    former = mutant.apply(root)
    timeout_s = timeout_s or (CHECK_TIMEOUT_S if mutant.liveness else LONGEST_S)
    try:
        for _, command in commands(mutant.checks):
            outcome = run_checks([*command, STOP_AT_ONCE[command[0]]], root, timeout_s)
            if outcome.result == TIMED_OUT and mutant.liveness:
                return replace(outcome, result=CAUGHT)
            if outcome.result != SURVIVED:
                return outcome
        return Outcome(SURVIVED, ", ".join(mutant.checks))
    finally:
        (root / PACKAGE / mutant.file).write_text(former, "utf-8")


def commands(checks: Iterable[str]) -> list[tuple[list[str], list[str]]]:
    """Command lines after ``python -m``, each with the checks that it runs: one for all tests, one for each range of seeds."""
    checks = list(checks)
    tests = [check for check in checks if not check.startswith(f"{SIMULATION} ")]
    found = [(tests, ["pytest", "-q", "-p", "no:cacheprovider", "-m", NEEDS_NOTHING, *tests])] if tests else []
    for check in checks:
        if check not in tests:
            first, seeds = check.split()[1:]
            found.append(([check], ["tests.simulation", seeds, first]))
    return found


def run_checks(command: Sequence[str], root: Path, timeout_s: float) -> Outcome:
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # so that what the tests started ends with them
    ) as process:
        now = PatientClock(waited_by_threads)
        until = now() + timeout_s
        while True:
            try:
                output, _ = process.communicate(timeout=min(LOOK_EVERY_S, timeout_s))
                break
            except subprocess.TimeoutExpired:
                if now() < until:
                    continue
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return Outcome(TIMED_OUT, f"no end within {timeout_s:.0f} s: {' '.join(command)}")
    if process.returncode == 0:
        return Outcome(SURVIVED)
    failed = tuple(test or seed for test, seed in _FAILED.findall(output))
    if process.returncode == TESTS_FAILED and failed:
        return Outcome(CAUGHT, failed[0], failed)
    last = output.strip().splitlines()[-1:] or [""]
    return Outcome(TABLE_ERROR, f"exit code {process.returncode}: {last[0]}")


def failing_without_fault(checks: Iterable[str], root: Path) -> set[str]:
    """The checks that fail without any fault.  Raises SystemExit (they could not be run)."""
    failing: set[str] = set()
    for own, command in commands(sorted({*checks})):
        outcome = run_checks(command, root, LONGEST_S)
        if outcome.result == CAUGHT:
            failing |= {check for check in own if check.startswith(f"{SIMULATION} ") or _is_among(check, outcome.failed)}
        elif outcome.result != SURVIVED:
            raise SystemExit(f"{TABLE_ERROR}: without any fault: {outcome.result}: {outcome.detail}")
    return failing


def _is_among(check: str, failed: Sequence[str]) -> bool:
    return any(test == check or test.startswith(f"{check}[") for test in failed)


def run(mutants: Sequence[Mutant], workers: int) -> int:
    """Returns the number of faults that were not caught."""
    began = time.monotonic()
    results: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copies.put(copy_to(Path(folder) / str(number)))
        sound = copies.get()
        failing = failing_without_fault((check for mutant in mutants for check in mutant.checks), sound)
        copies.put(sound)
        print(f"the named checks ran without any fault ({time.monotonic() - began:.0f} s)", flush=True)

        def with_copy(mutant: Mutant) -> tuple[Mutant, Outcome, float]:
            if unsound := failing.intersection(mutant.checks):
                return mutant, Outcome(TABLE_ERROR, f"fails without any fault: {', '.join(sorted(unsound))}"), 0.0
            root, began = copies.get(), time.monotonic()
            try:
                return mutant, judge(mutant, root), time.monotonic() - began
            finally:
                copies.put(root)

        with ThreadPoolExecutor(workers) as pool:
            for mutant, outcome, took_s in pool.map(with_copy, mutants):
                results.append(outcome.result)
                print(f"{outcome.result:11} {took_s:5.0f} s  {mutant.name}: {outcome.detail}", flush=True)
    counts = ", ".join(f"{results.count(each)} {each}" for each in (CAUGHT, SURVIVED, TIMED_OUT, TABLE_ERROR))
    print(f"{len(results)} faults in {time.monotonic() - began:.0f} s: {counts}")
    return len(results) - results.count(CAUGHT)


def part_of(mutants: Sequence[Mutant], part: str) -> list[Mutant]:
    """The mutants of one part, such as "3/10"."""
    number, parts = (int(each) for each in part.split("/"))
    return list(mutants[(number - 1) % parts :: parts])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="Only these faults")
    parser.add_argument("--part", default="1/1", help="K/N: the Kth of N parts")
    parser.add_argument("--workers", type=int, default=2, help="Faults tested at once")
    arguments = parser.parse_args()
    if unknown := {*arguments.names} - {mutant.name for mutant in MUTANTS}:
        parser.error(f"no such faults: {', '.join(sorted(unknown))}")
    chosen = [mutant for mutant in MUTANTS if not arguments.names or mutant.name in arguments.names]
    return bool(run(part_of(chosen, arguments.part), arguments.workers))


if __name__ == "__main__":
    sys.exit(main())
