"""Plots of an evaluation, from its summary.json and rows.csv."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .coverage import KS
from .gains import TARGET, WINDOW
from .methods import ORACLE

Methods = Mapping[str, Mapping[str, Any]]
_CATEGORIES = {"1": "1 multi-hop", "2": "2 temporal", "3": "3 open-domain", "4": "4 single-hop"}
_BIN = 20  # questions
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def draw(folder: Path) -> list[Path]:
    """Write coverage.png and categories.png.

    With more than one question per user, also gains.png, learning.png and usefulness.png.
    """
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    methods = summary["methods"]
    what = f"{summary['questions']} questions, {summary['embeddings']}, {len(summary['seeds'])} orders of learning"
    # Left out: the oracle's values at 5, 10 and 20 would coincide.
    retrieved = {name: figures for name, figures in methods.items() if name != ORACLE}
    drawn = [_coverage(retrieved, what, folder / "coverage.png"), _categories(methods, what, folder / "categories.png")]
    learners = {
        name: figures for name, figures in methods.items() if (figures.get("gain") or {}).get("second", {}).get("all@5")
    }
    if learners:
        with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        drawn += [
            _gains(learners, what, folder / "gains.png"),
            _learning(learners, rows, what, folder / "learning.png"),
            _usefulness(learners, what, folder / "usefulness.png"),
        ]
    return drawn


def _figure(width: float, height: float, title: str, what: str) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(f"{title}\n", x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.text(0.01, 1 - 0.36 / height, what, ha="left", va="top", fontsize=8.5, color="#555555")
    return figure


def _bare(axes: Axes, grid: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)  # type: ignore[arg-type]  # "x", "y" or "both"
    axes.set_axisbelow(True)


def _rows_of(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)


def _coverage(methods: Methods, what: str, path: Path) -> Path:
    names = list(methods)
    figure = _figure(9, 1.8 + 0.42 * len(names), "Evidence turns among the first k memories", what)
    axes = figure.subplots()
    for k, colour in zip(KS, _COLOURS, strict=False):
        values = [methods[name][f"coverage@{k}"] for name in names]
        spread = [(methods[name].get("spread") or {}).get(f"coverage@{k}", 0.0) for name in names]
        axes.errorbar(values, range(len(names)), xerr=spread, fmt="o", color=colour, label=f"k = {k}", capsize=3)
        for row, value in enumerate(values):
            axes.annotate(f"{value:.1f}", (value, row), (0, 6), textcoords="offset points", ha="center", fontsize=7.5)
    _rows_of(axes, names)
    _bare(axes, "both")
    axes.set_xlim(0, 100)
    axes.set_xlabel("coverage, percent (mean over questions; bars: standard deviation over orders)")
    axes.legend(loc="upper left", frameon=False, ncols=len(KS))
    axes.set_ylim(len(names) - 0.5, -1.2)
    figure.savefig(path, dpi=120)
    return path


def _categories(methods: Methods, what: str, path: Path) -> Path:
    names = list(methods)
    categories = sorted({category for figures in methods.values() for category in figures["by_category"]})
    figure = _figure(2.6 + 2.2 * len(categories), 1.8 + 0.36 * len(names), "Coverage of the first 5 memories by category", what)
    panels = figure.subplots(1, len(categories), sharey=True, squeeze=False)[0]
    for axes, category in zip(panels, categories, strict=True):
        values = [methods[name]["by_category"].get(category, {}).get("coverage@5", 0.0) for name in names]
        axes.barh(range(len(names)), values, 0.6, color=_COLOURS[0])
        for row, value in enumerate(values):
            axes.annotate(f"{value:.0f}", (value, row), (3, 0), textcoords="offset points", va="center", fontsize=7.5)
        axes.set_title(_CATEGORIES.get(category, category), fontsize=9)
        axes.set_xlim(0, 110)
        axes.set_xticks((0, 50, 100))
        axes.set_xlabel("percent")
        _rows_of(axes, names)
        _bare(axes, "x")
    figure.savefig(path, dpi=120)
    return path


def _gains(learners: Methods, what: str, path: Path) -> Path:
    """Methods with large losses get a separate panel, because their scale would hide the others."""
    groups = _by_size(learners, lambda figures: min(figures["gain"][part]["coverage@5"]["mean"] for part in ("all", "second")))
    figure = _figure(9, 2.2 + 0.5 * len(learners) + 0.6 * len(groups), "What learning adds to coverage@5", what)
    panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=[len(group) for group in groups])[:, 0]
    for axes, names in zip(panels, groups, strict=True):
        for shift, part, colour in ((-0.2, "first", _COLOURS[4]), (0.0, "all", "#222222"), (0.2, "second", _COLOURS[5])):
            gains = [learners[name]["gain"][part]["coverage@5"] for name in names]
            axes.errorbar(
                [gain["mean"] for gain in gains],
                [row + shift for row in range(len(names))],
                xerr=[gain["spread"] for gain in gains],
                fmt="o",
                markersize=5,
                color=colour,
                capsize=3,
                label={"first": "first half of each user's questions", "all": "all", "second": "second half"}[part],
            )
        axes.axvline(0, color="#222222", linewidth=0.8)
        _rows_of(axes, [f"{name}\nover {learners[name]['gain']['over']}" for name in names])
        _bare(axes, "x")
    panels[0].legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=8, ncols=3)
    figure.supxlabel("points over the same questions without learning (mean, standard deviation over orders)", fontsize=9)
    figure.savefig(path, dpi=120)
    return path


def _by_size(learners: Methods, size: Callable[[Mapping[str, Any]], float]) -> list[list[str]]:
    small = [name for name, figures in learners.items() if size(figures) > -8]
    large = [name for name in learners if name not in small]
    return [group for group in (small, large) if group]


def _learning(learners: Methods, rows: Sequence[Mapping[str, str]], what: str, path: Path) -> Path:
    """Gain over the same question without learning, by its position in the order of learning."""
    plain = {(row["method"], row["transcript"], row["question"]): float(row["coverage@5"]) for row in rows if not row["half"]}
    curves = {name: _curve(name, figures["gain"]["over"], rows, plain) for name, figures in learners.items()}
    groups = _by_size(learners, lambda figures: figures["gain"]["all"]["coverage@5"]["mean"])
    figure = _figure(9, 1.2 + 3.2 * len(groups), "Gain in coverage@5 by the number of questions learned from", what)
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for axes, names in zip(panels, groups, strict=True):
        for colour, name in zip(_COLOURS * 4, names, strict=False):
            places, means, errors = curves[name]
            axes.errorbar(places, means, yerr=errors, marker="o", markersize=4, capsize=2, color=colour, label=name)
        axes.axhline(0, color="#222222", linewidth=0.8)
        axes.set_ylabel("points")
        axes.legend(loc="best", frameon=False, fontsize=8)
        _bare(axes, "y")
    panels[-1].set_xlabel(
        f"earlier questions learned from, in steps of {_BIN} (mean over users with that many; bars: deviation over orders)"
    )
    figure.savefig(path, dpi=120)
    return path


def _curve(
    method: str, base: str, rows: Sequence[Mapping[str, str]], plain: Mapping[tuple[str, str, str], float]
) -> tuple[list[int], list[float], list[float]]:
    gains: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["method"] == method:
            gain = float(row["coverage@5"]) - plain[base, row["transcript"], row["question"]]
            gains[int(row["place"]) // _BIN][row["seed"]].append(100 * gain)
    steps = sorted(gains)
    by_seed = [[fmean(values) for values in gains[step].values()] for step in steps]
    errors = [stdev(values) if len(values) > 1 else 0.0 for values in by_seed]
    return [_BIN * step + _BIN // 2 for step in steps], [fmean(values) for values in by_seed], errors


def _usefulness(learners: Methods, what: str, path: Path) -> Path:
    figure = _figure(9, 4.6, f"Usefulness of the shown memories (trailing mean of {WINDOW} questions)", what)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, key, title in (
        (panels[0], "of_the_shown", "shown memories that contain evidence"),
        (panels[1], "of_the_answers", "answers with at least one shown evidence"),
    ):
        for colour, (name, figures) in zip(_COLOURS * 4, learners.items(), strict=False):
            curve = figures["usefulness"][key]["curve"]
            axes.plot(range(1, len(curve) + 1), curve, color=colour, label=name, linewidth=1.4)
        axes.axhline(TARGET, color="#222222", linewidth=0.8, linestyle="--")
        axes.annotate(f"target {TARGET}", (1, TARGET), (0, 3), textcoords="offset points", fontsize=8)
        axes.set_title(title, fontsize=9)
        axes.set_ylim(0, 1)
        axes.set_xlabel("questions of one user")
        _bare(axes, "y")
    ceiling = next(iter(learners.values()))["usefulness"]["of_the_shown"]["ceiling"]
    panels[0].axhline(ceiling, color="#222222", linewidth=0.8, linestyle=":")
    panels[0].annotate(f"maximum possible: {ceiling:.2f}", (1, ceiling), (0, 3), textcoords="offset points", fontsize=8)
    panels[0].set_ylabel("share")
    panels[0].legend(loc="upper right", frameon=False, fontsize=8)
    figure.savefig(path, dpi=120)
    return path
