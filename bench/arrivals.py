"""Checks the simulation of the job topic against simulated users on the embedded stack.

    python -m bench.arrivals [--users N] [--seconds S] [--busy SHARE]

The users publish record jobs at random times, at a share of the worker's rate, and each job is timed from its publication to
its end.  ``bench.queueing`` predicts these times from the rate alone, which is measured before and after with waiting jobs of
the same users.  Vectors are random, so that the model is not measured.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trustgraph_react_mem.jobs.delivery import Handler, JobOutcome
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.scope import Scope

from .filled import RandomDirections
from .jobs import Workplace, context, drained, job, record, until_done, working, workplace
from .queueing import DAY_S, Load, Outcome, Plant, arrivals, simulate
from .row import percentile

WAITING = 200  # jobs from which a rate is measured


async def measured(users: int, seconds: float, busy: float, seed: int) -> tuple[float, list[float], Outcome]:
    """Jobs per second of the worker, seconds from publication to end of each job, and the prediction."""
    async with workplace() as opened:
        place = replace(opened, embedder=RandomDirections(opened.embedder.profile))
        whole = Load(users=users, turns_per_user_day=DAY_S / users, peak_factor=1.0)  # one turn a second
        handlers = build_handlers(context(place))
        _, keys = arrivals(whole, 2 * WAITING, np.random.default_rng(seed + 1))
        jobs = jobs_of(keys.tolist(), first=0)
        before = await drained(place, jobs[:WAITING], handlers)
        load = replace(whole, turns_per_user_day=whole.turns_per_user_day * before * busy)
        took = await timed(place, load, seconds, seed)
        after = await drained(place, jobs[WAITING:], handlers)
        rate = (before + after) / 2
    plant = Plant(partitions=1, workers=1, partition_rate=1e6, worker_rate=rate, graph_rate=1e6)  # one process does it all
    return rate, took, simulate(load, plant, seconds=seconds, seed=seed)


async def timed(place: Workplace, load: Load, seconds: float, seed: int) -> list[float]:
    """Seconds from the time of each turn to the end of its job."""
    times, keys = arrivals(load, seconds, np.random.default_rng(seed))
    jobs = jobs_of(keys.tolist(), first=4 * WAITING)
    ended: dict[str, float] = {}
    handlers = dict(build_handlers(context(place)))
    of_record = handlers["record"]

    async def and_note(one: Job) -> JobOutcome:
        outcome = await of_record(one)
        ended[one.id] = time.perf_counter()
        return outcome

    noted: Handler = and_note
    async with working(place, {**handlers, "record": noted}) as worker:
        began = time.perf_counter()

        async def publish(one: Job, at: float) -> None:
            await asyncio.sleep(max(0.0, began + at - time.perf_counter()))
            await place.publisher.publish([one])

        await asyncio.gather(*(publish(one, at) for one, at in zip(jobs, times.tolist(), strict=True)))
        await until_done(place, worker, jobs)
    return [ended[one.id] - began - at for one, at in zip(jobs, times.tolist(), strict=True)]


def jobs_of(users: Sequence[int], *, first: int) -> list[Job]:
    """The record job of one turn of each of these users."""
    numbered = [(first + place, user) for place, user in enumerate(users)]
    scopes = [Scope(workspace="default", user=f"user-{user}", collection="default") for user in users]
    return [
        replace(job("record", number, {**record(number), "conversation_id": f"of-{user}"}), scope=scope)
        for (number, user), scope in zip(numbered, scopes, strict=True)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.arrivals", description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--busy", type=float, default=0.6, help="share of the worker's rate")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.users < 1 or given.seconds <= 0 or given.busy <= 0:
        parser.error("users, seconds and busy must be greater than 0")
    rate, took, predicted = asyncio.run(measured(given.users, given.seconds, given.busy, given.seed))
    print(f"{given.users:,} users, {len(took):,} turns in {given.seconds:g} s; the worker records {rate:.1f} turns/s")
    print(f"measured:  recorded after p50 {percentile(took, 50):.3f} s, p95 {percentile(took, 95):.3f} s")
    print(f"simulated: recorded after p50 {predicted.lag_p50_s:.3f} s, p95 {predicted.lag_p95_s:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
