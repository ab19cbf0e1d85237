"""Fits the weights of the retrieval features, and measures additional features: ``python -m bench.weights FILE``.

Weights are fitted with leave-one-out over the dialogues of a LoCoMo file, so no result is on questions that were used for
fitting.  The results of the frozen weights are printed for comparison.  Nothing is written: change retrieval/features.py by
hand.

The loss is -log(p + 0.01) for each evidence turn, where p is its softmax among the top 80 other turns by the frozen weights.
The constant limits the influence of turns that are out of reach.  A ridge penalty keeps the weights near the frozen ones.
Additional features, none of which the stack has:
- answers: words of the previous turn if that is a question.
- rare: mean rarity of a record's words in its scope.  specific: the same, for questions about several things.
- named: names in a record, at most two, that are no speakers and begin no sentence.  replies: whether it follows a question.
- late (``--late``): late interaction.  For each token of the question, the best cosine among the record's tokens, weighted by
  rarity.  Token vectors come from the last layer of the model, minus the mean of the scope.  It needs one vector per token,
  about 30 per record.
"""

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.indexing.document import with_speaker
from trustgraph_react_mem.indexing.tokenizer import name_spans, terms
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import TokenEmbedder
from trustgraph_react_mem.models.catalogue import load_catalogue
from trustgraph_react_mem.models.onnx_embedder import OnnxEmbedder
from trustgraph_react_mem.models.store import ModelStore, models_folder
from trustgraph_react_mem.retrieval.columns.bm25 import inverse_document_frequency
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.features import Question, columns, neighbours, standardise
from trustgraph_react_mem.retrieval.speakers import is_named
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, WEIGHTS

from .bank import open_bank
from .cached_embedder import open_embedder
from .recall import CATEGORIES

Floats = NDArray[np.float64]
KS = (5, 10, 20)
MULTI_HOP = "1"
OTHERS, UNREACHED = 80, 0.01
FREE = 0.003  # ridge of an additional column; the columns of the stack use ``--ridge``
_SEVERAL = re.compile(
    r"^(?:what|which)\s+(?!(?:does|is|was)\b)(?:[\w'’]+[\s/-]+){0,3}?(?:kinds?|types?|sorts?|things|\w{3,}(?<!s)s)\b"
    r"|\bhow many\b|\bboth\b|\bin what ways\b|^(?:what|where|who)\s+(?:has|have)\b|\b(?:all|some|in common)\b",
    re.IGNORECASE,
)

_BEGINS = re.compile(r"(?:^|[.!?…\n])[^\w.!?…\n]*\Z")


@dataclass(slots=True)
class Case:
    """A question with its scope: (F, n) columns, additional ones by name, and the indexes of the evidence."""

    dialogue: int
    category: str
    table: NDArray[np.float32]
    evidence: NDArray[np.int64]
    further: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def columns(self, names: Sequence[str]) -> Floats:
        return np.vstack([self.table, *(self.further[name] for name in names)]).astype(np.float64)

    def covered(self, scores: Floats) -> list[float]:
        order = np.argsort(-scores, kind="stable")[: KS[-1]]
        return [100 * float(np.isin(self.evidence, order[:k]).mean()) for k in KS]


@dataclass(frozen=True, slots=True)
class Rows:
    """One row per evidence turn: (R, 1 + OTHERS, F) features of the turn (first) and of its competitors."""

    columns: Floats
    dialogue: NDArray[np.int64]
    weight: Floats  # the turns of a question have a total weight of 1

    @classmethod
    def of(cls, cases: Sequence[Case], names: Sequence[str]) -> "Rows":
        found, dialogue, weight = [], [], []
        for case in cases:
            table = case.columns(names)
            order = np.argsort(-(WEIGHTS @ case.table))
            others = order[~np.isin(order, case.evidence)][:OTHERS]
            others = np.resize(others, OTHERS)  # in a smaller scope, competitors are repeated
            for turn in case.evidence:
                found.append(table[:, [turn, *others]].T)
                dialogue.append(case.dialogue)
                weight.append(1 / len(case.evidence))
        return cls(np.stack(found), np.array(dialogue), np.array(weight))

    def only(self, wanted: NDArray[np.bool_]) -> "Rows":
        return Rows(self.columns[wanted], self.dialogue[wanted], self.weight[wanted])


