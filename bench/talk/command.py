"""Play lives of several sessions and print what was answered right, and whose fault the rest is.

python -m bench talk [--lives 30] [--model NAME] [--json] [--out FOLDER]

Without a model, a scripted one answers from its prompt alone: the run then measures memory, and fails if the evidence is in the
prompt for less than 95 % of the questions.  With a model, it reports figures.  A run with a model that was stopped continues.
"""

import argparse
import asyncio
import json
import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.endpoint import choose_chat_model
from trustgraph_react_mem.testing import Rule, ScriptedModel

from ..resumed import Progress, add_line, read_lines
from .client import talking
from .grading import agreement
from .lives import UNKNOWN, lives
from .played import OUTCOMES, RIGHT, Observed, Script, counts, play_life

LEAST_EVIDENCE = 95.0  # percent
SCRIPTED = "scripted"
PIECES = 20
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
SHOWN = ("life", "category", "asked", "value", "answer", "outcome")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench talk", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--lives", type=int, default=30, help="number of lives (default 30)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first life")
    parser.add_argument("--model", default="", help="model that answers, as REACT_MEM_MODEL; empty: scripted")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    parser.add_argument("--out", type=Path, default=Path("build/talk"), help="folder of the rows")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rows = asyncio.run(run(arguments.lives, arguments.first, arguments.model, arguments.out, quiet=arguments.json))
    report = summarise(rows, arguments.model or SCRIPTED)
    print(json.dumps(report, ensure_ascii=False, indent=1) if arguments.json else as_table(report))
    if arguments.write:
        write_table(report)
    return 0 if arguments.model or report["evidence"]["percent"] >= LEAST_EVIDENCE else 1


async def run(count: int, first: int, wanted: str, out: Path, *, quiet: bool) -> list[dict[str, Any]]:
    """The rows of all questions.  Lives that a real model has finished are read from its file in ``out``."""
    script = Script()
    chosen = await choose_chat_model(wanted) if wanted else None
    model: ChatModel = chosen or ScriptedModel(rules=[Rule(answer=script.answer, chunks=PIECES)])
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{''.join(each if each.isalnum() else '-' for each in wanted or SCRIPTED)}.jsonl"
    if not wanted:  # the memory may have changed since the last run, and the run takes minutes
        path.unlink(missing_ok=True)
    wanted_lives = lives(count, first)
    kept = list(read_lines(path))
    known = {life.name: [row for row in kept if row.get("life") == life.name] for life in wanted_lives}
    left = [life for life in wanted_lives if len(known[life.name]) < len(life.questions)]  # a life is played whole
    questions = sum(len(life.questions) for life in wanted_lives)
    progress = Progress(f"questions with {model.name}", questions, questions - sum(len(life.questions) for life in left))

    def note(row: dict[str, Any]) -> None:
        if not quiet:
            progress.step(f"{row['life']}, {row['category']}: {row['outcome']}")

    with tempfile.TemporaryDirectory() as home:
        observed = Observed(model)
        async with talking(Path(home), observed) as client:
            await client.configure({})
            for life in left:
                script.life = life
                known[life.name] = await play_life(client, observed, script, note)
                for row in known[life.name]:
                    add_line(path, row)
    await model.close()
    return [row for rows in known.values() for row in rows]


def summarise(rows: Sequence[dict[str, Any]], model: str) -> dict[str, Any]:
    told = [row for row in rows if row["category"] != UNKNOWN]
    same, other = agreement()
    categories = sorted({row["category"] for row in rows})
    with_evidence = [row for row in told if row["evidence"]]
    return {
        "model": model,
        "questions": len(rows),
        "lives": len({row["life"] for row in rows}),
        "outcomes": {name: _share([row["outcome"] == name for row in rows]) for name in OUTCOMES},
        "evidence": _share([bool(row["evidence"]) for row in told]),
        "right_of_evidence": _share([row["outcome"] == RIGHT for row in with_evidence]),
        "tokens_per_turn": round(sum(row["tokens"] for row in rows) / max(1, len(rows))),
        "by_category": {name: _category([row for row in rows if row["category"] == name]) for name in categories},
        "not_right": [{name: row[name] for name in SHOWN} for row in rows if row["outcome"] != RIGHT],
        "grading_agreement": {"same": same, "of": same + len(other)},
    }


def _category(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    told = [row for row in rows if row["evidence"] is not None]
    evidence = _share([bool(row["evidence"]) for row in told]) if told else None
    return {"questions": len(rows), **counts(rows), "evidence": evidence}


def _share(values: Sequence[bool]) -> dict[str, Any]:
    """Percent with the 95 % interval of Wilson."""
    size, hits = len(values), sum(values)
    if not size:
        return {"count": 0, "of": 0, "percent": 0.0, "low": 0.0, "high": 0.0}
    z, part = 1.96, hits / size
    centre, spread = part + z * z / (2 * size), z * math.sqrt(part * (1 - part) / size + z * z / (4 * size * size))
    low, high = ((centre + sign * spread) / (1 + z * z / size) for sign in (-1, 1))
    percents = {name: round(100 * value, 1) for name, value in (("percent", part), ("low", low), ("high", high))}
    return {"count": hits, "of": size, **percents}


def as_table(report: dict[str, Any]) -> str:
    head = f"{'category':<14}{'questions':>10}{'evidence':>10}" + "".join(f"{name:>16}" for name in OUTCOMES)
    lines = [f"{report['lives']} lives, {report['questions']} questions, model {report['model']}", "", head]
    for name, row in report["by_category"].items():
        evidence = f"{row['evidence']['percent']:.1f} %" if row["evidence"] else "-"
        lines.append(f"{name:<14}{row['questions']:>10}{evidence:>10}" + "".join(f"{row[each]:>16}" for each in OUTCOMES))
    lines.append("")
    lines += [f"{name:<22}{_as_text(share)}" for name, share in report["outcomes"].items()]
    lines.append(f"{'evidence in prompt':<22}{_as_text(report['evidence'])}; at least {LEAST_EVIDENCE:g} % are wanted")
    lines.append(f"{'right with evidence':<22}{_as_text(report['right_of_evidence'])}")
    lines.append(f"{'tokens per turn':<22}{report['tokens_per_turn']} (prompts and answer)")
    graded = report["grading_agreement"]
    lines.append(f"{'grading':<22}agrees with {graded['same']} of {graded['of']} labels by hand")
    if report["not_right"]:
        lines += ["", "not right:", *(_not_right(row) for row in report["not_right"])]
    return "\n".join(lines)


def write_table(report: dict[str, Any], page: Path = PAGE) -> None:
    """Replace the table of this model on the page of benchmarks.  Raises: ValueError (the page has no place for it)."""
    kind = SCRIPTED if report["model"] == SCRIPTED else "model"
    begin, end = f"<!-- talk {kind} -->", f"<!-- end of talk {kind} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no lines {begin} and {end}: add them where the figures belong")
    page.write_text(f"{before}{begin}\n```\n{as_table(report)}\n```\n{end}{after}", encoding="utf-8")


def _not_right(row: dict[str, Any]) -> str:
    return (
        f"  {row['outcome']}: {row['life']}, {row['category']}: {row['asked']} "
        f"wanted {row['value'] or 'no answer'!r}, got {row['answer'][:80]!r}"
    )


def _as_text(share: dict[str, Any]) -> str:
    return f"{share['count']} of {share['of']} = {share['percent']:.1f} % ({share['low']:.1f} to {share['high']:.1f})"
