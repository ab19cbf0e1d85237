"""Reading the payload of a job."""

from datetime import UTC, datetime

from ..errors import BadRequest
from ..memory.ports import Job, JsonValue


def flow_of(job: Job) -> str:
    return str(job.payload.get("flow") or "default")


def text_of(job: Job, key: str, *, needed: bool = False) -> str:
    """A string of the payload.  Raises BadRequest: it is needed and missing, or no string."""
    value = job.payload.get(key)
    if value is None or value == "":
        if needed:
            raise BadRequest(f"a job of kind {job.kind!r} needs {key!r} in its payload")
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a string, not {type(value).__name__}")
    return value


def number_of(job: Job, key: str, default: int) -> int:
    value = job.payload.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a whole number, not {type(value).__name__}")
    return value


def time_of(job: Job, key: str) -> datetime:
    """A time of the payload; the job's own when it is missing or unreadable."""
    try:
        at = datetime.fromisoformat(text_of(job, key))
    except (ValueError, BadRequest):
        return job.created_at
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def inherit_payload(job: Job) -> dict[str, JsonValue]:
    """The part of the payload that every follow-up job repeats."""
    return {key: job.payload[key] for key in ("flow", "settings") if key in job.payload}
