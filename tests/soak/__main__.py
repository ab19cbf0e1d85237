"""``python -m tests.soak MINUTES``: 50 conversations, people who come and go, faults every minute.

Ends with 1 if something acknowledged is lost or doubled, or if memory, files, threads, tasks or disk keep growing.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from .curves import Slope, judge
from .run import Run, Soak

OUT = Path("build/soak")
JUDGED_S = 600.0  # after the warm-up; in less time, what is only being filled looks as if it grew for ever


def summary(run: Run, slopes: list[Slope]) -> str:
    tally = run.tally
    rows = {
        "turns asked": tally.asked,
        "acknowledged and not erased": len(tally.acknowledged),
        "found": tally.found,
        "lost": len(tally.lost),
        "doubled": len(tally.doubled),
        "people": run.people,
        "erased": run.erased,
        "of these after the load": run.waited_for_receipts,
        "of these something came back": len(run.came_back),
        "exported": run.exported,
        "missing in exports": len(run.missing_in_exports),
        "faults": len(run.faults),
        "of these ended recording": len(run.stuck),
        "of these ended the stack": len(run.ended),
    }
    lines = [f"{name:30}{number:10}" for name, number in rows.items()]
    lines += ["", f"{'after the warm-up':30}{'per hour':>10}{'at most':>10}"]
    judged = run.seconds - run.warm_s >= JUDGED_S
    for slope in slopes:
        told = f"{slope.rule.curve} ({slope.rule.unit})"
        lines.append(
            f"{told:30}{slope.per_hour:10.1f}{slope.rule.most_per_hour:10.0f}{'  BROKEN' if judged and slope.broken else ''}"
        )
    if not judged:
        lines.append(f"not judged: the curves need {JUDGED_S / 60:g} minutes after the warm-up")
    lines += [f"nobody was recorded after: {fault}" for fault in run.stuck]
    lines += [f"the stack ended after: {fault}" for fault in run.ended]
    lines += [f"left out: {fault}" for fault in run.left_out]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the result as JSON, instead of a table")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of soak.json")
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="react-mem-soak-"))
    with (home / "load.log").open("ab") as log:  # where the bus client says at length that the broker is away
        os.dup2(log.fileno(), sys.stderr.fileno())
    report = (lambda line: None) if arguments.json else (lambda line: print(line, flush=True))
    try:
        run = asyncio.run(Soak(home, arguments.minutes, arguments.seed, report).run())
    except (RuntimeError, TimeoutError) as error:
        print(f"the stack did not come up again: {error or 'no answer in time'}")
        print((home / "stack.log").read_text("utf-8", "replace")[-3000:])
        return 1
    slopes = judge(run.samples, run.warm_s)
    judged = run.seconds - run.warm_s >= JUDGED_S
    arguments.out.mkdir(parents=True, exist_ok=True)
    result = {**asdict(run), "slopes": [asdict(slope) | {"broken": slope.broken} for slope in slopes]}
    (arguments.out / "soak.json").write_text(json.dumps(result, indent=1), "utf-8")
    print(json.dumps(result) if arguments.json else f"\n{summary(run, slopes)}\nsamples: {arguments.out / 'soak.json'}")
    broken = run.lost_or_doubled or (judged and any(slope.broken for slope in slopes))
    if not broken:
        shutil.rmtree(home, ignore_errors=True)
    elif not arguments.json:
        print(f"logs: {home}")
    sys.stdout.flush()
    os._exit(int(broken))  # the bus client's threads may abort a normal exit


if __name__ == "__main__":
    sys.exit(main())
