"""What is kept in memory costs the same per change, however much of it there is."""

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from trustgraph_react_mem.jobs import worker_state
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.jobs.worker_state import WorkerState
from trustgraph_react_mem.memory.derived_key import derive_key
from trustgraph_react_mem.memory.ports import IndexPoint, Job, JsonValue
from trustgraph_react_mem.memory.requests import ListJobs, encode
from trustgraph_react_mem.memory.requests.authority import PURPOSE, Authority, operator_token
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns

pytestmark = pytest.mark.later

SCOPE = Scope(workspace="w", user="ann", collection="c")
START = datetime(2026, 1, 1, tzinfo=UTC)
SMALL, LARGE = 1000, 22_000
CHANGES, TRIES = 1000, 3
MOST_RATIO = 4.0  # a cost that grows with the size would be 22 times as much

Change = Callable[[], None]


def job(number: int) -> Job:
    return Job(id=f"job-{number}", kind="record", scope=SCOPE, payload={}, created_at=START + timedelta(seconds=number))


def made_jobs(size: int) -> list[Job]:
    """To fill a table of this size twice, and for the changes afterwards."""
    return [job(number) for number in range(2 * size + CHANGES * TRIES)]


def expected(size: int, monkeypatch: pytest.MonkeyPatch) -> Change:
    monkeypatch.setattr(worker_state, "MAX_EXPECTED", size)
    state, some = WorkerState(), iter(made_jobs(size))
    for _ in range(2 * size):
        state.expect([next(some)])
    return lambda: state.expect([next(some)])


def delayed(size: int, monkeypatch: pytest.MonkeyPatch) -> Change:
    """Each job looks for deferred jobs of the future."""
    state = WorkerState()
    for number in range(size):
        state.delay(entry_from_job(job(number), "deferred", at=START, not_before=START))
    return lambda: state.correct_times(START)


def authority(size: int, monkeypatch: pytest.MonkeyPatch) -> Change:
    key, request = derive_key(b"m" * 32, PURPOSE), ListJobs(user="ann", all_scopes=True)
    checked = Authority(key)

    def use() -> None:
        token = operator_token(key, encode(request), "w")
        checked.check(replace(request, operator=token), encode(request), "w")

    for number in range(size):
        checked._used[str(number)] = time.time() + 100
    return use


def entities(size: int, monkeypatch: pytest.MonkeyPatch) -> Change:
    """All records mention the same person; the newest are removed."""
    scope, text = ScopeColumns(4), np.full(4, 0.5, np.float32)
    payload: dict[str, JsonValue] = {"content": "x", "entities": ["Ann"], "language": "en"}
    scope.put(IndexPoint(id=f"{number}", vectors={"text": text}, payload=payload) for number in range(size + CHANGES * TRIES))
    newest: Iterator[int] = iter(range(size + CHANGES * TRIES - 1, -1, -1))
    return lambda: scope.remove([str(next(newest))])


def cost_s(change: Change) -> float:
    """Processor time of the fastest run of ``CHANGES``, without garbage collections of what other tests left."""
    times = []
    gc.disable()
    try:
        for _ in range(TRIES):
            began = time.process_time()
            for _ in range(CHANGES):
                change()
            times.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(times)


@pytest.mark.parametrize("made", [expected, delayed, authority, entities])
def test_a_change_costs_the_same_in_a_large_table(
    made: Callable[[int, pytest.MonkeyPatch], Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = cost_s(made(SMALL, monkeypatch))
    large = cost_s(made(LARGE, monkeypatch))
    assert large < MOST_RATIO * small, f"{large:.4f} s instead of {small:.4f} s"
