"""One user's memory over a hundred sessions, up to 10,000 memories: ``python -m bench sessions [--out FILE]``.

Each session adds a hundred turns to one scope, as recorded in real use, and the ranking learns from some questions about them
(oracle citations).  After every tenth session, the same questions are asked of two retrievers: the *grown* one, which has been
running and learning all the time, and a *plain* one, which loads the same memories from the index and has learned nothing.  The
difference between them is the cost of growing.  The loss of the plain one over time is the effect of more memories.

The turns are generated.  Each question is answered by exactly one turn, among many that differ in a word or two.
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Embedder, Job
from trustgraph_react_mem.memory.records import derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.query import Rerank, RetrievalQuery, Retrieved
from trustgraph_react_mem.retrieval.retriever import Retriever

from .bank import Bank, open_bank, open_embedder
from .coverage import SHOWN
from .filled import turn_of
from .row import percentile
from .sentences import Utterance, sentences

SCOPE = Scope(workspace="bench", user="hundred-sessions", collection="default")
RANKED = 20
LOADED_BELOW_MS, LOADED_AFTER, LOAD_S = 30.0, 5, 120.0


@dataclass(frozen=True, slots=True)
class Size:
    """``early``: number of first sessions whose questions are asked at every later checkpoint."""

    sessions: int = 100
    turns: int = 100
    every: int = 10
    early: int = 10
    asked: int = 200
    learned_a_session: int = 4


@dataclass(frozen=True, slots=True)
class Probe:
    """A question.  ``turn``: number of the one turn that answers it, said in ``session``."""

    text: str
    turn: int
    session: int

    @property
    def record_id(self) -> str:
        return record_id(self.turn)


@dataclass(slots=True)
class Arm:
    """A retriever, with coverage@5 and milliseconds of each question."""

    retriever: Retriever
    rerank: Rerank
    coverage: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        return {
            "coverage@5": round(100 * statistics.fmean(self.coverage), 2),
            "p50_ms": round(percentile(self.ms, 50), 3),
            "p95_ms": round(percentile(self.ms, 95), 3),
        }


def record_id(turn: int) -> str:
    return derived_id("session", f"made {turn}")


def dialogue(size: Size) -> tuple[list[list[Utterance]], list[Probe]]:
    """The turns of each session, and the questions about them that one turn alone answers."""
    made = sentences(size.sessions * size.turns, seed=17)
    answers = Counter(each.question for each in made)
    probes = [
        Probe(each.question, number, number // size.turns) for number, each in enumerate(made) if answers[each.question] == 1
    ]
    random.Random(5).shuffle(probes)
    return [made[at : at + size.turns] for at in range(0, len(made), size.turns)], probes


class User:
    """One growing scope, with methods to add turns, ask and learn."""

    def __init__(self, bank: Bank, embedder: Embedder) -> None:
        self.bank = bank
        self._embedder = embedder
        self._spoken = 0
        self._rewarded = 0

    async def speak(self, number: int, turns: Sequence[Utterance]) -> None:
        facts = [turn_of(each, SCOPE, record_id(self._spoken + place), place) for place, each in enumerate(turns)]
        self._spoken += len(turns)
        await self.bank.memory.add_turns(SCOPE, f"session-{number}", facts)

    async def ask(self, retriever: Retriever, probe: Probe, rerank: Rerank) -> tuple[Retrieved, float]:
        vector = (await self._embedder.embed([probe.text], role="query"))[0]
        began = time.perf_counter()
        query = RetrievalQuery(question=probe.text, vector=vector, top_k=SHOWN, candidates=RANKED, rerank=rerank)
        found = await retriever.retrieve(SCOPE, query)
        return found, (time.perf_counter() - began) * 1000

    async def learn(self, probe: Probe) -> None:
        found, _ = await self.ask(self.bank.retriever, probe, "calibrated")
        shown = [fact.id for fact in found.facts]
        cited = [at for at, shown_id in enumerate(shown) if shown_id == probe.record_id]
        self._rewarded += 1
        retrieval = {
            "candidate_ids": list(found.candidate_ids),
            "shown_ids": shown,
            "features": found.features.tolist(),
            "feature_names": list(found.feature_names),
            "query": probe.text,
            "mode": "calibrated",
            "cited": cited,
            "citation": "cited" if cited else "none",
        }
        job = Job(
            id=f"reward-{self._rewarded}",
            kind="reward",
            scope=SCOPE,
            payload={"retrieval": retrieval},  # type: ignore[dict-item]  # plain lists of JSON values
            created_at=datetime.now(UTC),
        )
        await self.bank.reward(job)

    async def until_loaded(self, arm: Arm, probe: Probe) -> None:
        """Wait until the scope is in the cache: a large scope is loaded in the background after its first question."""
        quick, until = 0, time.monotonic() + LOAD_S
        while quick < LOADED_AFTER and time.monotonic() < until:
            _, ms = await self.ask(arm.retriever, probe, arm.rerank)
            quick = quick + 1 if ms < LOADED_BELOW_MS else 0
            await asyncio.sleep(0.05)


async def grow(embedder: Embedder, size: Size) -> list[dict[str, object]]:
    """One row per checkpoint: sessions, memories, and the figures of both retrievers for the same questions."""
    spoken, probes = dialogue(size)
    panel = [probe for probe in probes if probe.session < size.early][: size.asked]
    kept = set(panel)
    lessons = iter(probe for probe in probes if probe not in kept)
    waiting: list[Probe] = []
    rows: list[dict[str, object]] = []
    async with open_bank(embedder) as bank:
        user = User(bank, embedder)
        for number, turns in enumerate(spoken):
            await user.speak(number, turns)
            waiting += [probe for _, probe in zip(range(3 * size.learned_a_session), lessons, strict=False)]
            ready = [probe for probe in waiting if probe.session <= number][: size.learned_a_session]
            for probe in ready:
                await user.learn(probe)
                waiting.remove(probe)
            if (number + 1) % size.every == 0 and number + 1 >= size.early:
                plain = Retriever(bank.index, embedder, clock=SystemClock())
                rows.append({"sessions": number + 1, "memories": (number + 1) * size.turns, **await _both(user, plain, panel)})
                print(json.dumps(rows[-1]), flush=True)
    return rows


async def _both(user: User, retriever: Retriever, panel: Sequence[Probe]) -> dict[str, object]:
    """Ask both retrievers alternately, in both orders, so that load on the machine affects both equally.

    ``gap``: grown minus plain in points, over the same questions.
    """
    grown, plain = Arm(user.bank.retriever, "calibrated"), Arm(retriever, "off")
    for arm in (grown, plain):
        await user.until_loaded(arm, panel[0])
    for place, probe in enumerate(panel):
        for arm in (grown, plain) if place % 2 else (plain, grown):
            found, ms = await user.ask(arm.retriever, probe, arm.rerank)
            arm.coverage.append(float(probe.record_id in {fact.id for fact in found.facts}))
            arm.ms.append(ms)
    gaps = [100 * (ours - theirs) for ours, theirs in zip(grown.coverage, plain.coverage, strict=True)]
    return {
        "questions": len(panel),
        "grown": grown.figures(),
        "plain": plain.figures(),
        "gap": {
            "coverage@5": round(statistics.fmean(gaps), 2),
            "standard_error": round(statistics.stdev(gaps) / len(gaps) ** 0.5, 2) if len(gaps) > 1 else 0.0,
        },
    }


async def measure(model: str) -> list[dict[str, object]]:
    async with open_embedder(model) as embedder:
        return await grow(embedder, Size())


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("build/sessions.json"), help="file for the rows")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    arguments = parser.parse_args()
    rows = asyncio.run(measure(arguments.embeddings))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")
