"""Retrieval methods on the same transcripts and stores, and learning policies on top of them."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trustgraph_react_mem.indexing.document import MEAN_TERMS
from trustgraph_react_mem.memory.ports import Embedder, Vector
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.rerank import CALIBRATED, PAPER, Candidates, Experience, Hyperparameters, Weights, learn, rank
from trustgraph_react_mem.retrieval.columns.bm25 import bm25, inverse_document_frequency
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.features import Question, columns, standardise
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES

from .bank import Bank
from .coverage import SHOWN, UNANSWERABLE, Answered
from .transcripts import AskedTranscript
from .transcripts import TranscriptQuestion as Asked

RANKED = 20
# Fixed weighted sums of standard scores.
PLAIN: Mapping[str, Mapping[str, float]] = {
    "bm25": {"words": 1.0},
    "dense": {"text": 1.0},
    "hybrid": {"text": 1.0, "words": 0.5},
}


@dataclass(frozen=True, slots=True)
class Learner:
    """A policy that reranks the candidates of ``base`` and learns."""

    base: str
    hyper: Hyperparameters


LEARNERS: Mapping[str, Learner] = {
    "default+learning": Learner("default", CALIBRATED),
    "default+features": Learner("default", replace(CALIBRATED, use_vector=False)),
    "dense+rmm-calibrated": Learner("dense", CALIBRATED),
    "dense+rmm-paper": Learner("dense", PAPER),
}
DEFAULT, WITH_FACTS, WITHOUT_TOKENS = "default", "default+facts", "default, no token vectors"
ORACLE = f"oracle order of default's {RANKED}"  # not a retriever: it knows the evidence


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of one retriever for a question, best first, ready to be reranked."""

    number: int
    asked: Asked
    vector: Vector
    candidates: Candidates
    turns: tuple[frozenset[str], ...]
    texts: tuple[str, ...]
    ms: float


@dataclass(frozen=True, slots=True)
class Ground:
    """A transcript in the stores, with its questions embedded: ``vectors``, (questions, d)."""

    bank: Bank
    transcript: AskedTranscript
    hot: ScopeColumns
    vectors: NDArray[np.float32]

    @classmethod
    async def of(cls, bank: Bank, transcript: AskedTranscript, embedder: Embedder, *, notes: bool = False) -> "Ground":
        """``notes``: also store the statements of the file."""
        await bank.add(transcript, notes=notes)
        vectors = await embedder.embed([asked.text for asked in transcript.questions], role="query")
        return cls(bank, transcript, await bank.columns(transcript), vectors)

    def questions(self) -> Iterator[tuple[int, Asked]]:
        for number, asked in enumerate(self.transcript.questions):
            if asked.evidence:
                yield number, asked

    def turns_of(self, record_id: str) -> frozenset[str]:
        """The turns that a record represents: itself, or those from which it was derived."""
        own = self.bank.turns.get(record_id)
        if own is not None:
            return frozenset({own})
        sources = self.hot.payloads[self.hot.slots[record_id]].get("turn_ids") or []
        assert isinstance(sources, list)
        return frozenset(self.bank.turns[str(source)] for source in sources if str(source) in self.bank.turns)

    def plain(self, weights: Mapping[str, float]) -> Iterator[Found]:
        """Candidates ranked by a weighted sum of columns."""
        for number, asked in self.questions():
            started = time.perf_counter()
            question = Question.read(asked.text, self.vectors[number], asked_at=parse_time(asked.asked_at))
            score = np.sum([weight * self._column(name, question) for name, weight in weights.items()], axis=0)
            rows = np.argsort(-score, kind="stable")[:RANKED]
            ms = (time.perf_counter() - started) * 1000
            table = columns(self.hot, question)  # needed to rerank these candidates, not used by this method
            ids = [self.hot.ids[row] for row in rows]
            features = np.vstack([score[rows], table[:, rows]]).T
            candidates = Candidates.of(
                ids, self.hot.vectors.rows("text", rows), features.astype(np.float64), ("base", *FEATURE_NAMES)
            )
            yield self._found(number, asked, candidates, ms)

    def _column(self, name: str, question: Question) -> NDArray[np.float32]:
        if name == "text":
            return standardise(self.hot.products("text", question.vector))[0]
        counts = self.hot.words.counts(question.terms, self.hot.n)[:, :-1]
        idf = inverse_document_frequency(np.count_nonzero(counts, axis=1).astype(np.float32), len(self.hot))
        return standardise(bm25(counts, self.hot.column("lengths"), MEAN_TERMS, idf))[0]

    async def ask(self, number: int, asked: Asked, *, top_k: int = RANKED, tokens: bool = True) -> Retrieved:
        """Candidates as the stack ranks them without any learning.  ``tokens``: the model shows its token vectors."""
        query = RetrievalQuery(
            question=asked.text,
            vector=self.vectors[number],
            top_k=top_k,
            candidates=RANKED,
            rerank="off",
            asked_at=parse_time(asked.asked_at),
        )
        retriever = self.bank.retriever if tokens else self.bank.without_tokens
        return await retriever.retrieve(self.bank.scope(self.transcript), query)

    async def default(self, *, tokens: bool = True) -> list[Found]:
        found = []
        for number, asked in self.questions():
            started = time.perf_counter()
            result = await self.ask(number, asked, tokens=tokens)
            ms = (time.perf_counter() - started) * 1000
            slots = [self.hot.slots[record_id] for record_id in result.candidate_ids]
            candidates = Candidates.of(
                result.candidate_ids,
                self.hot.vectors.rows("text", slots),
                result.features.astype(np.float64),
                result.feature_names,
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

    async def all_plain(self) -> dict[str, list[Found]]:
        """Every method that does not learn, by name."""
        found = {name: list(self.plain(weights)) for name, weights in PLAIN.items()}
        return found | {DEFAULT: await self.default(), WITHOUT_TOKENS: await self.default(tokens=False)}


def answered(
    ground: Ground,
    method: str,
    found: Found,
    order: Sequence[int] | None = None,
    *,
    ms: float = 0.0,
    seed: int = 0,
    half: str = "",
    place: int = 0,
) -> Answered:
    order = range(len(found.turns)) if order is None else order
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
        place=place,
    )


