"""The delayed jobs of a partition against a plain list of them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.jobs.delayed_queue import DelayedQueue
from trustgraph_react_mem.memory.ports import JobEntry
from trustgraph_react_mem.memory.scope import Scope

SCOPE = Scope(workspace="w", user="ann", collection="default")
START = datetime(2026, 1, 1, tzinfo=UTC)


def entry(number: int, created: int, not_before: int | None) -> JobEntry:
    return JobEntry(
        job_id=f"job-{number}",
        kind="insight",
        scope=SCOPE,
        state="deferred",
        attempt=1,
        trigger="",
        created_at=START + timedelta(seconds=created),
        updated_at=START,
        not_before=None if not_before is None else START + timedelta(seconds=not_before),
    )


seconds = st.integers(0, 5)
entries = st.builds(entry, st.integers(0, 8), seconds, st.none() | seconds)


@given(st.lists(st.tuples(st.booleans(), entries), max_size=30), st.tuples(seconds, st.integers(0, 8)))
def test_the_queue_answers_as_a_list_would(steps: list[tuple[bool, JobEntry]], asked: tuple[int, int]) -> None:
    queue, plain = DelayedQueue(), {}
    for keep, one in steps:
        if keep:
            queue.put(one)
            plain[one.job_id] = one
        else:
            queue.remove(one.job_id)
            plain.pop(one.job_id, None)
    order = sorted(plain.values(), key=lambda one: (one.created_at, one.job_id))
    place = (START + timedelta(seconds=asked[0]), f"job-{asked[1]}")
    older = [one for one in order if (one.created_at, one.job_id) < place]
    assert list(queue) == order
    assert len(queue) == len(order)
    assert queue.scope == (SCOPE if order else None)
    assert queue.oldest_before(place) == (older[0] if older else None)
    assert queue.latest_before(place) == max((one.not_before for one in older if one.not_before), default=None)
