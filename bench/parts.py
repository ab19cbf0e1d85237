"""What parts of the default ranking bring: ``python -m bench.parts FILE[,FILE...]``, LoCoMo or LongMemEval files.

Each row ranks all turns of a scope with other weights, and is compared with ``default`` on the same questions: mean difference
in points, with the 95 % interval of a paired bootstrap.  Unlike the stack, it abstains from no question.

- without ...: the weights of these columns are 0.  Without context vectors, ``nearest`` is the similarity of the record itself,
  and its conversation is the best record of it.
- entities ...: records get this weight for each name of the question that the graph links to them.
- Hedge: the scores of ``EXPERTS``, standardised, are mixed by weights that follow their losses on the cited records (Freund and
  Schapire, 1997), one mixture per scope, in three random orders of the questions.  Citations are those of an oracle.  "best
  expert per scope" chooses in hindsight, which nothing can do in advance.
"""

import argparse
import asyncio
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.transcripts import AskedTranscript, read_asked_transcripts
from trustgraph_react_mem.indexing.token_signs import MOST_ASKED, thin_out
from trustgraph_react_mem.memory.ports import Embedder, Signs, TokenEmbedder
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.retrieval.candidate_pool import CandidatePool, candidates_in_memory, drop_duplicates
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.columns.vectors import Column
from trustgraph_react_mem.retrieval.features import Question
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, ROWS, fuse, weights_for
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .bank import Bank, open_bank
from .cached_embedder import open_embedder
from .coverage import KS, SHOWN
from .evaluate import dialogues_of
from .paired import bootstrap_interval

CANDIDATES = 50  # those that tokens are matched with, as in the stack
RANKED = 20
WORDS, HASHED_DIMENSION = "words", 384  # vectors of hashed words
Change = Callable[[Column], Column]


def set_weights(**weights: float) -> Change:
    """The weights with others for some columns."""

    def changed(used: Column) -> Column:
        result = used.copy()
        for name, weight in weights.items():
            result[ROWS[name]] = weight
        return result

    return changed


def without(*names: str) -> Change:
    return set_weights(**dict.fromkeys(names, 0.0))


def without_context(used: Column) -> Column:
    """The weights as if no record had a vector of its context."""
    result = without("context", "nearest", "context_after", "context_later", "session_context")(used)
    result[ROWS["text"]] += used[ROWS["nearest"]]
    result[ROWS["session_text"]] += used[ROWS["session_context"]]
    return result


def without_context_and_tokens(used: Column) -> Column:
    return without("late")(without_context(used))


