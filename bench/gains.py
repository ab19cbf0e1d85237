"""Gains of a method over another on the same questions, and how soon the shown memories are useful."""

import math
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from .coverage import KS, SHOWN, UNANSWERABLE, Answered

TARGET = 0.4  # of usefulness
WINDOW = 20  # questions in a trailing mean
_COMPARED = tuple(f"{name}@{k}" for name in ("coverage", "any", "all") for k in KS)


def gains(learned: Sequence[Answered], plain: Sequence[Answered]) -> dict[str, dict[str, dict[str, float]]]:
    """Gain in points, over all questions and over each user's second half: mean and standard deviation over seeds."""
    base = {(row.transcript, row.number): row.figures for row in plain}
    result = {}
    for part in ("all", "first", "second"):
        by_seed: dict[int, list[dict[str, float]]] = defaultdict(list)
        for row in learned:
            if part in ("all", row.half):
                before, after = base[row.transcript, row.number], row.figures
                by_seed[row.seed].append({name: 100 * (after[name] - before[name]) for name in _COMPARED})
        result[part] = {
            name: _spread([statistics.fmean(row[name] for row in rows) for rows in by_seed.values()]) for name in _COMPARED
        }
    return result


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    return {
        "mean": round(statistics.fmean(values), 2),
        "spread": round(statistics.stdev(values), 2) if len(values) > 1 else 0.0,
    }


def usefulness(learned: Sequence[Answered], batch: int) -> dict[str, object]:
    """Updates of one user until a trailing mean of usefulness reaches ``TARGET``, for two definitions of usefulness.

    ``of_the_shown``: share of the five shown memories that is cited.  It cannot exceed ``ceiling``, because most questions have
    less evidence than shown memories.  ``of_the_answers``: share of answers that cite any memory.
    """
    shares = trailing(learned, lambda row: row.figures["useful@5"])
    answers = trailing(learned, lambda row: row.figures["any@5"])
    ceiling = statistics.fmean(min(len(row.evidence), SHOWN) / SHOWN for row in learned) if learned else 0.0
    return {
        "target": TARGET,
        "of_the_shown": {**_reached(shares, batch), "ceiling": round(ceiling, 3), "curve": _rounded(shares)},
        "of_the_answers": {**_reached(answers, batch), "curve": _rounded(answers)},
    }


def coverage_gains(mine: Sequence[Answered], others: Sequence[Answered]) -> dict[str, dict[str, float]]:
    """What a method gains over another in coverage, in points: mean and bounds of the 95 % interval."""
    base = {(row.transcript, row.number): row.figures for row in others}
    result = {}
    for name in (f"coverage@{k}" for k in KS):
        gained = [100 * (row.figures[name] - base[row.transcript, row.number][name]) for row in mine]
        if gained:
            low, high = _bootstrap_interval(gained)
            result[name] = {"mean": statistics.fmean(gained), "low": low, "high": high}
    return result


def _bootstrap_interval(values: Sequence[float], *, draws: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the mean.  Source: Efron (1979), percentile method."""
    draw = random.Random(0)
    means = sorted(math.fsum(draw.choices(values, k=len(values))) / len(values) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 4) for value in values]


def trailing(rows: Sequence[Answered], value: Callable[[Answered], float]) -> list[float]:
    """Trailing means of ``WINDOW`` questions over users and seeds, by position, up to the shortest list of questions."""
    by_place: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        by_place[row.place].append(value(row))
    users = len(by_place.get(0, ()))
    found = [statistics.fmean(by_place[place]) for place in sorted(by_place) if len(by_place[place]) == users]
    return [statistics.fmean(found[max(0, at - WINDOW + 1) : at + 1]) for at in range(len(found))]


def _reached(curve: Sequence[float], batch: int) -> dict[str, float | int | None]:
    full = list(enumerate(curve))[WINDOW - 1 :] or list(enumerate(curve))[-1:]
    if not full:
        return {}
    first = next((place for place, value in full if value >= TARGET), None)
    return {
        "updates": None if first is None else max(0, first + 1 - WINDOW) // batch,
        "start": round(full[0][1], 3),
        "end": round(full[-1][1], 3),
    }


def by_method(rows: Sequence[Answered]) -> Mapping[str, list[Answered]]:
    """Rows of categories 1 to 4, by method."""
    found: dict[str, list[Answered]] = defaultdict(list)
    for row in rows:
        if row.category != UNANSWERABLE:
            found[row.method].append(row)
    return found
