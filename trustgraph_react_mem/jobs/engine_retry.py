"""Waiting for engines that are away."""

import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeVar

from ..errors import EngineUnavailable
from ..memory.ports import Clock
from .retry import Retry

logger = logging.getLogger(__name__)
T = TypeVar("T")


class EngineRetry:
    """Repeats a call while an engine is away: without it nothing of a worker's can be made durable."""

    def __init__(self, clock: Clock, retry: Retry, random: Random) -> None:
        self._clock, self._retry, self._random = clock, retry, random

    async def __call__(self, call: Callable[[], Awaitable[T]]) -> T:
        waits = 0
        while True:
            try:
                return await call()
            except EngineUnavailable as error:
                waits += 1
                logger.warning("An engine does not answer", extra={"cause": type(error).__name__, "waits": waits})
                await self._clock.sleep(self.delay_s(waits))

    def delay_s(self, waits: int) -> float:
        return self._retry.delay_s(waits, self._random) or 0.0
