"""The wire form of a job, with its encrypted payload."""

import json
import re
from dataclasses import fields, replace
from datetime import UTC
from typing import Any

from ..errors import BadRequest
from ..memory.json_object import read_json_object
from ..memory.ports import Job, KeyRing
from ..memory.scope import Scope
from ..memory.timefmt import format_time, require_time
from ..schema import JobEnvelope

LONGEST_FIELD = 1000  # characters
MAX_ATTEMPT = 1_000_000
_SHOWN = ("id", "parent", "trigger", "source")  # in logs, lists and metrics
_KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")


def to_envelope(job: Job, sealed: str, source: str) -> JobEnvelope:
    """The wire form of a job.  ``sealed``: its encrypted payload.  ``source``: name of the publishing processor.

    Raises: BadRequest (a field that ``parse_head`` would refuse, such as too long an id: no worker could run the job).
    """
    envelope = JobEnvelope(
        id=job.id,
        source=source,
        type=f"org.trustgraph.memory.{job.kind}",
        subject=job.scope.key,
        time=format_time(job.created_at),
        data=sealed,
        kind=job.kind,
        workspace=job.scope.workspace,
        user=job.scope.user,
        collection=job.scope.collection,
        attempt=job.attempt,
        trigger=job.trigger,
        parent=job.parent,
    )
    _check_types(envelope)
    return envelope


def parse_head(envelope: JobEnvelope) -> Job:
    """The job without its payload.  A kind that this version does not know is kept: the worker defers such a job.

    Raises: BadRequest (no id or kind, a field of another type, no scope, or not an ISO 8601 time).
    """
    _check_types(envelope)
    if not envelope.id:
        raise BadRequest("a job needs an id")
    if envelope.specversion.split(".")[0] != "1":
        raise BadRequest(f"specversion {envelope.specversion!r} of a job is unknown: 1.0 is read")
    if not _KIND.fullmatch(envelope.kind):
        raise BadRequest(f"a job needs a kind such as 'record', not one of {len(envelope.kind)} characters")
    try:
        created_at = require_time(envelope.time)
    except ValueError:
        raise BadRequest("the time of a job is not ISO 8601") from None
    kind: Any = envelope.kind
    return Job(
        id=envelope.id,
        kind=kind,
        scope=Scope(workspace=envelope.workspace, user=envelope.user, collection=envelope.collection),
        payload={},
        created_at=(created_at if created_at.tzinfo else created_at.replace(tzinfo=UTC)).astimezone(UTC),
        attempt=min(max(1, envelope.attempt), MAX_ATTEMPT),
        trigger=envelope.trigger,
        parent=envelope.parent,
    )


def _check_types(envelope: JobEnvelope) -> None:
    """Raises BadRequest: JSON may hold any type, but a field has one."""
    for field in fields(JobEnvelope):
        value = getattr(envelope, field.name)
        if type(value) is not field.type:
            raise BadRequest(f"{field.name!r} of a job must not be of type {type(value).__name__}")
        if isinstance(value, str) and field.name != "data":
            value.encode("utf-8")  # refuses lone surrogates, which no store takes
            if len(value) > LONGEST_FIELD:
                raise BadRequest(f"{field.name!r} of a job has {len(value)} characters: at most {LONGEST_FIELD}")
            if field.name in _SHOWN and not value.isprintable():
                raise BadRequest(f"{field.name!r} of a job holds control characters: use letters, digits and signs")


async def open_job(keyring: KeyRing, head: Job, sealed: str) -> Job:
    """``head`` with its decrypted payload.

    Raises: ScopeErased, BadRequest (sealed for another id, kind or time, or the payload is not a JSON object).
    """
    plain = await keyring.open(head.scope, sealed, binding=head.binding)
    return replace(head, payload=read_json_object(plain, f"the payload of job {head.id}"))


async def seal_payload(keyring: KeyRing, job: Job) -> str:
    """The encrypted payload, as Base64.  Only this job can be opened with it.  Raises: ScopeChanged, EngineUnavailable."""
    return await keyring.seal(job.scope, json.dumps(job.payload).encode("utf-8"), binding=job.binding, turn=job.turn)
