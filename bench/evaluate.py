"""Compares retrieval methods on LoCoMo or LongMemEval files: ``python -m bench eval FILE[,FILE...] FOLDER``.

Writes FOLDER/summary.json and one row per question (rows.csv); of several files, each into a folder of its name.
Ends with 1 if the coverage of ``default`` is below that of ``hybrid`` in one of them by more than chance.  Methods:
- bm25, dense: a single score.  hybrid: dense + 0.5 words.
- default: the stack without any learning.  default, no token vectors: with an embeddings service that shows none.
- default+learning: default with the calibrated policy, learning online.  default+features: only its linear head.
- dense+rmm-calibrated, dense+rmm-paper: the policy on the top twenty of dense.
- default+facts: default over turns and the facts of the file (its observations), as the stack shows them.  "distinct_shown" in
  the summary is the mean number of different things among the five shown, with facts and without.
- oracle order of default's 20: the candidates of default with the evidence first.  Not a retriever, but the upper bound for any
  ranking.

Methods learn from oracle citations (the evidence among the five shown), in a random order of questions per user.  Each question
is ranked before the method learns from it.  In the summary, "by_half" has the first and second half of that order, "gain" is
what learning adds on the same questions, and "usefulness" how soon the shown memories are useful.  "gate" lists the questions
with evidence, of any category, for which the recall gate would have skipped the search (transcript/question, as in rows.csv).

With a language model (``--model``, or REACT_MEM_MODEL, OPENAI_BASE_URL): ``--answers N`` questions are answered with recalled
memories, and evaluated by citations, F1 and a judge (answers.jsonl).  They continue where an earlier run stopped.
"""

import argparse
import asyncio
import csv
import json
import os
import re
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.models.endpoint import choose_chat_model
from trustgraph_react_mem.recall.query import gate

from .answering import ANSWERS_FILE, answer_questions, answers_summary
from .bank import open_bank, open_embedder
from .coverage import KS, Answered, summarise
from .gains import by_method, coverage_gains, gains, usefulness
from .methods import DEFAULT, LEARNERS, ORACLE, WITH_FACTS, Ground, answered, learned, oracle_order, shown
from .transcripts import read_transcripts

