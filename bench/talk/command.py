"""Play lives of several sessions and print for how many questions memory brought the evidence into the prompt.

python -m bench talk [--lives 30] [--json]

A scripted model answers from its prompt alone, so the run measures memory.  It fails with less than 95 % right answers.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trustgraph_react_mem.testing import Rule, ScriptedModel

from .client import talking
from .lives import make_life
from .played import Script, play_life

LEAST_RIGHT = 95.0  # percent
PIECES = 20


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("--lives", type=int, default=30, help="number of lives (default 30)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    report = summarise(asyncio.run(run(arguments.lives)))
    print(json.dumps(report, ensure_ascii=False, indent=1) if arguments.json else as_table(report))
    return 0 if report["percent"] >= LEAST_RIGHT else 1


async def run(count: int) -> list[dict[str, Any]]:
    """The rows of all questions."""
    script = Script()
    rows: list[dict[str, Any]] = []
    model = ScriptedModel(rules=[Rule(answer=script.answer, chunks=PIECES)])
    with tempfile.TemporaryDirectory() as home:
        async with talking(Path(home), model) as client:
            await client.configure({})
            for seed in range(count):
                script.life = make_life(seed)
                rows += await play_life(client, script)
    return rows


def summarise(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    categories = {name: [row for row in rows if row["category"] == name] for name in sorted({row["category"] for row in rows})}
    return {
        "questions": len(rows),
        "percent": round(100 * sum(row["right"] for row in rows) / max(1, len(rows)), 1),
        "tokens_per_turn": round(sum(row["tokens"] for row in rows) / max(1, len(rows))),
        "categories": {
            name: {"questions": len(of), "right": sum(row["right"] for row in of)} for name, of in categories.items()
        },
        "not_right": [row for row in rows if not row["right"]],
    }


def as_table(report: dict[str, Any]) -> str:
    lines = [f"{'category':<14}{'questions':>10}{'right':>10}"]
    lines += [f"{name:<14}{row['questions']:>10}{row['right']:>10}" for name, row in report["categories"].items()]
    lines.append(f"{'all':<14}{report['questions']:>10}{report['percent']:>8} %  {report['tokens_per_turn']} tokens a turn")
    lines += [f"not right: {row['life']}, {row['asked']} wanted {row['value']!r}" for row in report["not_right"]]
    return "\n".join(lines)