CHANGES: Mapping[str, Change] = {
    "without token vectors": without("late"),
    "without context vectors": without_context,
    "without token and context vectors": without_context_and_tokens,
    "without words of time": without("time_asked", "time_unasked"),
    "without dates": without("date"),
    "without conversations": without("session_text", "session_context", "session_words"),
    "without speakers": without("speaker"),
    "entities 0.3": set_weights(entities=0.3),
    "entities 0.6": set_weights(entities=0.6),
    "entities 1.0": set_weights(entities=1.0),
}
_SHORT, _LONG = weights_for(0.0), weights_for(1.0)
_NOTHING = np.zeros(len(FEATURE_NAMES), np.float32)
#: Fixed weightings.  The first is that of the scope, and has this share at the start.
EXPERTS: Mapping[str, Column | None] = {
    "of the scope": None,
    "short messages": _SHORT,
    "long messages": _LONG,
    "hybrid": set_weights(text=1.0, words=0.5)(_NOTHING),
    "hybrid and tokens": set_weights(text=1.0, words=0.5, late=0.75)(_NOTHING),
    "without context vectors": without_context(_SHORT),
}
FIRST_SHARE = 0.5
RATES = (0.25, 1.0)
SEEDS = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A question with all records of its scope."""

    scope: str
    category: str
    evidence: frozenset[str]
    pool: CandidatePool
    asked: Signs
    turns: Mapping[str, str]

    def ranked(self, weights: Column) -> list[str]:
        """The best turns."""
        pool = self.pool
        base = fuse(pool.table, weights)
        best = np.argsort(-base, kind="stable")[:CANDIDATES].tolist()
        found = replace(pool, base=base, weights=weights).take(best)
        if weights[ROWS["late"]]:
            found = found.match_tokens(self.asked)
        return [self.turns[each] for each in drop_duplicates(found, RANKED).ids]

    def covered(self, order: Sequence[str]) -> list[float]:
        """Coverage in percent at each of ``KS``."""
        return [100 * len(self.evidence.intersection(order[:k])) / len(self.evidence) for k in KS]


async def gathered(bank: Bank, transcript: AskedTranscript, embedder: Embedder) -> list[Case]:
    await bank.add(transcript)
    hot = await bank.columns(transcript)
    asked = [each for each in transcript.questions if each.evidence and each.category != "5"]
    texts = [each.text for each in asked]
    if isinstance(embedder, TokenEmbedder):
        vectors, tokens = await embedder.embed_tokens(texts, role="query")
    else:
        vectors, tokens = await embedder.embed(texts, role="query"), [np.zeros((0, 1), np.uint64)] * len(texts)
    cases = []
    for each, vector, signs in zip(asked, vectors, tokens, strict=True):
        question = Question.read(
            each.text, vector, asked_at=parse_time(each.asked_at), fallback_language=hot.language, spoken=hot.languages
        )
        evidence, pool = frozenset(each.evidence), _pool(hot, question)
        cases.append(Case(transcript.id, each.category, evidence, pool, thin_out(signs, MOST_ASKED), bank.turns))
    print(f"{transcript.id}: {len(cases)} questions", flush=True)
    return cases


def _pool(hot: ScopeColumns, question: Question) -> CandidatePool:
    """All records that may be recalled, without their vectors."""
    query = RetrievalQuery(question=question.text, vector=question.vector, candidates=hot.n, asked_at=question.asked_at)
    pool, _ = candidates_in_memory(hot, question, query, datetime.now(UTC), None)
    return replace(pool, vectors=np.zeros((len(pool.ids), 0), np.float32))


def hedged(cases: Sequence[Case], orders: Sequence[Sequence[Sequence[str]]], rate: float, seed: int) -> list[list[float]]:
    """Coverage of each question of one scope, ranked before it is learned from.  In the order of ``cases``.

    ``orders``: for each case, the turns as each expert ranks them.
    """
    order = list(range(len(cases)))
    random.Random(f"{seed} {cases[0].scope}").shuffle(order)
    rest = (1 - FIRST_SHARE) / (len(EXPERTS) - 1)
    log_shares = np.log([FIRST_SHARE, *[rest] * (len(EXPERTS) - 1)])
    result: list[list[float]] = [[] for _ in cases]
    for number in order:
        case = cases[number]
        weights = [_unit(case, each if each is not None else case.pool.weights) for each in EXPERTS.values()]
        shares = np.exp(log_shares - log_shares.max())
        shares /= shares.sum()
        mixed = np.einsum("e,ef->f", shares.astype(np.float32), np.stack(weights))
        found = case.ranked(mixed)
        result[number] = case.covered(found)
        if cited := case.evidence.intersection(found[:SHOWN]):
            log_shares -= rate * np.array([_loss(order, cited) for order in orders[number]])
    return result


def _unit(case: Case, weights: Column) -> Column:
    """The weights so that their scores have standard deviation 1."""
    scores = fuse(case.pool.table, weights)
    return weights / max(float(scores[np.isfinite(scores)].std()), 1e-6)


def _loss(order: Sequence[str], cited: frozenset[str]) -> float:
    """0 if the cited turns are ranked first, 1 if none of them is ranked."""
    return 1 - statistics.fmean(1 / np.log2(2 + order.index(each)) if each in order else 0.0 for each in cited)


def rows_of(cases: Sequence[Case]) -> dict[str, list[list[float]]]:
    """Coverage of each question, by row."""
    found = {"default": [case.covered(case.ranked(case.pool.weights)) for case in cases]}
    for name, change in CHANGES.items():
        found[name] = [case.covered(case.ranked(change(case.pool.weights))) for case in cases]
    scopes: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        scopes.setdefault(case.scope, []).append(number)
    used = [[case.pool.weights if each is None else each for each in EXPERTS.values()] for case in cases]
    orders = [[case.ranked(each) for each in weights] for case, weights in zip(cases, used, strict=True)]
    single = {
        name: [case.covered(order[place]) for case, order in zip(cases, orders, strict=True)]
        for place, name in enumerate(EXPERTS)
    }
    found |= {f"expert: {name}": rows for name, rows in single.items() if EXPERTS[name] is not None}
    for rate in RATES:
        learned: list[list[list[float]]] = [[] for _ in cases]
        for numbers in scopes.values():
            for seed in range(SEEDS):
                rows = hedged([cases[number] for number in numbers], [orders[number] for number in numbers], rate, seed)
                for number, row in zip(numbers, rows, strict=True):
                    learned[number].append(row)
        found[f"Hedge, rate {rate:g}"] = [
            [statistics.fmean(column) for column in zip(*by_seed, strict=True)] for by_seed in learned
        ]
    best = {
        scope: max(single, key=lambda name: statistics.fmean(single[name][number][1] for number in numbers))
        for scope, numbers in scopes.items()
    }
    found["best expert per scope"] = [single[best[case.scope]][number] for number, case in enumerate(cases)]
    return found


def show(title: str, rows: Mapping[str, Sequence[Sequence[float]]], base: str = "default") -> None:
    """A Markdown table: coverage, and the difference to ``base``."""
    print(f"\n{title}: {len(rows[base])} questions\n")
    print(f"| | {' | '.join(f'@{k}' for k in KS)} | over {base} |\n|---|---|---|---|---|")
    for name, row in rows.items():
        differences = []
        for place in range(len(KS)):
            mine, others = [each[place] for each in row], [each[place] for each in rows[base]]
            low, high = bootstrap_interval(mine, others)
            differences.append(f"{statistics.fmean(mine) - statistics.fmean(others):+.1f} ({low:+.1f} to {high:+.1f})")
        means = " | ".join(f"{statistics.fmean(each[place] for each in row):.1f}" for place in range(len(KS)))
        print(f"| {name} | {means} | {'' if name == base else ', '.join(differences)} |", flush=True)


async def measure(files: Sequence[Path], embedder: Embedder, only: slice) -> None:
    print(f"embeddings: {embedder.profile.name}")
    for file in files:
        async with open_bank(embedder) as bank:
            transcripts = read_asked_transcripts(file)[only]
            cases = [case for each in transcripts for case in await gathered(bank, each, embedder)]
            if not cases:
                raise SystemExit(f"{file} has no question with evidence, so nothing can be measured")
            show(str(file), rows_of(cases))


async def _main(files: Sequence[Path], model: str, only: slice) -> None:
    if model == WORDS:
        await measure(files, HashedEmbedder(HASHED_DIMENSION), only)
        return
    async with open_embedder(model) as embedder:
        await measure(files, embedder, only)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.parts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="LoCoMo or LongMemEval file, or several with commas between them")
    parser.add_argument(
        "--embeddings",
        default="",
        help=f"name in the catalogue, or {WORDS} for words without a model; default: the model that the stack would use",
    )
    parser.add_argument("--only", default="", help="dialogues of each file, such as 1-2; default: all")
    arguments = parser.parse_args()
    files = [Path(name) for name in arguments.data.split(",")]
    asyncio.run(_main(files, arguments.embeddings, dialogues_of(arguments.only)))


if __name__ == "__main__":
    main()
