"""``python -m tests.crash ROUNDS``: kill -9 of a stack and its broker under load.  Ends with 1 on loss or doubling."""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from .people import Tally
from .rounds import Rounds


def table(tally: Tally, took_s: float) -> str:
    rows = {
        "rounds": tally.rounds,
        "asked": tally.asked,
        "acknowledged": len(tally.acknowledged),
        "found": tally.found,
        "lost": len(tally.lost),
        "doubled": len(tally.doubled),
        "kept though not acknowledged": tally.unacknowledged_kept,
    }
    lines = [f"{name:30}{number:8}" for name, number in rows.items()]
    lines += [f"lost: {' '.join(tally.lost[:10])}"] if tally.lost else []
    lines += [f"doubled: {' '.join(tally.doubled[:10])}"] if tally.doubled else []
    return "\n".join([*lines, f"{'seconds':30}{took_s:8.0f}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--keep", type=Path, help="a directory to keep data and log in")
    arguments = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="react-mem-crash-") as temporary:
        home = arguments.keep or Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        with (home / "load.log").open("ab") as log:  # where the bus client says at length that the broker is away
            os.dup2(log.fileno(), sys.stderr.fileno())
        try:
            tally = asyncio.run(Rounds(home, arguments.seed).run(arguments.rounds))
        except (RuntimeError, TimeoutError) as error:
            print(f"the stack did not come up again: {error or 'no answer in time'}")
            print((home / "stack.log").read_text("utf-8", "replace")[-3000:])
            return 1
    print(table(tally, time.monotonic() - started))
    if not tally.acknowledged:
        print("nothing was acknowledged: this proves nothing")
    return int(tally.broken or not tally.acknowledged)


if __name__ == "__main__":
    sys.exit(main())
