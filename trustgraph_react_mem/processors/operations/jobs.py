"""Operations on background jobs: submit, list, wait for, cancel, replay and drop them."""

import contextlib
from collections.abc import Mapping
from typing import Any, get_args

from ...erasure.forget import ADMINISTRATION, forget_job
from ...erasure.receipt import level_of
from ...errors import BadRequest, NotFound
from ...jobs.registry import JobType
from ...jobs.worker import JobWorker
from ...learning.handler_table import job_types
from ...memory.codec import encode_fields
from ...memory.json_object import read_json_object
from ...memory.ports import UNDECODABLE, Job, JobEntry, JobState, JsonValue
from ...memory.records import derived_id
from ...memory.requests import CancelJob, DropJob, GetJob, GetJobStats, ListJobs, ReplayJob, SubmitJob, WaitUntilIdle
from ...memory.scope import Scope
from ...repositories.core import MemoryCore
from ...schema import JobsResponse, JobStatus
from ...settings import AgentMemSettings, flow_payload
from ..service import new_id, serves
from .checks import check_range, choose

SUBMITTABLE: Mapping[str, JobType] = {each.kind: each for each in job_types() if each.submit != "internal"}
LONGEST_WAIT_S, MOST_LISTED = 600, 10_000
SHOWN = ("kind", "trigger", "attempt", "created_at", "updated_at", "not_before", "error", "summary")


