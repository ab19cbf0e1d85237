"""Draws why memories were ranked as they were: each feature's share of the score as a bar."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.padding import Padding

from ..console import Screen, count_of, escape, make_printable
from .bars import draw_bars
from .turn import format_memory

MOST_BARS = 8  # features of a memory
SMALLEST = 0.005
INDENT = 4
LEGEND = (
    "each bar: how much a feature adds to the final score (+) or takes from it (-); * cited by the answer; "
    "without learning: the score before what was learned from citations"
)


def contributions(why: object) -> dict[str, float]:
    """The features of a score by their contribution, largest first.  What is not a number is left out."""
    if not isinstance(why, Mapping):
        return {}
    found = {}
    for name, value in why.items():
        try:
            found[str(name)] = float(value)
        except (TypeError, ValueError):
            continue
    return dict(sorted(found.items(), key=lambda pair: -abs(pair[1])))


def draw_explanation(screen: Screen, memories: Iterable[Mapping[str, Any]], cited: Iterable[str] = ()) -> None:
    """``memories``: as they were shown to the model, in the order of their numbers.  All bars have one scale."""
    listed, marked = list(memories), set(cited)
    features = [contributions(memory.get("why")) for memory in listed]
    most = max((abs(value) for each in features for value in each.values()), default=0.0)
    for number, (memory, each) in enumerate(zip(listed, features, strict=True)):
        mark = "*" if str(memory.get("id")) in marked else " "
        screen.out.print(f"[bold]{escape(f'[{number}]')}{mark}[/bold]{escape(make_printable(format_memory(memory)))}")
        indented = [f"[dim]{escape(_scores(memory))}[/dim]"]
        if identity := str(memory.get("id") or ""):
            indented.append(f"[dim]id {escape(identity)}[/dim]")
        for line in indented:
            screen.out.print(Padding(line, (0, 0, 0, INDENT)))
        seen = {name: value for name, value in each.items() if abs(value) >= SMALLEST}
        drawn = dict(list(seen.items())[:MOST_BARS])
        if drawn:
            bars = draw_bars(drawn, screen.out.width - INDENT, most)
            screen.out.print(Padding(bars, (0, 0, 0, INDENT)))
        if len(seen) > len(drawn):
            rest = sum(list(seen.values())[MOST_BARS:])
            screen.out.print(
                Padding(f"[dim]and {count_of(len(seen) - len(drawn), 'smaller feature')} {rest:+.2f}[/dim]", (0, 0, 0, INDENT))
            )
    if listed:
        screen.out.print(f"[dim]{escape(LEGEND)}[/dim]")


def _scores(memory: Mapping[str, Any]) -> str:
    parts = []
    if isinstance(score := memory.get("score"), int | float):
        parts.append(f"score {score:.2f}")
    if isinstance(before := memory.get("retrieval_score"), int | float):
        parts.append(f"{before:.2f} without learning")
    if isinstance(rank := memory.get("rank_before"), int) and rank >= 0:
        parts.append(f"rank {rank} before")
    if isinstance(share := memory.get("probability"), int | float):
        parts.append(f"p {share:.2f}")
    return ", ".join(parts) or "no scores"
