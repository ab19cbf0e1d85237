"""When a failed attempt is repeated."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from ..errors import EngineUnavailable
from ..memory.ports import Clock

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Exponential backoff: a value, with no clock and no state.

    ``attempts`` counts all tries, the first included; 0 = no limit.
    ``jitter`` is the share of a delay that is random, so that jobs which failed together are not repeated together.
    """

    attempts: int = 3
    first_s: float = 0.2
    factor: float = 2.0
    longest_s: float = 30.0
    jitter: float = 0.5

    def delay_s(self, attempt: int, random: Random) -> float | None:
        """Seconds to wait after the failed ``attempt`` (from 1); None when it was the last."""
        if self.attempts and attempt >= self.attempts:
            return None
        # the exponent is bounded before it is used: a float overflows at a few thousand attempts
        whole = min(self.longest_s, self.first_s * self.factor ** min(attempt - 1, 64))
        return whole * (1.0 - self.jitter * random.random())


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLimits:
    failure: Retry = field(default_factory=Retry)
    deferral: Retry = field(default_factory=lambda: Retry(attempts=0, first_s=15.0, longest_s=900.0, jitter=0.2))
    # a store that does not answer blocks only the queue that waits for it, and there is no alternative to waiting
    engine: Retry = field(default_factory=lambda: Retry(attempts=0, first_s=0.2, longest_s=30.0))


class RetryPolicy:
    """The delays of one worker, with its clock and its random numbers."""

    def __init__(self, clock: Clock, limits: RetryLimits, random: Random) -> None:
        self._clock, self._limits, self._random = clock, limits, random

    async def until_available(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat the call while an engine is unavailable: without the engine nothing can be made durable."""
        waits = 0
        while True:
            try:
                return await call()
            except EngineUnavailable as error:
                waits += 1
                logger.warning("engine unavailable, will retry", extra={"cause": type(error).__name__, "waits": waits})
                await self._clock.sleep(self.engine_delay_s(waits))

    def engine_delay_s(self, waits: int) -> float:
        return self._limits.engine.delay_s(waits, self._random) or 0.0

    def failure_delay_s(self, failures: int) -> float | None:
        """None: the job is given up."""
        return self._limits.failure.delay_s(failures, self._random)

    def random_delay_s(self, longest_s: float) -> float:
        return longest_s * self._random.random()

    def deferral_delay_s(self, deferrals: int) -> float:
        return self._limits.deferral.delay_s(deferrals, self._random) or 0.0
