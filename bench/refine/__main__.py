"""Does refinement help?  Compare it with a plain answer and with a vote on the same questions.

python -m bench.refine [DATA] [--questions 40] [--model NAME] [--out FOLDER] [--json] [--write] [--report]

DATA is a LoCoMo or LongMemEval file.  Without it, only the questions of this repository are asked: answers with constraints,
and memories among which something wrong was planted.  Each method is shown the same memories.  The sets advance evenly.  The
rows are in FOLDER, and a run that was stopped continues there.  --report shows what it has reached.  Answers are graded by
rules, whose agreement with labels by hand is printed.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from trustgraph_react_mem.errors import ConfigurationError, MemoryServiceError
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.endpoint import choose_chat_model

from ..cached_embedder import open_embedder
from ..page import write_between
from ..resumed import Progress, add_line, read_lines
from .grading import agreement
from .methods import GROUNDED, METHODS, PLAIN, SELF, VOTE, Answer, plain, vote
from .questions import SHIPPED, Question, locomo_questions, shipped_questions
from .refined import count_unsupported, refine
from .report import as_table, summarise

QUESTIONS = 40
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "refinement.md"
BEGIN, END = "<!-- refine-eval: written by `make refine-eval WRITE=1` -->", "<!-- end of refine-eval -->"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.refine", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="LoCoMo or LongMemEval file")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help=f"at most so many of each set (default {QUESTIONS})")
    parser.add_argument("--model", default="", help="language model, as REACT_MEM_MODEL (default: the configured one)")
    parser.add_argument("--out", type=Path, default=Path("build/refine"), help="folder of the rows (default build/refine)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--report", action="store_true", help="ask nothing: report the questions that all methods answered")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    if arguments.questions < 1:
        parser.error(f"--questions {arguments.questions}: use 1 or more")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        rows = asyncio.run(_main(arguments))
    except MemoryServiceError as error:
        print(error, file=sys.stderr)
        return 2
    report = summarise(rows)
    print(json.dumps(report, indent=1) if arguments.json else as_table(report))
    if arguments.write:
        write_between(PAGE, BEGIN, END, as_table(report))
    same, other = agreement()
    if not arguments.json:
        print(f"\nThe rules of grading agree with {same} of {same + len(other)} labels by hand.")
    return 0


async def _main(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    model = await choose_chat_model(arguments.model or None)
    if model is None:
        raise ConfigurationError("a language model is needed: set MODEL=local, MODEL=ollama, or OPENAI_BASE_URL")
    try:
        path = arguments.out / f"{''.join(each if each.isalnum() else '-' for each in model.name)}.jsonl"
        if arguments.report:
            return list(read_lines(path))
        sets = [shipped_questions(name, arguments.questions) for name in SHIPPED]
        if arguments.data is not None:
            sets.append(await _questions_of(arguments.data, arguments.questions))
        return await compare(evenly(sets), model, path)
    finally:
        await model.close()


def evenly(sets: Sequence[Sequence[Question]]) -> list[Question]:
    """The questions of all sets, one of each in turn, so that a stopped run has as many of each.

    >>> evenly([["a", "b", "c"], ["x", "y"]])
    ['a', 'x', 'b', 'y', 'c']
    """
    return [question for turn in zip_longest(*sets) for question in turn if question is not None]


async def _questions_of(data: Path, most: int) -> list[Question]:
    async with open_embedder() as embedder:
        return await locomo_questions(data, most, embedder)


async def compare(questions: Sequence[Question], model: ChatModel, path: Path) -> list[dict[str, Any]]:
    """The rows of all methods.  What an earlier run answered is read from ``path``.

    Raises: ModelUnavailable (earlier answers are kept).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {_key(row): row for row in read_lines(path)}
    wanted = {_key(_row(question, method)) for question in questions for method in METHODS}
    progress = Progress(f"answers by {model.name}", len(wanted), len(wanted & kept.keys()))
    for question in questions:
        answers: dict[str, Answer] = {}
        for method in METHODS:
            row = _row(question, method)
            if (known := kept.get(_key(row))) is not None:
                answers[method] = _answer_of(known)
                continue
            answers[method] = answer = await _answered(question, method, model, answers)
            row |= {
                "answer": answer.text,
                "grade": question.grade(answer.text),
                "misled": question.is_misled(answer.text),
                "unsupported": count_unsupported(question, answer),
                "tokens": answer.tokens,
                "seconds": round(answer.seconds, 2),
                "cpu_s": round(answer.cpu_s, 2),
                "cited": list(answer.cited),
                "citation": answer.citation,
                "kept": answer.kept,
            }
            add_line(path, row)
            kept[_key(row)] = row
            progress.step(f"{question.set}/{question.id}, {method}: {row['grade']}")
    return [row for key, row in kept.items() if key in wanted]


async def _answered(question: Question, method: str, model: ChatModel, before: Mapping[str, Answer]) -> Answer:
    if method == PLAIN:
        return await plain(question, model)
    if method == VOTE:
        return await vote(question, model, before[PLAIN], tokens=before[GROUNDED].tokens)
    return await refine(question, model, before[PLAIN], critique="self" if method == SELF else "grounded")


def _row(question: Question, method: str) -> dict[str, Any]:
    shown = [fact.id for fact in question.recalled.facts]
    return {"set": question.set, "id": question.id, "method": method, "shown": shown}


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(repr(row.get(name)) for name in ("set", "id", "method", "shown"))


def _answer_of(row: Mapping[str, Any]) -> Answer:
    return Answer(
        text=row["answer"],
        tokens=row["tokens"],
        seconds=row["seconds"],
        cpu_s=row["cpu_s"],
        cited=tuple(row["cited"]),
        citation=row.get("citation") or ("cited" if row["cited"] else "absent"),
        kept=row["kept"],
    )


if __name__ == "__main__":
    sys.exit(main())
