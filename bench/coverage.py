"""Metrics of a ranked list, given the turns that contain the answer."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from trustgraph_react_mem.memory.tokens import count_tokens

from .row import percentile

KS = (5, 10, 20)
SHOWN = 5


_tokens = lru_cache(maxsize=100_000)(count_tokens)  # every method ranks the same texts


def distinct_records(order: Sequence[frozenset[str]]) -> int:
    """Number of records that add a turn which no record before them represents."""
    seen: set[str] = set()
    number = 0
    for turns in order:
        number += bool(turns - seen)
        seen |= turns
    return number


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


@dataclass(slots=True)
class Tally:
    """Means over questions, in percent except for tokens and ms."""

    rows: list[tuple[Answered, Mapping[str, float]]] = field(default_factory=list)

    def add(self, answered: Answered) -> None:
        self.rows.append((answered, answered.figures))

    def summary(self) -> dict[str, object]:
        main = [row for row in self.rows if row[0].category != "5"]
        aside = [row for row in self.rows if row[0].category == "5"]
        result: dict[str, object] = dict(means(main))
        times = [answered.ms for answered, _ in main]
        if times:
            result |= {"p50_ms": round(percentile(times, 50), 3), "p95_ms": round(percentile(times, 95), 3)}
        categories = sorted({answered.category for answered, _ in main})
        result["by_category"] = {
            category: {**means([row for row in main if row[0].category == category])} for category in categories
        }
        if aside:
            result["category_5"] = means(aside)
        halves = sorted({answered.half for answered, _ in main} - {""})
        if halves:
            result["by_half"] = {half: means([row for row in main if row[0].half == half]) for half in halves}
        seeds = sorted({answered.seed for answered, _ in main})
        if len(seeds) > 1:
            by_seed = [means([row for row in main if row[0].seed == seed]) for seed in seeds]
            result["spread"] = {name: round(statistics.stdev(means[name] for means in by_seed), 2) for name in by_seed[0]}
        return result


def means(rows: Sequence[tuple[Answered, Mapping[str, float]]]) -> dict[str, float]:
    if not rows:
        return {}
    means = {}
    for name in rows[0][1]:
        scale = 1 if name.startswith("tokens") else 100
        means[name] = round(scale * statistics.fmean(figures[name] for _, figures in rows), 2)
    return means
