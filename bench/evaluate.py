"""All ways of retrieving, over a LoCoMo or LongMemEval file: ``python -m bench.evaluate FILE FOLDER``.

Writes FOLDER/summary.json, a row per question (rows.csv) and plots.  Methods:
- bm25, dense: one key alone; hybrid: dense + 0.5 words; default: what the stack does before it has learned anything;
- default+learning: the same with the calibrated policy, learning online; dense+rmm-paper and dense+rmm-calibrated: the policy
  over the twenty best of dense alone.
What learns does so from oracle citations (the evidence among the five shown), question by question in a random order per
user; each question is ranked before anything is learned from it.  "by_half" has the first and second half of that order.
No language model is used.  ``--keys observations`` adds the file's own statements (a model wrote those) as facts.
"""

import argparse
import asyncio
import csv
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trustgraph_react_mem.memory.keys import MEAN_TERMS
from trustgraph_react_mem.memory.ports import Vector
from trustgraph_react_mem.models.embedder import RoleEmbedder, open_embedding_model
from trustgraph_react_mem.recall.bm25 import bm25, inverse_document_frequency
from trustgraph_react_mem.recall.cache import HotScopes
from trustgraph_react_mem.recall.features import FEATURE_NAMES, Question, columns, standard
from trustgraph_react_mem.recall.hot import HotScope
from trustgraph_react_mem.recall.retrieve import RetrievalQuery
from trustgraph_react_mem.rerank import CALIBRATED, PAPER, Candidates, Experience, Hyperparameters, Weights, flush, learn, rank
from trustgraph_react_mem.transcripts import Question as Asked
from trustgraph_react_mem.transcripts import Transcript, read_transcripts

from .bank import Bank, open_bank
from .cached_embedder import CachedEmbedder
from .coverage import Answered, Tally
from .recall import CACHE

SHOWN, RANKED = 5, 20
_TEXT, _WORDS = FEATURE_NAMES.index("text"), FEATURE_NAMES.index("words")


@dataclass(frozen=True, slots=True)
class Found:
    """A question's candidates under one retriever, best first, ready to be reranked."""

    number: int
    asked: Asked
    vector: Vector
    candidates: Candidates
    turns: tuple[frozenset[str], ...]
    texts: tuple[str, ...]
    ms: float


class Ground:
    """A transcript in the stores, with its questions embedded."""

    def __init__(self, bank: Bank, transcript: Transcript, hot: HotScope, vectors: NDArray[np.float32]) -> None:
        self.bank = bank
        self.transcript = transcript
        self.hot = hot
        self.vectors = vectors

    def questions(self) -> Iterator[tuple[int, Asked]]:
        for number, asked in enumerate(self.transcript.questions):
            if asked.evidence:
                yield number, asked

    def turns_of(self, record_id: str) -> frozenset[str]:
        """The turns a record stands for: itself, or those it was made from."""
        own = self.bank.turns.get(record_id)
        if own is not None:
            return frozenset({own})
        sources = self.hot.payloads[self.hot.slots[record_id]].get("turn_ids") or []
        assert isinstance(sources, list)
        return frozenset(self.bank.turns[str(source)] for source in sources if str(source) in self.bank.turns)

    def plain(self, weights: dict[int, float]) -> Iterator[Found]:
        """Candidates under a weighted sum of a few columns."""
        for number, asked in self.questions():
            question = Question.read(asked.text, self.vectors[number])
            started = time.perf_counter()
            score = np.sum([weight * self._column(row, question) for row, weight in weights.items()], axis=0)
            rows = np.argsort(-score, kind="stable")[:RANKED]
            ms = (time.perf_counter() - started) * 1000
            table = columns(self.hot, question)  # for whoever reranks these candidates; not part of this method
            ids = [self.hot.ids[row] for row in rows]
            features = np.vstack([score[rows], table[:, rows]]).T
            candidates = Candidates.of(ids, self.hot.text[rows], features.astype(np.float64), ("base", *FEATURE_NAMES))
            yield self._found(number, asked, candidates, ms)

    def _column(self, row: int, question: Question) -> NDArray[np.float32]:
        if row == _TEXT:
            return standard(self.hot.text @ question.vector)
        counts = self.hot.words.counts(question.terms, self.hot.n)[:, :-1]
        idf = inverse_document_frequency(np.count_nonzero(counts, axis=1).astype(np.float32), len(self.hot))
        return standard(bm25(counts, self.hot.column("lengths"), MEAN_TERMS, idf))

    async def default(self) -> list[Found]:
        """Candidates as the stack finds them."""
        found = []
        for number, asked in self.questions():
            started = time.perf_counter()
            query = RetrievalQuery(text=asked.text, vector=self.vectors[number], top_k=RANKED, candidates=RANKED, rerank="off")
            result = await self.bank.retriever.retrieve(self.bank.scope(self.transcript), query)
            ms = (time.perf_counter() - started) * 1000
            slots = [self.hot.slots[record_id] for record_id in result.candidate_ids]
            candidates = Candidates.of(
                result.candidate_ids, self.hot.text[slots], result.features.astype(np.float64), result.feature_names
            )
            found.append(self._found(number, asked, candidates, ms))
        return found

    def _found(self, number: int, asked: Asked, candidates: Candidates, ms: float) -> Found:
        payloads = [self.hot.payloads[self.hot.slots[record_id]] for record_id in candidates.ids]
        return Found(
            number,
            asked,
            self.vectors[number],
            candidates,
            tuple(self.turns_of(record_id) for record_id in candidates.ids),
            tuple(f"{payload.get('speaker')}: {payload.get('content')}" for payload in payloads),
            ms,
        )


