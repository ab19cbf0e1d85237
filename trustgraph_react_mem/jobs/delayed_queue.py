"""The deferred jobs of one partition, oldest first.

A partition may have ten thousand deferred jobs, and each of its jobs asks whether an older one is waiting.  Therefore no method
scans the whole queue, except ``latest_before`` for a job in the middle of it.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ..memory.ports import JobEntry
from ..memory.scope import Scope

Place = tuple[datetime, str]  # sort key: created_at, job id


@dataclass(slots=True)
class DelayedQueue:
    """Entries without their payloads, and two sorted indexes of them."""

    _entries: dict[str, JobEntry] = field(default_factory=dict)
    _order: list[Place] = field(default_factory=list)
    _times: list[datetime] = field(default_factory=list)  # the entries' not_before times, ascending; None is left out

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[JobEntry]:
        """Oldest first."""
        return (self._entries[job_id] for _, job_id in self._order)

    @property
    def scope(self) -> Scope | None:
        """The scope of the partition; None when the queue is empty."""
        return next((entry.scope for entry in self), None)

    @property
    def oldest_at(self) -> datetime | None:
        """When the oldest job was created; None when the queue is empty."""
        return self._order[0][0] if self._order else None

    def put(self, entry: JobEntry) -> None:
        """Insert an entry, or replace the entry of the same job."""
        self.remove(entry.job_id)
        self._entries[entry.job_id] = entry
        insort(self._order, (entry.created_at, entry.job_id))
        if entry.not_before is not None:
            insort(self._times, entry.not_before)

    def remove(self, job_id: str) -> None:
        entry = self._entries.pop(job_id, None)
        if entry is None:
            return
        del self._order[bisect_left(self._order, (entry.created_at, job_id))]
        if entry.not_before is not None:
            del self._times[bisect_left(self._times, entry.not_before)]

    def oldest_before(self, place: Place) -> JobEntry | None:
        return self._entries[self._order[0][1]] if self._order and self._order[0] < place else None

    def latest_before(self, place: Place) -> datetime | None:
        """The latest ``not_before`` of the jobs older than ``place``; None if none of them has one."""
        older = bisect_left(self._order, place)
        if older <= len(self._order) // 2:
            return max(self._times_of(self._order[:older]), default=None)
        # Few jobs are younger: walk down from the latest time and skip one occurrence for each younger job.
        younger = Counter(self._times_of(self._order[older:]))
        for time in reversed(self._times):
            if not younger[time]:
                return time
            younger[time] -= 1
        return None

    def _times_of(self, places: Sequence[Place]) -> Iterator[datetime]:
        times = (self._entries[job_id].not_before for _, job_id in places)
        return (time for time in times if time is not None)
