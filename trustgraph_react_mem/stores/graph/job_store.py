"""The job store in a Cypher graph: the state of each job, and the tokens that each scope spent per day.

Saves that arrive during a transaction share the next one, and so do lookups.  This is the only group commit of jobs.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import get_args

from ...memory.ports import JobEntry, JobKind, JobState
from ...memory.scope import Scope
from ...memory.timefmt import parse_time, require_time, sortable_time
from .batch import Batch
from .engine import GraphEngine, Row, Statement, cypher, retry_conflicts, uid

ATTEMPTS = 4


class CypherJobStore:
    """``JobStore`` over either engine.

    Saves are batched across scopes and not fenced; ``claimed`` is the fenced engine for writes made by a job.
    """

    def __init__(self, engine: GraphEngine, fenced: GraphEngine) -> None:
        self._engine = engine
        self._fenced = fenced
        self._cypher = cypher("jobs")
        self._saves = Batch(self._save_all)
        self._lookups = Batch(self._get_all)

    async def save(self, entries: Sequence[JobEntry]) -> None:
        if entries:
            await self._saves.add({entry.job_id: _row(entry) for entry in entries})

    async def get(self, job_ids: Sequence[str]) -> list[JobEntry]:
        keys = list(dict.fromkeys(job_ids))
        if not keys:
            return []
        rows = await self._lookups.add(keys)
        return [_entry(rows[key]) for key in keys if key in rows]

    async def _save_all(self, groups: Sequence[Mapping[str, Row]]) -> None:
        rows: dict[str, Row] = {}
        for group in groups:
            rows |= group  # of two entries for a job, the later one wins
        await self._write(list(rows.values()))

    async def _get_all(self, groups: Sequence[Sequence[str]]) -> dict[str, Row]:
        keys = list(dict.fromkeys(key for group in groups for key in group))
        return {row["uid"]: row for row in await self._engine.read(self._cypher["entries"], {"uids": keys})}

    async def _write(self, rows: list[Row]) -> None:
        statements = [Statement(self._cypher[name], {"rows": rows}) for name in ("set", "create")]
        # Conflict: another writer created an entry concurrently.
        await retry_conflicts(lambda: self._engine.write(statements), ATTEMPTS)

    async def listing(self, scope: Scope | None, *, states: Sequence[JobState] = (), limit: int = 100) -> list[JobEntry]:
        """Last changed first."""
        wanted = list(states or get_args(JobState))
        if scope is None:
            return await self._find("listing_everywhere", {"states": wanted, "limit": limit})
        return await self._find("listing", {"scope": scope.key, "states": wanted, "limit": limit})

    async def last_done(self, scope: Scope, kind: JobKind, *, without: Sequence[str]) -> JobEntry | None:
        parameters = {"scope": scope.key, "kind": kind, "without": list(without)}
        found = await self._find("last_done", parameters)
        return found[0] if found else None

    async def due(self, now: datetime, *, limit: int = 100) -> list[JobEntry]:
        return await self._find("due", {"now": sortable_time(now), "limit": limit})

    async def prune(self, before: datetime) -> int:
        parameters = {"before": sortable_time(before)}
        counted, _ = await self._engine.write(
            [Statement(self._cypher["prunable"], parameters), Statement(self._cypher["prune"], parameters)]
        )
        return int(counted[0]["n"])

    async def forget_scope(self, scope: Scope, *, before: datetime | None = None) -> int:
        parameters = {"scope": scope.key}
        jobs = parameters | {"before": sortable_time(before)}
        statements = [Statement(self._cypher[name], jobs) for name in ("count_scope", "forget_scope")]
        if before is None:
            statements.append(Statement(self._cypher["forget_spending"], parameters))
        counted, *_ = await self._engine.write(statements)
        return int(counted[0]["n"])

    async def spend(self, scope: Scope, day: str, tokens: int) -> int:
        key = uid(scope, day)
        if tokens == 0:
            rows = await self._engine.read(self._cypher["spent"], {"uid": key})
            return int(rows[0]["tokens"]) if rows else 0
        parameters = {"uid": key, "scope": scope.key, "day": day, "tokens": tokens}
        # Conflict: another writer created the row of the day concurrently.  Now it exists.
        (rows,) = await retry_conflicts(lambda: self._fenced.write([Statement(self._cypher["spend"], parameters)]), 2)
        return int(rows[0]["tokens"])

    async def _find(self, statement: str, parameters: Mapping[str, object]) -> list[JobEntry]:
        rows = await self._engine.read(self._cypher[statement], parameters)
        return await self.get([row["uid"] for row in rows])


def _row(entry: JobEntry) -> Row:
    return {
        "uid": entry.job_id,
        "scope": entry.scope.key,
        "kind": entry.kind,
        "state": entry.state,
        "attempt": entry.attempt,
        "cause": entry.trigger,
        "created_at": sortable_time(entry.created_at),
        "updated_at": sortable_time(entry.updated_at),
        "not_before": sortable_time(entry.not_before),
        "error": entry.error,
        "summary": entry.summary,
        "payload": entry.sealed_payload,
    }


def _entry(row: Row) -> JobEntry:
    return JobEntry(
        job_id=row["uid"],
        kind=row["kind"],
        scope=Scope.from_key(row["scope"]),
        state=row["state"],
        attempt=row["attempt"],
        trigger=row["cause"],
        created_at=require_time(row["created_at"]),
        updated_at=require_time(row["updated_at"]),
        not_before=parse_time(row["not_before"]),
        error=row["error"],
        summary=row["summary"],
        sealed_payload=row["payload"],
    )