def fitted(rows: Rows, start: Floats, ridge: Floats, steps: int = 20) -> Floats:
    """Fit by Newton's method with step halving.  ``ridge`` (F,) is per unit of a column's standard deviation."""
    hold = ridge * rows.columns.std(axis=(0, 1)) ** 2 * rows.weight.sum()

    def chances(weights: Floats) -> Floats:
        scores = rows.columns @ weights
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return np.asarray(p)

    def loss(weights: Floats, p: Floats) -> float:
        return float(-rows.weight @ np.log(p[:, 0] + UNREACHED) + hold @ (weights - start) ** 2 / 2)

    weights, p = start.copy(), chances(start)
    for _ in range(steps):
        counts = rows.weight * p[:, 0] / (p[:, 0] + UNREACHED)
        mean = np.einsum("rk,rkf->rf", p, rows.columns)
        slope = -(counts[:, None] * (rows.columns[:, 0] - mean)).sum(axis=0) + hold * (weights - start)
        weighted = (p * counts[:, None])[:, :, None] * rows.columns
        curve = np.einsum("rkf,rkg->fg", weighted, rows.columns, optimize=True)
        curve -= np.einsum("r,rf,rg->fg", counts, mean, mean, optimize=True)
        step = np.linalg.solve(curve + np.diag(hold + 1e-6), slope)
        before = loss(weights, p)
        while np.abs(step).max() > 1e-3:
            moved, there = weights - step, chances(weights - step)
            if loss(moved, there) < before:
                weights, p = moved, there
                break
            step = step / 2
        else:
            break
    return weights


def leave_one_out(cases: Sequence[Case], names: Sequence[str], ridge: float) -> tuple[Floats, Floats]:
    """(Q, 3) coverage of each question with weights fitted without its dialogue, and the (D, F) weights."""
    rows = Rows.of(cases, names)
    start = np.concatenate([WEIGHTS.astype(np.float64), np.zeros(len(names))])
    held = np.concatenate([np.full(len(WEIGHTS), ridge), np.full(len(names), FREE)])
    dialogues = sorted({case.dialogue for case in cases})
    weights = {number: fitted(rows.only(rows.dialogue != number), start, held) for number in dialogues}
    covered = [case.covered(weights[case.dialogue] @ case.columns(names)) for case in cases]
    return np.array(covered), np.array(list(weights.values()))


class Tokens(OnnxEmbedder):
    """Token vectors from the model's last layer."""

    def of(self, texts: Sequence[str]) -> list[tuple[list[str], NDArray[np.float32]]]:
        """Tokens and (t, d) vectors of each text, without its start and end tokens."""
        found = []
        for text in texts:
            encoded = self._tokenizer.encode(text)
            given = {
                "input_ids": np.array([encoded.ids], np.int64),
                "attention_mask": np.ones((1, len(encoded.ids)), np.int64),
                "token_type_ids": np.zeros((1, len(encoded.ids)), np.int64),
            }
            states = self._session.run(None, {name: given[name] for name in self._inputs})[0][0]
            found.append((encoded.tokens[1:-1], np.asarray(states[1:-1], np.float32)))
        return found

    async def late(self, hot: ScopeColumns, questions: Sequence[str]) -> list[NDArray[np.float32]]:
        """The late-interaction column of each question."""
        profile: EmbeddingProfile = self.profile
        said = [
            with_speaker(str(payload.get("speaker") or ""), str(payload.get("content") or "")) for payload in _payloads(hot)
        ]
        records = await asyncio.to_thread(self.of, [profile.passage_prefix + text for text in said])
        vectors = np.concatenate([states for _, states in records])
        starts = np.cumsum([0, *(len(states) for _, states in records[:-1])])
        mean = vectors.mean(axis=0)
        vectors = _unit(vectors - mean)
        with_token = Counter(token for tokens, _ in records for token in set(tokens))
        result = []
        for tokens, states in await asyncio.to_thread(self.of, [profile.query_prefix + text for text in questions]):
            containing = np.array([with_token[token] for token in tokens], np.float32)
            rarity = inverse_document_frequency(containing, hot.n)
            best = np.maximum.reduceat(vectors @ _unit(states - mean).T, starts, axis=0)
            result.append(standardise(best @ rarity)[0])
        return result


def _payloads(hot: ScopeColumns) -> list[Mapping[str, object]]:
    return [hot.payloads[slot] for slot in range(hot.n)]


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit


def _answers(hot: ScopeColumns, table: NDArray[np.float32]) -> NDArray[np.float32]:
    before = neighbours(hot, "prev")[:-1]
    words = np.append(table[FEATURE_NAMES.index("words")], np.float32(0))
    asks = np.append(hot.column("question"), np.float32(0))
    result: NDArray[np.float32] = np.maximum(words[before], 0) * asks[before]
    return result


def _replies(hot: ScopeColumns) -> NDArray[np.float32]:
    asks = np.append(hot.column("question"), np.float32(0))
    result: NDArray[np.float32] = asks[neighbours(hot, "prev")[:-1]]
    return result


def _named(hot: ScopeColumns) -> NDArray[np.float32]:
    present = hot.present_speakers
    return np.array([min(2, len(names_within(str(p.get("content") or ""), present))) for p in _payloads(hot)], np.float32)


def names_within(text: str, speakers: Sequence[str]) -> set[str]:
    """The names in a text (lower case) that are no speakers and do not begin a sentence, where every word has a capital."""
    found = {word for word, start, _ in name_spans(text) if not _BEGINS.search(text, 0, start)}
    return {word for word in found if not any(is_named(speaker, word) for speaker in speakers)}


