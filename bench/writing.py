"""Storing facts: rate with and without embedding, and memory and disk for 100,000 memories."""

import time
from collections.abc import Set
from pathlib import Path

from trustgraph_react_mem.models.embedder import embedder_of, open_embedding_model

from .filled import shared
from .row import Row
from .sentences import sentences

STORED = "facts_stored_per_second"
EMBEDDED = "facts_embedded_per_second"
LARGE = ("store_100k_rate", "store_100k_memory", "store_100k_disk")
NAMES = (STORED, EMBEDDED, *LARGE)
TEXTS = 1000
BATCH = 64


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    rows = []
    if STORED in names:
        _, figures = await shared(10_000)
        rate = figures.count / figures.seconds
        rows.append(Row(STORED, rate, "/s", f"{figures.count} turns into graph and vectors, embedding not counted"))
    if EMBEDDED in names:
        rows.append(await embedded())
    if names & set(LARGE):
        _, figures = await shared(100_000)
        rows.append(Row(LARGE[0], figures.count / figures.seconds, "/s", f"{figures.count} turns, embedding not counted"))
        rows.append(Row(LARGE[1], figures.memory_mb, "MB", "peak of the storing process"))
        rows.append(Row(LARGE[2], figures.disk_mb, "MB", "graph with history, and vectors under two keys"))
    return [row for row in rows if row.name in names]


async def embedded() -> Row:
    model = await open_embedding_model()
    embedder = embedder_of(model)
    texts = [said.text for said in sentences(TEXTS, seed=9)]
    await embedder.embed(texts[:BATCH], role="passage")
    began = time.perf_counter()
    for start in range(0, TEXTS, BATCH):
        await embedder.embed(texts[start : start + BATCH], role="passage")
    rate = TEXTS / (time.perf_counter() - began)
    await model.close()
    return Row(EMBEDDED, rate, "/s", f"{model.profile.name}, batches of {BATCH}")
