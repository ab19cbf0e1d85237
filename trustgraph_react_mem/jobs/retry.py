"""When a failed attempt is made again: a value, with no clock and no state of its own."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Exponential backoff.  ``attempts`` counts all tries, the first included; 0 = without end.

    ``jitter`` is the share of a delay that is drawn at random, so that jobs which failed together do not come back together.
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


IN_PLACE = Retry()
#: A store that does not answer holds up its own lane only; there is nothing better to do than to wait for it.
ENGINE_AWAY = Retry(attempts=0, first_s=0.2, longest_s=30.0)
DEFERRAL = Retry(attempts=0, first_s=15.0, factor=2.0, longest_s=900.0, jitter=0.2)