def answered(
    ground: Ground, method: str, found: Found, order: Sequence[int], *, ms: float = 0.0, seed: int = 0, half: str = ""
) -> Answered:
    return Answered(
        method=method,
        seed=seed,
        transcript=ground.transcript.id,
        number=found.number,
        category=found.asked.category,
        order=[found.turns[row] for row in order],
        texts=[found.texts[row] for row in order],
        evidence=frozenset(found.asked.evidence),
        ms=found.ms + ms,
        half=half,
    )


def learned(ground: Ground, method: str, found: Sequence[Found], hyper: Hyperparameters, seed: int) -> Iterator[Answered]:
    """One user's questions in a random order, each ranked before it is learned from; none of category 5."""
    profile = ground.bank.index.profile
    weights = Weights.start(hyper, profile=profile.name, dimension=profile.dimension, seed=seed)
    asked = [item for item in found if item.asked.category != "5"]
    random.Random(f"{seed} {ground.transcript.id}").shuffle(asked)
    for place, item in enumerate(asked):
        started = time.perf_counter()
        ranking = rank(weights, item.vector, item.candidates, top_m=SHOWN, seed=seed * 10_000 + place)
        ms = (time.perf_counter() - started) * 1000
        half = "first" if place < len(asked) / 2 else "second"
        yield answered(ground, method, item, ranking.order, ms=ms, seed=seed, half=half)
        evidence = set(item.asked.evidence)
        cited = tuple(at for at, row in enumerate(ranking.selected) if item.turns[row] & evidence)
        experience = Experience(
            job_id=f"{seed} {ground.transcript.id} {item.number}",
            query=item.vector,
            candidates=item.candidates,
            shown=ranking.selected,
            cited=cited,
            state="cited" if cited else "none",
            seed=seed * 10_000 + place,
        )
        weights, _ = learn(weights, experience)
    flush(weights)


