"""Requests to the jobs service."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...schema import JobsRequest, JobsResponse
from ...schema.topics import JOBS
from .base import Request, required_field, wire_field
from .fields import Limit

_required_id = required_field("id", "the id of a job")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsOperation(Request[JobsResponse]):
    service: ClassVar[str] = JOBS
    record: ClassVar[type] = JobsRequest
    response: ClassVar[type] = JobsResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitJob(JobsOperation):
    """``payload``: a JSON object.  If ``kind`` is an erasure, the response waits for its end, up to ``timeout_s``."""

    operation: ClassVar[str] = "submit"
    kind: str
    payload: str = ""
    id: str = ""  # "" = a new one
    timeout_s: float = 30.0

    @property
    def wait_s(self) -> float:
        return self.timeout_s


def learn_from(conversation_id: str, first: int, last: int, **scope: Any) -> SubmitJob:
    """The job that understands the turns of a conversation from position ``first`` to ``last``; two turns are an exchange."""
    payload = {"conversation_id": conversation_id, "from": first // 2, "to": last // 2}
    return SubmitJob(kind="understand", payload=json.dumps(payload), **scope)


def erase(level: str, ids: Sequence[str] = (), conversation_id: str = "", *, timeout_s: float, **scope: str) -> SubmitJob:
    """The job that erases records, a conversation or a whole level, and whose response has the receipt."""
    payload = {"level": level, "ids": list(ids), "conversation_id": conversation_id}
    return SubmitJob(kind="forget", payload=json.dumps(payload), timeout_s=timeout_s, **scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobs(JobsOperation):
    """Last changed first.  ``all_scopes``: jobs of the whole workspace."""

    operation: ClassVar[str] = "list"
    kind: str = ""
    status: str = ""
    all_scopes: bool = False
    limit: Limit = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JobById(JobsOperation):
    id: str = field(metadata=wire_field("id", _required_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJob(JobById):
    operation: ClassVar[str] = "get"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayJob(JobById):
    operation: ClassVar[str] = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropJob(JobById):
    operation: ClassVar[str] = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelJob(JobById):
    operation: ClassVar[str] = "cancel"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitUntilIdle(JobsOperation):
    """Wait until no jobs are outstanding.  ``kind`` "record": wait only for jobs that call no model."""

    operation: ClassVar[str] = "wait-idle"
    kind: str = ""
    timeout_s: float = 30.0

    @property
    def wait_s(self) -> float:
        return self.timeout_s


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJobStats(JobsOperation):
    operation: ClassVar[str] = "stats"


OPERATIONS: Mapping[str, type[JobsOperation]] = {
    each.operation: each for each in (SubmitJob, ListJobs, GetJob, ReplayJob, DropJob, CancelJob, WaitUntilIdle, GetJobStats)
}
