"""Requests to the jobs service."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...schema import JobsResponse
from ...schema.topics import JOBS
from .base import Request, make_record, needs, operation
from .fields import Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsOperation(Request[JobsResponse]):
    service: ClassVar[str] = JOBS
    response: ClassVar[type] = JobsResponse


@operation("submit")
class SubmitJob(JobsOperation):
    """``payload``: a JSON object.  If ``kind`` is an erasure, the response waits for its end, up to ``timeout_s``."""

    kind: str
    payload: str = ""
    id: str = ""  # "" = a new one
    timeout_s: float = 30.0


def learn_from(conversation_id: str, first: int, last: int, **scope: Any) -> SubmitJob:
    """The job that understands the turns of a conversation from position ``first`` to ``last``; two turns are an exchange."""
    payload = {"conversation_id": conversation_id, "from": first // 2, "to": last // 2}
    return SubmitJob(kind="understand", payload=json.dumps(payload), **scope)


def erase(level: str, ids: Sequence[str] = (), conversation_id: str = "", *, timeout_s: float, **scope: str) -> SubmitJob:
    """The job that erases records, a conversation or a whole level, and whose response has the receipt."""
    payload = {"level": level, "ids": list(ids), "conversation_id": conversation_id}
    return SubmitJob(kind="forget", payload=json.dumps(payload), timeout_s=timeout_s, **scope)


@operation("list")
class ListJobs(JobsOperation):
    """Last changed first.  ``all_scopes``: jobs of the whole workspace."""

    kind: str = ""
    status: str = ""
    all_scopes: bool = False
    limit: Limit = 100


@operation("get")
class GetJob(JobsOperation):
    id: str = needs("the id of a job")


@operation("replay")
class ReplayJob(JobsOperation):
    id: str = needs("the id of a job")


@operation("drop")
class DropJob(JobsOperation):
    id: str = needs("the id of a job")


@operation("cancel")
class CancelJob(JobsOperation):
    id: str = needs("the id of a job")


@operation("wait-idle")
class WaitUntilIdle(JobsOperation):
    """Wait until no jobs are outstanding.  ``kind`` "record": wait only for jobs that call no model."""

    kind: str = ""
    timeout_s: float = 30.0


@operation("stats")
class GetJobStats(JobsOperation):
    pass


JobsRequest = make_record(
    JobsOperation,
    "JobsRequest",
    "kind payload id status all_scopes limit timeout_s",
)
