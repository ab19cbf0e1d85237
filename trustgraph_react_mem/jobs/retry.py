"""Limits of a worker, and its retry delays: exponential backoff for failed jobs, deferred jobs and unavailable engines."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import TypeVar

from ..errors import EngineUnavailable
from ..memory.ports import Clock

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Exponential backoff, as a value without clock or state.

    ``attempts``: maximum number of tries including the first; 0 = no limit.
    ``jitter``: random share of each delay (0 to 1), so that jobs that failed together are not retried together.
    """

    attempts: int = 3
    first_s: float = 0.2
    factor: float = 2.0
    longest_s: float = 30.0
    jitter: float = 0.5

    def delay_s(self, attempt: int, random: Random) -> float | None:
        """Seconds to wait after failed attempt number ``attempt`` (from 1); None if no attempt is left."""
        if self.attempts and attempt >= self.attempts:
            return None
        # The exponent is bounded first: a float power overflows after about a thousand attempts.
        whole = min(self.longest_s, self.first_s * self.factor ** min(attempt - 1, 64))
        return whole * (1.0 - self.jitter * random.random())


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """Limits of one worker process.

    ``*_slots``: number of jobs of a queue that run concurrently.
    ``model_backlog``: maximum deliveries of the model and index queues in memory; further ones wait in the job store.
    ``held``, ``held_bytes``: maximum number of jobs taken from the broker and not finished, and the size of their payloads.
    ``sweep_every_s``: seconds between two checks for deferred jobs that are due.
    ``keep_done``, ``keep_dead``: how long entries of finished jobs and dead letters are kept.  A message that is
    older than ``keep_done`` and has no entry may repeat a job that was done.  It becomes a dead letter, which an operator can
    replay.
    ``interrupted_runs``: after so many runs during which the process ended, a job becomes a dead letter.
    ``failure``, ``deferral``, ``engine``: backoff of failed jobs, of deferred ones, and of calls to an engine that is
    unavailable.  After ``waits_in_place`` such calls, a job is deferred as ``engine_deferral`` says.
    """

    write_slots: int = 16
    model_slots: int = 2
    index_slots: int = 1
    model_backlog: int = 1000
    held: int = 2000
    held_bytes: int = 64 * 2**20
    sweep_every_s: float = 5.0
    keep_done: timedelta = timedelta(days=30)
    keep_dead: timedelta = timedelta(days=90)
    interrupted_runs: int = 3
    failure: Retry = Retry()
    deferral: Retry = Retry(attempts=0, first_s=15.0, longest_s=900.0, jitter=0.2)
    waits_in_place: int = 8
    engine_deferral: Retry = Retry(attempts=0, first_s=15.0, longest_s=60.0, jitter=0.2)
    # Unlimited: without the store nothing can be made durable, so the queue can only wait.
    engine: Retry = Retry(attempts=0, first_s=0.2, longest_s=30.0)


class RetryPolicy:
    """Applies the limits of one worker with its clock and random generator."""

    def __init__(self, clock: Clock, limits: WorkerLimits, random: Random) -> None:
        self._clock, self.limits, self.random = clock, limits, random

    async def until_available(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat the call while it raises EngineUnavailable.  There is no limit: without the engine nothing is durable."""
        waits = 0
        while True:
            try:
                return await call()
            except EngineUnavailable as error:
                waits += 1
                logger.warning("an engine is unavailable, will retry (attempt %d failed): %s", waits, error)
                await self._clock.sleep(self.engine_delay_s(waits))

    def engine_delay_s(self, waits: int) -> float:
        return self.limits.engine.delay_s(waits, self.random) or 0.0

    def failure_delay_s(self, failures: int) -> float | None:
        """Seconds to wait after this number of failures; None: do not retry."""
        return self.limits.failure.delay_s(failures, self.random)

    def deferral_delay_s(self, deferrals: int, *, engine: bool = False) -> float:
        """Seconds to defer a job for the n-th time.  ``engine``: because an engine, not a model, is unavailable."""
        retry = self.limits.engine_deferral if engine else self.limits.deferral
        return retry.delay_s(deferrals, self.random) or 0.0
