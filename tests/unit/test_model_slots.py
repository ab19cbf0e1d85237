"""How many jobs call the model at once follows what it serves."""

import asyncio
import heapq
import random

import pytest

from trustgraph_react_mem.errors import ModelUnavailable, NoModel
from trustgraph_react_mem.jobs.model_slots import START, ModelLimit, ModelSlots


def mean_of_limit(capacity: int, *, most: int = 100, jobs: int = 6000, seed: int = 0, set_back_s: float = 0.0) -> float:
    """The mean limit over the last third of many jobs, with a model that serves ``capacity`` at once at full speed.

    ``set_back_s``: by which the clock is set back at once, soon after the beginning.
    """
    limit, draw, now = ModelLimit(most), random.Random(seed), 0.0
    running: list[float] = []
    seen = []
    for number in range(jobs):
        while len(running) < limit.value:
            slower = max(1.0, (len(running) + 1) / capacity)
            heapq.heappush(running, now + 4.0 * slower * draw.uniform(0.5, 1.5))
        now = heapq.heappop(running)
        limit.ended(now + 1e6 - (set_back_s if number > 20 else 0.0), full=True)
        if number > jobs * 2 / 3:
            seen.append(limit.value)
    return sum(seen) / len(seen)


@pytest.mark.parametrize("seed", range(5))
def test_a_model_that_serves_many_gets_many(seed: int) -> None:
    assert mean_of_limit(1000, seed=seed) > 60
    assert mean_of_limit(1000, most=8, seed=seed) <= 8
    assert mean_of_limit(1000, most=1, seed=seed) == 1


def test_a_clock_that_is_set_back_by_a_day_does_not_stop_the_trying() -> None:
    assert mean_of_limit(1000, set_back_s=86_400.0) > 60


@pytest.mark.parametrize("seed", range(5))
def test_a_model_that_serves_few_gets_few(seed: int) -> None:
    assert START <= mean_of_limit(1, seed=seed) < 4
    assert 4 < mean_of_limit(16, seed=seed) < 40


def test_nothing_is_learned_while_no_job_waits() -> None:
    limit = ModelLimit(100)
    for second in range(1000):
        limit.ended(float(second), full=False)
    assert limit.value == START


def test_a_failed_call_halves_the_number_and_one_without_a_model_does_not() -> None:
    async def call(slots: ModelSlots, error: Exception) -> None:
        async with slots:
            raise error

    async def run() -> list[int]:
        slots, seen = ModelSlots(100, lambda: 0.0), []
        slots.limit.value = 12
        for error in (NoModel("none"), ModelUnavailable("away"), ValueError("a bug"), ModelUnavailable("away")):
            with pytest.raises(type(error)):
                await call(slots, error)
            seen.append(slots.limit.value)
        return seen

    assert asyncio.run(run()) == [12, 6, 6, 3]


async def test_slots_are_given_in_the_order_of_arrival_and_cancelling_loses_none() -> None:
    slots, order = ModelSlots(1, lambda: 0.0), []
    let_go = asyncio.Event()

    async def work(name: str) -> None:
        async with slots:
            order.append(name)
            await let_go.wait()

    tasks = [asyncio.create_task(work(name)) for name in "abcd"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert order == ["a"]
    tasks[1].cancel()  # while it waits
    tasks[0].cancel()  # while it runs: its slot goes to the next
    await asyncio.gather(tasks[0], tasks[1], return_exceptions=True)
    tasks[2].cancel()  # it may have been given the slot at this moment
    await asyncio.gather(tasks[2], return_exceptions=True)
    let_go.set()
    await asyncio.gather(tasks[3])
    assert order[-1] == "d"
    async with asyncio.timeout(60):
        await work("e")
    assert order[-1] == "e"


async def test_when_all_are_cancelled_at_once_each_ends_as_cancelled_and_all_slots_are_free() -> None:
    slots = ModelSlots(2, lambda: 0.0)

    async def work() -> None:
        async with slots:
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(work()) for _ in range(10)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in ended] == [asyncio.CancelledError] * 10
    async with asyncio.timeout(60), slots, slots:
        pass