ANSWERS_WITH_A_MODEL = 50  # default number of questions if a model is given
NO_MODEL = (
    "needs a language model, and none is configured: give MODEL=local (a small one, 1.1 GB), MODEL=ollama, or set"
    " OPENAI_BASE_URL and OPENAI_MODEL; the rest of the evaluation needs none"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """``answers``: number of questions for the language model."""

    seeds: int = 3
    observations: bool = False
    answers: int = 0
    only: slice = field(default_factory=lambda: slice(None))  # which dialogues of the file


async def evaluate(
    data: Path, out: Path, embedder: Embedder, wanted: Wanted, chat: ChatModel | None = None, judge: ChatModel | None = None
) -> dict[str, object]:
    """Run the evaluation.  Raises: BadRequest (unknown file format), ConfigurationError (a language model is needed)."""
    every = read_transcripts(data)
    transcripts = every[wanted.only]
    if not transcripts:
        raise BadRequest(f"{data} has fewer dialogues than --only asks for: it has {len(every)}")
    out.mkdir(parents=True, exist_ok=True)
    rows: list[Answered] = []
    async with open_bank(embedder) as bank:
        grounds = []
        distinct: dict[str, list[int]] = {DEFAULT: [], WITH_FACTS: []}
        for transcript in transcripts:
            ground = await Ground.of(bank, transcript, embedder, notes=wanted.observations)
            grounds.append(ground)
            found = await ground.all_plain()
            rows += [answered(ground, name, item) for name, items in found.items() for item in items]
            rows += [answered(ground, ORACLE, item, oracle_order(item)) for item in found[DEFAULT]]
            distinct[DEFAULT] += [row.distinct for row in await shown(ground)]
            if transcript.notes:
                mixed = await Ground.of(bank, replace(transcript, id=f"{transcript.id}+facts"), embedder, notes=True)
                with_facts = [replace(row, transcript=transcript.id) for row in await shown(mixed, WITH_FACTS)]
                distinct[WITH_FACTS] += [row.distinct for row in with_facts]
                rows += with_facts
            for seed in range(wanted.seeds):
                for name, learner in LEARNERS.items():
                    rows += learned(ground, name, learner, found[learner.base], seed)
            print(f"{transcript.id}: {len(found[DEFAULT])} questions", flush=True)
        if chat is not None:
            await answer_questions(grounds, chat, wanted.answers, out / ANSWERS_FILE, judge)
    summary = summarised(rows, list(range(wanted.seeds)))
    summary["distinct_shown"] = {name: statistics.fmean(found) for name, found in distinct.items() if found}
    summary["gate"] = gate_misses(grounds)
    summary["embeddings"] = embedder.profile.name
    summary["keys"] = "observations" if wanted.observations else "turns"
    if chat is not None:
        summary["answers"] = answers_summary(out / ANSWERS_FILE, chat.name)
    (out / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    write_rows(rows, out / "rows.csv")
    return summary


def summarised(rows: Sequence[Answered], seeds: list[int]) -> dict[str, object]:
    by_name: dict[str, list[Answered]] = defaultdict(list)
    for row in rows:
        by_name[row.method].append(row)
    methods = {name: summarise(of) for name, of in by_name.items()}
    found = by_method(rows)
    for name, learner in LEARNERS.items():
        if found.get(name):
            methods[name]["gain"] = {"over": learner.base, **gains(found[name], found[learner.base])}
            methods[name]["usefulness"] = usefulness(found[name], learner.hyper.batch)
    return {
        "methods": methods,
        "questions": len(found[DEFAULT]),
        "seeds": seeds,
        "citations": "oracle",
        "over hybrid": coverage_gains(found[DEFAULT], found["hybrid"]),
    }


def is_below_hybrid(summary: Mapping[str, Any]) -> bool:
    return any(figure["high"] < 0 for figure in summary["over hybrid"].values())


def gate_misses(grounds: Sequence[Ground]) -> dict[str, object]:
    asked = [(f"{ground.transcript.id}/{number}", item.text) for ground in grounds for number, item in ground.questions()]
    missed = [name for name, text in asked if gate(text) != "search"]
    return {"skipped": len(missed), "of": len(asked), "questions": missed}


def write_rows(rows: Sequence[Answered], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = list(rows[0].figures) if rows else []
        writer.writerow(["method", "seed", "half", "place", "transcript", "question", "category", "ms", *names])
        for row in rows:
            figures = [f"{value:.4g}" for value in row.figures.values()]
            named = [row.method, row.seed, row.half, row.place if row.half else ""]
            writer.writerow([*named, row.transcript, row.number, row.category, f"{row.ms:.3f}", *figures])


def show(summary: Mapping[str, Any]) -> None:
    width = max(map(len, summary["methods"]), default=0)
    shown = ("coverage@5", "coverage@10", "coverage@20", "any@5", "all@5", "tokens@10")
    print(f"{'method':{width}} {'cov@5':>6} {'cov@10':>6} {'cov@20':>6} {'any@5':>6} {'all@5':>6} {'tok@10':>6} {'p50 ms':>7}")
    for name, figures in summary["methods"].items():
        if figures.get("coverage@5") is not None:
            print(f"{name:{width}} " + " ".join(f"{figures[key]:6.1f}" for key in shown) + f" {figures['p50_ms']:7.2f}")
    print("what learning adds to coverage, points: mean over seeds ± standard deviation (second half of each user's questions)")
    for name, figures in summary["methods"].items():
        if gain := figures.get("gain"):
            every, second = gain["all"], gain["second"]
            parts = [f"@{k} {_signed(every[f'coverage@{k}'])} ({_signed(second[f'coverage@{k}'])})" for k in (5, 10)]
            print(f"{name:{width}} over {gain['over']:8} " + "  ".join(parts))
    print("by category: default's coverage@5, @10, @20")
    for category, figures in summary["methods"].get(DEFAULT, {}).get("by_category", {}).items():
        covered = " ".join(f"{figures[f'coverage@{k}']:6.1f}" for k in KS)
        print(f"{category:{width}} {covered}")
    for name, figure in summary["over hybrid"].items():
        print(f"default over hybrid, {name}: {figure['mean']:+.1f} (95 %: {figure['low']:+.1f} to {figure['high']:+.1f})")
    missed = summary["gate"]
    print(f"recall gate: would skip {missed['skipped']} of {missed['of']} questions with evidence", *missed["questions"])
    if "answers" in summary:
        print(f"answers: {json.dumps(summary['answers'])}")


def _signed(figure: Mapping[str, float]) -> str:
    return f"{figure['mean']:+.1f} ± {figure['spread']:.1f}" if figure else "nothing"


def dialogues_of(text: str) -> slice:
    """Parse ``3-4`` as a slice.  Empty: all."""
    if not text:
        return slice(None)
    found = re.fullmatch(r"([1-9]\d*)-([1-9]\d*)", text)
    if found is None or int(found[1]) > int(found[2]):
        raise SystemExit(f"--only {text}: give the first and the last dialogue, such as 1-2")
    return slice(int(found[1]) - 1, int(found[2]))


async def _main(arguments: argparse.Namespace, data: Path, out: Path) -> dict[str, object]:
    named = arguments.model or os.environ.get("REACT_MEM_MODEL", "") or os.environ.get("OPENAI_BASE_URL", "")
    named = "" if named == "none" else named
    answers = arguments.answers if arguments.answers is not None else ANSWERS_WITH_A_MODEL if named else 0
    if answers < 0 or arguments.seeds < 1:
        raise SystemExit("--answers takes 0 or more, --seeds at least 1")
    if answers and not named:
        raise SystemExit(f"--answers {NO_MODEL}")
    chat = await choose_chat_model(arguments.model or None) if answers else None
    judge = await choose_chat_model(arguments.judge) if answers and arguments.judge else None
    wanted = Wanted(
        seeds=arguments.seeds,
        observations=arguments.keys == "observations",
        answers=answers,
        only=dialogues_of(arguments.only),
    )
    try:
        async with open_embedder(arguments.embeddings) as embedder:
            return await evaluate(data, out, embedder, wanted, chat, judge)
    finally:
        for model in (chat, judge):
            if model is not None:
                await model.close()


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", help="LoCoMo or LongMemEval file, or several with commas between them")
    parser.add_argument("out", type=Path, help="folder for summary.json and rows.csv")
    parser.add_argument("--seeds", type=int, default=3, help="number of random orders for learning (default 3)")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument(
        "--keys", choices=("turns", "observations"), default="turns", help="also store the statements of the file"
    )
    parser.add_argument("--only", default="", help="dialogues of the file, such as 1-2; default: all")
    parser.add_argument("--model", default="", help="language model, in the format of REACT_MEM_MODEL")
    parser.add_argument("--judge", default="", help="language model that judges the answers (default: --model)")
    parser.add_argument(
        "--answers", type=int, help=f"questions to answer (default {ANSWERS_WITH_A_MODEL} with a model, else 0)"
    )
    arguments = parser.parse_args()
    files = [Path(name) for name in arguments.data.split(",")]
    below = []
    for data in files:
        out = arguments.out / data.stem if len(files) > 1 else arguments.out
        summary = asyncio.run(_main(arguments, data, out))
        print(f"{data}:")
        show(summary)
        if "answers" not in summary:
            print("no language model was used: ANSWERS=N with MODEL=ollama or OPENAI_BASE_URL makes one answer")
        below += [data] if is_below_hybrid(summary) else []
    if below:
        raise SystemExit(f"default is below hybrid by more than chance: {', '.join(map(str, below))}")
