"""How many jobs may call the model at once: as many as it serves well, found by trying.

More calls at once are kept if jobs then end faster, fewer if jobs do not end slower.  A model that is overloaded or away gets
half as many.  The idea is that of Netflix's concurrency-limits (2018), with the rate of ended jobs instead of latency,
because jobs differ in length.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType

from ..errors import ModelUnavailable, NoModel

START = 2  # and fewest, so that one slow answer does not delay all others
FEWEST_ENDED = 8  # jobs that are enough to compare two rates
PAYS = 0.5  # share of a change that must show in the rate
MOST_PATIENT = 16  # rounds between two tries after tries without success


class ModelLimit:
    """The number of concurrent jobs, ``value``, between ``START`` and ``most``."""

    def __init__(self, most: int) -> None:
        self.value = self._fewest = min(START, most)
        self._most = most
        self._before: tuple[int, float] | None = None  # number and rate before the change that is being tried
        self._grows = True
        self._quiet, self._patience = 0, 1  # rounds without a try, and how many there should be
        self._ended, self._began = 0, -1.0

    def ended(self, now: float, *, full: bool) -> None:
        """A job ended at ``now`` (s).  ``full``: others were waiting for its place; otherwise nothing is learned from it."""
        if not full or self._began < 0 or now < self._began:  # the clock was set back
            self._ended, self._began = 0, now
            return
        self._ended += 1
        if self._ended >= max(FEWEST_ENDED, 2 * self.value) and now > self._began:
            rate = self._ended / (now - self._began)
            self._ended, self._began = 0, now
            self._judge(rate)

    def failed(self) -> None:
        """The model did not answer, or refused because of too many requests."""
        self.value = max(self._fewest, self.value // 2)
        self._before, self._quiet, self._patience = None, 0, MOST_PATIENT
        self._began = -1.0

    def _judge(self, rate: float) -> None:
        if self._before is None:
            self._quiet += 1
            if self._quiet >= self._patience:
                self._try(rate)
            return
        number, before = self._before
        share = (rate / before - 1) / (self.value / number - 1)
        if share >= PAYS if self._grows else share <= PAYS:
            self._patience = 1
            self._try(rate)
            return
        self.value, self._before = number, None
        self._grows = not self._grows
        self._quiet, self._patience = 0, min(MOST_PATIENT, 2 * self._patience)

    def _try(self, rate: float) -> None:
        """Change the number by a half or a third."""
        wanted = self.value + max(1, self.value // 2) if self._grows else self.value - max(1, self.value // 3)
        wanted = max(self._fewest, min(self._most, wanted))
        if wanted == self.value:
            self._before, self._grows, self._quiet = None, not self._grows, 0
            return
        self._before, self.value = (self.value, rate), wanted


class ModelSlots:
    """A semaphore of ``ModelLimit``, in the order of arrival.  ``now``: seconds."""

    def __init__(self, most: int, now: Callable[[], float]) -> None:
        self.limit = ModelLimit(most)
        self._now = now
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        if self._running < self.limit.value and not self._waiting:
            self._running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot had been given at the same moment
                self._running -= 1
                self._fill()
            elif turn in self._waiting:  # not if its place came up after it was cancelled
                self._waiting.remove(turn)
            raise

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._running -= 1
        if isinstance(error, ModelUnavailable) and not isinstance(error, NoModel):
            self.limit.failed()
        elif error is None:
            self.limit.ended(self._now(), full=bool(self._waiting))
        self._fill()

    def _fill(self) -> None:
        while self._waiting and self._running < self.limit.value:
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)
