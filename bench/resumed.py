"""JSON Lines files that let a slow benchmark resume, and progress messages with the remaining time."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The complete lines.  A line that was cut off by a crash, even within a letter, is skipped."""
    if not path.is_file():
        return
    for line in path.read_bytes().split(b"\n"):  # an answer may hold other separators of lines
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def add_line(path: Path, row: Mapping[str, Any]) -> None:
    whole = not path.exists() or path.stat().st_size == 0 or path.read_bytes()[-1:] == b"\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if whole else "\n") + json.dumps(row, ensure_ascii=False) + "\n")


class Progress:
    """Reports after each step how many are done and the estimated remaining time."""

    def __init__(self, what: str, total: int, known: int) -> None:
        self._what, self._total, self._known, self._done = what, total, known, 0
        self._began = time.monotonic()
        if known:
            print(f"{what}: {known} of {total} are done from an earlier run", flush=True)

    def step(self, said: str = "") -> None:
        self._done += 1
        spent = time.monotonic() - self._began
        left = self._total - self._known - self._done
        about = f", about {spent / self._done * left / 60:.0f} min left" if left else ""
        print(f"{self._what}: {self._known + self._done} of {self._total}{about}  {said}", flush=True)
