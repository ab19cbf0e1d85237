"""One product on one file: runs it, keeps what it wrote, and computes its figures."""

import asyncio
import hashlib
import json
import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.coverage import KS, Answered
from bench.row import percentile

from .products import FOLDER, Product, interpreter

RUN_TIMEOUT_S = 6 * 3600.0


class NotMeasured(Exception):
    """A product failed while it stored or searched."""


@dataclass(frozen=True, slots=True)
class File:
    """``name``: how the file is called in tables.  ``work``: see ``workload``."""

    name: str
    work: Sequence[Mapping[str, Any]]

    @property
    def memories(self) -> int:
        return sum(len(turns) for dialogue in self.work for turns in dialogue["sessions"].values())

    @property
    def questions(self) -> int:
        return sum(len(dialogue["questions"]) for dialogue in self.work)


async def measured(product: Product, file: File, embeddings: str, model: str) -> dict[str, Any]:
    """What the product wrote; from an earlier run if neither it nor the file has changed since.

    ``model``: name of the embedding model behind ``embeddings``.  Raises: NotInstalled, NotMeasured.
    """
    work = json.dumps(file.work)
    key = hashlib.sha256(f"{product.key} {model} {work}".encode()).hexdigest()[:16]
    kept = FOLDER / "results" / f"{product.name}-{key}.json"
    if kept.exists():
        print(f"{product.title}, {file.name}: known from an earlier run", file=sys.stderr, flush=True)
    else:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.with_suffix(".work").write_text(work, encoding="utf-8")
        print(f"{product.title}, {file.name}: {file.memories} turns, {file.questions} questions", file=sys.stderr, flush=True)
        await _run(product, kept, embeddings)
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


async def _run(product: Product, kept: Path, embeddings: str) -> None:
    python, home, partial = await interpreter(product), kept.with_suffix(".home"), kept.with_suffix(".partial")
    shutil.rmtree(home, ignore_errors=True)
    paths = (kept.with_suffix(".work"), embeddings, home, partial)
    process = await asyncio.create_subprocess_exec(str(python), "-m", product.module, *map(str, paths))
    try:
        await asyncio.wait_for(process.wait(), RUN_TIMEOUT_S)
        if process.returncode or not partial.exists():
            raise NotMeasured(f"{product.title} ended with exit code {process.returncode}; its messages are above")
        partial.replace(kept)
    except TimeoutError:
        raise NotMeasured(f"{product.title} did not end within {RUN_TIMEOUT_S / 3600:.0f} hours") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        shutil.rmtree(home, ignore_errors=True)
        kept.with_suffix(".work").unlink(missing_ok=True)


def figures(product: Product, file: File, found: Mapping[str, Any]) -> dict[str, Any]:
    """Coverage in percent, tokens, milliseconds, bytes and megabytes."""
    asked = {(each["id"], question["number"]): question for each in file.work for question in each["questions"]}
    rows = [
        Answered(
            method=product.name,
            seed=0,
            transcript=row["dialogue"],
            number=row["number"],
            category=(question := asked[row["dialogue"], row["number"]])["category"],
            order=[frozenset({turn}) for turn in row["turns"]],
            texts=row["texts"],
            evidence=frozenset(question["evidence"]),
            ms=row["ms"],
        ).figures
        for row in found["answered"]
    ]
    added = [1000 * each["seconds"] / each["turns"] for each in found["added"] if each["turns"]]
    searched = [row["ms"] for row in found["answered"]]
    result: dict[str, Any] = {"version": found["version"], "memories": file.memories, "questions": len(rows)}
    for k in KS:
        result[f"coverage@{k}"] = 100 * statistics.fmean(row[f"coverage@{k}"] for row in rows)
        result[f"tokens@{k}"] = statistics.fmean(row[f"tokens@{k}"] for row in rows)
    return result | {
        "each": {f"coverage@{k}": [100 * row[f"coverage@{k}"] for row in rows] for k in KS},
        "store_ms": {"p50": percentile(added, 50), "p95": percentile(added, 95)},
        "search_ms": {"p50": percentile(searched, 50), "p95": percentile(searched, 95)},
        "embedded_per_memory": found["embedded"] / file.memories,
        "disk_bytes": found["disk_bytes"],
        "memory_mb": found["memory_mb"]["searched"],
    }
