"""A million memories in one scope, with vectors given: storing them, searching them, and the whole recall.

    python -m bench large [--memories N] [--home FOLDER] [--out FILE]

An interrupted run continues: what is stored is kept in FOLDER.  A finished run leaves it, so that a later one measures again.
"""

import argparse
import asyncio
import resource
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from trustgraph_react_mem.bootstrap import Stores, open_stores
from trustgraph_react_mem.indexing.document import query_sparse
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.embedder import embedder_of, open_embedding_model
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.store_settings import StoreSettings

from .filled import CONVERSATION_TURNS, FOLDER, USER, NearSubjects, Silent, bank_turns, bytes_of
from .report import keep, show
from .resumed import add_line, read_lines
from .row import Row, percentile
from .sentences import SUBJECTS, Utterance, questions, sentences

MEMORIES = 1_000_000
CONVERSATIONS = 50  # between two notes of what is stored
QUESTIONS = 100
CANDIDATES = 20
NAMES = ("large_store_rate", "large_disk", "large_search_p50", "large_recall_p50", "large_memory")
SCOPE = Scope(workspace="default", user=USER, collection="default")


async def measured(home: Path, memories: int) -> list[Row]:
    home.mkdir(parents=True, exist_ok=True)
    model = await open_embedding_model()
    embedder = embedder_of(model)
    stores = await open_stores(StoreSettings(home=home / "data", keys=home / "keys"), model.profile)
    try:
        near = NearSubjects(model.profile, await embedder.embed(SUBJECTS, role="passage"))
        facts = MemoryCore.over(stores.graph, stores.models(near), Silent(), SystemClock()).facts
        seconds = await stored(facts, home / "stored.jsonl", memories)
        disk = bytes_of(home / "data") / 2**20
        note = f"{memories:,} memories in one scope, {datetime.now(UTC):%Y-%m-%d}"
        return [
            Row("large_store_rate", memories / seconds, "/s", note),
            Row("large_disk", disk, "MB", note),
            await searched(stores, embedder, note),
            await recalled(stores, embedder, note),
            Row(
                "large_memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB", f"{note}; peak of the process"
            ),
        ]
    finally:
        await stores.close()
        await model.close()


async def stored(facts: FactMemory, done: Path, memories: int) -> float:
    """Store what is missing.  Returns the seconds that storing took, in all runs."""
    lines = list(read_lines(done))
    known = int(sum(line["conversations"] for line in lines))
    seconds = float(sum(line["seconds"] for line in lines))
    conversations = memories // CONVERSATION_TURNS
    if known > conversations:
        raise SystemExit(f"{done.parent} holds {known * CONVERSATION_TURNS:,} memories, more than {memories:,}: delete it")
    for first in range(known, conversations, CONVERSATIONS):
        last = min(first + CONVERSATIONS, conversations)
        began = time.perf_counter()
        for number in range(first, last):  # those that a run stored before it was interrupted are skipped
            turns = bank_turns(SCOPE, number, said(number))
            await facts.add_turns(SCOPE, f"bank-{number}", turns, batch=CONVERSATION_TURNS)
        took = time.perf_counter() - began
        add_line(done, {"conversations": last - first, "seconds": round(took, 3)})
        seconds += took
        left = seconds / last * (conversations - last) / 60
        print(f"{last * CONVERSATION_TURNS:,} of {memories:,} memories, about {left:.0f} min left", file=sys.stderr, flush=True)
    return seconds


def said(number: int) -> list[Utterance]:
    """The utterances of one conversation."""
    later = timedelta(minutes=number * CONVERSATION_TURNS)
    return [replace(each, said_at=each.said_at + later) for each in sentences(CONVERSATION_TURNS, seed=number)]


async def searched(stores: Stores, embedder: Embedder, note: str) -> Row:
    """The engine's search under both kinds of keys, as ``search_hybrid_p95_100k``."""
    asked = questions(QUESTIONS, seed=70)
    vectors = await embedder.embed(asked, role="query")
    taken = []
    for text, vector in zip(asked, vectors, strict=True):
        began = time.perf_counter()
        dense = await stores.fact_index.search_dense(SCOPE, "text", vector, limit=CANDIDATES)
        await stores.fact_index.search_sparse(SCOPE, "words", query_sparse(text), limit=CANDIDATES)
        taken.append((time.perf_counter() - began) * 1000)
        if len(dense) != CANDIDATES:
            raise RuntimeError(f"the search gave {len(dense)} hits: the store does not hold what was written")
    return Row("large_search_p50", percentile(taken, 50), "ms", f"{note}; dense and words; p95 {percentile(taken, 95):.1f} ms")


async def recalled(stores: Stores, embedder: Embedder, note: str) -> Row:
    """What the facts service does for a question: embedding, candidates of the engine, ranking."""
    retriever = Retriever(stores.fact_index, embedder)
    asked = questions(QUESTIONS + 1, seed=71)
    await retriever.retrieve(SCOPE, RetrievalQuery(question=asked[0]))  # takes the sample of the scope
    taken, found = [], []
    for text in asked[1:]:
        began = time.perf_counter()
        result = await retriever.retrieve(SCOPE, RetrievalQuery(question=text, asked_at=datetime.now(UTC)))
        taken.append((time.perf_counter() - began) * 1000)
        found.append(len(result.facts))
    return Row(
        "large_recall_p50",
        percentile(taken, 50),
        "ms",
        f"{note}; with embedding the question; p95 {percentile(taken, 95):.1f} ms; {np.mean(found):.1f} memories found",
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench large", description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES, help="default: %(default)s")
    parser.add_argument("--home", type=Path, default=FOLDER / "large")
    parser.add_argument("--out", type=Path, default=Path("build/bench-large.json"))
    arguments = parser.parse_args()
    if arguments.memories < CONVERSATION_TURNS:
        parser.error(f"--memories {arguments.memories} is less than one conversation: give {CONVERSATION_TURNS} or more")
    rows = asyncio.run(measured(arguments.home.resolve(), arguments.memories))
    show(rows)
    keep(rows, arguments.out)
    return 0
