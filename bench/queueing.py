"""Simulates the load of many users on the job topic: partitions, workers and the graph as queues in series.

    python -m bench.queueing --users 1000000 --workers 8

The record job of a turn waits for its partition, then for the worker of its key (Key_Shared: one worker per key, in order),
then for the graph, which all workers share.  Each is a single server with a FIFO queue.  The slots of a worker overlap waiting
but not computing, so they do not increase its rate.  Service times are gamma distributed around the measured means.  Runs with
the same seed are identical.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DAY_S = 86_400.0
SPREAD = 0.5  # coefficient of variation of a service time


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """``skew``: sigma of the lognormal distribution of users' activity.  0: all users are equally active."""

    users: int
    turns_per_user_day: float = 4.0
    peak_factor: float = 3.0
    skew: float = 1.0

    @property
    def turns_per_second(self) -> float:
        """Turns per second at the peak."""
        return self.users * self.turns_per_user_day * self.peak_factor / DAY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """Rates per second of one server: messages of a partition, jobs of a worker, turns of the graph."""

    partitions: int
    workers: int
    partition_rate: float
    worker_rate: float
    graph_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """``lag_*_s``: seconds from the end of a turn until it is recorded.  ``busy``: utilisation of the busiest of each kind."""

    jobs: int
    done: int
    backlog: int
    lag_p50_s: float
    lag_p95_s: float
    lag_p99_s: float
    busy: dict[str, float]

    @property
    def saturated(self) -> str:
        """Names of the saturated servers.  Empty: none."""
        name = max(self.busy, key=lambda each: self.busy[each])
        return name if self.busy[name] > 0.98 else ""


def simulate(load: Load, plant: Plant, *, seconds: float = 600.0, seed: int = 0) -> Outcome:
    """Simulate the peak load for ``seconds``, starting with an empty topic.  Raises: ValueError (a number is not positive)."""
    if min(load.users, plant.partitions, plant.workers) < 1 or seconds <= 0:
        raise ValueError("users, partitions, workers and seconds must be positive")
    rng = np.random.default_rng(seed)
    at, keys = arrivals(load, seconds, rng)
    count = len(at)
    hashes = rng.permutation(np.linspace(0.0, 1.0, load.users, endpoint=False))[keys]
    partition = rng.integers(0, plant.partitions, load.users)[keys]
    worker = (hashes * plant.workers).astype(np.int64)
    dispatched, partition_busy = _served(at, partition, plant.partitions, _times(plant.partition_rate, count, rng), seconds)
    computed, worker_busy = _served(dispatched, worker, plant.workers, _times(plant.worker_rate, count, rng), seconds)
    stored, graph_busy = _served(computed, np.zeros(count, np.int64), 1, _times(plant.graph_rate, count, rng), seconds)
    done = int((stored <= seconds).sum())
    lag = stored - at if count else np.zeros(1)
    p50, p95, p99 = (float(value) for value in np.percentile(lag, (50, 95, 99)))
    return Outcome(
        jobs=count,
        done=done,
        backlog=count - done,
        lag_p50_s=p50,
        lag_p95_s=p95,
        lag_p99_s=p99,
        busy={"partition": partition_busy, "worker": worker_busy, "graph": graph_busy},
    )


def arrivals(load: Load, seconds: float, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """The times of the turns within ``seconds``, ascending, and the user of each."""
    count = int(rng.poisson(load.turns_per_second * seconds))
    return np.sort(rng.uniform(0.0, seconds, count)), _keys(load, count, rng)


def _keys(load: Load, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The user of each turn."""
    if not load.skew:
        return rng.integers(0, load.users, count)
    weights = np.cumsum(rng.lognormal(0.0, load.skew, load.users))
    return np.searchsorted(weights, rng.uniform(0.0, weights[-1], count))


def _times(rate: float, count: int, rng: np.random.Generator) -> Floats:
    shape = 1.0 / SPREAD**2
    return rng.gamma(shape, 1.0 / (rate * shape), count)


def _served(arrived: Floats, server: NDArray[np.int64], servers: int, times: Floats, seconds: float) -> tuple[Floats, float]:
    """Departure time of each job, and the utilisation of the busiest server within ``seconds``."""
    left = np.zeros(len(arrived))
    free_at = np.zeros(servers)
    for place in np.argsort(arrived, kind="stable"):
        which = server[place]
        free_at[which] = left[place] = max(arrived[place], free_at[which]) + times[place]
    # work after the end does not count towards the utilisation
    within = np.clip(seconds - (left - times), 0.0, times)
    busy = np.bincount(server, weights=within, minlength=servers) if len(arrived) else np.zeros(servers)
    return left, float(busy.max() / seconds)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.queueing", description=__doc__)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--partition-rate", type=float, default=1000.0, help="messages per second that a partition confirms")
    parser.add_argument("--worker-rate", type=float, default=38.0, help="record jobs per second of a worker")
    parser.add_argument("--graph-rate", type=float, default=200.0, help="turns per second that the graph stores")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    load = Load(users=given.users)
    plant = Plant(
        partitions=given.partitions,
        workers=given.workers,
        partition_rate=given.partition_rate,
        worker_rate=given.worker_rate,
        graph_rate=given.graph_rate,
    )
    found = simulate(load, plant, seconds=given.seconds, seed=given.seed)
    busy = ", ".join(f"{name} {share:.0%}" for name, share in found.busy.items())
    print(f"{load.turns_per_second:.0f} turns/s at the peak, {found.jobs} in {given.seconds:g} s")
    print(f"recorded after p50 {found.lag_p50_s:.2f} s, p95 {found.lag_p95_s:.2f} s, p99 {found.lag_p99_s:.2f} s")
    print(f"still waiting at the end: {found.backlog}; busiest: {busy}; saturated: {found.saturated or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
