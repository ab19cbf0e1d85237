"""Takes over the jobs that a version before 0.2 left in the files of its embedded broker (pulsar-lite).

The files of the persistent topics are sequences of entries: a header of 44 bytes, metadata, and the message.  Only job topics
were stored.  Acknowledged messages are among them, but the job store knows the jobs that have ended.
"""

import asyncio
import logging
import shutil
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...errors import BadRequest, MemoryServiceError, ScopeErased
from ...failure_log import describe_error
from ...memory.ports import Job, JobEntry, JobRef, JobStore, KeyRing
from ...schema import JobEnvelope
from ...schema.topics import job_queue
from .. import wire
from ..envelope import parse_head
from .job_log import JobLog

logger = logging.getLogger(__name__)

DIRECTORY = "bus"
ASK = 500  # jobs asked for in one query of the job store
KEPT = timedelta(days=6)  # the job store keeps finished jobs for at least as long
DOUBTFUL = "found in the files of the former broker, too old to say whether it has run: replay it if its turn is missing"
_MARKER = b"GELP\x02\x00\x2c\x00"  # magic number, version, header length; occurs in no JSON and no Base64
_HEADER = struct.Struct("<8x8x8x4xIIQ")  # length of metadata, length of message, sum of their bytes


async def take_over_jobs(
    home: Path, log: JobLog, job_store: JobStore, keyring: KeyRing, partition_key: Callable[[Job], str]
) -> None:
    """Append the unfinished jobs to the log in their order, then delete the files.  An interrupted run is repeated.

    A job that the job store does not know has ended if it knows a later one of its partition, and an erased one leaves nothing.

    Raises: EngineUnavailable, OSError.
    """
    directory = home / DIRECTORY
    if not directory.is_dir():
        return
    found = await asyncio.to_thread(lambda: dict(_jobs(directory)))
    stored: dict[JobRef, JobEntry] = {}
    refs = list(found)
    for start in range(0, len(refs), ASK):
        stored |= {entry.ref: entry for entry in await job_store.get(refs[start : start + ASK])}
    # An erasure saves its progress in an entry that is queued or running.
    unfinished = [found[ref] for ref in refs if ref not in stored or stored[ref].state in ("queued", "running")]
    # The job store no longer knows jobs that were done long ago.  To run one again could bring back what was forgotten since.
    before = datetime.now(UTC) - KEPT
    newest = {partition_key(job): place for place, (job, _) in enumerate(found.values()) if job.ref in stored}
    places = {ref: place for place, ref in enumerate(refs)}
    doubtful = [
        _dead_letter(job, data)
        for job, data in unfinished
        if job.created_at < before and job.ref not in stored and places[job.ref] > newest.get(partition_key(job), -1)
    ]
    doubtful = [entry for entry in doubtful if not await _is_erased(keyring, entry)]
    await job_store.save(doubtful)
    moved = [(job, data) for job, data in unfinished if job.created_at >= before or job.ref in stored]
    for job, data in moved:
        await log.append(job_queue(job.scope.workspace), partition_key(job), {"id": job.id, "kind": job.kind}, data)
    await asyncio.to_thread(shutil.rmtree, directory)
    logger.info("jobs of the former broker: %d taken over, %d doubtful", len(moved), len(doubtful))


def _jobs(directory: Path) -> Iterator[tuple[JobRef, tuple[Job, bytes]]]:
    files = [path for path in directory.rglob("entrylog/*.log") if path.stem.isdigit()]
    # Stores that were being replaced first, oldest first; the one in use last.
    retired = f"{directory}/retired-"
    for path in sorted(files, key=lambda path: (not str(path).startswith(retired), path.parts[:-1], int(path.stem))):
        for data in _messages(path.read_bytes()):
            try:
                job = parse_head(wire.decode(data, JobEnvelope))
            except MemoryServiceError as error:
                logger.warning("a message of the former broker is not a job and was left out: %s", describe_error(error))
            else:
                yield job.ref, (job, data)


async def _is_erased(keyring: KeyRing, entry: JobEntry) -> bool:
    try:
        await keyring.open(entry.scope, entry.sealed_payload, binding=entry.binding)
    except ScopeErased:
        return True
    except BadRequest:
        return False  # a dead letter whose payload nobody can read
    return False


def _messages(log: bytes) -> Iterator[bytes]:
    """The whole entries.  One that a full disk or a crash cut off was never confirmed."""
    start = log.find(_MARKER)
    while start >= 0 and start + _HEADER.size <= len(log):
        metadata, length, total = _HEADER.unpack_from(log, start)
        body = start + _HEADER.size + metadata
        if body + length <= len(log) and sum(log[start + _HEADER.size : body + length]) == total:
            yield log[body : body + length]
        start = log.find(_MARKER, start + 1)


def _dead_letter(job: Job, data: bytes) -> JobEntry:
    return JobEntry(
        job_id=job.id,
        kind=job.kind,
        scope=job.scope,
        state="dead",
        attempt=job.attempt,
        trigger=job.trigger,
        created_at=job.created_at,
        updated_at=datetime.now(UTC),
        error=DOUBTFUL,
        sealed_payload=wire.decode(data, JobEnvelope).data,
    )
