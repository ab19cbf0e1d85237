"""Samples of a process and its files, their slopes, and what slope is too much."""

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from tests.hostile.machine import files_of

Samples = Mapping[str, Sequence[float]]  # name of a curve -> its value at each time; "s": seconds since the start


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A curve must not rise faster than ``most_per_hour`` once warm.  A rise of less than ``noise`` in all is none.

    ``lows``: the curve falls from time to time, by itself, so that only what stays then counts.
    """

    curve: str
    unit: str
    most_per_hour: float
    noise: float
    lows: bool = False


RULES = (
    Rule(curve="stack memory", unit="MB", most_per_hour=120.0, noise=60.0),
    Rule(curve="broker memory", unit="MB", most_per_hour=60.0, noise=30.0),
    Rule(curve="open files", unit="files", most_per_hour=20.0, noise=12.0),
    Rule(curve="threads", unit="threads", most_per_hour=10.0, noise=8.0),
    Rule(curve="tasks", unit="tasks", most_per_hour=60.0, noise=60.0),
    Rule(curve="bus on disk", unit="MB", most_per_hour=30.0, noise=15.0, lows=True),  # replaced above 64 MB under load
    Rule(curve="disk per stored turn", unit="kB", most_per_hour=20.0, noise=15.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    rule: Rule
    per_hour: float
    rise: float  # over the judged time

    @property
    def broken(self) -> bool:
        return self.per_hour > self.rule.most_per_hour and self.rise > self.rule.noise


def theil_sen(times: Sequence[float], values: Sequence[float]) -> float:
    """The median of the slopes of all pairs: up to three of ten outliers do not move it.  0.0 for fewer than two times."""
    pairs = combinations(zip(times, values, strict=True), 2)
    slopes = [(later - earlier) / (end - start) for (start, earlier), (end, later) in pairs if end > start]
    return median(slopes) if slopes else 0.0


def slope_of_lows(times: Sequence[float], values: Sequence[float]) -> float:
    """From the lowest value of the first half to that of the second.  0.0 for fewer than two times."""
    half = len(times) // 2
    if not half:
        return 0.0
    return (min(values[half:]) - min(values[:half])) / ((times[-1] - times[0]) / 2)


def judge(samples: Samples, warm_s: float) -> list[Slope]:
    """Slopes after ``warm_s`` seconds."""
    first = next((place for place, at in enumerate(samples["s"]) if at >= warm_s), len(samples["s"]))
    times = samples["s"][first:]
    slopes = []
    for rule in RULES:
        per_s = (slope_of_lows if rule.lows else theil_sen)(times, samples[rule.curve][first:])
        slopes.append(Slope(rule=rule, per_hour=3600 * per_s, rise=per_s * (times[-1] - times[0]) if times else 0.0))
    return slopes


def measure(stack: int, brokers: Iterable[int], home: Path, stored: int) -> dict[str, float]:
    """One sample.  Raises: OSError (a process ended meanwhile)."""
    graph, vectors, bus = (_size(home / "data", name) for name in ("graph", "vectors", "bus"))
    tasks = 0.0
    with contextlib.suppress(OSError, ValueError):
        tasks = float((home / "tasks").read_text())
    return {
        "stack memory": _own_mb(stack),
        "broker memory": sum(map(_own_mb, brokers)),
        "open files": float(len(os.listdir(f"/proc/{stack}/fd"))),
        "threads": float(len(os.listdir(f"/proc/{stack}/task"))),
        "tasks": tasks,
        "graph on disk": graph / 1e6,
        "vectors on disk": vectors / 1e6,
        "bus on disk": bus / 1e6,
        "stored turns": float(stored),
        "disk per stored turn": (graph + vectors) / 1e3 / max(stored, 1),
    }


def _own_mb(process: int) -> float:
    """Memory of the process itself.  The pages of files that it reads belong to the page cache."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return float(line.split()[1]) / 1024
    raise ProcessLookupError(f"process {process} ended")


def _size(folder: Path, name: str) -> int:
    """Bytes on disk of all files of a store; files that go meanwhile do not count."""
    size = 0
    for start in folder.glob(f"{name}*"):
        for file in files_of(start) if start.is_dir() else [start]:
            with contextlib.suppress(OSError):
                size += file.stat().st_blocks * 512
    return size
