"""What the ranking has learned, for people: text and curves in the terminal, the same curves as a PNG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...errors import BadRequest, ConfigurationError, NotFound
from ...extras import install_command
from ..console import Screen, count_of, escape
from .bars import Scale, chart, contribution_bars
from .sparkline import sparkline

Row = Mapping[str, Any]
WINDOW = 10  # rows of a trailing mean
STRONGEST = 5
MOST_WEIGHTS = 10  # bars
LONGEST_CHART = 72  # characters
LONGEST_CURVE = 40
BESIDE_CURVE = 43  # characters that the other columns need beside a curve
WITH_MEANINGS = 140  # characters of a terminal that has room for the meanings, too
LEAST_JUDGED = 5  # answers


@dataclass(frozen=True, slots=True)
class Curve:
    """``name``: key of the figure in a row.  ``low`` and ``high``: its range, if fixed."""

    name: str
    title: str
    meaning: str
    low: float | None = None
    high: float | None = None


CURVES = (
    Curve("reward", "reward", "mean over the memories shown: +1 cited, -1 not cited", -1.0, 1.0),
    Curve("citation_rate", "citation rate", "share of the memories shown that were cited", 0.0, 1.0),
    Curve("recall_prior", "recall without learning", "share of the cited memories that retrieval alone would show", 0.0, 1.0),
    Curve("mrr_shown", "reciprocal rank", "1 / rank of the first cited memory", 0.0, 1.0),
    Curve("mrr_prior", "rank without learning", "the same, in the order of retrieval", 0.0, 1.0),
    Curve("trust", "trust", "weight given to the learned order", 0.0, 1.0),
    Curve("weight_norm", "weight norm", "size of the learned weights"),
    Curve("bank_size", "memories", "number of memories in the scope"),
)
_STATES = ("trust", "weight_norm", "bank_size")  # state at a time, not measured per turn: not averaged


def values_of(rows: Sequence[Row], name: str) -> list[float]:
    """A figure's values.  Answers without readable citations say nothing about reward and citation rate."""
    judged = name in ("reward", "citation_rate")
    return [float(row[name]) for row in rows if name in row and not (judged and (row.get("malformed") or row.get("absent")))]