async def evaluate(data: Path, out: Path, *, seeds: int, model: str, observations: bool) -> dict[str, object]:
    embedding = await open_embedding_model(model or None)
    embedder = CachedEmbedder(RoleEmbedder(embedding), CACHE, embedding.where)
    rows: list[Answered] = []
    async with open_bank(embedder) as bank:
        held = HotScopes(bank.index, max_records=10**9, max_bytes=2**33, patience_s=60)
        for transcript in read_transcripts(data):
            await bank.add(transcript, notes=observations)
            vectors = await embedder.embed([asked.text for asked in transcript.questions], role="query")
            hot = await held.get(bank.scope(transcript))
            assert isinstance(hot, HotScope)
            ground = Ground(bank, transcript, hot, vectors)
            everything = tuple(range(RANKED))
            dense = list(ground.plain({_TEXT: 1.0}))
            for name, found in (
                ("bm25", list(ground.plain({_WORDS: 1.0}))),
                ("dense", dense),
                ("hybrid", list(ground.plain({_TEXT: 1.0, _WORDS: 0.5}))),
            ):
                rows += [answered(ground, name, item, everything[: len(item.turns)]) for item in found]
            default = await ground.default()
            rows += [answered(ground, "default", item, everything[: len(item.turns)]) for item in default]
            for seed in range(seeds):
                rows += learned(ground, "default+learning", default, CALIBRATED, seed)
                rows += learned(ground, "dense+rmm-calibrated", dense, CALIBRATED, seed)
                rows += learned(ground, "dense+rmm-paper", dense, PAPER, seed)
            print(f"{transcript.id}: {len(default)} questions", flush=True)
    embedder.close()
    await embedding.close()
    summary = summarised(rows, list(range(seeds)))
    summary["embeddings"] = embedder.profile.name
    summary["keys"] = "observations" if observations else "turns"
    out.mkdir(parents=True, exist_ok=True)
    (out / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    write_rows(rows, out / "rows.csv")
    return summary


def summarised(rows: Sequence[Answered], seeds: list[int]) -> dict[str, object]:
    tallies: dict[str, Tally] = {}
    for row in rows:
        tallies.setdefault(row.method, Tally()).add(row)
    asked = {(row.transcript, row.number) for row in rows if row.category != "5"}
    methods = {name: tally.summary() for name, tally in tallies.items()}
    # What learns meets each question once per seed in its own halves: the same questions without learning stand beside them.
    for learning, plain in (("default+learning", "default"), ("dense+rmm-calibrated", "dense"), ("dense+rmm-paper", "dense")):
        base = {(row.transcript, row.number): row for row in rows if row.method == plain}
        same = Tally()
        for row in rows:
            if row.method == learning and row.half == "second":
                same.add(base[row.transcript, row.number])
        if learning in methods:
            methods[learning]["second_half_without_learning"] = {
                key: value for key, value in same.summary().items() if "@" in key
            }
    return {"methods": methods, "questions": len(asked), "seeds": seeds, "citations": "oracle"}


def write_rows(rows: Sequence[Answered], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = list(rows[0].figures()) if rows else []
        writer.writerow(["method", "seed", "half", "transcript", "question", "category", "ms", *names])
        for row in rows:
            figures = [f"{value:.4g}" for value in row.figures().values()]
            writer.writerow(
                [row.method, row.seed, row.half, row.transcript, row.number, row.category, f"{row.ms:.3f}", *figures]
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate", description=__doc__)
    parser.add_argument("data", type=Path, help="a LoCoMo or LongMemEval file")
    parser.add_argument("out", type=Path, help="folder for summary.json, rows.csv and plots")
    parser.add_argument("--seeds", type=int, default=3, help="orders in which the questions are learned from")
    parser.add_argument("--embeddings", default="", help="a name of the catalogue; default: what the stack would take")
    parser.add_argument("--keys", choices=("turns", "observations"), default="turns")
    arguments = parser.parse_args()
    summary = asyncio.run(
        evaluate(
            arguments.data,
            arguments.out,
            seeds=arguments.seeds,
            model=arguments.embeddings,
            observations=arguments.keys == "observations",
        )
    )
    methods = summary["methods"]
    assert isinstance(methods, dict)
    print(f"{'method':24} {'cov@5':>6} {'cov@10':>6} {'cov@20':>6} {'any@5':>6} {'all@5':>6} {'tok@10':>6} {'p50 ms':>7}")
    for name, figures in methods.items():
        shown = [figures[key] for key in ("coverage@5", "coverage@10", "coverage@20", "any@5", "all@5", "tokens@10")]
        print(f"{name:24} " + " ".join(f"{value:6.1f}" for value in shown) + f" {figures['p50_ms']:7.2f}")
    try:
        from .plots import draw
    except ImportError:
        print("no plots: pip install matplotlib")
    else:
        for path in draw(arguments.out):
            print(path)


if __name__ == "__main__":
    main()
