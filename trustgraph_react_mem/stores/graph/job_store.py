"""The job store in a Cypher graph: the state of each job, and the tokens that each scope spent per day.

Invariant: the key of a job holds its scope and its id, so that a job of one scope never stands for a job of another.  Version
0.1.0 used the id alone; such rows are read, and replaced when they change.

Saves that arrive during a transaction share the next one, and so do lookups.  This is the only group commit of jobs.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import get_args

from ...batch import Batch
from ...memory.clock import TOLERANCE
from ...memory.codec import decode_fields, encode_fields
from ...memory.ports import JobEntry, JobKind, JobRef, JobState
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from .engine import CypherStore, GraphEngine, Row, retry_conflicts, uid

ATTEMPTS = 4
PROPERTIES = ("kind", "state", "attempt", "created_at", "updated_at", "not_before", "error", "summary")


class CypherJobStore(CypherStore):
    """``JobStore`` over either engine.

    Saves are batched across scopes and not fenced; ``claimed`` is the fenced engine for writes made by a job.
    """

    area = "jobs"

    def __init__(self, engine: GraphEngine, fenced: GraphEngine) -> None:
        super().__init__(engine)
        self._fenced = fenced
        self._saves = Batch(self._save_all)
        self._lookups = Batch(self._get_all)

    async def save(self, entries: Sequence[JobEntry]) -> None:
        if entries:
            await self._saves.add({_key(entry.ref): job_row(entry) for entry in entries})

    async def get(self, refs: Sequence[JobRef]) -> list[JobEntry]:
        if not refs:
            return []
        wanted = list(dict.fromkeys(refs))
        rows = await self._lookups.add([key for ref in wanted for key in _keys(ref)])
        found = (next((rows[key] for key in _keys(ref) if key in rows), None) for ref in wanted)
        pairs = zip(wanted, found, strict=True)
        return [_entry(row) for (scope, _), row in pairs if row is not None and row["scope"] == scope.key]

    async def _save_all(self, groups: Sequence[Mapping[str, Row]]) -> None:
        rows: dict[str, Row] = {}
        for group in groups:
            rows |= group  # of two entries for a job, the later one wins
        statements = [self._statement(name, rows=list(rows.values())) for name in ("replace_0_1_0", "set", "create")]
        # Conflict: another writer created an entry concurrently.
        await retry_conflicts(lambda: self._engine.write(statements), ATTEMPTS)

    async def _get_all(self, groups: Sequence[Sequence[str]]) -> dict[str, Row]:
        keys = list(dict.fromkeys(key for group in groups for key in group))
        return {row["uid"]: row for row in await self._read("entries", uids=keys)}

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        """Last changed first."""
        wanted = list(states or get_args(JobState))
        if scope is None:
            return await self._find("listing_everywhere", states=wanted, limit=limit)
        return await self._find("listing", scope=scope.key, states=wanted, limit=limit)

    async def last_done(self, scope: Scope, kind: JobKind, *, without: Sequence[str]) -> JobEntry | None:
        found = await self._find("last_done", scope=scope.key, kind=kind, without=list(without))
        return found[0] if found else None

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
        return await self._find("due", now=sortable_time(now), later=sortable_time(now + TOLERANCE), limit=limit)

    async def prune(self, before: datetime, *, dead_before: datetime) -> None:
        jobs = self._statement("prune", before=sortable_time(before), dead_before=sortable_time(dead_before))
        await self._engine.write([jobs, self._statement("prune_spending", day=before.date().isoformat())])

    async def remove(self, refs: Sequence[JobRef]) -> int:
        found = await self.get(refs)
        uids = [key for entry in found for key in _keys(entry.ref)]
        if found:
            await self._write("remove", uids=uids, scopes=sorted({entry.scope.key for entry in found}))
        return len(found)

    async def forget_scope(self, scope: Scope) -> None:
        await self._engine.write([self._statement(name, scope=scope.key) for name in ("forget_scope", "forget_spending")])

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        key = uid(scope, day)
        if tokens == 0:
            rows = await self._read("spent", uid=key)
            return int(rows[0]["tokens"]) if rows else 0
        statement = self._statement("spend", uid=key, scope=scope.key, day=day, tokens=tokens)
        # Conflict: another writer created the row of the day concurrently.  Now it exists.
        (rows,) = await retry_conflicts(lambda: self._fenced.write([statement]), 2)
        return int(rows[0]["tokens"])

    async def _find(self, statement: str, /, **parameters: object) -> list[JobEntry]:
        found = await self._read(statement, **parameters)
        if not found:
            return []
        rows = await self._lookups.add([row["uid"] for row in found])
        return [_entry(rows[row["uid"]]) for row in found if row["uid"] in rows]


def _key(ref: JobRef) -> str:
    scope, job_id = ref
    return uid(scope, "job", job_id)


def _keys(ref: JobRef) -> tuple[str, str]:
    """The key of a job, and the one that version 0.1.0 used."""
    return _key(ref), ref[1]


def job_row(entry: JobEntry) -> Row:
    return {
        "uid": _key(entry.ref),
        "id": entry.job_id,
        "scope": entry.scope.key,
        "cause": entry.trigger,
        "payload": entry.sealed_payload,
        **encode_fields(entry, PROPERTIES, time=sortable_time),
    }


def _entry(row: Row) -> JobEntry:
    scope = Scope.from_key(row["scope"])
    return JobEntry(
        job_id=row["uid"].removeprefix(_key((scope, ""))),
        scope=scope,
        trigger=row["cause"],
        sealed_payload=row["payload"],
        **decode_fields(JobEntry, PROPERTIES, row),
    )
