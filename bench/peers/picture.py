"""Draws docs/images/comparison.svg: coverage on each file, and the time of a search."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.coverage import KS

from .measured import File
from .page import Figures, costs_of, title
from .products import OURS

PICTURE = Path("docs/images/comparison.svg")
COLOURS = ("#56b4e9", "#0072b2", "#222222")  # of @5, @10, @20


def draw(files: Sequence[File], found: Mapping[str, Figures], picture: Path = PICTURE) -> None:
    # Imported here: the table of numbers and its tests do without.
    import matplotlib
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    with matplotlib.rc_context({"svg.hashsalt": "peers", "font.size": 9}):
        figure = Figure(figsize=(3.2 * (len(files) + 1), 1.5 + 0.42 * len(names)), layout="constrained")
        panels = figure.subplots(1, len(files) + 1, sharey=True, squeeze=False)[0]
        for axes, file in zip(panels, files, strict=False):
            rows = [(row, found[file.name][name]) for row, name in enumerate(names) if name in found[file.name]]
            for k, colour in zip(KS, COLOURS, strict=True):
                axes.plot(
                    [each[f"coverage@{k}"] for _, each in rows], [row for row, _ in rows], "o", color=colour, label=f"@{k}"
                )
            for row, each in rows:
                axes.plot([each["coverage@5"], each["coverage@20"]], [row, row], color="#cccccc", zorder=0)
            axes.set_title(f"{file.name}: evidence found, %", loc="left", fontsize=9)
        costs = [(row, costs_of(found, name)["search_p50"]) for row, name in enumerate(names)]
        panels[-1].barh([row for row, _ in costs], [ms for _, ms in costs], 0.5, color=COLOURS[1])
        for row, ms in costs:
            panels[-1].annotate(f"{ms:.1f}", (ms, row), (3, 0), textcoords="offset points", va="center", fontsize=8)
        panels[-1].set_title("search, median ms", loc="left", fontsize=9)
        panels[-1].margins(x=0.2)
        panels[0].set_yticks(range(len(names)), [title(name).replace("`", "") for name in names])
        panels[0].set_ylim(len(names) - 0.5, -0.5)
        for label, name in zip(panels[0].get_yticklabels(), names, strict=True):
            label.set_fontweight("bold" if name == OURS.name else "normal")
        for axes in panels:
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(axis="x", color="#dddddd", linewidth=0.7)
            axes.set_axisbelow(True)
        panels[0].legend(loc="lower right", frameon=False, fontsize=8)
        picture.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(picture, metadata={"Date": None})
