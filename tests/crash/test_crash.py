"""Two rounds with real processes; ``python -m tests.crash N`` does as many as you like."""

import subprocess
import sys
from pathlib import Path


def test_nothing_acknowledged_is_lost_or_doubled_by_kill_minus_9() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", "2"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    told = dict(
        line.rsplit(maxsplit=1) for line in done.stdout.splitlines() if line and not line.startswith(("lost:", "doubled:"))
    )
    assert done.returncode == 0, done.stdout
    assert (told["rounds"], told["lost"], told["doubled"]) == ("2", "0", "0")
    assert told["found"] == told["acknowledged"] != "0"
