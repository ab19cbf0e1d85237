"""What the rows of a comparison say."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from ..paired import bootstrap_interval, exact_mcnemar
from ..row import percentile
from .methods import METHODS, PLAIN

Row = Mapping[str, Any]


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """By set of questions and method, of the questions that every method answered.  Each is compared with the plain answer."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    return {name: found for name in sets if (found := _by_method([row for row in rows if row["set"] == name]))}


def _by_method(rows: Sequence[Row]) -> dict[str, Any]:
    answered = {method: {row["id"]: row for row in rows if row["method"] == method} for method in METHODS}
    names = [name for name in answered[PLAIN] if all(name in each for each in answered.values())]
    if not names:
        return {}
    found = {method: [each[name] for name in names] for method, each in answered.items()}
    plain = [row["grade"] == "right" for row in found[PLAIN]]
    report = {}
    for method, own in found.items():
        report[method] = _figures(own)
        if method == PLAIN:
            continue
        mine = [row["grade"] == "right" for row in own]
        gained, lost, p = exact_mcnemar(mine, plain)
        low, high = bootstrap_interval(list(map(float, mine)), list(map(float, plain)))
        report[method]["against_plain"] = {
            "gained": gained,
            "lost": lost,
            "p": round(p, 4),
            "points": [round(100 * low, 1), round(100 * high, 1)],
        }
    return report


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    seconds = [row["seconds"] for row in rows]
    return {
        "questions": len(rows),
        **{
            name: sum(row["grade"] == grade for row in rows)
            for name, grade in (("correct", "right"), ("abstained", "abstained"))
        },
        "unsupported": sum(row["unsupported"] > 0 for row in rows),
        "misled": sum(row["misled"] for row in rows),
        "kept": sum(row["kept"] for row in rows),
        "tokens": round(statistics.fmean(row["tokens"] for row in rows)),
        "p50_s": round(percentile(seconds, 50), 1),
        "p95_s": round(percentile(seconds, 95), 1),
        "p50_cpu_s": round(percentile([row["cpu_s"] for row in rows], 50), 1),
    }


def as_table(report: Mapping[str, Any]) -> str:
    head = (
        "questions", "method", "correct", "unsupported", "misled", "abstained", "kept", "tokens", "p50 s", "p95 s", "p50 CPU s",
        "correct against plain",
    )  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, methods in report.items():
        for method, each in methods.items():
            paired = each.get("against_plain")
            against = (
                f"+{paired['gained']} -{paired['lost']}, p = {paired['p']:.2g}, "
                f"{paired['points'][0]:+.0f} to {paired['points'][1]:+.0f} points"
                if paired
                else ""
            )
            figures = (each["correct"], each["unsupported"], each["misled"], each["abstained"], each["kept"])
            lines.append(
                f"| {name} ({each['questions']}) | {method} | {' | '.join(map(str, figures))} | {each['tokens']} | "
                f"{each['p50_s']} | {each['p95_s']} | {each['p50_cpu_s']} | {against} |"
            )
    return "\n".join(lines)
