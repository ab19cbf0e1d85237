"""Where events come from: notifications of changed memories, and the list of jobs.

Invariant: a source asks a service only about scopes that a client follows.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from ...bus.external_client import MemoryBus
from ...errors import MemoryServiceError, NotFound
from ...failure_log import describe_error, log_failure
from ...memory.requests import GetEpisode, GetFacts, GetFactStats, ListJobs
from ...memory.scope import Scope
from ...memory.timefmt import parse_time
from ...schema import Episode, Fact, MemoryChanged
from .feed import LOST, Kind, Ring, Rings

logger = logging.getLogger(__name__)

JOB_POLL_S = 1.0
JOB_TIMEOUT_S = 5.0  # short, because other scopes wait meanwhile
JOBS_LISTED = 100  # the latest of a scope
MOST_WAITING = 1_000  # changes that wait to be looked up
MOST_LOOKED_UP = 200  # records of one change; of more only their store is reported
YOUNG = timedelta(seconds=60)  # a record this much older than the ring counts as new still
OPEN_STATES = frozenset({"queued", "running"})
JOB_KINDS: dict[str, Kind] = {
    "queued": "job.queued",
    "running": "job.running",
    "deferred": "job.deferred",
    "done": "job.succeeded",
    "dead": "job.failed",
    "cancelled": "job.cancelled",
}


class Sources:
    """Notifications of changes become events after a look at the changed records.  Jobs send none: their list is read."""

    def __init__(self, rings: Rings, open_services: Callable[[str], Awaitable[MemoryBus]]) -> None:
        self._rings = rings
        self._open = open_services  # of a workspace
        self._waiting: asyncio.Queue[MemoryChanged] = asyncio.Queue(MOST_WAITING)

    def changed(self, change: MemoryChanged | None) -> None:
        """A listener of ``BusChangeNotifier``: called for the changes of all scopes."""
        if change is None:
            self._rings.publish_lost("the server lost its connection to the message broker for a time")
        elif change.store in ("facts", "episodes", "conversations") and self._rings.find(_scope(change)):
            try:
                self._waiting.put_nowait(change)
            except asyncio.QueueFull:
                self._rings.publish_lost("more changes came at once than the server can look up")

    async def run_memories(self) -> None:
        while True:
            change = await self._waiting.get()
            ring = self._rings.find(_scope(change))
            if ring is None:
                continue
            try:
                await self._report(change, ring)
            except MemoryServiceError as error:
                logger.warning("looking up the changed records of an event failed: %s", describe_error(error))
                ring.publish(LOST, {"reason": "the server could not look up what has changed"})
            except Exception:
                # Broad because the events of all clients would stop if this loop ended.
                log_failure(logger, "reporting a change failed")

    async def _report(self, change: MemoryChanged, ring: Ring) -> None:
        for record in change.forgotten:
            ring.remember(record, None)
            ring.publish("memory.forgotten", {"record_id": record, "store": change.store})
        if change.store == "conversations":
            return  # a new turn of a conversation is not a memory yet
        services = await self._open(change.workspace)
        if len(change.ids) > MOST_LOOKED_UP:
            ring.publish("memory.updated", {"store": change.store, "all": True})
        elif not (change.ids or change.forgotten):
            await self._report_scope(change, ring, services)
        elif change.store == "facts" and change.ids:
            # Records that may not be read, because reading is switched off, are not reported.
            request = GetFacts(user=change.user, collection=change.collection, ids=change.ids)
            for fact in (await services.call(request)).facts:
                _report_record(ring, fact, fact.created_at, fact.version, {"store": "facts", "memory_kind": fact.kind})
        else:
            for record in change.ids:
                with contextlib.suppress(NotFound):  # undone, or reading is switched off
                    one = GetEpisode(user=change.user, collection=change.collection, id=record)
                    for episode in (await services.call(one)).episodes:
                        kind = {"store": "episodes", "memory_kind": "episodic"}
                        _report_record(ring, episode, episode.timestamp, 1, kind)

    async def _report_scope(self, change: MemoryChanged, ring: Ring, services: MemoryBus) -> None:
        """All of the scope may have changed: an erasure, or a change of too many records to name."""
        stats = await services.call(GetFactStats(user=change.user, collection=change.collection))
        kind: Kind = "memory.updated" if stats.count else "memory.forgotten"
        if ring.remember(f"all {change.store}", (kind, stats.count)) != (kind, stats.count):
            ring.publish(kind, {"store": change.store, "all": True})

    async def run_jobs(self) -> None:
        while True:
            for scope, ring in self._rings.in_use():
                try:
                    await self._look(scope, ring)
                except MemoryServiceError as error:
                    logger.debug("listing the jobs of a scope failed: %s", describe_error(error))
                except Exception:
                    # Broad because the events of all clients would stop if this loop ended.
                    log_failure(logger, "listing the jobs of a scope failed")
            await asyncio.sleep(JOB_POLL_S)

    async def _look(self, scope: Scope, ring: Ring) -> None:
        services = await self._open(scope.workspace)
        found = await services.call(ListJobs(user=scope.user, collection=scope.collection, limit=JOBS_LISTED), JOB_TIMEOUT_S)
        for job in reversed(found.jobs):
            if (job.user, job.collection) != (scope.user, scope.collection):
                continue  # a message that could not be read belongs to no scope
            # A job that is run again and fails again between two looks differs in its time only.  The time of an open job is
            # that of the look.
            state = (job.status, job.attempt, "" if job.status in OPEN_STATES else job.updated_at)
            before = ring.remember(f"job {job.id}", state)
            old = before is None and not _is_since(job.updated_at, ring.began_at)
            if before != state and not old and job.status in JOB_KINDS:
                said = {name: value for name, value in (("summary", job.summary), ("error", job.error)) if value}
                details = {"job_id": job.id, "job_kind": job.kind, "attempt": job.attempt}
                ring.publish(JOB_KINDS[job.status], details | said)


def _is_since(text: str, since: datetime) -> bool:
    at = parse_time(text)
    return at is not None and at >= since


def _report_record(ring: Ring, record: Fact | Episode, created_at: str, version: int, details: dict[str, str]) -> None:
    """Publish what happened to a record, unless this state was reported already."""
    before = ring.remember(record.id, (version, record.status))
    if before == (version, record.status):
        return
    kind: Kind = "memory.updated"
    if record.status == "superseded":
        kind = "memory.superseded"
    elif before is None and _is_since(created_at, ring.began_at - YOUNG):
        kind = "memory.created"
    replaced = {"superseded_by": by} if (by := getattr(record, "superseded_by", "")) else {}
    ring.publish(kind, {"record_id": record.id, "status": record.status, **details, **replaced})


def _scope(change: MemoryChanged) -> Scope:
    return Scope(workspace=change.workspace, user=change.user, collection=change.collection)
