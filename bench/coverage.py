"""Metrics of a ranked list, given the turns that contain the answer."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from trustgraph_react_mem.memory.tokens import count_tokens

from .row import percentile

KS = (5, 10, 20)
SHOWN = 5
UNANSWERABLE = "5"  # LoCoMo's category of questions that the transcript does not answer; they stand apart

_tokens = lru_cache(maxsize=100_000)(count_tokens)  # every method ranks the same texts


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One question with one method.  ``order``: turns of the ranked records.  A record may represent several turns."""

    method: str
    seed: int
    transcript: str
    number: int
    category: str
    order: Sequence[frozenset[str]]
    texts: Sequence[str]
    evidence: frozenset[str]
    ms: float
    half: str = ""  # first | second half of a user's questions, for methods that learn
    place: int = 0  # position in the order in which the method learned from the user's questions

    @cached_property
    def figures(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for k in KS:
            covered = len(frozenset().union(*self.order[:k]) & self.evidence)
            found[f"coverage@{k}"] = covered / len(self.evidence)
            found[f"any@{k}"] = float(covered > 0)
            found[f"all@{k}"] = float(covered == len(self.evidence))
            found[f"tokens@{k}"] = float(sum(map(_tokens, self.texts[:k])))
        # Share of the shown records that a perfect citation would name: RMM's usefulness.
        found["useful@5"] = sum(bool(turns & self.evidence) for turns in self.order[:SHOWN]) / SHOWN
        return found

    @property
    def distinct(self) -> int:
        """Number of shown records that add a turn which no record before them represents."""
        shown = self.order[:SHOWN]
        return sum(bool(turns - frozenset().union(*shown[:at])) for at, turns in enumerate(shown))


def summarise(rows: Sequence[Answered]) -> dict[str, object]:
    """Means over questions, in percent except for tokens and ms."""
    main = [row for row in rows if row.category != UNANSWERABLE]
    aside = [row for row in rows if row.category == UNANSWERABLE]
    result: dict[str, object] = dict(means(main))
    if main:
        times = [row.ms for row in main]
        result |= {"p50_ms": round(percentile(times, 50), 3), "p95_ms": round(percentile(times, 95), 3)}
    result["by_category"] = _means_by(main, lambda row: row.category)
    if aside:
        result["category_5"] = means(aside)
    if any(row.half for row in main):
        result["by_half"] = _means_by(main, lambda row: row.half)
    by_seed = list(_means_by(main, lambda row: row.seed).values())
    if len(by_seed) > 1:
        result["spread"] = {name: round(statistics.stdev(means[name] for means in by_seed), 2) for name in by_seed[0]}
    return result


def _means_by(rows: Sequence[Answered], key: Callable[[Answered], Any]) -> dict[Any, dict[str, float]]:
    groups: dict[Any, list[Answered]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {name: means(groups[name]) for name in sorted(groups)}


def means(rows: Sequence[Answered]) -> dict[str, float]:
    if not rows:
        return {}
    scales = {name: 1 if name.startswith("tokens") else 100 for name in rows[0].figures}
    return {name: round(scale * statistics.fmean(row.figures[name] for row in rows), 2) for name, scale in scales.items()}
