"""Storing facts, and hybrid search of the vector store.

Storing: rate with and without embedding, and memory and disk for 100,000 memories.  Search: in scopes of 200 records, with
100,000 records in total.
"""

import shutil
import time
from collections.abc import AsyncIterator, Set
from pathlib import Path

import numpy as np

from trustgraph_react_mem.indexing.document import fact_document, query_sparse
from trustgraph_react_mem.memory.embedding import PROFILES
from trustgraph_react_mem.memory.ports import IndexPoint, VectorIndex
from trustgraph_react_mem.memory.records import derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.opening import open_index

from .bank import open_embedder
from .filled import RandomDirections, shared, turn_of
from .row import Row, percentile
from .sentences import questions, sentences

STORED = "facts_stored_per_second"
EMBEDDED = "facts_embedded_per_second"
LARGE = ("store_100k_rate", "store_100k_memory", "store_100k_disk")
SEARCHED = "search_hybrid_p95_100k"
NAMES = (STORED, EMBEDDED, *LARGE, SEARCHED)

FOLDER = Path("build/bench/search")
PROFILE = PROFILES["e5-small-v2"]
SEARCHED_RECORDS, SCOPE_RECORDS = 100_000, 200
QUERIES = 1000
CANDIDATES = 20
BATCH_SCOPES = 25
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
    if SEARCHED in names:
        rows.append(await searched())
    return [row for row in rows if row.name in names]


async def embedded() -> Row:
    texts = [said.text for said in sentences(TEXTS, seed=9)]
    async with open_embedder() as embedder:
        await embedder.embed(texts[:BATCH], role="passage")
        began = time.perf_counter()
        for start in range(0, TEXTS, BATCH):
            await embedder.embed(texts[start : start + BATCH], role="passage")
        rate = TEXTS / (time.perf_counter() - began)
    return Row(EMBEDDED, rate, "/s", f"{embedder.profile.name}, batches of {BATCH}")


async def searched() -> Row:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    index = await open_index(FOLDER, PROFILE, name="search")
    began = time.perf_counter()
    async for scope, points in banks():
        await index.upsert(scope, points)
    filled_s = time.perf_counter() - began
    try:
        taken = await queried(index)
    finally:
        await index.close()
        shutil.rmtree(FOLDER, ignore_errors=True)
    note = f"dense + BM25, {QUERIES} queries, p50 {percentile(taken, 50):.2f} ms, filled in {filled_s:.0f} s"
    return Row(SEARCHED, percentile(taken, 95), "ms", note)


async def banks() -> AsyncIterator[tuple[Scope, list[IndexPoint]]]:
    """Scopes of ``SCOPE_RECORDS`` records, with generated text for BM25 and random dense vectors."""
    embedder = RandomDirections(PROFILE)
    said = sentences(SCOPE_RECORDS * BATCH_SCOPES, seed=7)
    for number in range(SEARCHED_RECORDS // SCOPE_RECORDS):
        scope = scope_of(number)
        offset = number % BATCH_SCOPES * SCOPE_RECORDS
        batch = said[offset : offset + SCOPE_RECORDS]
        vectors = await embedder.embed([each.text for each in batch], role="passage")
        points = []
        for place, (each, vector) in enumerate(zip(batch, vectors, strict=True)):
            keys = fact_document(turn_of(each, scope, derived_id("bench", number, place), place))
            points.append(keys.point(dict.fromkeys(keys.texts, vector)))
        yield scope, points


def scope_of(number: int) -> Scope:
    return Scope(workspace="bench", user=f"user-{number}", collection="default")


async def queried(index: VectorIndex) -> list[float]:
    """Milliseconds of each query."""
    asked = questions(QUERIES)
    vectors = await RandomDirections(PROFILE).embed(asked, role="query")
    scopes = np.random.default_rng(8).integers(0, SEARCHED_RECORDS // SCOPE_RECORDS, QUERIES)
    taken = []
    for vector, number, text in zip(vectors, scopes, asked, strict=True):
        scope, words = scope_of(int(number)), query_sparse(text)
        began = time.perf_counter()
        dense = await index.search_dense(scope, "text", vector, limit=CANDIDATES)
        sparse = await index.search_sparse(scope, "words", words, limit=CANDIDATES)
        taken.append((time.perf_counter() - began) * 1000)
        if len(dense) != CANDIDATES or not sparse:
            raise RuntimeError(
                f"scope {scope.key} gave {len(dense)} and {len(sparse)} hits: the store does not hold what was written"
            )
    return taken
