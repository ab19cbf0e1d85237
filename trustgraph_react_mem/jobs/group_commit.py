"""Group commit: many small reads and writes of the job ledger become few.

While one transaction is under way the next callers gather; the first of them carries the whole group.  Nothing waits for a
timer, and a single caller is served at once.
"""

import asyncio
from dataclasses import dataclass, field

from ..memory.ports import JobEntry, JobStore


@dataclass(slots=True)
class _Writes:
    entries: dict[str, JobEntry] = field(default_factory=dict)
    done: bool = False


@dataclass(slots=True)
class _Reads:
    ids: list[str] = field(default_factory=list)
    found: dict[str, JobEntry] | None = None


class GroupCommitJobStore:
    """Saves and looks up single entries of a ledger in groups.  When a group fails, each of its callers tries again itself."""

    def __init__(self, job_store: JobStore) -> None:
        self._ledger = job_store
        self._writes = _Writes()
        self._reads = _Reads()
        self._write_lock = asyncio.Lock()
        self._read_lock = asyncio.Lock()

    async def save(self, entry: JobEntry) -> None:
        """Durable on return.  Raises EngineUnavailable."""
        group = self._writes
        group.entries[entry.job_id] = entry
        async with self._write_lock:
            if group.done:
                return
            if self._writes is group:
                self._writes = _Writes()
            await self._ledger.save(list(group.entries.values()))
            group.done = True

    async def get(self, job_id: str) -> JobEntry | None:
        """Raises EngineUnavailable."""
        group = self._reads
        group.ids.append(job_id)
        async with self._read_lock:
            if group.found is None:
                if self._reads is group:
                    self._reads = _Reads()
                group.found = {entry.job_id: entry for entry in await self._ledger.get(group.ids)}
            return group.found.get(job_id)
