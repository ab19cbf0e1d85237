"""How learning goes, for people: text and curves in the terminal, the same curves as a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import BadRequest, ConfigurationError, NotFound
from ..console import Screen, count_of, escape
from .sparkline import chart, grouped, sparkline

Row = Mapping[str, Any]
WINDOW = 10  # rows of a trailing mean
STRONGEST = 5


@dataclass(frozen=True, slots=True)
class Curve:
    """``name`` of a row's figure; ``low`` and ``high`` where its range is fixed."""

    name: str
    title: str
    meaning: str
    low: float | None = None
    high: float | None = None


CHARTS = (
    Curve("reward", "reward", "of the memories shown: +1 cited, -1 not", -1.0, 1.0),
    Curve("citation_rate", "citation rate", "share of the memories shown", 0.0, 1.0),
    Curve("recall_prior", "recall without learning", "cited that retrieval alone would show; with learning it is 1", 0.0, 1.0),
)
LINES = (
    Curve("mrr_shown", "1 / place of first cited", "as shown", 0.0, 1.0),
    Curve("mrr_prior", "1 / place without learning", "in retrieval's order", 0.0, 1.0),
    Curve("trust", "trust", "share of what was learned that is served", 0.0, 1.0),
    Curve("weight_norm", "weight norm", ""),
    Curve("bank_size", "memories", ""),
)
_STATES = ("trust", "weight_norm", "bank_size")  # of a moment, not of a turn: no mean is taken


def told(rows: Sequence[Row], name: str) -> list[float]:
    """A figure's values over the rows that have it; answers without citations say nothing of reward and citation rate."""
    judged = name in ("reward", "citation_rate")
    return [float(row[name]) for row in rows if name in row and not (judged and (row.get("malformed") or row.get("absent")))]


def trailing(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """Means of the newest ``window`` values at each place."""
    parts = (values[max(0, at - window + 1) : at + 1] for at in range(len(values)))
    return [sum(part) / len(part) for part in parts]


def show(screen: Screen, state: Mapping[str, Any]) -> None:
    """``state`` as the facts service's learn-status gives it."""
    policy, rates, rows = state.get("policy") or {}, state.get("rates") or {}, state.get("rows") or []
    if policy.get("form"):
        screen.say(
            f"[bold]learned[/bold]  {escape(str(policy['form']))}, version {policy['version']}: "
            f"{count_of(policy['turns'], 'turn')}, {count_of(policy['updates'], 'update')}, "
            f"{policy['waiting']} waiting for their batch"
        )
        ahead = f"learned order ahead {policy['won']:.1f}, behind {policy['lost']:.1f}"
        sizes = f"weight norm {policy['weight_norm']:.3g}, rank {policy['rank']}"
        dropped = f"dropped by recompression at most {policy['recompression_error']:.0%}"
        screen.say(f"[bold]trust[/bold]    {policy['trust']:.2f} ({ahead}); {sizes}, {dropped}")
        strongest = list((policy.get("features") or {}).items())[:STRONGEST]
        screen.say(
            "[bold]features[/bold] " + ("  ".join(f"{escape(name)} {value:+.3f}" for name, value in strongest) or "none")
        )
    if not rows:
        taken_over = "no answer has been learned from here" if policy.get("form") else "nothing learned yet"
        screen.say(f"[dim]{taken_over}: the ranking learns when an answer cites the memories it was given[/dim]")
        return
    if not rows[-1].get("learning"):
        why = "rerank or enable-retrospective-reflection is off, or rmm-ab-share leaves this scope out"
        screen.say(f"[yellow]nothing learned[/yellow] from the last turn: {why}")
    shares = [f"{name.replace('_', ' ')} {rates[name]:.2f}" for name in ("reward", "citation_rate") if name in rates]
    unread = [f"{name} {rates[name]:.0%}" for name in ("malformed", "absent") if rates.get(name)]
    screen.say(f"[bold]turns[/bold]    {rates.get('turns', len(rows))}: {', '.join([*shares, *unread])}")
    for curve in CHARTS:
        _chart(screen, curve, told(rows, curve.name))
    for curve in LINES:
        values = told(rows, curve.name)
        if values:
            means = values if curve.name in _STATES else trailing(values)
            if curve.low is None or curve.high is None:
                line = sparkline(means, 40)
            else:
                line = chart(means, curve.low, curve.high, height=1, width=40)[0]
            screen.say(f"{curve.title:26} {line}  {means[0]:.3g} → {means[-1]:.3g}")


def _chart(screen: Screen, curve: Curve, values: Sequence[float]) -> None:
    if not values or curve.low is None or curve.high is None:
        return
    means = trailing(values)
    screen.say(f"[bold]{curve.title}[/bold], mean of {WINDOW}: {means[0]:.2f} → {means[-1]:.2f}  [dim]({curve.meaning})[/dim]")
    lines = chart(means, curve.low, curve.high)
    labels = [f"{curve.high:5.1f}", *([" " * 5] * (len(lines) - 2)), f"{curve.low:5.1f}"]
    for label, line in zip(labels, lines, strict=True):
        screen.say(f"{label} │{line}")
    screen.say(f"{'':5} └{'─' * max(1, len(grouped(means)))} {count_of(len(values), 'turn')}")


def draw(rows: Sequence[Row], file: Path) -> None:
    """Raises: ConfigurationError (no matplotlib), NotFound (no rows), BadRequest (the file cannot be written)."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigurationError("a PNG needs matplotlib, which is not installed: pip install matplotlib") from None
    if not rows:
        raise NotFound("there is nothing to plot yet: the ranking learns when answers cite memories")
    panels = (
        ("share, reward", (-1.05, 1.05), ("reward", "citation_rate")),
        ("of the cited", (0.0, 1.05), ("recall_prior", "mrr_prior", "mrr_shown")),
        ("size, trust", (0.0, None), ("weight_norm", "trust")),
        ("memories", (0.0, None), ("bank_size",)),
    )
    titles = {curve.name: curve.title for curve in (*CHARTS, *LINES)}
    figure = Figure(figsize=(9, 10), layout="constrained")
    figure.suptitle(f"{count_of(len(rows), 'rewarded turn')}; lines: means of the newest {WINDOW}, points: single turns")
    for axes, (label, (low, high), names) in zip(figure.subplots(len(panels), 1, sharex=True), panels, strict=True):
        for name in names:
            places = [place for place, row in enumerate(rows, start=1) if told([row], name)]
            values = told(rows, name)
            if values:
                drawn = values if name in _STATES else trailing(values)
                (line,) = axes.plot(places, drawn, label=titles[name], linewidth=1.6)
                if name not in _STATES:
                    axes.plot(places, values, ".", color=line.get_color(), alpha=0.3, markersize=4)
        axes.set_ylim(bottom=low, top=high)
        axes.set_ylabel(label)
        axes.grid(axis="y", color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.has_data():
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=8, frameon=False, ncols=len(names))
    axes.set_xlabel("turns with a recall, oldest first")
    try:
        figure.savefig(file, format="png", dpi=120)
    except OSError as error:
        raise BadRequest(f"{file} cannot be written ({error.strerror}): name a file in a folder that exists") from None
