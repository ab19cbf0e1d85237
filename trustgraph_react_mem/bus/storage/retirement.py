"""Replaces what the embedded broker has stored by a fresh directory, and moves the jobs that are still needed.

pulsar-lite keeps every message for ever and reads its whole index at each one, so disk and time would grow without bound.  And
a message that it cannot read stops its topic for ever.

1. ``retire`` writes down which jobs are needed, then renames the store into ``retired-N``: the moment from which it is retired.
2. The broker starts with nothing.
3. ``Salvage`` publishes the needed jobs again, and then deletes ``retired-N``.

A process that is killed in between leaves the old store in use, or a retired one: the next start continues with step 3.  A job
that is published twice runs once (``jobs/``).
"""

import asyncio
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from ...directories import make_private_directory, sync_path
from ...errors import MemoryServiceError
from ...failure_log import describe_error
from ...memory.ports import Clock, Job, JobEntry, JobRef, JobStore
from ...schema import JobEnvelope
from .. import wire
from ..envelope import parse_head
from ..jobs import BusJobPublisher
from .entry_log import STORE, count_damaged, read_entries

logger = logging.getLogger(__name__)

NEEDED = "needed.json"
RETIRED = "retired-"
ASK = 500  # jobs asked for in one query of the job store
KEPT = timedelta(days=6)  # the job store keeps finished jobs for at least as long
DOUBTFUL = "found in a damaged broker directory, too old to say whether it has run: replay it if its turn is missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """``held``: ids of jobs that a worker had received and not finished.  ``barriers``: workspace -> id of a job before which
    all others of the workspace were received."""

    held: Sequence[str] = ()
    barriers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """``moved`` jobs were published again, ``doubtful`` ones are dead letters, ``unreadable`` entries are lost."""

    moved: int = 0
    doubtful: int = 0
    unreadable: int = 0


def stored_bytes(directory: Path) -> int:
    """The size of what the broker has stored.  Raises: OSError."""
    return sum(path.stat().st_size for path in (directory / STORE).rglob("*") if path.is_file())


def retire(directory: Path, needed: Needed | None) -> None:
    """Move the broker's store aside.  No broker may be using it.  ``needed`` None: unknown, the job store will say.

    Raises: ConfigurationError, OSError.
    """
    place = directory / f"{RETIRED}{time.time_ns()}"
    make_private_directory(place)
    text = json.dumps(None if needed is None else {"held": list(needed.held), "barriers": dict(needed.barriers)})
    with (place / NEEDED).open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    if (directory / STORE).exists():
        (directory / STORE).rename(place / STORE)
    for rest in directory.glob("data.*"):
        rest.rename(place / rest.name)
    for changed in (place, directory):
        sync_path(changed)


def retired_directories(directory: Path) -> list[Path]:
    """Oldest first."""
    return sorted(directory.glob(f"{RETIRED}*"))


class Salvage:
    """Publishes the needed jobs of retired directories again."""

    def __init__(self, publisher: BusJobPublisher, job_store: JobStore, clock: Clock) -> None:
        self._publisher, self._job_store, self._clock = publisher, job_store, clock

    async def run(self, directory: Path) -> Salvaged:
        """Empty all retired directories of a broker directory.  Raises: EngineUnavailable, OSError."""
        total = Salvaged()
        for place in retired_directories(directory):
            one = await self._empty(place)
            await asyncio.to_thread(shutil.rmtree, place)
            total = Salvaged(
                moved=total.moved + one.moved,
                doubtful=total.doubtful + one.doubtful,
                unreadable=total.unreadable + one.unreadable,
            )
        return total

    async def _empty(self, place: Path) -> Salvaged:
        needed = _read_needed(place)
        found = await asyncio.to_thread(lambda: {job.ref: (job, data) for job, data in _jobs(place, needed)})
        entries: dict[JobRef, JobEntry] = {}
        refs = list(found)
        for start in range(0, len(refs), ASK):
            entries |= {entry.ref: entry for entry in await self._job_store.get(refs[start : start + ASK])}
        open_states = ("queued", "running")  # an erasure saves its progress in such an entry
        unfinished = [found[one] for one in refs if one not in entries or entries[one].state in open_states]
        # The job store no longer knows jobs that were done long ago.  To run one of them again could bring back what was
        # forgotten since.
        before = self._clock.now() - KEPT
        known = needed.barriers if needed is not None else {}
        doubtful = [each for each in unfinished if each[0].scope.workspace not in known and each[0].created_at < before]
        moved = [each for each in unfinished if each not in doubtful]
        await self._job_store.save([_dead_letter(job, data, self._clock) for job, data in doubtful])
        await self._publisher.publish_encoded(moved)
        unreadable = await asyncio.to_thread(count_damaged, place)
        logger.info("broker store %s retired: %d jobs moved, %d doubtful", place.name, len(moved), len(doubtful))
        if unreadable and needed is None:
            logger.error("reading broker store %s failed in %d places: jobs in them are lost", place.name, unreadable)
        return Salvaged(moved=len(moved), doubtful=len(doubtful), unreadable=unreadable)


def _jobs(place: Path, needed: Needed | None) -> Iterator[tuple[Job, bytes]]:
    """The needed jobs in the order of their arrival."""
    held = set(needed.held) if needed is not None else set()
    barriers = dict(needed.barriers) if needed is not None else {}
    for entry in read_entries(place):
        try:
            job = parse_head(wire.decode(entry.payload, JobEnvelope))
        except MemoryServiceError as error:
            logger.warning("a message of broker store %s is not a job and was left out: %s", place.name, describe_error(error))
            continue
        # Without a barrier of its workspace, nothing is known about a job.  Behind the barrier, it may not have been received.
        if needed is None or job.id in held or job.scope.workspace not in barriers:
            yield job, entry.payload
        elif barriers[job.scope.workspace] == job.id:
            del barriers[job.scope.workspace]


def _read_needed(place: Path) -> Needed | None:
    try:
        found = json.loads((place / NEEDED).read_text("utf-8"))
        return None if found is None else Needed(held=found["held"], barriers=found["barriers"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # the safe reading: everything may be needed


def _dead_letter(job: Job, data: bytes, clock: Clock) -> JobEntry:
    return JobEntry(
        job_id=job.id,
        kind=job.kind,
        scope=job.scope,
        state="dead",
        attempt=job.attempt,
        trigger=job.trigger,
        created_at=job.created_at,
        updated_at=clock.now(),
        error=DOUBTFUL,
        sealed_payload=wire.decode(data, JobEnvelope).data,
    )
