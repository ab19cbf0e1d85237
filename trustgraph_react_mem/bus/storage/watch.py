"""Notices published jobs that do not come back from the embedded broker.

A broker that confirms messages and delivers none loses memory in silence.  In one process, the publisher and the only consumer
share a ``JobWatch``, so the difference can be seen.  With several processes there is none: another one may receive
them.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ...memory.ports import Job

logger = logging.getLogger(__name__)

OVERDUE_S = 60.0
CHECK_EVERY_S = 5.0
REPORT_EVERY_S = 300.0
MOST_WATCHED = 50_000


class JobWatch:
    """The published jobs of each workspace, and since when its consumer has waited for a message in vain."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._published: OrderedDict[str, tuple[str, float]] = OrderedDict()  # job id -> workspace, time
        self._waiting_since: dict[str, float] = {}

    @contextmanager
    def publish(self, jobs: Iterable[Job]) -> Iterator[None]:
        """Around publishing: if it fails, the jobs are not waited for."""
        now = self._clock()
        for job in jobs:  # of a job that is published again, the first time counts
            self._published.setdefault(job.id, (job.scope.workspace, now))
        while len(self._published) > MOST_WATCHED:
            self._published.popitem(last=False)
        try:
            yield
        except BaseException:
            for job in jobs:
                self._published.pop(job.id, None)
            raise

    def wait(self, workspace: str) -> None:
        """The consumer begins to wait for a message."""
        self._waiting_since[workspace] = self._clock()

    def arrive(self, workspace: str, job_id: str) -> None:
        self._published.pop(job_id, None)
        self._waiting_since.pop(workspace, None)

    def overdue(self) -> int:
        """Number of jobs that were published more than ``OVERDUE_S`` ago, while the consumer has waited as long.

        A consumer that is busy, or that the worker holds back, may leave jobs at the broker for longer.
        """
        before = self._clock() - OVERDUE_S
        stalled = {workspace for workspace, since in self._waiting_since.items() if since <= before}
        return sum(workspace in stalled and at <= before for workspace, at in self._published.values()) if stalled else 0

    def describe(self) -> str:
        """What is wrong, or an empty text."""
        missing = self.overdue()
        return (
            f"{missing} jobs were confirmed by the message broker and not delivered within {OVERDUE_S:.0f} s: "
            "stop the stack and run `react-mem repair bus`"
            if missing
            else ""
        )

    async def run(self, report: Callable[[str], None]) -> None:
        """Check until cancelled.  ``report`` gets the description at once, then every ``REPORT_EVERY_S`` while it lasts."""
        reported_at = float("-inf")
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            fault, now = self.describe(), self._clock()
            if fault and now - reported_at >= REPORT_EVERY_S:
                reported_at = now
                logger.error("recording failed: %s", fault)
                report(fault)
