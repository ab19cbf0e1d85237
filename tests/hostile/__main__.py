"""``python -m tests.hostile``: all attacks against running stacks.  Ends with 1 if one does harm.

``--only`` takes the names of attacks or areas, separated by commas; a part of a name is enough.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.e2e.warm import close_warm_commands

from .attack import ATTACKS, Attack
from .runner import FAILED, Outcome, Runner, print_line, table

from . import authority, erasure, jobs  # isort: skip  # noqa: F401  # they register


def chosen(only: str) -> list[Attack]:
    parts = [part.strip().replace("_", "-") for part in only.split(",") if part.strip()]
    return [each for each in ATTACKS.values() if not parts or any(part == each.area or part in each.name for part in parts)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--lanes", type=int, default=4, help="machines at once")
    parser.add_argument("--list", action="store_true", help="only list the attacks")
    parser.add_argument("--keep", type=Path, help="a directory to keep data and logs in")
    arguments = parser.parse_args()
    attacks = chosen(arguments.only)
    if arguments.list or not attacks:
        print("\n".join(f"{each.area:10} {each.name:48} {each.on}: {each.holds}" for each in attacks) or "no such attack")
        return 0 if attacks else 2
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="react-mem-hostile-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)  # another account must reach the data directories, to be refused there
    done = 0

    def report(outcome: Outcome) -> None:
        nonlocal done
        done += 1
        print_line(outcome, done, len(attacks))

    began = time.monotonic()
    with (folder / "clients.log").open("ab") as log:  # where bus clients say at length that a broker is away
        os.dup2(log.fileno(), sys.stderr.fileno())
    runner = Runner(folder, report, lanes=arguments.lanes, keep=bool(arguments.keep))
    outcomes = asyncio.run(runner.run(attacks))
    close_warm_commands()
    counts = Counter(each.result for each in outcomes)
    told = ", ".join(f"{number} {result}" for result, number in counts.items())
    print(f"\n{table(outcomes)}\n\n{told} in {time.monotonic() - began:.0f} s")
    if not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    os._exit(int(counts[FAILED] > 0))  # the bus client's threads may abort a normal exit


if __name__ == "__main__":
    sys.exit(main())