def trailing(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """The mean of the newest ``window`` values at each position."""
    parts = (values[max(0, at - window + 1) : at + 1] for at in range(len(values)))
    return [sum(part) / len(part) for part in parts]


def smooth(rows: Sequence[Row], name: str) -> list[float]:
    values = values_of(rows, name)
    return values if name in _STATES else trailing(values)


def judge(policy: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Whether learning helps, in one sentence."""
    won, lost, trust = (float(policy.get(name) or 0.0) for name in ("won", "lost", "trust"))
    if not rows:
        return "Learning: nothing learned yet; the ranking learns when an answer cites its memories."
    if won + lost < LEAST_JUDGED:
        return (
            f"Learning: too early to say whether it helps. In {won + lost:.0f} answers so far, the learned order and that of "
            f"retrieval differ; {LEAST_JUDGED} are needed."
        )
    share = f"the learned order was better in {won:.0f} answers and worse in {lost:.0f}, so it counts with weight {trust:.2f}"
    if won > lost:
        return f"Learning helps: {share}."
    return f"Learning does not help so far: {share}, and retrieval decides the rest."


def show(screen: Screen, state: Mapping[str, Any]) -> None:
    """``state``: the reply of the facts service to ``learn-status``."""
    policy, rates, rows = state.get("policy") or {}, state.get("rates") or {}, state.get("rows") or []
    screen.say(escape(judge(policy, rows)))
    if policy.get("form"):
        screen.say(
            f"[bold]learned[/bold]  {escape(str(policy['form']))}, version {policy['version']}: "
            f"{count_of(policy['turns'], 'turn')}, {count_of(policy['updates'], 'update')}, "
            f"{policy['waiting']} waiting for a batch"
        )
        ahead = f"learned order better in {policy['won']:.1f} turns, worse in {policy['lost']:.1f}"
        screen.say(f"[bold]trust[/bold]    {policy['trust']:.2f} ({ahead}); weight norm {policy['weight_norm']:.3g}")
        _show_features(screen, policy.get("features") or {})
    if not rows:
        return
    if not rows[-1].get("learning"):
        why = "rerank or enable-retrospective-reflection is off, or rmm-ab-share leaves this scope out"
        screen.say(f"[yellow]nothing learned[/yellow] from the last turn: {why}")
    shares = [f"{name.replace('_', ' ')} {rates[name]:.2f}" for name in ("reward", "citation_rate") if name in rates]
    unread = [f"{name} {rates[name]:.0%}" for name in ("malformed", "absent") if rates.get(name)]
    screen.say(f"[bold]turns[/bold]    {rates.get('turns', len(rows))}: {', '.join([*shares, *unread])}")
    _draw_citations(screen, rows)
    _show_curves(screen, rows)


def _show_curves(screen: Screen, rows: Sequence[Row]) -> None:
    """A terminal that is too narrow for the meanings beside the curves gets them below."""
    curves = [(curve, means) for curve in CURVES if (means := smooth(rows, curve.name))]
    narrow = screen.out.is_terminal and screen.out.width < WITH_MEANINGS
    width = max(8, min(LONGEST_CURVE, screen.out.width - BESIDE_CURVE)) if narrow else LONGEST_CURVE
    cells = [
        [curve.title, sparkline(means, curve.low, curve.high, width=width), f"{means[0]:.3g}", f"{means[-1]:.3g}"]
        for curve, means in curves
    ]
    if narrow:
        screen.table(f"mean of {WINDOW} turns, oldest first", ["figure", "curve", "first", "last"], cells)
        screen.out.print("[dim]" + "; ".join(f"{curve.title}: {curve.meaning}" for curve, _ in curves) + "[/dim]")
        return
    screen.table(
        f"mean of {WINDOW} turns, oldest first",
        ["figure", "curve", "first", "last", "meaning"],
        [[*row, curve.meaning] for row, (curve, _) in zip(cells, curves, strict=True)],
    )


def _show_features(screen: Screen, weights: Mapping[str, float]) -> None:
    """The learned weights: as bars in a terminal, the strongest of them in a line elsewhere."""
    if not screen.out.is_terminal or not weights:
        strongest = list(weights.items())[:STRONGEST]
        screen.say(
            "[bold]features[/bold] " + ("  ".join(f"{escape(name)} {value:+.3f}" for name, value in strongest) or "none")
        )
        return
    screen.say("[bold]features[/bold] (learned weights, strongest first)")
    drawn = dict(sorted(weights.items(), key=lambda pair: -abs(pair[1]))[:MOST_WEIGHTS])
    screen.out.print(contribution_bars(drawn, screen.out.width, Scale.of(drawn)))


def _draw_citations(screen: Screen, rows: Sequence[Row]) -> None:
    means = smooth(rows, "citation_rate")
    if not screen.out.is_terminal or len(means) < 2:
        return
    screen.say(f"[bold]citation rate[/bold] (mean of {WINDOW} turns, oldest at the left)")
    for line in chart(means, 0.0, 1.0, width=min(LONGEST_CHART, screen.out.width)):
        screen.out.print(line, no_wrap=True, markup=False)
    if rows[0].get("at") and rows[-1].get("at"):
        screen.out.print(f"[dim]     {_day(rows[0])} to {_day(rows[-1])}[/dim]")


def draw(rows: Sequence[Row], file: Path, scope: str = "") -> None:
    """Raises: ConfigurationError (no matplotlib), NotFound (no rows), BadRequest (the file cannot be written)."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise ConfigurationError(f"--png needs matplotlib, which is not installed: {install_command('plot')}") from None
    if not rows:
        raise NotFound("nothing to plot yet: the ranking learns when answers cite memories")
    panels = (
        ("reward (-1 to 1), citation rate", (-1.05, 1.05), ("reward", "citation_rate")),
        ("recall and rank of the cited (0 to 1)", (0.0, 1.05), ("recall_prior", "mrr_prior", "mrr_shown")),
        ("weight norm, trust", (0.0, None), ("weight_norm", "trust")),
        ("number of memories", (0.0, None), ("bank_size",)),
    )
    titles = {curve.name: curve.title for curve in CURVES}
    figure = Figure(figsize=(9, 10), layout="constrained")
    span = f"{_day(rows[0])} to {_day(rows[-1])}" if rows[0].get("at") and rows[-1].get("at") else ""
    of = ", ".join(part for part in (scope, span) if part)
    figure.suptitle(
        f"What the ranking learned{f' ({of})' if of else ''}\n"
        f"{count_of(len(rows), 'rewarded turn')}; lines: means of {WINDOW} turns, points: single turns"
    )
    for axes, (label, (low, high), names) in zip(figure.subplots(len(panels), 1, sharex=True), panels, strict=True):
        for name in names:
            places = [place for place, row in enumerate(rows, start=1) if values_of([row], name)]
            values = values_of(rows, name)
            if values:
                (line,) = axes.plot(places, smooth(rows, name), label=titles[name], linewidth=1.6)
                if name not in _STATES:
                    axes.plot(places, values, ".", color=line.get_color(), alpha=0.3, markersize=4)
        axes.set_ylim(bottom=low, top=high)
        axes.set_ylabel(label)
        axes.grid(axis="y", color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.has_data():
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=8, frameon=False, ncols=len(names))
    axes.set_xlabel("number of the rewarded turn, oldest first")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    try:
        figure.savefig(file, format="png", dpi=120)
    except OSError as error:
        raise BadRequest(f"cannot write {file} ({error.strerror}): choose a file in an existing directory") from None


def _day(row: Row) -> str:
    return f"{datetime.fromtimestamp(float(row['at']), UTC):%Y-%m-%d}"
