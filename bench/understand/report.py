"""What was measured, as a JSON object and as text."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .metered import Cost
from .played import Judged, Played
from .replayed import MOST_CALLS, MOST_TOKENS, Replayed

ENOUGH_RIGHT = 90.0  # percent of the items; a model with fewer does not understand by default


def summarise(model: str, rows: Sequence[Played], replayed: Replayed | None) -> dict[str, Any]:
    cost = sum((row.cost for row in rows), Cost())
    counts: Counter[str] = sum((row.counts for row in rows), Counter())
    return {
        "model": model,
        "all": _figures(rows),
        "by_kind": _group(rows, lambda row: row.case.kind),
        "by_language": _group(rows, lambda row: row.case.lang),
        "cost": _cost(cost, sum(len(row.case.sessions) for row in rows), sum(row.turns for row in rows)),
        "items": {name: number for name, number in sorted(counts.items()) if not name.startswith("dropped_")},
        "dropped": {name.removeprefix("dropped_"): counts[name] for name in sorted(counts) if name.startswith("dropped_")},
        "conversations": None if replayed is None else _replayed(replayed),
        "wrong": [f"{row.case.id}: {_fault(each)}" for row in rows for each in row.judged if not each.right],
        "failed": [f"{row.case.id}: {job}" for row in rows for job in row.failed] + list(replayed.failed if replayed else ()),
    }


def _group(rows: Sequence[Played], key: Callable[[Played], str]) -> dict[str, dict[str, Any]]:
    return {name: _figures([row for row in rows if key(row) == name]) for name in sorted({key(row) for row in rows})}


def _figures(rows: Sequence[Played]) -> dict[str, Any]:
    """Precision: of the words looked for that memory holds, the share that it should hold.  Recall: of those that it should
    hold, the share that it holds.  Percent, or None."""
    judged = [each for row in rows for each in row.judged]
    rules = [each for each in judged if each.what in ("rules", "no_rules")]
    return {
        "cases": len(rows),
        "hold": sum(all(each.right for each in row.judged) for row in rows),
        "items": len(judged),
        "right": _percent(each.right for each in judged),
        "active": _percent(each.right for each in judged if each.what == "active"),
        "gone": _percent(each.right for each in judged if each.what == "gone"),
        "rules": _percent(each.right for each in rules),
        "precision": _percent(each.wanted for each in judged if each.there),
        "recall": _percent(each.there for each in judged if each.wanted),
        "entries": sum(len(row.entries) for row in rows),
    }


def _percent(values: Any) -> float | None:
    found = list(values)
    return round(100 * sum(found) / len(found), 1) if found else None


def _cost(cost: Cost, sessions: int, turns: int) -> dict[str, Any]:
    return {
        "sessions": sessions,
        "turns": turns,
        "calls": cost["calls"],
        "calls_per_session": round(cost["calls"] / max(1, sessions), 2),
        "tokens_in_per_turn": round(cost["tokens_in"] / max(1, turns)),
        "tokens_out_per_turn": round(cost["tokens_out"] / max(1, turns)),
    }


def _replayed(replayed: Replayed) -> dict[str, Any]:
    whole = sum(replayed.costs.values(), Cost())
    return {
        **_cost(whole, replayed.conversations, replayed.turns),
        "tokens_per_turn": round((whole["tokens_in"] + whole["tokens_out"]) / replayed.turns),
        "by_prompt": {name: cost["calls"] for name, cost in sorted(replayed.costs.items())},
    }


def _fault(judged: Judged) -> str:
    kind = "rule" if judged.what in ("rules", "no_rules") else "entry"
    return f"{'no' if judged.wanted else 'still'} {kind} with {judged.words!r}"


_COLUMNS = ("cases", "hold", "items", "right", "active", "gone", "rules", "precision", "recall", "entries")


def as_text(report: Mapping[str, Any]) -> str:
    lines = [f"model {report['model']}", "", f"{'':<14}" + "".join(f"{name:>11}" for name in _COLUMNS)]
    for rows in ({"all": report["all"]}, report["by_kind"], report["by_language"]):
        lines += [f"{name:<14}" + "".join(f"{_as_text(row[column]):>11}" for column in _COLUMNS) for name, row in rows.items()]
        lines.append("")
    cost = report["cost"]
    lines.append(f"{'cost of cases':<16}{cost['calls_per_session']} calls a session, {_as_tokens(cost)}")
    if told := report["conversations"]:
        lines.append(
            f"{'in conversation':<16}{told['calls_per_session']} calls an ended conversation, {_as_tokens(told)}; at most "
            f"{MOST_CALLS} calls and {MOST_TOKENS} tokens are wanted"
        )
    lines.append(f"{'what was said':<16}{_as_counts(report['items'])}")
    lines.append(f"{'checks dropped':<16}{_as_counts(report['dropped'])}")
    right = report["all"]["right"]
    if right is not None:
        verdict = "enough" if right >= ENOUGH_RIGHT else "too few"
        lines.append(f"{'items right':<16}{right:g} %: {verdict} to let it change memory ({ENOUGH_RIGHT:g} % are wanted)")
    for title in ("wrong", "failed"):
        if report[title]:
            lines += ["", f"{title}:", *(f"  {each}" for each in report[title])]
    return "\n".join(lines)


def _as_text(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _as_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or "nothing"


def _as_tokens(cost: Mapping[str, Any]) -> str:
    return f"{cost['tokens_in_per_turn']} tokens in and {cost['tokens_out_per_turn']} out a turn"
