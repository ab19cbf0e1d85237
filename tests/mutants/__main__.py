"""Seeded faults in the write side, each of which must be caught by a test that is named for it.

``python -m tests.mutants [--part K/N] [NAME ...]`` puts one fault after the other into a copy of the package, runs the checks
that are named for it, and prints a table.  Exit code 1: a fault survived, or a check fails without any fault.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.mutant import SIMULATION, Mutant
from tests.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]
COPIED = ("trustgraph_react_mem", "tests", "schema", "config", "bench", "docs", "examples", "docker", "pyproject.toml")
CHECK_TIMEOUT_S = 300.0  # a fault that makes a check hang is caught, too
NEEDS_NOTHING = "not model and not servers and not stock"
CAUGHT, SURVIVED = "caught", "SURVIVED"


def copy_to(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    return folder


def fails(checks: Sequence[str], root: Path) -> str:
    """The first of the checks that fails in the copy at ``root``, or ""."""
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    tests = [check for check in checks if not check.startswith(f"{SIMULATION} ")]
    commands = {" ".join(tests): ["pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", NEEDS_NOTHING, *tests]} if tests else {}
    for check in checks:
        if check.startswith(f"{SIMULATION} "):
            first, seeds = check.split()[1:]
            commands[check] = ["tests.simulation", seeds, first, "--until-broken"]
    for name, command in commands.items():
        try:
            done = subprocess.run(
                [sys.executable, "-m", *command],
                cwd=root,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=CHECK_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            return f"{name} (no end within {CHECK_TIMEOUT_S:.0f} s)"
        if done.returncode:
            told = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "seed "))]
            return told[0].split(" - ")[0] if told else f"{name} (exit code {done.returncode})"
    return ""


def run(mutants: Sequence[Mutant], workers: int) -> int:
    """Returns the number of faults that survived."""
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copies.put(copy_to(Path(folder) / str(number)))

        def judge(mutant: Mutant) -> tuple[Mutant, str, float]:
            root, began = copies.get(), time.monotonic()
            former = mutant.apply(root)
            try:
                return mutant, fails(mutant.checks, root), time.monotonic() - began
            finally:
                (root / "trustgraph_react_mem" / mutant.file).write_text(former, "utf-8")
                copies.put(root)

        with ThreadPoolExecutor(workers) as pool:
            for mutant, caught_by, took_s in pool.map(judge, mutants):
                survived += not caught_by
                print(
                    f"{CAUGHT if caught_by else SURVIVED:9} {took_s:5.0f} s  {mutant.name}: {caught_by or mutant.checks}",
                    flush=True,
                )
        sound = sorted({check for mutant in mutants for check in mutant.checks if not check.startswith(f"{SIMULATION} ")})
        if broken := fails(sound, copies.get()):
            print(f"a check fails without any fault: {broken}")
            return survived + 1
    print(f"{len(mutants)} faults, {survived} survived")
    return survived


def part_of(mutants: Sequence[Mutant], part: str) -> list[Mutant]:
    """The mutants of one part, such as "3/10"."""
    number, parts = (int(each) for each in part.split("/"))
    return list(mutants[(number - 1) % parts :: parts])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="Only these faults")
    parser.add_argument("--part", default="1/1", help="K/N: the Kth of N parts")
    parser.add_argument("--workers", type=int, default=2, help="Faults tested at once")
    arguments = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if not arguments.names or mutant.name in arguments.names]
    return bool(run(part_of(chosen, arguments.part), arguments.workers))


if __name__ == "__main__":
    sys.exit(main())