class JobOperations:
    """Operations for one flow with its ``settings``."""

    def __init__(self, worker: JobWorker, core: MemoryCore, settings: AgentMemSettings, flow: str) -> None:
        self._worker = worker
        self._clock = core.clock
        self._core = core
        self._settings = settings
        self._flow = flow

    @serves(SubmitJob)
    async def submit(self, scope: Scope, request: SubmitJob) -> JobsResponse:
        """Publish a job.  For an erasure, wait up to ``timeout_s`` seconds and return its receipt.

        The flow's settings take precedence over those in the payload, except for an operator.
        """
        wanted = SUBMITTABLE.get(request.kind)
        if wanted is None:
            raise BadRequest(f"jobs of kind {request.kind!r} cannot be submitted: one of {', '.join(SUBMITTABLE)}")
        payload = read_json_object(request.payload, "payload") if request.payload else {}
        wanted.check_payload(payload)
        if wanted.kind == "forget":
            return await self._submit_forget(scope, payload, request)
        carried = flow_payload(self._flow, self._settings)
        job = Job(
            id=request.id or derived_id("job", "submitted", scope.key, wanted.kind, new_id()),
            kind=wanted.kind,
            scope=scope,
            payload={**carried, **payload} if request.operator else {**payload, **carried},
            created_at=self._clock.now(),
            trigger="management",
        )
        await self._worker.pending.publish([job])
        return JobsResponse(job_id=job.id, count=1)

    async def _submit_forget(self, scope: Scope, payload: Mapping[str, JsonValue], request: SubmitJob) -> JobsResponse:
        ids, conversation_id = payload.get("ids"), payload.get("conversation_id")
        job = forget_job(
            scope,
            level_of(payload.get("level")),
            at=self._clock.now(),
            ids=[str(one) for one in ids] if isinstance(ids, list) else [],
            conversation_id=str(conversation_id or ""),
            nonce=new_id(),
        )
        await self._worker.pending.publish([job])
        await self._worker.pending.wait_for(job.ref, timeout_s=_seconds(request))
        return await self._show(job.scope, job.id)

    @serves(ListJobs)
    async def list(self, scope: Scope, request: ListJobs) -> JobsResponse:
        """Last changed first.  ``all_scopes``: jobs of the whole workspace."""
        states = [choose("status", request.status, get_args(JobState))] if request.status else []
        if request.all_scopes:
            found = await self._worker.admin.listing(None, states=states, limit=MOST_LISTED)
            found = [entry for entry in found if entry.scope.workspace == scope.workspace]
        else:
            limit = MOST_LISTED if request.kind else request.limit
            found = await self._worker.admin.listing(scope, states=states, limit=limit)
            # Nobody's: messages of the workspace that could not be decoded.
            found = [*found, *await self._worker.admin.listing(_undecodable(scope), states=states, limit=limit)]
        chosen = [entry for entry in found if not request.kind or entry.kind == request.kind][: request.limit]
        return JobsResponse(jobs=[to_status(entry) for entry in chosen], count=len(chosen))

    @serves(GetJob)
    async def get(self, scope: Scope, request: GetJob) -> JobsResponse:
        """``data`` is the receipt if the job was an erasure."""
        return await self._show(await self._owner(scope, request.id), request.id)

    @serves(ReplayJob)
    async def replay(self, scope: Scope, request: ReplayJob) -> JobsResponse:
        """Run a dead or deferred job again at once."""
        return _one(await self._worker.admin.replay(await self._owner(scope, request.id), request.id))

    @serves(DropJob)
    async def drop(self, scope: Scope, request: DropJob) -> JobsResponse:
        """Delete a dead or deferred job with its payload."""
        return _one(await self._worker.admin.drop(await self._owner(scope, request.id), request.id))

    @serves(CancelJob)
    async def cancel(self, scope: Scope, request: CancelJob) -> JobsResponse:
        """Stop a queued or running job.  What it has written stays."""
        return _one(await self._worker.admin.cancel(scope, request.id))

    @serves(WaitUntilIdle)
    async def wait_idle(self, scope: Scope, request: WaitUntilIdle) -> JobsResponse:
        """Wait until no job is open.  ``count``: jobs still open after ``timeout_s`` seconds.

        Kind "record" waits only for jobs that call no model.
        """
        if request.kind not in ("", "record"):
            raise BadRequest(f"kind {request.kind!r} cannot be waited for separately: use 'record', or no kind for every job")
        left = await self._worker.pending.wait_idle(scope, timeout_s=_seconds(request), writes_only=request.kind == "record")
        return JobsResponse(count=left)

    @serves(GetJobStats)
    async def stats(self, scope: Scope, request: GetJobStats) -> JobsResponse:
        """Counters of the worker, records without a vector, and the progress of migrations, repairs and rewriting files."""
        models, files = self._core.models, self._core.files
        more = {"records_without_vector": str(await models.count_without_vector(scope))}
        more["embedding"] = models.current.profile.name
        if files is not None and files.progress:
            more["files"] = files.progress
        more["scopes_to_repair"] = str(len(self._core.doubtful))
        return JobsResponse(stats=self._worker.admin.stats() | more | await models.progress())

    async def _owner(self, scope: Scope, job_id: str) -> Scope:
        """The scope itself, unless the job is an erasure of it or a message that could not be decoded.  Raises NotFound."""
        administration = Scope(workspace=scope.workspace, user="", collection=ADMINISTRATION)
        for owner in (scope, _undecodable(scope), administration):
            with contextlib.suppress(NotFound):
                return (await self._worker.admin.find(owner, job_id)).scope
        raise NotFound(f"no job {job_id!r} in this scope: list the jobs to see their ids")

    async def _show(self, scope: Scope, job_id: str) -> JobsResponse:
        entry = await self._worker.admin.find(scope, job_id)
        receipt = entry.summary if entry.kind == "forget" and entry.state == "done" else ""
        return JobsResponse(jobs=[to_status(entry)], job_id=job_id, count=1, data=receipt)


def _undecodable(scope: Scope) -> Scope:
    return Scope(workspace=scope.workspace, user="", collection=UNDECODABLE)


def to_status(entry: JobEntry) -> JobStatus:
    told: dict[str, Any] = encode_fields(entry, SHOWN)
    return JobStatus(id=entry.job_id, user=entry.scope.user, collection=entry.scope.collection, status=entry.state, **told)


def _one(entry: JobEntry) -> JobsResponse:
    return JobsResponse(jobs=[to_status(entry)], job_id=entry.job_id, count=1)


def _seconds(request: SubmitJob | WaitUntilIdle) -> float:
    check_range("timeout_s", request.timeout_s, 0, LONGEST_WAIT_S)
    return request.timeout_s
