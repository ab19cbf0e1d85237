"""The curves of a run as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from .curves import Samples, Slope

COLOURS = ("#0072b2", "#d55e00")


def draw(samples: Samples, slopes: Sequence[Slope], faults: Sequence[tuple[float, str]], warm_s: float, path: Path) -> None:
    """One panel for each curve, with the faults as marks.  The time before ``warm_s`` is not judged."""
    curves = [name for name in samples if name != "s"]
    judged = {slope.rule.curve: slope for slope in slopes}
    figure = Figure(figsize=(11, 1.9 * ((len(curves) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(curves) + 1) // 2, 2, sharex=True).flat
    minutes = [at / 60 for at in samples["s"]]
    for axes, name in zip(panels, curves, strict=False):
        slope = judged.get(name)
        axes.plot(minutes, samples[name], color=COLOURS[bool(slope and slope.broken)], linewidth=1.2)
        axes.axvspan(0, warm_s / 60, color="#eeeeee", zorder=0)
        for at, _ in faults:
            axes.axvline(at / 60, color="#bbbbbb", linewidth=0.5, zorder=0)
        told = f": {slope.per_hour:+.1f} {slope.rule.unit} an hour, at most {slope.rule.most_per_hour:g}" if slope else ""
        axes.set_title(f"{name}{told}", fontsize=8.5, loc="left")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7.5)
        axes.set_xlabel("minutes (grey: warm-up; lines: faults)", fontsize=7.5)
    figure.savefig(path)