async def shown(ground: Ground, method: str = DEFAULT, *, embedder: Embedder | None = None) -> list[Answered]:
    """The records that the stack shows for each question, in its order: unlike its candidates, each thing once.

    ``embedder``: embeds each question just before it is asked, as in the stack.  Default: all were embedded together.
    """
    rows = []
    for number, asked in ground.questions():
        if embedder is not None:
            ground.vectors[number] = (await embedder.embed([asked.text], role="query"))[0]
        started = time.perf_counter()
        result = await ground.ask(number, asked)
        ms = (time.perf_counter() - started) * 1000
        rows.append(
            Answered(
                method=method,
                seed=0,
                transcript=ground.transcript.id,
                number=number,
                category=asked.category,
                order=[ground.turns_of(fact.id) for fact in result.facts],
                texts=[f"{fact.speaker}: {fact.content}" for fact in result.facts],
                evidence=frozenset(asked.evidence),
                ms=ms,
            )
        )
    return rows


def oracle_order(found: Found) -> list[int]:
    """Rows of the candidates: first those that add the most new evidence, then others with evidence, then the rest."""
    missing, left = set(found.asked.evidence), list(range(len(found.turns)))
    order: list[int] = []
    while any(found.turns[row] & missing for row in left):
        best = max(left, key=lambda row: len(found.turns[row] & missing))  # ties: the one ranked higher by the retriever
        missing -= found.turns[best]
        left.remove(best)
        order.append(best)
    return order + sorted(left, key=lambda row: found.turns[row].isdisjoint(found.asked.evidence))


def learned(ground: Ground, method: str, learner: Learner, found: Sequence[Found], seed: int) -> Iterator[Answered]:
    """Rank one user's questions in random order, and learn from each after it was ranked.  Category 5 is left out."""
    profile = ground.bank.index.profile
    weights = Weights.start(learner.hyper, profile=profile.name, dimension=profile.dimension, seed=seed)
    asked = [item for item in found if item.asked.category != UNANSWERABLE]
    rng = random.Random(f"{seed} {ground.transcript.id}")
    rng.shuffle(asked)
    for place, item in enumerate(asked):
        started = time.perf_counter()
        ranking = rank(weights, item.vector, item.candidates, top_m=SHOWN)
        ms = (time.perf_counter() - started) * 1000
        half = "first" if place < len(asked) / 2 else "second"
        yield answered(ground, method, item, ranking.order, ms=ms, seed=seed, half=half, place=place)
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
