"""Coverage of the evidence by retrieval, on a LoCoMo file: ``python -m bench recall FILE``.

Each conversation of the file is imported into real embedded stores as a separate scope, without a language model.  Then each
question of categories 1 to 4 with evidence is searched for.  coverage@k is the mean share of its evidence turns among the first
k memories, in percent.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Set
from pathlib import Path

from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import HOT_RECORDS

from .bank import open_bank, open_embedder
from .row import Row, percentile

NAMES = ("locomo_recall_at_5", "locomo_recall_at_10")
CATEGORIES = frozenset("1234")


async def measure(data: Path, model: str = "", hot_records: int = HOT_RECORDS) -> dict[str, float]:
    """Coverage@5, @10 and @20 in percent, also per half of the file, and retrieval times in ms.

    ``hot_records``: scopes with more records are ranked by the vector engine.
    """
    transcripts = read_asked_transcripts(data)
    shares: dict[int, list[list[float]]] = {5: [], 10: [], 20: []}
    took: list[float] = []
    async with open_embedder(model) as embedder, open_bank(embedder, hot_records=hot_records) as bank:
        for transcript in transcripts:
            for found in shares.values():
                found.append([])
            await bank.add(transcript)
            scope = bank.scope(transcript)
            for question in transcript.questions:
                if not question.evidence or (question.category in "12345" and question.category not in CATEGORIES):
                    continue
                vector = (await embedder.embed([question.text], role="query"))[0]
                start = time.perf_counter()
                query = RetrievalQuery(question=question.text, vector=vector, top_k=20, candidates=20, rerank="off")
                result = await bank.retriever.retrieve(scope, query)
                took.append((time.perf_counter() - start) * 1000)
                order = [bank.turns.get(fact.id, "") for fact in result.facts]
                for k, found in shares.items():
                    found[-1].append(len(set(order[:k]) & set(question.evidence)) / len(question.evidence))
    half = (len(transcripts) + 1) // 2
    figures = {"questions": float(sum(map(len, shares[5]))), "p50_ms": percentile(took, 50), "p95_ms": percentile(took, 95)}
    for k, by_transcript in shares.items():
        figures[f"coverage@{k}"] = _percent(by_transcript)
        figures[f"coverage@{k} first half"] = _percent(by_transcript[:half])
        figures[f"coverage@{k} second half"] = _percent(by_transcript[half:])
    return figures


def _percent(parts: list[list[float]]) -> float:
    values = [value for part in parts for value in part]
    return 100 * statistics.fmean(values) if values else float("nan")


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    if not names or data is None:
        return []
    figures = await measure(data)
    note = f"{figures['questions']:.0f} questions, retrieval p50 {figures['p50_ms']:.2f} ms"
    rows = [
        Row("locomo_recall_at_5", figures["coverage@5"], "percent", note),
        Row("locomo_recall_at_10", figures["coverage@10"], "percent", note),
    ]
    return [row for row in rows if row.name in names]


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="a LoCoMo file")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument(
        "--hot-records",
        type=int,
        default=HOT_RECORDS,
        help="rank scopes with more records in the vector engine; 0 = all scopes",
    )
    arguments = parser.parse_args()
    figures = asyncio.run(measure(arguments.data, arguments.embeddings, arguments.hot_records))
    print(f"questions {figures['questions']:.0f}")
    for k in (5, 10, 20):
        print(
            f"coverage@{k} {figures[f'coverage@{k}']:.1f} percent   (first half of the conversations, on which weights were "
            f"tuned, {figures[f'coverage@{k} first half']:.1f}; second half {figures[f'coverage@{k} second half']:.1f})"
        )
    print(f"retrieval p50 {figures['p50_ms']:.2f} ms, p95 {figures['p95_ms']:.2f} ms, embedding not included")
