"""What the ranking has learned, for people."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ..console import Screen, count_of, escape

Row = Mapping[str, Any]
WINDOW = 10  # rows of a mean
STRONGEST = 5
LEAST_JUDGED = 5  # answers


# key in a row -> title and meaning
FIGURES: Mapping[str, tuple[str, str]] = {
    "reward": ("reward", "mean over the memories shown: +1 cited, -1 not cited"),
    "citation_rate": ("citation rate", "share of the memories shown that were cited"),
    "recall_prior": ("recall without learning", "share of the cited memories that retrieval alone would show"),
    "mrr_shown": ("reciprocal rank", "1 / rank of the first cited memory"),
    "mrr_prior": ("rank without learning", "the same, in the order of retrieval"),
    "trust": ("trust", "weight given to the learned order"),
    "weight_norm": ("weight norm", "size of the learned weights"),
    "bank_size": ("memories", "number of memories in the scope"),
}
_STATES = ("trust", "weight_norm", "bank_size")  # state at a time, not measured per turn: not averaged


def values_of(rows: Sequence[Row], name: str) -> list[float]:
    """A figure's values.  Answers without readable citations say nothing about reward and citation rate."""
    judged = name in ("reward", "citation_rate")
    return [float(row[name]) for row in rows if name in row and not (judged and (row.get("malformed") or row.get("absent")))]


def judge(policy: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Whether learning helps, in one sentence."""
    won, lost, trust = (float(policy.get(name) or 0.0) for name in ("won", "lost", "trust"))
    if not rows:
        return "Learning: nothing learned yet; the ranking learns when an answer cites its memories."
    if won + lost < LEAST_JUDGED:
        return f"Learning: too early to say whether it helps: {won + lost:.0f} answers to judge by, {LEAST_JUDGED} are needed."
    helps = "helps" if won > lost else "does not help so far"
    return (
        f"Learning {helps}: the learned order was better in {won:.0f} answers and worse in {lost:.0f}, "
        f"so it counts with weight {trust:.2f}."
    )


def show(screen: Screen, state: Mapping[str, Any]) -> None:
    """``state``: the reply of the facts service to ``learn-status``."""
    policy, rates, rows = state.get("policy") or {}, state.get("rates") or {}, state.get("rows") or []
    screen.say(escape(judge(policy, rows)))
    if policy.get("form"):
        strongest = list((policy.get("features") or {}).items())[:STRONGEST]
        screen.say(
            f"[bold]learned[/bold]  {escape(str(policy['form']))}, version {policy['version']}: "
            f"{count_of(policy['turns'], 'turn')}, {count_of(policy['updates'], 'update')}, "
            f"{policy['waiting']} waiting for a batch"
        )
        screen.say(f"[bold]trust[/bold]    {policy['trust']:.2f}; weight norm {policy['weight_norm']:.3g}")
        screen.say(
            "[bold]features[/bold] " + ("  ".join(f"{escape(name)} {value:+.3f}" for name, value in strongest) or "none")
        )
    if not rows:
        return
    if not rows[-1].get("learning"):
        screen.say("[yellow]nothing learned[/yellow] from the last turn: rerank is off or rmm-learning-rate is 0")
    shares = [f"{name.replace('_', ' ')} {rates[name]:.2f}" for name in ("reward", "citation_rate") if name in rates]
    unread = [f"{name} {rates[name]:.0%}" for name in ("malformed", "absent") if rates.get(name)]
    screen.say(f"[bold]turns[/bold]    {rates.get('turns', len(rows))}: {', '.join([*shares, *unread])}")
    shown = []
    for name, (title, meaning) in FIGURES.items():
        if values := values_of(rows, name):
            ends = (values[0], values[-1]) if name in _STATES else (fmean(values[:WINDOW]), fmean(values[-WINDOW:]))
            shown.append([title, *(f"{value:.3g}" for value in ends), meaning])
    screen.table(f"mean of {WINDOW} turns", ["figure", "first", "last", "meaning"], shown)