def _rare(hot: ScopeColumns) -> NDArray[np.float32]:
    """Mean rarity of the words of each record."""
    found = [set(terms(with_speaker(str(p.get("speaker") or ""), str(p.get("content") or "")))) for p in _payloads(hot)]
    with_token = Counter(term for each in found for term in each)
    rarity = [np.mean([np.log(hot.n / with_token[term]) for term in each]) if each else 0.0 for each in found]
    return standardise(np.array(rarity, np.float32))[0]


async def gathered(data: Path, model: str, *, late: bool) -> list[Case]:
    cases: list[Case] = []
    async with open_embedder(model) as embedder, open_bank(embedder) as bank:
        tokens: Tokens | None = None
        if late:
            if not isinstance(embedder, TokenEmbedder):
                raise SystemExit("--late needs a model in this process: choose one by --embeddings")
            entry = next(e for e in load_catalogue().models.values() if e.profile == embedder.profile.name)
            opened = await Tokens.open(entry, await ModelStore(models_folder()).ensure(entry))
            assert isinstance(opened, Tokens)
            tokens = opened
        for number, transcript in enumerate(read_asked_transcripts(data)):
            await bank.add(transcript)
            hot = await bank.columns(transcript)
            asked = [question for question in transcript.questions if question.evidence and question.category in CATEGORIES]
            vectors = await embedder.embed([question.text for question in asked], role="query")
            slots = {bank.turns[record_id]: slot for record_id, slot in hot.slots.items()}
            rare, named, replies = _rare(hot), _named(hot), _replies(hot)
            lates = await tokens.late(hot, [question.text for question in asked]) if tokens else []
            for place, (question, vector) in enumerate(zip(asked, vectors, strict=True)):
                table = columns(hot, Question.read(question.text, vector))
                evidence = np.array([slots[turn] for turn in question.evidence])
                case = Case(number, question.category, table, evidence)
                case.further["answers"] = _answers(hot, table)
                case.further["specific"] = rare * np.float32(_SEVERAL.search(question.text) is not None)
                case.further |= {"rare": rare, "named": named, "replies": replies}
                if lates:
                    case.further["late"] = lates[place]
                cases.append(case)
            print(f"{transcript.id}: {len(asked)} questions", flush=True)
        if tokens is not None:
            await tokens.close()
    return cases


def report(name: str, covered: Floats, frozen: Floats, cases: Sequence[Case]) -> None:
    """Print coverage in percent, the change from the frozen weights with its bootstrap standard error, and by dialogue."""
    change = covered - frozen
    rng = np.random.default_rng(0)
    error = np.std([change[rng.integers(0, len(change), len(change))].mean(axis=0) for _ in range(1000)], axis=0)
    dialogue = np.array([case.dialogue for case in cases])
    hops = np.array([case.category == MULTI_HOP for case in cases])
    parts = [
        "/".join(f"{value:.1f}" for value in covered.mean(axis=0)),
        "/".join(f"{value:+.1f}±{spread:.1f}" for value, spread in zip(change.mean(axis=0), error, strict=True)),
        "by dialogue @5 " + " ".join(f"{change[dialogue == each, 0].mean():+.1f}" for each in np.unique(dialogue)),
        "@10 " + " ".join(f"{change[dialogue == each, 1].mean():+.1f}" for each in np.unique(dialogue)),
    ]
    if hops.any():
        parts.append("multi-hop " + "/".join(f"{value:.1f}" for value in covered[hops].mean(axis=0)))
    print(f"{name:32} " + "  ".join(parts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.weights", description=__doc__)
    parser.add_argument("data", type=Path, help="a LoCoMo file of several dialogues")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument(
        "--ridge", type=float, default=1.0, help="strength of the penalty that keeps weights near the frozen ones (default 1)"
    )
    parser.add_argument("--late", action="store_true", help="also measure late interaction (a forward pass per record)")
    arguments = parser.parse_args()
    cases = asyncio.run(gathered(arguments.data, arguments.embeddings, late=arguments.late))
    if len({case.dialogue for case in cases}) < 2:
        raise SystemExit(f"{arguments.data} has one dialogue: at least two are needed, one of them for the test")
    frozen = np.array([case.covered((WEIGHTS @ case.table).astype(np.float64)) for case in cases])
    print(f"coverage@{'/'.join(map(str, KS))} in percent, and the change from the frozen weights")
    report("frozen", frozen, frozen, cases)
    tried: list[list[str]] = [[], ["answers"], ["specific"], ["answers", "specific"]]
    tried += [["named"], ["rare"], ["replies"], ["named", "replies"], ["named", "rare", "replies"]]
    if arguments.late:
        tried += [["late"], ["late", "answers", "specific"]]
    for names in tried:
        covered, weights = leave_one_out(cases, names, arguments.ridge)
        report("refitted" + "".join(f" + {name}" for name in names), covered, frozen, cases)
    print("weights of the last fit: mean and range over the left-out dialogues:")
    for name, column in zip([*FEATURE_NAMES, *tried[-1]], weights.T, strict=True):
        if np.abs(column).max() >= 0.005:
            print(f"  {name:16} {column.mean():+.2f}  {column.min():+.2f} .. {column.max():+.2f}")


if __name__ == "__main__":
    main()
