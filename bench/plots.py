"""Pictures of an evaluation, from its summary.json and rows.csv."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure


def draw(folder: Path) -> list[Path]:
    """Writes coverage.png, categories.png and learning.png."""
    methods = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["methods"]
    drawn = [_coverage(methods, folder / "coverage.png"), _categories(methods, folder / "categories.png")]
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        drawn.append(_learning(list(csv.DictReader(file)), folder / "learning.png"))
    return drawn


def _coverage(methods: dict[str, dict[str, float]], path: Path) -> Path:
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    names = list(methods)
    for offset, k in ((-0.27, 5), (0.0, 10), (0.27, 20)):
        axes.bar(
            [place + offset for place in range(len(names))],
            [methods[name][f"coverage@{k}"] for name in names],
            0.25,
            label=f"@{k}",
        )
    axes.set_xticks(range(len(names)), names, rotation=15)
    axes.set_ylabel("evidence turns covered, percent")
    axes.legend()
    figure.savefig(path, dpi=120)
    return path


def _categories(methods: dict[str, dict[str, dict[str, dict[str, float]]]], path: Path) -> Path:
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, figures in methods.items():
        found = figures["by_category"]
        axes.plot(list(found), [found[category]["coverage@5"] for category in found], marker="o", label=name)
    axes.set_xlabel("category")
    axes.set_ylabel("coverage@5, percent")
    axes.legend()
    figure.savefig(path, dpi=120)
    return path


def _learning(rows: list[dict[str, str]], path: Path) -> Path:
    """Gain over the same question without learning, by its place in the order of learning (mean over users and seeds)."""
    plain = {(row["method"], row["transcript"], row["question"]): float(row["coverage@5"]) for row in rows if not row["half"]}
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for method, base in (("default+learning", "default"), ("dense+rmm-calibrated", "dense"), ("dense+rmm-paper", "dense")):
        places: dict[tuple[str, str], int] = defaultdict(int)
        gains: dict[int, list[float]] = defaultdict(list)
        for row in rows:
            if row["method"] == method:
                user = (row["seed"], row["transcript"])
                gain = float(row["coverage@5"]) - plain[base, row["transcript"], row["question"]]
                gains[places[user] // 10].append(100 * gain)
                places[user] += 1
        axes.plot(
            [10 * step + 5 for step in sorted(gains)], [fmean(gains[step]) for step in sorted(gains)], marker=".", label=method
        )
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xlabel("questions learned from before")
    axes.set_ylabel("gain of coverage@5, points")
    axes.legend()
    figure.savefig(path, dpi=120)
    return path
