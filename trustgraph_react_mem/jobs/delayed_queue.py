"""The deferred jobs of one partition, oldest first.

A partition may have ten thousand deferred jobs, and each of its jobs asks whether an older one is waiting.  Therefore no method
that they call scans the whole queue.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from ..memory.ports import JobEntry
from ..memory.scope import Scope

Place = tuple[datetime, str]  # sort key: created_at, job id


@dataclass(slots=True)
class DelayedQueue:
    """Entries without their payloads, and their order."""

    _entries: dict[str, JobEntry] = field(default_factory=dict)
    _order: list[Place] = field(default_factory=list)

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

    def remove(self, job_id: str) -> None:
        entry = self._entries.pop(job_id, None)
        if entry is not None:
            del self._order[bisect_left(self._order, (entry.created_at, job_id))]

    def oldest_before(self, place: Place) -> JobEntry | None:
        return self._entries[self._order[0][1]] if self._order and self._order[0] < place else None
