"""Coverage of the evidence by retrieval, on a LoCoMo file: ``python -m bench recall FILE``.

Each conversation of the file is imported into real embedded stores as a separate scope, without a language model.  Then each
question of categories 1 to 4 with evidence is searched for.  coverage@k is the mean share of its evidence turns among the first
k memories, in percent.
"""

import argparse
import asyncio
from collections.abc import Set
from pathlib import Path

from trustgraph_react_mem.retrieval.retriever import HOT_RECORDS

from .bank import open_bank, open_embedder
from .coverage import KS, UNANSWERABLE, Answered, means
from .methods import Ground, shown
from .row import Row, percentile
from .transcripts import read_transcripts

NAMES = ("locomo_recall_at_5", "locomo_recall_at_10")


async def measure(data: Path, model: str = "", hot_records: int = HOT_RECORDS) -> dict[str, float]:
    """Coverage@5, @10 and @20 in percent, also per half of the file, and retrieval times in ms.

    ``hot_records``: scopes with more records are ranked by the vector engine.
    """
    asked: list[list[Answered]] = []  # by transcript
    async with open_embedder(model) as embedder, open_bank(embedder, hot_records=hot_records) as bank:
        for transcript in read_transcripts(data):
            rows = await shown(await Ground.of(bank, transcript, embedder), embedder=embedder)
            asked.append([row for row in rows if row.category != UNANSWERABLE])
    half = (len(asked) + 1) // 2
    took = [row.ms for rows in asked for row in rows]
    figures = {"questions": float(len(took)), "p50_ms": percentile(took, 50), "p95_ms": percentile(took, 95)}
    for name, part in {"": asked, " first half": asked[:half], " second half": asked[half:]}.items():
        found = means([row for rows in part for row in rows])
        figures |= {f"coverage@{k}{name}": found.get(f"coverage@{k}", float("nan")) for k in KS}
    return figures


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
    for k in KS:
        print(
            f"coverage@{k} {figures[f'coverage@{k}']:.1f} percent   (first half of the conversations, on which weights were "
            f"tuned, {figures[f'coverage@{k} first half']:.1f}; second half {figures[f'coverage@{k} second half']:.1f})"
        )
    print(f"retrieval p50 {figures['p50_ms']:.2f} ms, p95 {figures['p95_ms']:.2f} ms, embedding not included")
