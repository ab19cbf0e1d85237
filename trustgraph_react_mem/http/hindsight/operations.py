"""The jobs that learn from retained contents, and those that erase a bank, as Hindsight's operations."""

from collections.abc import Collection, Mapping
from typing import Any

from aiohttp import web

from ...errors import NotFound
from ...memory.ports import ENDED
from ...memory.requests import CancelJob, ListJobs, ReplayJob
from ...schema import JobStatus
from ..access import Access
from ..peer_records import get_job, reply, status_of
from ..request_body import number_of
from .replies import bank_of

STATUS: Mapping[str, str] = {"running": "processing", "done": "completed", "dead": "failed", "cancelled": "cancelled"}
TYPES: Mapping[str, str] = {"understand": "retain", "forget": "delete_bank"}  # by kind of job
MOST_LISTED = 1000


async def list_page(request: web.Request) -> web.Response:
    access, query = await bank_of(request), dict(request.query)
    limit, offset = number_of(query, "limit", 20, 1, MOST_LISTED), number_of(query, "offset", 0, 0, MOST_LISTED)
    jobs = (await access.call(ListJobs(kind="understand", limit=MOST_LISTED))).jobs
    found = [_summary(job) for job in jobs if query.get("status", "") in ("", _status(job))]
    return reply(
        {
            "bank_id": access.collection,
            "total": len(found),
            "limit": limit,
            "offset": offset,
            "operations": found[offset : offset + limit],
        }
    )


async def get(request: web.Request) -> web.Response:
    return reply(_summary(await _job(await bank_of(request), request, TYPES)))


async def cancel(request: web.Request) -> web.Response:
    access = await bank_of(request)
    job = await _job(access, request)
    await access.call(CancelJob(id=job.id))
    return reply({"success": True, "message": "operation cancelled", "operation_id": job.id})


async def retry(request: web.Request) -> web.Response:
    access = await bank_of(request)
    job = await _job(access, request)
    await access.call(ReplayJob(id=job.id))
    return reply({"success": True, "message": "operation runs again", "operation_id": job.id})


async def _job(access: Access, request: web.Request, kinds: Collection[str] = ("understand",)) -> JobStatus:
    """Raises: NotFound."""
    job = await get_job(access, request.match_info["id"].strip())
    if job.kind not in kinds:
        raise NotFound(f"there is no operation {job.id[:80]!r}")
    return job


def _status(job: JobStatus) -> str:
    """A job that waits for a busy model is still pending."""
    return STATUS.get(status_of(job), "pending")


def _summary(job: JobStatus) -> dict[str, Any]:
    return {
        "id": job.id,
        "operation_id": job.id,
        "task_type": TYPES[job.kind],
        "operation_type": TYPES[job.kind],
        "items_count": 1,
        "document_id": None,
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "completed_at": job.updated_at if status_of(job) in ENDED else None,
        "status": _status(job),
        "error_message": job.error or None,
        "retry_count": max(0, job.attempt - 1),
        "result_metadata": {"summary": job.summary},
    }
